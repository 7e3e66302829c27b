import numpy as np
import pyarrow
import pytest
from pyarrow import feather, parquet

from abotn.errors import DataError
from abotn.streaming import PixelEvaluator
from abotn.streaming.stored import (
    feed_samples,
    find_sample_scores,
    read_score_table,
    read_scores,
)

VALUES = np.array([0.5, -1.0, 3.0], np.float32)


def write(path, values=VALUES, name="score"):
    if path.suffix == ".npy":
        np.save(path, values)
    elif path.suffix == ".npz":
        np.savez(path, **{name: values})
    else:
        module = feather.write_feather if path.suffix == ".feather" else parquet.write_table
        module(pyarrow.table({name: values}), path)
    return path


@pytest.mark.parametrize("suffix", [".npy", ".npz", ".feather", ".parquet"])
def test_every_format_is_read(tmp_path, suffix):
    assert np.array_equal(read_scores(write(tmp_path / f"000000{suffix}")), VALUES)


def test_an_archive_of_several_arrays_needs_one_called_scores(tmp_path):
    path = tmp_path / "000000.npz"
    np.savez(path, scores=VALUES, other=VALUES * 2)
    assert np.array_equal(read_scores(path), VALUES)
    np.savez(path, a=VALUES, b=VALUES)
    with pytest.raises(DataError, match="expected an array 'scores', found a, b"):
        read_scores(path)


@pytest.mark.parametrize("suffix", [".npy", ".npz", ".feather", ".parquet"])
def test_a_damaged_file_is_named(tmp_path, suffix):
    path = tmp_path / f"000000{suffix}"
    for content in (b"", b"nothing like it", write(path).read_bytes()[:60]):
        path.write_bytes(content)
        with pytest.raises(DataError) as caught:
            read_scores(path)
        assert str(path) in str(caught.value)


def test_pickled_objects_are_refused(tmp_path):
    path = tmp_path / "000000.npy"
    np.save(path, np.array([{"a": 1}], dtype=object), allow_pickle=True)
    with pytest.raises(DataError, match="cannot read scores"):
        read_scores(path)


def test_a_table_without_its_column_is_named(tmp_path):
    path = write(tmp_path / "000000.feather", name="value")
    with pytest.raises(DataError, match="expected columns score, found value"):
        read_scores(path)


def test_scores_are_found_by_scenario_and_timestep(generated, tmp_path):
    root, answers = generated
    stored, without = find_sample_scores(root / "scores" / "pixel-front", root)
    assert without == []
    assert len(stored) == 16 * 6
    evaluator = PixelEvaluator("front")
    assert [one.timestep_id for one in feed_samples(evaluator, stored)][:7] == [*range(6), 0]
    assert evaluator.compute()["auroc"] == pytest.approx(answers["pixel-front"]["auroc"])
    stored, without = find_sample_scores(tmp_path, root)
    assert (stored, len(without)) == ([], 16)


def test_a_file_that_is_named_after_no_timestep_is_an_error(layout):
    layout.timesteps(layout.normal(), [False])
    scores = layout.root / "scores" / "test/normal/Town01/scenario-0"
    scores.mkdir(parents=True)
    write(scores / "last.npy")
    with pytest.raises(DataError, match=r"expected a timestep number.*") as caught:
        find_sample_scores(layout.root / "scores", layout.root)
    assert "last.npy" in str(caught.value)


@pytest.mark.parametrize("suffix", [".feather", ".parquet", ".npz"])
def test_of_a_scenario_in_a_table_the_part_below_the_dataset_counts(tmp_path, suffix):
    path = tmp_path / f"timestep{suffix}"
    ids = ["test/normal/Town01/a", "/elsewhere/test/normal/Town01/b"]
    table = pyarrow.table({"scenario_id": ids, "timestep_id": [3, 4], "score": [0.5, 0.25]})
    if suffix == ".feather":
        feather.write_feather(table, path)
    elif suffix == ".npz":
        np.savez(path, **{name: table[name].to_numpy() for name in ("timestep_id", "score")},
                 scenario_id=np.array(ids))  # fmt: skip
    else:
        parquet.write_table(table, path)
    found = read_score_table(path, "/data", per_timestep=True)
    assert found.scenario_ids == [f"/data/{ids[0]}", "/data/test/normal/Town01/b"]
    assert found.timestep_ids == [3, 4]
    assert found.scores.tolist() == [0.5, 0.25]
    assert read_score_table(path, "/data", per_timestep=False).timestep_ids is None


def test_a_missing_table_and_missing_columns_are_named(tmp_path):
    with pytest.raises(DataError, match="cannot read the table"):
        read_score_table(tmp_path / "none.feather", tmp_path, per_timestep=True)
    path = write(tmp_path / "scenario.feather")
    with pytest.raises(DataError, match="expected columns scenario_id, score, found score"):
        read_score_table(path, tmp_path, per_timestep=False)
