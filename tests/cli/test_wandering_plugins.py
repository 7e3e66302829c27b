"""Metrics and groupings that change the working folder, or fork: files go where they should."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

PLUGIN = """
import os
import shutil
from abotn import hookimpl, metric

os.chdir("/")

@metric(unit="", better="higher")
def a_wanderer(success):
    'Goes away.'
    os.chdir("/")
    if hasattr(os, "fork"):
        os.fork()
    return success

def corner(success):
    'Goes away too.'
    os.chdir("/")
    return ["here" for _ in success]

@hookimpl
def abotn_metrics():
    os.chdir("/")
    return [a_wanderer]

@hookimpl
def abotn_groupings():
    return [corner]
"""


@pytest.fixture
def wandering(tmp_path: Path) -> dict[str, str]:
    site = tmp_path / "site"
    info = site / "wandering-1.0.dist-info"
    info.mkdir(parents=True)
    (site / "wandering.py").write_text(PLUGIN)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: wandering\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[abotn]\nplug = wandering\n")
    root = str(Path(__file__).parents[2])
    return {**os.environ, "PYTHONPATH": os.pathsep.join([root, str(site)])}


def test_relative_paths_keep_their_meaning(
    abotn: Any, made_run: Path, wandering: dict[str, str], tmp_path: Path
) -> None:
    for name in ("run", "again"):
        shutil.copytree(made_run / "run", tmp_path / name)

    def say(*words: str) -> Any:
        done = abotn(*words, cwd=tmp_path, env=wandering)
        assert done.returncode == 0, done.stderr
        return done

    done = say("evaluate", "run", "-o", "cd.json", "--quiet")
    assert done.stdout == "cd.json\n"
    result = json.loads((tmp_path / "cd.json").read_bytes())
    values = {one["name"]: one["value"] for one in result["metrics"]}
    assert {"a_wanderer", "ndtw"} <= values.keys()
    # Trajectories are read after the wanderer went away.
    assert values["ndtw"] is not None
    assert list(result["groups"])[-1] == "corner"
    say("report", "run", "-o", "tables.md")
    say("compare", "run", "again", "-o", "comparison.md", "--no-pictures")
    say("plot", "run", "--kind", "intervals", "-o", "plot.svg")
    say("gate", "cd.json", "--threshold", "success>=0")
    for name in ("tables.md", "comparison.md", "plot.svg"):
        assert (tmp_path / name).is_file()


def test_groupings_may_be_given_with_commas(abotn: Any, made_run: Path, tmp_path: Path) -> None:
    done = abotn("evaluate", made_run / "run", "--group-by", "scene, status", "--group-by",
                 "task_type", "--json", "-o", tmp_path / "e.json")  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert list(json.loads(done.stdout)["groups"]) == ["scene", "status", "task_type"]
    assert "repeatable" in abotn("evaluate", "--help").stdout


def test_a_demo_that_fails_says_where_it_is(abotn: Any, tmp_path: Path) -> None:
    done = abotn("demo", "--output-dir", "out", "--scenes", 1, "--tasks", 1, "--render", "nothing",
                 cwd=tmp_path)  # fmt: skip
    assert (done.returncode, done.stdout) == (2, "")
    (folder,) = (tmp_path / "out").iterdir()
    said = f"the demo did not get to its end; what it made is in {Path('out') / folder.name}"
    assert said in done.stderr.splitlines()


def test_a_folder_that_holds_a_run_is_refused_with_both_ways_out(
    abotn: Any, made_run: Path
) -> None:
    done = abotn("run", "point-goal", "--agent", "abotn.agents:PlannerAgent", "--data-dir",
                 made_run / "scenes", "--run-dir", made_run / "run")  # fmt: skip
    assert done.returncode == 2
    assert "go on with it by --resume-dir, or choose another --run-dir" in done.stderr
