import json
from pathlib import Path

import pytest

from abotn.errors import DataError, SchemaError
from abotn.json_files import read_json
from abotn.records.published import normalise
from abotn.records.readers import read_records
from abotn.results.migrate import migrate_file

OLDER = Path(__file__).parent / "older"


@pytest.fixture
def older(tmp_path):
    """A function that puts an older file where a run keeps it."""

    def place(name):
        folder = tmp_path / name
        folder.mkdir()
        target = folder / "result.json"
        target.write_bytes((OLDER / f"{name}.json").read_bytes())
        return target

    return place


def lift(path, **options):
    return migrate_file(path, schema="result.v1", lift=normalise, **options)


@pytest.mark.parametrize("name", ["point_goal", "render_error"])
def test_a_published_result_is_lifted_and_means_the_same(older, name):
    path = older(name)
    before = read_records([path]).table
    content = path.read_bytes()
    done = lift(path)
    assert (done.before, done.after, done.path) == ("0", "1", str(path))
    assert Path(done.backup).read_bytes() == content
    read_json(path, schema="result.v1")
    after = read_records([path]).table
    assert set(before.names) <= set(after.names)
    for column in before.names:
        if column not in ("result_path", "trajectory"):
            assert str(after.column(column)) == str(before.column(column))


def test_what_published_files_spell_differently_gets_its_name(older):
    path = older("render_error")
    lift(path)
    document = read_json(path)
    assert document["status"] == "error"
    assert document["error"]["stage"] == "render"
    assert document["error"]["message"] == "no picture after 3 tries"
    assert document["success"] is False
    assert document["poi_name"] == "Starbucks"
    assert document["travel_length"] is None
    assert document["value_serialization"] == {
        "travel_length": "nan",
        "shortest_path_length": "inf",
        "distance_to_goal": "-inf",
        "metrics.spl_new": "nan",
    }


def test_a_second_time_changes_nothing_and_keeps_the_first_backup(older):
    path = older("point_goal")
    original = path.read_bytes()
    done = lift(path)
    lifted = path.read_bytes()
    assert lift(path) is None
    assert path.read_bytes() == lifted
    path.write_bytes((OLDER / "render_error.json").read_bytes())
    lift(path)
    assert Path(done.backup).read_bytes() == original


def test_without_backup_only_the_lifted_file_is_left(older):
    path = older("point_goal")
    assert lift(path, keep_backup=False).backup is None
    assert [one.name for one in path.parent.iterdir()] == ["result.json"]


def test_a_newer_minor_version_is_left_as_it_is(older):
    path = older("point_goal")
    lift(path, keep_backup=False)
    newer = {**read_json(path), "schema_version": "1.3", "later": {"a": 1}}
    path.write_text(json.dumps(newer), encoding="utf-8")
    assert lift(path) is None
    assert read_json(path) == newer


@pytest.mark.parametrize(
    ("change", "error", "named"),
    [
        ({"schema_version": "2"}, SchemaError, "newer abotn"),
        ({"status": "odd"}, SchemaError, "status"),
        ({"steps": None}, SchemaError, "steps"),
    ],
)
def test_what_cannot_be_lifted_stays_as_it_was(older, change, error, named):
    path = older("point_goal")
    path.write_text(json.dumps({**read_json(path), **change}), encoding="utf-8")
    before = path.read_bytes()
    with pytest.raises(error, match=named):
        lift(path)
    assert path.read_bytes() == before
    assert [one.name for one in path.parent.iterdir()] == ["result.json"]


def test_a_kind_without_an_older_layout_is_refused(tmp_path):
    path = tmp_path / "evaluation.json"
    path.write_text('{"metrics": []}', encoding="utf-8")
    with pytest.raises(SchemaError, match="has no schema_version, and no older"):
        migrate_file(path, schema="evaluation.v1", lift=None)
    with pytest.raises(DataError, match="cannot read"):
        migrate_file(tmp_path / "absent.json", schema="evaluation.v1", lift=None)
