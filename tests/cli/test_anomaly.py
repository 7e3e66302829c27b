import json
import os
import shutil
import subprocess
import sys

import numpy as np
import pytest
from pyarrow import feather, parquet

from abotn.cli.main import run_command_line
from abotn.results.files import read_evaluation
from abotn.streaming.comparison import compare_results

LEVELS = {
    "pixel-front": ["pixel", "--sensor", "front"],
    "point": ["point"],
    "sensor-front": ["sensor", "--sensor", "front"],
    "timestep": ["timestep"],
    "scenario": ["scenario"],
}
FIGURES = ("auroc", "aupr", "ap", "fpr95")


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A dataset that the command line generated, with scores and their known answers."""
    folder = tmp_path_factory.mktemp("anomaly") / "data"
    code = run_command_line(
        ["scenes", "generate", "--kind", "anomaly", "--scenes", "2", "--tasks", "5", "--seed", "4",
         "--out", str(folder)]
    )  # fmt: skip
    assert code == 0
    return folder


@pytest.fixture
def data(made, tmp_path):
    return shutil.copytree(made, tmp_path / "data")


@pytest.fixture
def call(capsys):
    """Run one command in this process; returns exit code, stdout and stderr."""

    def run(*arguments):
        capsys.readouterr()
        code = run_command_line([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return run


def evaluate(call, data, name, *options):
    level = LEVELS[name]
    return call("anomaly", *level, "--scores", data / "scores", "--dataset", data, *options)


def test_generated_data_is_described(made, call, tmp_path):
    code, out, err = call("scenes", "generate", "--kind", "anomaly", "--scenes", 1, "--tasks", 2,
                          "--out", tmp_path / "new")  # fmt: skip
    assert (code, out, err) == (0, f"8 scenarios, 16 timesteps: {tmp_path / 'new'}\n", "")
    assert (tmp_path / "new" / "answers.json").exists()
    before = sorted(made.rglob("*"))
    code, out, err = call("scenes", "generate", "--kind", "anomaly", "--out", made)
    assert (code, out) == (2, "")
    assert "is not an empty folder" in err
    assert sorted(made.rglob("*")) == before
    again = ("scenes", "generate", "--kind", "anomaly", "--scenes", 1, "--tasks", 3, "--out")
    assert call(*again, tmp_path / "new", "--overwrite")[0] == 0
    assert len(list((tmp_path / "new").rglob("pointclouds/*.feather"))) == 24


@pytest.mark.parametrize("name", LEVELS)
def test_every_level_gives_the_known_answers(data, call, name):
    code, out, err = evaluate(call, data, name, "--bootstrap", 100)
    assert (code, err) == (0, "")
    target = data / "scores" / f"evaluation-{name}.json"
    assert out.splitlines()[-1] == str(target)
    answers = json.loads((data / "answers.json").read_text(encoding="utf-8"))[name]
    document = json.loads(target.read_text(encoding="utf-8"))
    found = {row["name"]: row for row in document["metrics"]}
    for figure in FIGURES:
        assert found[figure]["value"] == pytest.approx(answers[figure], abs=1e-12)
        assert found[figure]["ci"]["resampled"] == "scenario_id"
    for group in document["groups"]["anomaly_type"]:
        for row in group["metrics"]:
            expected = answers["by_type"][group["label"]][row["name"]]
            assert row["value"] == pytest.approx(expected, abs=1e-12)
    assert document["name"] == f"scores {name}"
    streaming = document["provenance"]["streaming"]
    assert streaming["by_type_convention"] == "carlanomaly"
    assert document["provenance"]["dataset"]["scored_scenarios"] == 16


def test_the_table_has_the_whole_and_the_types(data, call):
    _, out, _ = evaluate(call, data, "timestep", "--bootstrap", 0)
    answers = json.loads((data / "answers.json").read_text(encoding="utf-8"))["timestep"]
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in out.splitlines()
            if line.startswith("|")]  # fmt: skip
    assert rows[0] == ["type", *FIGURES, "positives", "negatives"]
    expected = {"all": answers, **answers["by_type"]}
    assert [row[0] for row in rows[2:]] == list(expected)
    for label, *figures, positives, negatives in rows[2:]:
        assert figures == [f"{expected[label][figure]:.4f}" for figure in FIGURES]
        assert int(positives) == expected[label]["n_positive"]
        assert int(negatives) == expected[label]["n_negative"]
    assert out.startswith("scores timestep: 80 scores of 16 scenarios\n")
    assert "\nNegatives of a type: normal (carlanomaly)\n" in out


def test_an_undefined_figure_is_a_dash(data, call):
    _, out, _ = evaluate(call, data, "pixel-front", "--bootstrap", 100)
    (row,) = (line for line in out.splitlines() if line.startswith("| change-weather"))
    assert row.count("–") == 4
    assert "timesteps without a label file" in out


def test_report_and_validate_take_the_evaluation(data, call):
    for name in ("timestep", "sensor-front"):
        assert evaluate(call, data, name, "--bootstrap", 100)[0] == 0
    files = sorted((data / "scores").glob("evaluation-*.json"))
    assert call("validate", *files)[:2] == (0, "2 checked, 0 wrong\n")
    code, out, _ = call("report", *files)
    assert code == 0
    assert "auroc ↑" in out
    assert "fpr95 ↓" in out
    assert "## By anomaly_type" in out
    assert "| scores timestep " in out


def test_the_same_scores_give_the_same_bytes_and_options_change_what_they_say(data, call):
    written = {}
    for label, options in {
        "first": [],
        "second": [],
        "seed": ["--seed", "1"],
        "level": ["--ci-level", "0.8"],
        "devkit": ["--negatives", "devkit"],
        "name": ["--name", "model A"],
    }.items():
        target = data / f"{label}.json"
        code, out, _ = evaluate(call, data, "timestep", "--bootstrap", 150, "-o", target,
                                "--quiet", *options)  # fmt: skip
        assert (code, out) == (0, f"{target}\n")
        written[label] = json.loads(target.read_text(encoding="utf-8"))
    assert (data / "first.json").read_bytes() == (data / "second.json").read_bytes()
    assert not (data / "scores" / "evaluation-timestep.json").exists()
    ci = {label: document["metrics"][0]["ci"] for label, document in written.items()}
    assert ci["seed"]["lower"] != ci["first"]["lower"]
    assert ci["seed"]["seed"] == 1
    assert ci["first"]["lower"] < ci["level"]["lower"] < ci["level"]["upper"] < ci["first"]["upper"]
    assert written["devkit"]["provenance"]["streaming"]["by_type_convention"] == "devkit"
    groups = {label: written[label]["groups"]["anomaly_type"][0] for label in ("first", "devkit")}
    negatives = {label: g["metrics"][0]["metadata"]["n_negative"] for label, g in groups.items()}
    assert negatives["devkit"] > negatives["first"]
    assert written["name"]["name"] == "model A"


def test_options_of_pixels(data, call):
    code, out, _ = evaluate(call, data, "pixel-front", "--bootstrap", 0, "--json", "--bins", 1000,
                            "--range", -1, 3, "--workers", 2)  # fmt: skip
    assert code == 0
    values = json.loads(out)["provenance"]["protocol"]["values"]
    assert (values["n_bins"], values["scenario_bins"]) == (1000, 1000)
    assert values["score_range"] == [-1.0, 3.0]
    _, out, _ = evaluate(call, data, "pixel-front", "--bootstrap", 0, "--json", "--exact")
    document = json.loads(out)
    answers = json.loads((data / "answers.json").read_text(encoding="utf-8"))["pixel-front"]
    assert document["provenance"]["protocol"]["values"]["exact"] is True
    assert document["metrics"][0]["value"] == pytest.approx(answers["auroc"], abs=1e-12)
    assert document["metrics"][0]["ci_reason"] == "not asked for"


@pytest.mark.parametrize("suffix", [".npz", ".feather", ".parquet"])
def test_every_format_gives_the_same(data, call, tmp_path, suffix):
    _, expected, _ = evaluate(call, data, "point", "--bootstrap", 0, "--json", "--name", "m")
    for path in sorted((data / "scores" / "point").rglob("*.npy")):
        values = np.load(path)
        path.unlink()
        if suffix == ".npz":
            np.savez(path.with_suffix(suffix), values)
            continue
        import pyarrow

        table = pyarrow.table({"score": values})
        write = feather.write_feather if suffix == ".feather" else parquet.write_table
        write(table, path.with_suffix(suffix))
    found = evaluate(call, data, "point", "--bootstrap", 0, "--json", "--name", "m")
    assert found == (0, expected, "")


def test_scores_of_a_part_are_a_warning_and_counted(data, call):
    shutil.rmtree(data / "scores/point/test/normal/Town01")
    code, out, err = evaluate(call, data, "point", "--bootstrap", 0, "--json")
    assert code == 0
    assert err.startswith("warning: no scores for 2 of 16 scenarios; figures of a part are not")
    dataset = json.loads(out)["provenance"]["dataset"]
    assert (dataset["scored_scenarios"], dataset["scored"], dataset["expected"]) == (14, 70, 80)
    (data / "scores/point/test/normal/Town02/scenario-0/000000.npy").unlink()
    shutil.move(data / "test/normal/Town01", data / "elsewhere")
    shutil.copytree(data / "scores/point/test/normal/Town02", data / "scores/point/test/normal/X")
    _, _, err = evaluate(call, data, "point", "--bootstrap", 0, "--json")
    assert "no scores for 1 of 70 timesteps" in err
    assert "left out, of no scenario of the dataset: 9 scores" in err


def test_nan_scores_are_an_error_or_left_out_and_counted(data, call):
    path = data / "scores/point/test/normal/Town01/scenario-1/000002.npy"
    scores = np.load(path)
    scores[:3] = np.nan
    np.save(path, scores)
    code, out, err = evaluate(call, data, "point", "--bootstrap", 0)
    assert (code, out) == (2, "")
    assert "test/normal/Town01/scenario-1 timestep 2: 3 NaN scores" in err
    assert not (data / "scores" / "evaluation-point.json").exists()
    code, out, _ = evaluate(call, data, "point", "--bootstrap", 0, "--nan-policy", "omit")
    assert code == 0
    assert "3 NaN left out" in out


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["pixels"], "did you mean: pixel"),
        (["pixel"], "sensor: the level pixel needs one"),
        (["pixel", "--sensor", "fornt"], "did you mean: front"),
        (["pixel", "--sensor", "lidar"], "unknown sensor 'lidar'"),
        (["timestep", "--sensor", "front"], "the level timestep has none"),
        (["timestep", "--bins", "10"], "n_bins: the level timestep keeps all scores"),
        (["timestep", "--exact"], "exact: the level timestep"),
        (["timestep", "--nan-policy", "skip"], "nan_policy"),
        (["timestep", "--negatives", "other"], "by_type_negatives"),
        (["timestep", "--bootstrap", "50"], "bootstrap_ci: must be a whole number of at least 100"),
        (["timestep", "--ci-level", "1.5"], "ci_level"),
        (["timestep", "--seed", "-1"], "bootstrap_seed"),
        (["point", "--workers", "0"], "num_workers"),
        (["point", "--range", "1", "0"], "score_range"),
        (["timestep", "-o", "absent/evaluation.json"], "absent"),
    ],
)
def test_bad_options_are_one_line_and_write_nothing(made, call, arguments, named):
    before = sorted(made.rglob("*"))
    code, out, err = call("anomaly", *arguments, "--scores", made / "scores", "--dataset", made)
    assert (code, out) == (2, "")
    assert len(err.strip().splitlines()) == 1
    assert named in err
    assert sorted(made.rglob("*")) == before


@pytest.mark.parametrize(
    ("scores", "dataset", "named"),
    [
        ("none", ".", "none: no such folder or table of scores"),
        ("test", ".", "holds no scores of timestep"),
        ("scores", "scores", "expected scenarios with an anomaly-observation.feather"),
        ("answers.json", ".", "expected a file ending in"),
    ],
)
def test_folders_that_hold_something_else_are_named(made, call, scores, dataset, named):
    code, out, err = call("anomaly", "timestep", "--scores", made / scores, "--dataset",
                          made / dataset)  # fmt: skip
    assert (code, out) == (2, "")
    assert len(err.strip().splitlines()) == 1
    assert named in err


def test_damaged_labels_and_scores_are_named(data, call):
    mask = next((data / "test").rglob("anomaly-front/*.png"))
    mask.write_bytes(mask.read_bytes()[:40])
    code, _, err = evaluate(call, data, "pixel-front", "--bootstrap", 0)
    assert code == 2
    assert str(mask) in err
    scores = next((data / "scores" / "point").rglob("*.npy"))
    scores.write_bytes(scores.read_bytes()[:90])
    code, _, err = evaluate(call, data, "point", "--bootstrap", 0)
    assert code == 2
    assert str(scores) in err
    assert len(err.strip().splitlines()) == 1


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs a pseudo-terminal")
def test_a_terminal_sees_a_progress_bar_and_a_pipe_none(data, repository):
    import pty

    command = [sys.executable, "-m", "abotn", "anomaly", "point", "--scores", data / "scores",
               "--dataset", data, "--bootstrap", "0", "--quiet"]  # fmt: skip
    piped = subprocess.run(command, cwd=repository, capture_output=True, text=True, check=True)
    assert piped.stderr == ""
    ours, theirs = pty.openpty()
    env = {**os.environ, "TERM": "xterm", "COLUMNS": "80"}
    done = subprocess.run(
        command, cwd=repository, stdout=subprocess.PIPE, stderr=theirs, text=True, env=env
    )
    os.close(theirs)
    shown = b""
    try:
        while chunk := os.read(ours, 65536):
            shown += chunk
    except OSError:
        # Linux answers so when the other end is closed.
        pass
    os.close(ours)
    assert done.stdout == piped.stdout
    assert b"80/80" in shown


def test_narrow_scores_are_a_warning(data, call):
    for path in (data / "scores" / "pixel-front").rglob("*.npy"):
        np.save(path, np.load(path) * 1e-5)
    code, out, err = evaluate(call, data, "pixel-front", "--bootstrap", 100)
    assert code == 0
    assert err.startswith("warning: the scores lie in ")
    assert "bins, which can move" in err
    (written,) = (data / "scores").glob("evaluation-*.json")
    code, out, _ = call("report", written)
    assert "Warning: the scores lie in " in out
    assert evaluate(call, data, "pixel-front", "--bootstrap", 0, "--exact")[2] == ""


def shifted(call, data, by, *options):
    """The evaluation of the timestep scores after something was done to them."""
    path = data / "scores" / "timestep.feather"
    table = feather.read_table(path)
    scores = by(table.column("score").to_numpy())
    place = data / f"scores-{len(list(data.glob('scores-*')))}.feather"
    changed = table.drop_columns(["score"]).append_column("score", [scores])
    feather.write_feather(changed, place)
    target = data / f"{place.stem}.json"
    code, _, err = call("anomaly", "timestep", "--scores", place, "--dataset", data,
                        "--bootstrap", 150, "-o", target, *options)  # fmt: skip
    assert (code, err) == (0, "")
    return target


def test_evaluations_are_compared_by_their_scenarios(data, call):
    rng = np.random.default_rng(0)
    one = shifted(call, data, lambda scores: scores, "--name", "model")
    other = shifted(call, data, lambda scores: rng.permutation(scores), "--name", "noise")
    code, out, err = call("compare", one, other)
    assert (code, err) == (0, "")
    assert "## model against noise" in out
    assert "scenarios that both have; difference is model minus noise" in out
    assert "paired resamples of scenarios" in out
    results = [read_evaluation(path) for path in (one, other)]
    code, out, _ = call("compare", one, other, "--json", "--ci-level", 0.9, "--baseline", other)
    assert code == 0
    expected = compare_results(*results, baseline="noise", level=0.9)
    assert out == expected.to_json()
    _, out, _ = call("compare", one, other, "--json", "--name", "a", "--name", "b")
    assert json.loads(out)["pairs"][0]["run_a"] == "a"
    for arguments, named in (
        ([one, other, "--name", "a"], "1 name for 2 evaluations"),
        ([one, other, "--bootstrap", 200], "--bootstrap: cannot be used with evaluations"),
        ([one, other, "--metrics", "auroc"], "--metrics: cannot be used"),
        ([one, one], "the same run is given twice"),
        ([one, other, "--baseline", "c"], "unknown baseline 'c'"),
        ([one, data / "absent"], "absent: is no evaluation of anomaly scores, as "),
    ):
        code, out, err = call("compare", *arguments)
        assert (code, out) == (2, "")
        assert named in err


def test_validate_finds_evaluations_and_comparisons_in_a_folder(data, call):
    one = shifted(call, data, lambda scores: scores, "--name", "a")
    other = shifted(call, data, np.negative, "--name", "b")
    folder = data / "kept"
    folder.mkdir()
    one.rename(folder / "evaluation-a.json")
    other.rename(folder / "evaluation-b.json")
    (folder / "evaluations.txt").write_text("")
    (folder / "other.json").write_text("{}")
    run_command_line(["compare", *map(str, sorted(folder.glob("evaluation-*.json"))),
                      "-o", str(folder / "comparison-ab.json")])  # fmt: skip
    assert call("validate", folder)[:2] == (0, "3 checked, 0 wrong\n")
    (folder / "evaluation-c.json").write_text("{}")
    code, out, _ = call("validate", folder)
    assert code == 1
    assert "4 checked, 1 wrong" in out
