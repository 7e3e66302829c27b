"""Scores in a folder, fed to an evaluator of every level."""

import numpy as np
import pyarrow
import pytest
from pyarrow import feather

from abotn.errors import AbotnError, ConfigError, DataError, EvaluationInputError, UnknownNameError
from abotn.streaming import PixelEvaluator, PointEvaluator, SensorEvaluator, TimestepEvaluator
from abotn.streaming.stored_evaluation import feed_stored, make_evaluator
from abotn.streaming.stored_places import LEVELS, find_scores, score_name

NAMES = {
    "pixel-front": ("pixel", "front"),
    "point": ("point", None),
    "sensor-front": ("sensor", "front"),
    "timestep": ("timestep", None),
    "scenario": ("scenario", None),
}
FIGURES = ("auroc", "aupr", "ap", "fpr95", "n_positive", "n_negative")


@pytest.fixture
def dataset(layout):
    """Two scenarios of three timesteps, one of them anomalous at timestep 2."""
    layout.timesteps(layout.anomaly(), [False, False, True])
    layout.timesteps(layout.normal(), [False, False, False])
    return layout.root


def table(path, ids, scores, timesteps=None):
    columns = {"scenario_id": ids, "score": scores}
    if timesteps is not None:
        columns["timestep_id"] = timesteps
    path.parent.mkdir(parents=True, exist_ok=True)
    feather.write_feather(pyarrow.table(columns), path)
    return path


def array(root, below, values):
    path = root / below
    path.parent.mkdir(parents=True, exist_ok=True)
    np.save(path, np.asarray(values))
    return path


def feed(level, scores, dataset, sensor=None, **options):
    evaluator = make_evaluator(level, sensor, **options)
    found = feed_stored(evaluator, scores, dataset, name=score_name(level, sensor))
    return evaluator, found


@pytest.mark.parametrize("name", NAMES)
def test_the_known_answers_come_out_of_the_generated_scores(generated, name):
    root, answers = generated
    level, sensor = NAMES[name]
    told = []
    evaluator = make_evaluator(level, sensor)
    coverage = feed_stored(
        evaluator, root / "scores", root, name=name, progress=lambda *step: told.append(step)
    )
    figures = evaluator.compute()
    for key in FIGURES:
        assert figures[key] == pytest.approx(answers[name][key], abs=1e-12)
    expected = 16 if level == "scenario" else 96
    assert (coverage.scenarios, coverage.scored_scenarios) == (16, 16)
    assert (coverage.expected, coverage.scored, coverage.stray) == (expected, expected, 0)
    assert [done for done, _ in told] == list(range(1, told[0][1] + 1))


@pytest.mark.parametrize("name", ["sensor-front", "timestep", "scenario"])
def test_a_file_per_scenario_is_the_same_as_a_table(generated, tmp_path, name):
    root, _ = generated
    stored = feather.read_table(root / "scores" / f"{name}.feather").to_pandas()
    for below, rows in stored.groupby("scenario_id"):
        array(tmp_path, f"{below}.npy", rows["score"])
    level, sensor = NAMES[name]
    from_files, coverage = feed(level, tmp_path, root, sensor)
    from_table, same = feed(level, root / "scores", root, sensor)
    assert repr(from_files.compute()) == repr(from_table.compute())
    assert coverage == same


def test_every_dataset_has_its_own_fingerprint(layout, dataset):
    path = array(dataset / "s", "test/normal/Town01/scenario-0.npy", [0.1, 0.2, 0.3])
    first = feed("timestep", dataset / "s", dataset)[1].fingerprint
    assert first == feed("timestep", dataset / "s", dataset)[1].fingerprint
    layout.timesteps(layout.anomaly(), [False, True, True])
    assert first != feed("timestep", path.parents[3], dataset)[1].fingerprint


def test_what_has_no_scores_and_what_belongs_to_nothing_is_counted(layout, dataset):
    scores = dataset / "scores"
    array(scores, "test/normal/Town01/scenario-0/000001.npy", np.zeros(4))
    array(scores, "test/normal/Town09/scenario-0/000001.npy", np.zeros(4))
    _, found = feed("point", scores, dataset)
    assert (found.scored_scenarios, found.scored, found.expected, found.stray) == (1, 1, 6, 1)
    ids = ["test/normal/Town01/scenario-0"] * 2 + ["/old/place/test/normal/Town09/scenario-0"]
    path = table(dataset / "t.feather", ids, [0.1, 0.2, 0.3], [0, 2, 0])
    evaluator, found = feed("timestep", path, dataset)
    assert (found.scored_scenarios, found.scored, found.expected, found.stray) == (1, 2, 6, 1)
    assert evaluator.to_dataframe()["scenario_id"].unique().tolist() == [layout.normal()]


def test_pixel_scores_in_a_table_have_a_list_per_row(dataset, layout):
    scenario = layout.anomaly()
    layout.mask(scenario, 0, [[0, 1, 0], [0, 0, 0]])
    path = dataset / "scores/test/anomaly/Town01/spawn-props/scenario-0/000000.feather"
    path.parent.mkdir(parents=True)
    feather.write_feather(pyarrow.table({"score": [[0.1, 0.9, 0.2], [0.3, 0.4, 0.5]]}), path)
    evaluator, _ = feed("pixel", dataset / "scores", dataset, "front")
    assert evaluator.compute()["auroc"] == 1.0
    feather.write_feather(pyarrow.table({"score": [[0.1, 0.9, 0.2], [0.3]]}), path)
    with pytest.raises(DataError, match="cannot read scores") as caught:
        feed("pixel", dataset / "scores", dataset, "front")
    assert str(path) in str(caught.value)


def test_names_of_levels():
    assert score_name("sensor", "lidar") == "sensor-lidar"
    assert [score_name(level, None) for level in LEVELS if level not in ("pixel", "sensor")] == [
        "point", "timestep", "scenario",
    ]  # fmt: skip
    with pytest.raises(UnknownNameError, match="unknown level 'pixels'"):
        score_name("pixels", None)
    with pytest.raises(ConfigError, match="sensor: the level pixel needs one"):
        score_name("pixel", None)
    with pytest.raises(ConfigError, match="sensor: the level point has none, got 'front'"):
        score_name("point", "front")


def test_options_reach_the_evaluator():
    made = make_evaluator("pixel", "left", n_bins=1000, nan_policy="omit", num_workers=2)
    assert isinstance(made, PixelEvaluator)
    assert made.config()["n_bins"] == made.config()["scenario_bins"] == 1000
    assert made.config()["sensor"] == "left"
    assert made.nan_policy == "omit"
    many = make_evaluator("point", n_bins=100_000)
    assert isinstance(many, PointEvaluator)
    assert many.config()["scenario_bins"] == 4000
    assert make_evaluator("point").config()["scenario_bins"] == 4096
    assert isinstance(make_evaluator("sensor", "lidar"), SensorEvaluator)
    assert isinstance(make_evaluator("timestep"), TimestepEvaluator)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"level": "pixel", "sensor": "lidar"}, UnknownNameError, "unknown sensor 'lidar'"),
        ({"level": "timestep", "n_bins": 10}, ConfigError, "n_bins: the level timestep keeps all"),
        ({"level": "scenario", "exact": True}, ConfigError, "exact: the level scenario keeps all"),
        ({"level": "point", "n_bins": 1}, ConfigError, "at least 2, got 1"),
        ({"level": "point", "n_bins": 4099}, ConfigError, "n_bins: expected a multiple"),
    ],
)
def test_options_that_cannot_be_used_are_named(arguments, error, message):
    with pytest.raises(error, match=message):
        make_evaluator(**arguments)


def test_a_folder_must_hold_one_set_of_scores(tmp_path):
    with pytest.raises(ConfigError, match="no such folder or table"):
        find_scores(tmp_path / "none", "point")
    with pytest.raises(DataError, match=r"holds no scores of point \(expected point/test/"):
        find_scores(tmp_path, "point")
    (tmp_path / "test").mkdir()
    assert find_scores(tmp_path, "point") == tmp_path
    (tmp_path / "point").mkdir()
    with pytest.raises(DataError, match="holds both point and test"):
        find_scores(tmp_path, "point")
    assert find_scores(tmp_path, "timestep") == tmp_path
    (tmp_path / "timestep.npz").touch()
    (tmp_path / "timestep.parquet").touch()
    with pytest.raises(DataError, match=r"both timestep\.parquet and timestep\.npz and test"):
        find_scores(tmp_path, "timestep")
    assert find_scores(tmp_path / "timestep.npz", "point") == tmp_path / "timestep.npz"


NORMAL = "test/normal/Town01/scenario-0"


def two_of_a_scenario(root):
    array(root, f"{NORMAL}.npy", [0.1])
    np.savez(root / f"{NORMAL}.npz", [0.1])


def two_of_a_timestep(root):
    array(root, f"{NORMAL}/000001.npy", [0.1])
    array(root, f"{NORMAL}/1.npy", [0.1])


@pytest.mark.parametrize(
    ("level", "sensor", "write", "error", "message"),
    [
        ("point", None, lambda root: array(root, f"{NORMAL}/000003.npy", [1.0]), DataError,
         r"000003\.npy: lies beyond its scenario's 3 timesteps"),
        ("point", None, two_of_a_timestep, DataError, r"1\.npy: is of the same timestep as 0000"),
        ("point", None, lambda root: array(root, f"{NORMAL}/000000.npy", [[1.0]]), DataError,
         r"000000\.npy: expected scores of shape \(N,\), found \(1, 1\)"),
        ("pixel", "front", lambda root: array(root, f"{NORMAL}/000000.npy", [1.0]), DataError,
         r"000000\.npy: expected scores of shape \(H, W\), found \(1,\)"),
        ("point", None, lambda root: array(root, f"{NORMAL}/000000.npy", ["a"]), DataError,
         r"000000\.npy: expected numbers, found <U1"),
        ("point", None, lambda root: table(root / "point.feather", [], []), DataError,
         r"point\.feather: expected a folder with a file per timestep, got a file"),
        ("timestep", None, lambda root: array(root, f"{NORMAL}.npy", [[0.1]]), DataError,
         r"scenario-0\.npy: expected scores of shape \(timesteps,\), found \(1, 1\)"),
        ("scenario", None, lambda root: array(root, f"{NORMAL}.npy", [0.1, 0.2]), DataError,
         r"scenario-0\.npy: expected scores of shape \(1,\), found \(2,\)"),
        ("scenario", None, two_of_a_scenario, DataError, r"same scenario as scenario-0\.npz"),
        ("timestep", None, lambda root: array(root, f"{NORMAL}.npy", [0.1] * 4), DataError,
         r"anomaly-observation\.feather: timestep 3 lies beyond its 3 labels"),
        ("timestep", None, lambda root: array(root, "test/normal/Town02/other.npy", [0.1]),
         DataError, "holds no scores of the dataset's 2 scenarios"),
        ("scenario", None, lambda root: table(root / "scenario.feather", [NORMAL] * 2, [0.1, 0.2]),
         DataError, r"scenario\.feather: 2 scores of one scenario, .*Town01/scenario-0"),
        ("timestep", None,
         lambda root: table(root / "timestep.feather", [NORMAL] * 2, [0.1, 0.2], [1, 1]),
         EvaluationInputError, "scenario-0 timestep 1: scored twice"),
        ("timestep", None,
         lambda root: table(root / "timestep.feather", [NORMAL], [float("nan")], [1]),
         EvaluationInputError, "scenario-0 timestep 1: 1 NaN score"),
        ("timestep", None, lambda root: table(root / "timestep.feather", [NORMAL], [1.0], [0.5]),
         DataError, r"expected whole numbers from 0 as timestep_id, found .*0\.5.* in row 0"),
        ("timestep", None,
         lambda root: table(root / "timestep.feather", [NORMAL] * 2, [1.0, 1.0], [0, None]),
         DataError, "expected whole numbers from 0 as timestep_id, found .*nan.* in row 1"),
        ("timestep", None, lambda root: table(root / "timestep.feather", [NORMAL], ["x"], [0]),
         DataError, r"timestep\.feather: expected numbers as score"),
        ("timestep", None, lambda root: table(root / "timestep.feather", ["train/x"], [1.0], [0]),
         DataError, r"timestep\.feather: scenario_id 'train/x': the path is of neither kind"),
        ("scenario", None, lambda root: table(root / "scenario.feather", [None], [1.0]),
         DataError, r"scenario\.feather: scenario_id None"),
    ],
)  # fmt: skip
def test_scores_that_cannot_be_used_name_the_file(dataset, level, sensor, write, error, message):
    root = dataset / "scores"
    root.mkdir()
    write(root)
    with pytest.raises(AbotnError, match=message) as caught:
        feed(level, root, dataset, sensor)
    assert type(caught.value) is error


def test_other_files_are_no_tables(dataset, tmp_path):
    for name, content, message in (
        ("scores.csv", b"scenario_id,score", "expected a file ending in .feather"),
        ("scores.npz", b"", "cannot read the table"),
        ("scores.feather", b"", "cannot read the table"),
    ):
        (tmp_path / name).write_bytes(content)
        with pytest.raises(DataError, match=message):
            feed("scenario", tmp_path / name, dataset)
    np.save(tmp_path / "one.npz.npy", np.zeros(2))
    (tmp_path / "one.npz.npy").rename(tmp_path / "one.npz")
    with pytest.raises(DataError, match="a single array"):
        feed("scenario", tmp_path / "one.npz", dataset)
    np.savez(tmp_path / "uneven.npz", scenario_id=[NORMAL], score=[0.1, 0.2])
    with pytest.raises(DataError, match="columns scenario_id, score differ in length"):
        feed("scenario", tmp_path / "uneven.npz", dataset)
