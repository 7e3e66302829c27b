import json


def test_the_demo_ends_with_a_table_and_its_folder(abotn, tmp_path):
    done = abotn("demo", "--output-dir", "out", "--scenes", 1, "--tasks", 2, "--max-steps", 15,
                 "--render", "none", "--bootstrap", 200, cwd=tmp_path)  # fmt: skip
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    folder = tmp_path / lines[-1]
    head = next(line for line in lines if line.startswith("| agent"))
    for metric in ("success", "success_new", "spl_new", "tcr_new", "dcr_new", "collision_length"):
        assert metric in head
    agents = ["PlannerAgent", "StraightLineAgent", "RandomAgent"]
    rows = [line for line in lines if line.startswith(tuple(f"| {agent}" for agent in agents))]
    assert len(rows) == 3
    assert all("[" in row for row in rows)
    document = json.loads((folder / "evaluation.json").read_text(encoding="utf-8"))
    assert [group["label"] for group in document["groups"]["agent"]] == agents
    assert "PlannerAgent" in (folder / "report.md").read_text(encoding="utf-8")
    assert "<html" in (folder / "report.html").read_text(encoding="utf-8")
    assert {path.name for path in folder.glob("*.png")} == {
        "intervals.png", "success-vs-length.png", "collisions.png", "paths.png",
    }  # fmt: skip
    for agent in agents:
        assert len(list((folder / agent).rglob("result.json"))) == 2
    assert abotn("validate", folder).returncode == 0
