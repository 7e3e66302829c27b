import json
from pathlib import Path

import pytest


def demo(abotn, folder, *, render, scenes, tasks, steps=15):
    done = abotn("demo", "--output-dir", "out", "--scenes", scenes, "--tasks", tasks,
                 "--max-steps", steps, "--render", render, "--bootstrap", 200,
                 cwd=folder)  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@pytest.fixture(scope="module")
def made(abotn, tmp_path_factory):
    """The lines that a demo printed, and the folder it left."""
    place = tmp_path_factory.mktemp("demo")
    lines = demo(abotn, place, render="none", scenes=1, tasks=2)
    return lines, next((place / "out").iterdir())


def test_the_demo_ends_with_a_table_its_folder_and_the_report_to_look_at(made):
    lines, folder = made
    head = next(line for line in lines if line.startswith("| agent"))
    for metric in ("success", "success_new", "spl_new", "tcr_new", "dcr_new", "collision_length"):
        assert metric in head
    agents = ["PlannerAgent", "StraightLineAgent", "RandomAgent"]
    rows = [line for line in lines if line.startswith(tuple(f"| {agent}" for agent in agents))]
    assert len(rows) == 3
    assert all("[" in row for row in rows)
    assert lines[-2] == f"everything behind it: {Path('out') / folder.name}"
    assert lines[-1] == str(Path("out") / folder.name / "report.html")
    assert "<html" in (folder / "report.html").read_text(encoding="utf-8")


def test_the_folder_has_evaluations_reports_and_a_picture_of_every_kind(abotn, made):
    from abotn.report.plots.kinds import KINDS

    _, folder = made
    agents = ["PlannerAgent", "StraightLineAgent", "RandomAgent"]
    document = json.loads((folder / "evaluation.json").read_text(encoding="utf-8"))
    assert [group["label"] for group in document["groups"]["agent"]] == agents
    assert "PlannerAgent" in (folder / "report.md").read_text(encoding="utf-8")
    assert {path.stem for path in folder.glob("*.png")} == set(KINDS)
    for agent in agents:
        assert len(list((folder / agent).rglob("result.json"))) == 2
    assert abotn("validate", folder).returncode == 0


def test_the_report_shows_the_views_of_a_few_attempts(abotn, tmp_path):
    lines = demo(abotn, tmp_path, render="embedded", scenes=1, tasks=1, steps=2)
    page = tmp_path / lines[-1]
    kept = [path.relative_to(page.parent).parts[0] for path in page.parent.rglob("render_images")]
    assert sorted(kept) == ["PlannerAgent", "StraightLineAgent"]
    assert "The views of 2 examples are on this page" in page.read_text(encoding="utf-8")
