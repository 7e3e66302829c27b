"""The page of a comparison as text: what it says, what it holds, and what cannot become live."""

import json
import re
from dataclasses import replace

import pytest

from abotn.report.comparison_data import comparison_data
from abotn.report.comparison_page import write_comparison_page
from abotn.report.comparison_sources import ComparisonSources
from abotn.report.comparison_tables import pair_tasks
from abotn.report.comparison_tasks import SplitTasks
from abotn.report.comparison_words import metric_words
from abotn.report.options import ReportOptions
from abotn.results.comparison import Comparison, MetricComparison, PairComparison
from abotn.results.types import ConfidenceInterval

NAN = float("nan")


def data(page):
    return json.loads(re.findall(r'id="pairs">(.*?)</script>', page)[0])


def metric(a=0.75, b=0.5, **more):
    ci = ConfidenceInterval(0.125, 0.375, 0.95, "bca", 1000, 0, "tasks", 40)
    given = {
        "name": "success", "unit": "", "direction": "higher", "value_a": a, "value_b": b,
        "difference": a - b, "ci": ci, "ci_reason": None, "p_value": 0.01, "p_adjusted": 0.02,
        "test": "mcnemar_exact", "n_pairs": 40, "n_undefined": 0, "winner": "new", **more,
    }  # fmt: skip
    return MetricComparison(**given)


def words(one, *others, a="new", b="old"):
    return metric_words(PairComparison(a, b, (one, *others), 40), one, ReportOptions(), 0.05)


def test_a_fraction_is_said_in_percentage_points():
    assert words(metric()) == (
        "25.0 percentage points higher for new than for old "
        "(95 % interval 12.5 to 37.5, p = 0.0100). new is better."
    )


def test_a_lower_value_has_its_interval_in_the_same_direction():
    ci = ConfidenceInterval(-2.0, 0.5, 0.95, "bca", 1000, 0, "tasks", 40)
    one = metric(
        0.25, 1.5, name="collision_length", unit="m", direction="lower", ci=ci, p_adjusted=0.08,
        winner="no difference shown",
    )  # fmt: skip
    assert words(one, metric()) == (
        "1.25 m lower for new than for old (95 % interval -0.50 to 2.00, p = 0.0100, and 0.0800 "
        "corrected for 2 metrics). After the correction no difference is shown."
    )


@pytest.mark.parametrize(
    ("one", "expected"),
    [
        (metric(NAN, NAN), "cannot be compared, no task has a value in both runs."),
        (metric(0.5, 0.5, ci=None, p_value=1.0, p_adjusted=1.0, winner="no difference shown"),
         "the same for new and old (p = 1.0000). No difference is shown."),
        (metric(3.0, 1.0, unit="count", ci=None, p_value=NAN, p_adjusted=NAN,
                winner="no difference shown"),
         "2.00 higher for new than for old. No test was made."),
        (metric(1e-9, 0.5, ci=None, p_value=1e-9),
         "50.0 percentage points lower for new than for old (p < 0.0001). new is better."),
    ],
)  # fmt: skip
def test_what_is_said_where_something_is_missing(one, expected):
    assert words(one) == expected


def test_the_page_says_who_is_compared_and_how(pair, parts):
    page = write_comparison_page(*pair)
    read = parts.markup(page)
    assert read.of("h1") == ["planner against straight"]
    assert read.of("title") == ["planner against straight"]
    assert read.of("p", **{"class": "setting"}) == [
        "2 runs · protocol pointbench-indoor (modified) · data set ffffffffffff"
        " · 17 records scored",
        "Compared over the 6 tasks that both have.",
        "Run ids: planner: run of planner · straight: run of straight",
    ]
    assert [text for text in read.of("h2") if text] == [
        "Differences", "Tasks solved by one only", "Left out",
        "Protocol, data set and commands", "Notes",
    ]  # fmt: skip
    heads = [text for tag, _, text in read.texts if tag == "th"]
    assert {"pairs", "interval", "test", "p (Holm)"} <= {"".join(text) for text in heads}
    assert any("percentage points higher for planner" in text for text in read.of("li"))
    counts = [read.of("td"), read.of("th", scope="row")]
    assert {"3", "1"} <= set(counts[0])
    assert {"only planner", "only straight", "both", "neither"} <= set(counts[1])


def test_the_data_hold_both_paths_once_for_each_listed_task(pair):
    found = data(write_comparison_page(*pair))
    assert [task["name"] for task in found["tasks"]] == ["t0", "t1", "t5", "t2"]
    assert [run["name"] for run in found["runs"]] == ["planner", "straight"]
    assert found["scenes"][0]["picture"].startswith("data:image/webp")
    first, second = found["tasks"][0]["sides"]
    # Half-metre steps along x from (1, 1) and (1, 0.5), in centimetres.
    assert first["path"] == {"at": [0, 1, 2, 3, 4], "xy": [100, 100, *[50, 0] * 4], "hit": []}
    assert second["path"]["xy"][:2] == [100, 50]
    assert second["path"]["hit"] == [2, 3]
    assert ["status", "max_steps"] in second["facts"]
    assert found["tasks"][1]["sides"][1]["path"] is None
    assert found["tasks"][1]["sides"][1]["error"] == "agent: E: m"
    assert ["attempt shown", "2 of 3"] in found["tasks"][2]["sides"][0]["facts"]


def test_the_notes_say_what_is_missing_and_what_counts(pair, parts):
    notes = "\n".join(parts.markup(write_comparison_page(*pair)).of("li"))
    assert "No trajectory was recorded of 1 of the 8 attempts shown." in notes
    assert "success is 1 in more than half of its attempts" in notes
    assert "different references or goals under one name" in notes
    assert "hall/t0" in notes


def test_left_out_tasks_and_damaged_files_are_named_and_counted(pair, parts):
    page = write_comparison_page(*pair)
    cells = parts.markup(page).of("td", **{"class": "label"})
    assert "hall/t9" in cells + parts.markup(page).of("th")
    assert "hall/t8/result.json" in cells + parts.markup(page).of("th")
    assert "Left out of the comparison: planner 1, straight 0." in page


def test_without_records_the_page_says_that_paths_are_not_available(pair, parts):
    comparison, sources = pair
    bare = ComparisonSources(tuple(replace(run, records=None) for run in sources.runs))
    for given in (bare, None):
        page = write_comparison_page(comparison, given)
        assert "Paths are not available" in page
        assert 'id="pairs"' not in page
        assert "<dialog" not in page
        assert "hall/t0" in page.replace("</bdi> / <bdi>", "/")
        assert parts.markup(page).of("h1") == ["planner against straight"]


def test_a_task_without_any_path_is_listed_without_a_map(parts, tmp_path):
    for run, solved in (("first", True), ("second", False)):
        parts.attempt(tmp_path / run, "t0", solved=solved, path=False)
    page = write_comparison_page(*parts.compared(tmp_path / "first", tmp_path / "second"))
    assert "No path was recorded." in page
    assert 'id="pairs"' not in page


def test_a_list_without_tasks_says_none(parts, tmp_path):
    for run in ("first", "second"):
        parts.attempt(tmp_path / run, "t0")
    read = parts.markup(
        write_comparison_page(*parts.compared(tmp_path / "first", tmp_path / "second"))
    )
    assert read.of("p").count("None.") == 2


def test_several_pairs_have_sections_of_their_own(pair, pair_folder, parts):
    comparison, sources = pair
    second = replace(comparison.pairs[0], run_a="straight", run_b="planner",
                     solved_only_by_a=("hall/t2",), solved_only_by_b=("hall/t0",))  # fmt: skip
    several = Comparison((*comparison.pairs, second), None, comparison.provenance)
    page = write_comparison_page(several, sources)
    heads = parts.markup(page).of("h2")
    assert heads[:3] == [
        "All differences", "Differences: planner against straight",
        "Tasks solved by one only: planner against straight",
    ]  # fmt: skip
    numbers = [(task["pair"], task["name"]) for task in data(page)["tasks"]]
    assert numbers == [(1, "t0"), (1, "t1"), (1, "t5"), (1, "t2"), (2, "t2"), (2, "t0")]
    assert sorted(re.findall(r'data-pair="(\d)"', page)) == list("012345")
    ids = re.findall(r' id="([^"]+)"', page)
    assert len(ids) == len(set(ids))


def test_the_same_input_gives_the_same_bytes(pair_folder, parts):
    runs = pair_folder / "first", pair_folder / "second"
    assert len({write_comparison_page(*parts.compared(*runs)) for _ in range(2)}) == 1


@pytest.mark.parametrize("kind", [0, 1])
def test_nothing_in_a_name_becomes_live(parts, make, kind):
    names = [*make.awkward, '"><img src=x onerror=alert(1)>', "</script><script>alert(1)</script>"]
    for name in names[kind::2]:
        one = PairComparison(
            name, f"{name} 2", (metric(winner=name), metric(name=name)), 40,
            only_a=(f"{name}/x",), solved_only_by_a=(f"{name}/t",), solved_by_both=1,
            solved_by_neither=2, solved_unknown=(name,),
        )  # fmt: skip
        read = parts.markup(write_comparison_page(Comparison((one,), None, {})))
        assert read.tags.count("script") == 1
        assert "img" not in read.tags
        assert not [key for key, _ in read.attributes if key.startswith("on")]
        shown = " ".join(name.split())
        assert shown in read.of("h1")[0].replace("\u2068", "").replace("\u2069", "")


def test_many_tasks_stay_light(pair, parts):
    """600 tasks of two paths of 100 poses each, on one map."""
    comparison, sources = pair
    tasks = pair_tasks(comparison, comparison.pairs[0], sources)
    long = parts.trajectory(100, hits=(3, 60))
    record = replace(tasks.only_a[0].a.record, trajectory=long)
    side = replace(tasks.only_a[0].a, record=record)
    many = tuple(replace(tasks.only_a[0], a=side, b=side) for _ in range(600))
    split = SplitTasks(many, (), tasks.columns)
    found = comparison_data(comparison, [split], sources)
    assert len(json.dumps(found.index)) < 3_000_000
