"""``abotn plot`` over real runs: every kind, its defaults, and bad input as one line."""

import shutil

import numpy as np
import pytest

from abotn.cli.commands import COMMANDS
from abotn.cli.main import run_command_line
from abotn.cli.plot_figures import PlotRequest, draw
from abotn.errors import ConfigError
from abotn.evaluation.evaluator import Evaluator
from abotn.records.readers import read_records
from abotn.report.plots.kinds import KINDS
from abotn.rollout.runner import run as run_agent
from abotn.scenes.synthetic import generate

AGENTS = {"planner": "PlannerAgent", "straight": "StraightLineAgent"}


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """Two runs over two scenes of three tasks; only the first one has been evaluated."""
    folder = tmp_path_factory.mktemp("plots")
    generate("indoor", scenes=2, tasks=3, seed=5, out=folder / "scenes")
    for name, agent in AGENTS.items():
        run_agent(
            "point_goal", f"abotn.agents:{agent}", agent_name=name, data_dir=folder / "scenes",
            run_dir=folder / name, protocol="pointbench-indoor", render="none", max_steps=40,
        )  # fmt: skip
    result = Evaluator().evaluate_dataset(folder / "planner", bootstrap_ci=100)
    result.write(folder / "planner/evaluation.json")
    return folder


@pytest.fixture
def plot(monkeypatch, capsys):
    """Run the command in this process; returns exit code, stdout and stderr."""
    monkeypatch.setitem(COMMANDS, "plot", ("abotn.cli.plot_command:plot", ""))

    def call(*arguments):
        code = run_command_line(["plot", *map(str, arguments)])
        shown = capsys.readouterr()
        return code, shown.out, shown.err

    return call


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_is_drawn_from_run_folders(kind, runs, plot, tmp_path):
    target = tmp_path / f"{kind}.png"
    code, out, err = plot(runs / "planner", runs / "straight", "--kind", kind, "-o", target)
    assert (code, out, err) == (0, f"{target}\n", "")
    assert target.read_bytes()[:4] == b"\x89PNG"


def test_an_evaluation_file_is_enough_for_intervals(runs, plot, tmp_path):
    shutil.copy(runs / "planner/evaluation.json", tmp_path / "scores.json")
    code, _, err = plot(tmp_path / "scores.json", "--kind", "intervals", "-o", tmp_path / "a.svg")
    assert (code, err) == (0, "")
    code, _, err = plot(tmp_path / "scores.json", "--kind", "cdf", "-o", tmp_path / "a.svg")
    assert code == 2
    assert "scores.json: no reader knows this kind of file" in err


def test_the_evaluation_of_a_run_may_stand_for_the_run(runs, plot, tmp_path):
    request = PlotRequest("cdf", (str(runs / "planner/evaluation.json"),))
    assert request.run_names == ["planner"]
    assert draw(request).axes


def test_names_and_aliases_are_taken(runs):
    paths = (str(runs / "planner"), str(runs / "straight"))
    figure = draw(PlotRequest("intervals", paths, ("ours", "theirs"), ("sr_new",)))
    assert [t.get_text() for t in figure.axes[0].get_yticklabels()] == ["ours†", "theirs†"]
    assert figure.axes[0].get_xlabel() == "success_new ↑"


def test_a_folder_without_evaluation_is_evaluated_for_what_is_asked(runs):
    figure = draw(PlotRequest("groups", (str(runs / "straight"),), grouping="scene"))
    labels = [label.get_text() for label in figure.axes[0].get_yticklabels()]
    assert labels == ["indoor_0 (n = 3)", "indoor_1 (n = 3)"]
    assert not (runs / "straight/evaluation.json").exists()


def test_a_distribution_holds_the_values_of_the_records(runs):
    figure = draw(PlotRequest("cdf", (str(runs / "straight"),), metrics=("travel_length",)))
    drawn = figure.axes[0].lines[0].get_xdata()
    recorded = read_records(runs / "straight").table.column("travel_length")
    assert np.unique(drawn).tolist() == np.unique(recorded).tolist()


def test_the_arrival_radius_is_marked(runs):
    axes = draw(PlotRequest("cdf", (str(runs / "straight"),))).axes[0]
    assert [text.get_text() for text in axes.texts] == [" arrival"]
    assert axes.lines[-1].get_xdata() == [0.5, 0.5]


def test_shares_of_collisions_are_counted_from_the_records(runs):
    axes = draw(PlotRequest("collisions", (str(runs / "straight"),))).axes[0]
    counts = read_records(runs / "straight").table.column("path_collision_count")
    drawn = [container[0].get_ydata()[0] for container in axes.containers]
    most = int(min(max(counts.max(), 1), 10))
    assert drawn == pytest.approx([(counts >= least).mean() for least in range(1, most + 1)])
    assert [text.get_text() for text in axes.texts] == ["1 or more spoil a success"]


def test_bins_of_lengths_hold_all_records(runs):
    axes = draw(PlotRequest("success-vs-length", (str(runs / "straight"),))).axes[0]
    (value,) = (container[0].get_ydata()[0] for container in axes.containers)
    expected = Evaluator().evaluate_dataset(runs / "straight", metrics=["success_new"])
    assert value == expected["success_new"].value
    assert [text.get_text() for text in axes.texts] == ["n = 6"]


def test_maps_are_found_through_the_manifest_or_given(runs, tmp_path):
    paths = (str(runs / "straight"),)
    shown = draw(PlotRequest("paths", paths, tasks=("indoor_1/traj_2",)))
    assert shown.axes[0].get_title().startswith("indoor_1/traj_2\n")
    assert len(shown.axes[0].images) == 1
    (tmp_path / "empty").mkdir()
    bare = draw(PlotRequest("paths", paths, data_dir=str(tmp_path / "empty")))
    assert not bare.axes[0].images


def test_a_letter_without_a_font_costs_one_warning(runs, plot, tmp_path):
    target = tmp_path / "a.png"
    code, out, err = plot(runs / "planner", "--kind", "intervals", "--name", "a\U0005ffffb",
                          "-o", target)  # fmt: skip
    assert (code, out) == (0, f"{target}\n")
    assert err == "warning: no installed font has \U0005ffff; drawn as boxes\n"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--kind", "bars"], "unknown kind of plot 'bars'"),
        (["--kind", "interval"], "did you mean: intervals"),
        (["--kind", "intervals", "--metric", "sucess"], "unknown metric 'sucess' (did you mean"),
        (["--kind", "cdf", "--metric", "sucess"], "unknown metric 'sucess' (did you mean"),
        (["--kind", "cdf", "--metric", "spl", "--metric", "success"], "takes one metric, got 2"),
        (["--kind", "paths", "--metric", "spl"], "kind paths takes no metric, got 1"),
        (["--kind", "pareto", "--metric", "spl"], "expected two different metrics, got 1: spl"),
        (["--kind", "intervals", "--by", "scene"], "--by: is for kind groups, not intervals"),
        (["--kind", "cdf", "--task", "a/b"], "--task: is for kind paths, not cdf"),
        (["--kind", "groups", "--by", "shape"], "unknown grouping 'shape'"),
        (["--kind", "paths", "--task", "indoor_9/traj_0"], "unknown task 'indoor_9/traj_0'"),
        (["--kind", "paths", "--data-dir", "nowhere"], "nowhere: the data folder does not exist"),
        (["--kind", "intervals", "--columns", "3"], "columns: must be 1 or 2, got 3"),
        (["--kind", "intervals", "--columns", "wide"], "'wide' is not a valid integer"),
        (["--kind", "intervals", "--name", "a", "--name", "b"], "2 names for 1 run"),
        (["--kind", "cdf", "--metric", "collision_count"], "no metric can run"),
        ([], "Missing option '--kind'"),
    ],
)  # fmt: skip
def test_bad_input_is_one_line_and_leaves_nothing(arguments, said, runs, plot, tmp_path):
    code, out, err = plot(runs / "planner", *arguments, "-o", tmp_path / "a.png")
    assert (code, out) == (2, "")
    assert said in err
    assert err.count("\n") == 1
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("output", "said"),
    [
        ("a.jpg", "expected a file that ends in .png, .svg, .pdf, got .jpg"),
        ("a", "got no ending"),
        ("missing/a.png", "no such folder"),
    ],
)
def test_an_impossible_output_is_refused_before_anything_is_read(output, said, plot, tmp_path):
    code, _, err = plot(tmp_path / "no-run", "--kind", "intervals", "-o", tmp_path / output)
    assert code == 2
    assert said in err


def test_runs_that_cannot_be_drawn_are_named(runs, plot, tmp_path):
    target = tmp_path / "a.png"
    for kind in ("intervals", "cdf"):
        code, _, err = plot(tmp_path / "none", "--kind", kind, "-o", target)
        assert code == 2
        assert "none: no such run folder" in err
    code, _, err = plot(runs / "planner", runs / "planner", "--kind", "cdf", "-o", target)
    assert (code, "the same run is given twice" in err) == (2, True)
    shutil.copytree(runs / "planner", tmp_path / "pathless")
    for path in (tmp_path / "pathless").rglob("trajectory.json"):
        path.unlink()
    code, _, err = plot(tmp_path / "pathless", "--kind", "paths", "-o", target)
    assert code == 2
    assert "no run has a trajectory, so there is no path to draw" in err


def test_the_help_lists_every_kind_with_its_question(plot):
    code, out, _ = plot("--help")
    assert code == 0
    for kind in KINDS.values():
        assert kind.name in out
        assert kind.question.partition(",")[0] in out


def test_a_request_checks_itself():
    with pytest.raises(ConfigError, match="--map-dir: is for kind paths"):
        PlotRequest("cdf", ("run",), map_dir="maps")
