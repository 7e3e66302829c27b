import base64
import hashlib
import json
import re
from dataclasses import replace

import numpy as np
import pytest

from abotn.records.readers import RecordSource, read_records
from abotn.records.table import RecordTable
from abotn.report import ReportOptions, build_report
from abotn.report.page import write_page
from abotn.report.page_sources import ReportSources, RunSource
from abotn.report.texts import flat

MEGABYTE = 1_000_000


@pytest.fixture(scope="module")
def page(parts, run_folder):
    return parts.page(parts.sources(("one", run_folder), ("two", run_folder)))


def block(page, key):
    (text,) = re.findall(rf'<script type="application/json" id="{key}">(.*?)</script>', page)
    return json.loads(text)


def awkward_sources(parts, names):
    """A run per name whose scene, task, goal and error are named so too."""
    runs = []
    for name in names:
        error = {"stage": "agent", "type": name, "message": name}
        document = {
            "episode_id": name, "task_id": name, "goal_label": name, "status": "error",
            "success": False, "error": error, "steps": 1,
        }  # fmt: skip
        groups = {name: parts.evaluation().groups["scene"]}
        groups = {name: tuple(replace(group, label=name) for group in groups[name])}
        records = read_records([{**document, "schema_version": "1", "metrics": {}}])
        runs.append(RunSource(name, parts.evaluation(groups=groups), records, path=name))
    return ReportSources(tuple(runs), command=("abotn", "report", *names))


def test_it_is_one_well_formed_page_with_unique_ids(parts, page):
    markup = parts.markup(page)
    ids = [value for name, value in markup.attributes if name == "id"]
    assert len(ids) == len(set(ids))
    named = " ".join(v for n, v in markup.attributes if n in ("aria-labelledby", "for")).split()
    assert set(named) <= set(ids)
    assert markup.of("h2")[:5] == [
        "Summary", "Groups", "Failures", "Records", "Protocol, data set and commands",
    ]  # fmt: skip


def test_it_asks_nothing_of_the_network(parts, page):
    for name, value in parts.markup(page).attributes:
        assert not name.startswith("on")
        assert name not in ("src", "srcset", "action", "style", "background")
        assert name != "href" or value.startswith("#")


def test_the_policy_names_the_style_and_the_script_of_the_page(page):
    (policy,) = re.findall(r'Content-Security-Policy" content="([^"]*)"', page)
    for tag in ("style", "script"):
        (text,) = re.findall(rf"<{tag}>(.*?)</{tag}>", page, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in policy


def test_failures_come_first_grouped_by_cause(parts, page):
    markup = parts.markup(page)
    heads = markup.of("h3")
    causes = ["error", "collision", "wrong stop", "time-out", "collided on the way", "solved"]
    assert [head for head in heads if head in causes] == causes
    assert len(markup.of("button", type="button", **{"class": "example"})) == 12
    assert page.count('<details class="cause" open>') == 5
    assert "1 (16.7 %)" in page.replace('<span class="interval">', "").replace("</span>", "")


def test_the_data_are_those_of_the_records(page):
    index = block(page, "data")
    assert [run["name"] for run in index["runs"]] == ["one", "two"]
    assert len(index["records"]) == len(block(page, "paths")) == 12
    assert len(index["tasks"]) == 6
    for number in index["views"]:
        assert block(page, f"views-{number}")["views"] == ["left", "front", "right"]


def test_awkward_names_are_text_everywhere_and_never_markup(parts, make):
    names = make.awkward
    page = parts.page(awkward_sources(parts, names))
    markup = parts.markup(page)
    known = parts.markup(parts.page(awkward_sources(parts, ["plain", "other"])))
    assert set(markup.tags) == set(known.tags)
    index = block(page, "data")
    for kind, key in (("runs", "name"), ("scenes", "name"), ("tasks", "name"), ("tasks", "label")):
        assert sorted(one[key] for one in index[kind]) == sorted(map(flat, names))
    shown = set(markup.of("bdi"))
    assert set(map(flat, names)) <= shown
    assert {f"{flat(name)} / {flat(name)}" for name in names[:6]} <= shown
    errors = {row[5] for row in index["records"]}
    assert errors == {flat(f"agent: {name}: {name}") for name in names}


def test_a_lone_surrogate_is_no_obstacle(parts):
    page = parts.page(awkward_sources(parts, ["bad \ud800 name"]))
    assert "bad name" in page.encode().decode()


def test_the_report_alone_makes_a_page_too(parts, make):
    report = build_report([("a", make.evaluation())], ReportOptions(title="Alone"))
    markup = parts.markup(write_page(report))
    assert markup.of("title") == ["Alone"]
    assert markup.of("h2") == ["Summary", "Groups", "Notes"]
    assert "dialog" not in markup.tags
    no_groups = build_report([("a", make.evaluation(groups={}))])
    assert parts.markup(write_page(no_groups)).of("h2") == ["Summary", "Notes"]


def test_runs_stand_side_by_side_within_each_group(parts, make):
    page = write_page(build_report([("a", make.evaluation()), ("b", make.evaluation())]))
    groups = page[page.index('id="groups"') :]
    figure = groups[groups.index("<figure") : groups.index("</figure>")]
    names = parts.markup(f"{figure}</figure>").of("bdi")
    assert names == ["success", "short", "a", "b", "long", "a", "b"]


def test_more_metrics_than_columns_are_drawn_as_well(parts, make):
    names = [f"metric_{number}" for number in range(10)]
    result = make.evaluation(groups={})
    many = replace(result, metrics=tuple(make.metric(name, 0.5) for name in names))
    page = write_page(build_report([("a", many)], ReportOptions(metrics=tuple(names))))
    assert len(parts.markup(page).of("figcaption")) == 10


def test_the_same_input_gives_the_same_bytes(parts, run_folder, page):
    again = parts.page(parts.sources(("one", run_folder), ("two", run_folder)))
    assert again == page


def test_five_hundred_tasks_of_three_runs_stay_below_twenty_megabytes(parts, tmp_path):
    scenes, tasks, steps = 31, 17, 250
    rng = np.random.default_rng(0)
    for scene in range(scenes):
        grey = parts.map(tmp_path / f"scene_{scene}" / "map", size=(700, 700))
        assert grey.shape == (700, 700)
    documents = [
        parts.record(f"scene_{scene}", f"traj_{task}", status="max_steps", success=False).to_dict()
        for scene in range(scenes) for task in range(tasks)
    ]  # fmt: skip
    table = RecordTable.from_dicts(documents)
    paths = np.empty(len(table), dtype=object)
    for row in range(len(table)):
        walk = parts.trajectory(steps, hits=range(0, steps, 3))
        shaken = walk.position + rng.normal(0, 3, walk.position.shape)
        reference = np.linspace((0, 0), (50, 50), 1000)
        paths[row] = replace(walk, position=shaken, reference=reference)
    records = RecordSource(table.with_columns({"trajectory": paths}))
    runs = tuple(
        RunSource(name, parts.evaluation(), records, data_dir=str(tmp_path)) for name in "abc"
    )
    page = parts.page(ReportSources(runs))
    assert len(block(page, "data")["records"]) == 3 * len(table) >= 1500
    assert "one pose in 2 is drawn" in page
    # What remains is left for views, whose sum has a limit of its own.
    assert len(page.encode()) + 7 * MEGABYTE < 20 * MEGABYTE


def test_a_grouping_of_one_group_stands_last_and_closed(parts):
    (hall,) = parts.evaluation().groups["scene"]
    groups = {"difficulty": (replace(hall, label="unknown"),)}
    result = parts.evaluation(groups={**groups, "scene": (hall, replace(hall, label="yard"))})
    records = read_records([{"episode_id": "a", "task_id": "t", "success": True}])
    page = flat(parts.page(ReportSources((RunSource("r", result, records, path="r"),))))
    found = re.findall(r'<details class="grouping"( open)?> ?<summary>.*?<bdi>(\w+)</bdi>', page)
    assert found == [(" open", "scene"), ("", "difficulty")]
