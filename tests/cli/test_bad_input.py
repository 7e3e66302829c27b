"""Every kind of bad input: one line that names the place and the way out, exit code 2, no files."""

import json
import shutil

import pytest

META = "map/occ_map_meta.txt"


def tree(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


@pytest.fixture
def work(made_run, tmp_path):
    """A folder with a good dataset and nothing else."""
    shutil.copytree(made_run / "scenes", tmp_path / "scenes")
    return tmp_path


def refuse(abotn, work, arguments, *named):
    """Run a command that must fail without a trace, and return its one line."""
    before = tree(work)
    done = abotn(*arguments, cwd=work)
    assert done.returncode == 2, (done.stdout, done.stderr)
    lines = done.stderr.strip().splitlines()
    assert len(lines) == 1, done.stderr
    assert "Traceback" not in lines[0]
    for name in named:
        assert str(name) in lines[0]
    assert tree(work) == before
    return lines[0]


def run_arguments(**changes):
    options = {
        "agent": "abotn.agents:StraightLineAgent", "data-dir": "scenes",
        "protocol": "pointbench-indoor", "render": "none", "max-steps": "3", "output-dir": "runs",
        **changes,
    }  # fmt: skip
    given = [
        part for key, value in options.items() for part in (f"--{key.replace('_', '-')}", value)
    ]
    return ["run", "point-goal", *given]


def test_the_unchanged_command_works(abotn, work):
    assert abotn(*run_arguments(), cwd=work).returncode == 0


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"data-dir": "absent"}, ["absent"]),
        ({"agent": "abotn.agents"}, ["abotn.agents", ":"]),
        ({"agent": "no_such_module:Agent"}, ["no_such_module"]),
        ({"agent": "abotn.agents:PlannerAgnt"}, ["PlannerAgnt", "PlannerAgent"]),
        ({"agent": "os.path:join"}, ["join", "class"]),
        ({"protocol": "pointbench-indor"}, ["'pointbench-indor'", "mean: pointbench-indoor"]),
        ({"render": "embeded"}, ["embeded", "embedded"]),
        ({"agent-config": "absent.yaml"}, ["absent.yaml"]),
        ({"max-steps": "0"}, ["max steps"]),
        ({"workers": "0"}, ["workers"]),
        ({"arrive-threshold": "-1"}, ["arrive"]),
        ({"execute-waypoint": "-1"}, ["execute"]),
        ({"waypoint-frame": "front_right"}, ["front_right", "right_front"]),
        ({"collision-sampling": "exakt"}, ["exakt", "exact"]),
    ],
)
def test_options_of_a_run(abotn, work, changes, named):
    refuse(abotn, work, run_arguments(**changes), *named)


def test_an_empty_data_folder(abotn, work):
    (work / "empty").mkdir()
    refuse(abotn, work, run_arguments(**{"data-dir": "empty"}), "empty")
    refuse(abotn, work, ["scenes", "check", "empty"], "empty")


def damage_task(work, text):
    target = work / "scenes" / "indoor_0" / "traj_1.json"
    target.write_text(text, encoding="utf-8")
    return "traj_1.json"


@pytest.mark.parametrize(
    "text",
    [
        '{"trajectory": [{"x": 0, "y"',
        "no json at all",
        "",
        '{"trajectory": []}',
        '{"trajectory": [{"x": NaN, "y": 0, "z": 0}]}',
        '{"trajectory": [{"x": 1e999, "y": 0, "z": 0}]}',
        '{"trajectory": [{"y": 0}]}',
        '{"trajectory": 5}',
        "[]",
    ],
)
def test_a_damaged_task_file(abotn, work, text):
    name = damage_task(work, text)
    refuse(abotn, work, run_arguments(), name)
    checked = abotn("scenes", "check", "scenes", cwd=work)
    assert checked.returncode == 1
    assert name in checked.stdout


@pytest.mark.parametrize(
    ("old", "new", "named"),
    [
        ("Top Left", "Top Lft", "Top Left"),
        ("Image size", "Image sze", "Image size"),
        ("Image size in pixels: ", "Image size in pixels: 9", "9"),
        ("Top Right: (", "Top Right: (nan, ", "Top Right"),
    ],
)
def test_a_damaged_meta_file(abotn, work, old, new, named):
    target = work / "scenes" / "indoor_0" / META
    text = target.read_text(encoding="utf-8")
    assert old in text
    target.write_text(text.replace(old, new), encoding="utf-8")
    refuse(abotn, work, run_arguments(), "indoor_0", named)
    assert abotn("scenes", "check", "scenes", cwd=work).returncode == 1


def test_a_map_that_is_no_image(abotn, work):
    (work / "scenes" / "indoor_0" / "map" / "occ_map.png").write_bytes(b"not an image")
    refuse(abotn, work, run_arguments(), "occ_map.png")


def test_a_task_id_that_would_leave_the_run_folder(abotn, work):
    scene = work / "scenes" / "indoor_0"
    (scene / "traj_1.json").rename(scene / "traj_a:b.json")
    refuse(abotn, work, run_arguments(), "traj_a:b")


def test_another_protocol_on_resuming(abotn, work):
    assert abotn(*run_arguments(), "--run-dir", "r", cwd=work).returncode in (0, 2)
    first = ["run", "point-goal", "--agent", "abotn.agents:StraightLineAgent", "--data-dir",
             "scenes", "--render", "none", "--max-steps", "3"]  # fmt: skip
    shutil.rmtree(work / "r", ignore_errors=True)
    assert abotn(*first, "--protocol", "strict", "--run-dir", "r", cwd=work).returncode == 0
    line = refuse(
        abotn, work, [*first, "--protocol", "pointbench-indoor", "--resume-dir", "r"], "protocol"
    )
    assert "strict" in line


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["--metrics", "spl_nw"], ["spl_nw", "spl_new"]),
        (["--category", "navigaton"], ["navigation"]),
        (["--group-by", "scen"], ["scene"]),
        (["--threshold", "success=inf"], ["threshold"]),
        (["--ci-level", "0"], ["ci_level"]),
        (["--cluster-by", "episode"], ["episode_id"]),
        (["--exclude-scene", "indoor_0", "--exclude-scene", "indoor_1"], ["no record"]),
    ],
)
def test_options_of_an_evaluation(abotn, made_run, tmp_path, arguments, named):
    shutil.copytree(made_run / "run", tmp_path / "run")
    refuse(abotn, tmp_path, ["evaluate", "run", *arguments], *named)


def test_an_unknown_report_format(abotn, made_run, tmp_path):
    shutil.copytree(made_run / "run", tmp_path / "run")
    refuse(abotn, tmp_path, ["report", "run", "--format", "markdwn"], "markdwn", "markdown")


def test_an_evaluation_of_another_major_version(abotn, tmp_path):
    (tmp_path / "evaluation.json").write_text(json.dumps({"schema_version": "2"}))
    refuse(abotn, tmp_path, ["report", "evaluation.json"], "evaluation.json", "schema_version")
