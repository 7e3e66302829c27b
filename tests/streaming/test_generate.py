import hashlib
import json

import numpy as np
import pytest
from PIL import Image
from pyarrow import feather

from abotn.errors import ConfigError
from abotn.streaming.dataset import find_scenarios
from abotn.streaming.example_labels import IMAGE_SHAPE
from abotn.streaming.generate import generate_anomaly_dataset


def digest(root):
    files = sorted(path for path in root.rglob("*") if path.is_file())
    whole = hashlib.sha256()
    for path in files:
        whole.update(path.relative_to(root).as_posix().encode() + path.read_bytes())
    return whole.hexdigest()


def test_the_same_seed_gives_the_same_bytes_and_another_seed_others(tmp_path):
    small = {"towns": ["Town01"], "anomaly_types": ["spawn-props"], "timesteps": 3}
    answers = [
        generate_anomaly_dataset(tmp_path / name, seed=seed, **small)
        for name, seed in (("a", 5), ("b", 5), ("c", 6))
    ]
    assert digest(tmp_path / "a") == digest(tmp_path / "b") != digest(tmp_path / "c")
    assert answers[0] == answers[1] != answers[2]


def test_the_answers_are_written_as_they_are_returned(generated):
    root, answers = generated
    assert json.loads((root / "answers.json").read_text()) == answers
    assert set(answers) == {"pixel-front", "point", "sensor-front", "timestep", "scenario"}


def test_the_layout_is_the_published_one(generated):
    root, _ = generated
    scenarios = find_scenarios(root)
    assert len(scenarios) == 2 * 2 * (1 + 3)
    assert {scenario.town for scenario in scenarios} == {"Town01", "Town02"}
    folder = root / "test/anomaly/Town02/spawn-props/scenario-1"
    observed = feather.read_table(folder / "anomaly-observation.feather")["anomaly"].to_pylist()
    assert len(observed) == 6
    assert observed == sorted(observed)
    assert observed[-1]
    assert not observed[0]
    for timestep, anomalous in enumerate(observed):
        assert (folder / f"rgb-front/{timestep:06d}.jpg").exists()
        assert (folder / f"anomaly-front/{timestep:06d}.png").exists() == anomalous
        labels = folder / f"anomaly-lidar/{timestep:06d}.feather"
        assert labels.exists() == anomalous
        if anomalous:
            mask = np.array(Image.open(folder / f"anomaly-front/{timestep:06d}.png"))
            cloud = feather.read_table(folder / f"pointclouds/{timestep:06d}.feather")
            assert mask.shape == IMAGE_SHAPE
            assert set(np.unique(mask)) == {0, 255}
            assert len(cloud) == len(feather.read_table(labels))
    for sensor in ("front", "lidar"):
        seen = feather.read_table(folder / f"anomaly-{sensor}/sensor.feather")["anomaly"]
        assert seen.to_pylist() == observed


def test_a_semantic_anomaly_is_seen_by_no_sensor(generated):
    root, answers = generated
    folder = root / "test/anomaly/Town01/change-weather/scenario-0"
    assert any(feather.read_table(folder / "anomaly-observation.feather")["anomaly"].to_pylist())
    for sensor in ("front", "left", "right", "rear", "lidar"):
        seen = feather.read_table(folder / f"anomaly-{sensor}/sensor.feather")["anomaly"]
        assert not any(seen.to_pylist())
    assert answers["pixel-front"]["by_type"]["change-weather"]["auroc"] is None
    assert answers["timestep"]["by_type"]["change-weather"]["auroc"] is not None


def test_normal_scenarios_have_no_positives(generated):
    root, _ = generated
    for path in (root / "test/normal").rglob("anomaly-*/sensor.feather"):
        assert not any(feather.read_table(path)["anomaly"].to_pylist())
    assert not list((root / "test/normal").rglob("*.png"))


def test_a_folder_that_holds_something_is_left_alone(tmp_path):
    (tmp_path / "mine.txt").write_text("mine")
    for folder in (tmp_path, tmp_path / "mine.txt"):
        with pytest.raises(ConfigError, match="not an empty folder") as caught:
            generate_anomaly_dataset(folder)
        assert str(folder) in str(caught.value)
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


@pytest.mark.parametrize(
    "arguments", [{"timesteps": 1}, {"points": 1}, {"scenarios": 0}], ids=lambda a: str(a)
)
def test_numbers_too_small_are_named(tmp_path, arguments):
    with pytest.raises(ConfigError, match="too small"):
        generate_anomaly_dataset(tmp_path / "data", **arguments)


def test_a_generated_dataset_may_be_replaced_and_nothing_else(tmp_path):
    small = {"towns": ["Town01"], "anomaly_types": ["spawn-props"], "timesteps": 2}
    told = []
    generate_anomaly_dataset(tmp_path / "a", seed=1, progress=lambda: told.append(1), **small)
    assert len(told) == 2
    generate_anomaly_dataset(tmp_path / "b", seed=2, **{**small, "timesteps": 4})
    with pytest.raises(ConfigError, match="or overwrite this dataset"):
        generate_anomaly_dataset(tmp_path / "b", seed=1, **small)
    generate_anomaly_dataset(tmp_path / "b", seed=1, overwrite=True, **small)
    assert digest(tmp_path / "a") == digest(tmp_path / "b")
    # Without answers.json it may be a real dataset.
    (tmp_path / "b" / "answers.json").unlink()
    before = digest(tmp_path / "b")
    with pytest.raises(ConfigError, match="not an empty folder"):
        generate_anomaly_dataset(tmp_path / "b", overwrite=True)
    assert digest(tmp_path / "b") == before
