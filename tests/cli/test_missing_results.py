"""A run that was interrupted does not look complete."""

import json
import shutil

import pytest


@pytest.fixture
def interrupted(made_run, tmp_path):
    """The run as it would be had it been stopped before the last attempt's result was written."""
    run = shutil.copytree(made_run / "run", tmp_path / "run")
    (run / "evaluation.json").unlink(missing_ok=True)
    last = max(run.rglob("result.json"))
    last.unlink()
    return run, last.parent.relative_to(run).as_posix()


def test_evaluate_says_what_is_missing(abotn, interrupted):
    run, last = interrupted
    done = abotn("evaluate", run, "--bootstrap", 200)
    note = f"1 of 4 tasks has no result; begun and not ended: {last}"
    assert done.returncode == 0, done.stderr
    assert f"warning: {note}" in done.stderr.splitlines()
    assert "1 without a result" in done.stdout
    document = json.loads((run / "evaluation.json").read_text(encoding="utf-8"))
    assert (document["counts"]["missing"], document["counts"]["scored"]) == (1, 3)
    assert document["provenance"]["notes"] == [note]
    report = abotn("report", run)
    assert f"Not complete: {note}." in report.stdout
    assert f"warning: {note}" in abotn("evaluate", run, "--json").stderr


def test_the_rest_makes_it_complete(abotn, interrupted, made_run):
    run, _ = interrupted
    resumed = abotn("run", "point-goal", "--agent", "abotn.agents:PlannerAgent", "--data-dir",
                    made_run / "scenes", "--render", "none", "--resume-dir", run)  # fmt: skip
    assert resumed.returncode == 0, resumed.stderr
    done = abotn("evaluate", run, "--bootstrap", 200)
    assert done.stderr == ""
    document = json.loads((run / "evaluation.json").read_text(encoding="utf-8"))
    assert (document["counts"]["missing"], document["counts"]["scored"]) == (0, 4)
