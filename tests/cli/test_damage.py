"""Many damaged files are a few lines, and all of them are in the result."""

import json
import shutil

import pytest

from abotn.cli.main import run_command_line

RECORD = {
    "schema_version": "1", "episode_id": "s", "status": "stop", "steps": 3, "success": True,
    "travel_length": 2.0, "shortest_path_length": 2.0, "metrics": {},
}  # fmt: skip


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """A run of 2 sound and 25 damaged records."""
    folder = tmp_path_factory.mktemp("damaged") / "run"
    for number in range(27):
        place = folder / "s" / f"t{number:02d}"
        place.mkdir(parents=True)
        content = json.dumps({**RECORD, "task_id": place.name}) if number > 24 else "{"
        (place / "result.json").write_text(content, encoding="utf-8")
    return folder


def warnings_of(capfd, *arguments):
    code = run_command_line([str(one) for one in arguments])
    out, err = capfd.readouterr()
    assert code == 0, err
    return out, [line for line in err.splitlines() if "; skipped" in line or " more " in line]


def test_an_evaluation_names_ten_and_keeps_all(run, capfd):
    out, lines = warnings_of(capfd, "evaluate", run, "--bootstrap", 0, "--quiet")
    assert [line.split("s/")[-1][:3] for line in lines[:10]] == [f"t{i:02d}" for i in range(10)]
    assert len(lines) == 11
    assert lines[10].startswith("warning: and 15 more skipped; the list 'damaged' in ")
    assert lines[10].endswith("evaluation.json names all")
    assert len(json.loads((run / "evaluation.json").read_text())["damaged"]) == 25
    out, lines = warnings_of(
        capfd, "evaluate", run, "--bootstrap", 0, "--metrics", "success", "--json"
    )
    assert lines[10].endswith("the list 'damaged' in the JSON names all")
    assert len(json.loads(out)["damaged"]) == 25
    _, lines = warnings_of(capfd, "evaluate", run, "--bootstrap", 0, "--metrics", "success")
    assert lines[10].endswith("-o FILE keeps the whole list")


def test_a_comparison_names_ten_of_each_run(run, capfd):
    shutil.copytree(run, run.parent / "again")
    _, lines = warnings_of(
        capfd, "compare", run, run.parent / "again", "--bootstrap", 100, "--json",
        "--name", "a", "--name", "b", "--metrics", "success",
    )  # fmt: skip
    assert len(lines) == 22
    assert "and 15 more skipped; abotn evaluate " in lines[10]


def test_a_history_names_ten(run, capfd):
    folder = run.parent / "history"
    for number in range(12):
        (folder / f"{number:02d}").mkdir(parents=True)
        (folder / f"{number:02d}" / "evaluation.json").write_text("{", encoding="utf-8")
    assert run_command_line(["evaluate", str(run), "--bootstrap", "0", "--quiet"]) == 0
    (folder / "sound").mkdir()
    (run / "evaluation.json").rename(folder / "sound" / "evaluation.json")
    capfd.readouterr()
    assert run_command_line(["history", str(folder), "--metric", "success"]) == 0
    lines = [line for line in capfd.readouterr().err.splitlines() if "left out" in line]
    assert len(lines) == 11
    assert lines[10] == "warning: and 2 more left out; --json names all as 'unreadable'"


def test_the_published_summary_names_ten(run):
    from abotn.evaluation.summaries import summarise_point_goal
    from abotn.evaluation.summary_tables import summary_text

    summary = summarise_point_goal(run)
    lines = [one for one in summary_text(summary).splitlines() if one.startswith("skipped")]
    assert len(lines) == 11
    assert lines[10] == "skipped 15 more; the summary's list 'damaged' names all"
