import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from abotn.schema_files import accepts_all, complaint, load_schema, schema_folder, schema_names

RESULT = {
    "schema_version": "1",
    "episode_id": "s",
    "task_id": "t",
    "status": "stop",
    "steps": 3,
    "success": True,
    "metrics": {"path_collision_count": 0},
}
odd = st.sampled_from([None, True, -1, 0, 2.5, "stop", "odd", [], [1], {}, {"stage": "agent"}])


def test_every_schema_is_itself_valid():
    assert {"result.v1", "trajectory.v1", "run.v1", "evaluation.v1"} <= set(schema_names())
    for name in schema_names():
        Draft202012Validator.check_schema(load_schema(name))


def test_a_good_document_has_no_complaint():
    assert complaint("result.v1", RESULT) is None


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"steps": -1}, "steps"),
        ({"status": "odd"}, "status"),
        ({"metrics": {"k": {}}}, "metrics.k"),
        ({"success": 1}, "success"),
    ],
)
def test_a_complaint_names_the_key(change, named):
    assert complaint("result.v1", {**RESULT, **change}).startswith(named)


@given(st.dictionaries(st.sampled_from([*load_schema("result.v1")["properties"]]), odd))
def test_the_fast_check_never_accepts_what_jsonschema_refuses(changes):
    document = {**RESULT, **changes}
    if accepts_all(load_schema("result.v1"), [RESULT, document]):
        assert Draft202012Validator(load_schema("result.v1")).is_valid(document)


@given(st.lists(st.lists(odd, max_size=3), max_size=4))
def test_the_fast_check_agrees_on_arrays(rows):
    schema = {
        "type": "array",
        "items": {"type": "array", "items": {"type": "number"}, "minItems": 2, "maxItems": 2},
    }
    if accepts_all(schema, [rows]):
        assert Draft202012Validator(schema).is_valid(rows)


@given(st.lists(st.sampled_from([None, True, -1, 0, 0.5, 1, 1.5, 2**70, "1"]), max_size=4))
def test_the_fast_check_agrees_on_bounds(values):
    schema = {"type": ["number", "boolean", "null"], "minimum": 0, "maximum": 1}
    each = [Draft202012Validator(schema).is_valid(value) for value in values]
    assert accepts_all(schema, values) == all(each)


def test_the_fast_check_accepts_ordinary_documents():
    assert accepts_all(load_schema("result.v1"), [RESULT] * 3)


def test_an_unhandled_keyword_is_left_to_jsonschema():
    assert not accepts_all({"type": "string", "pattern": "^a"}, ["abc"])


def test_the_schemas_lie_where_they_are_looked_for():
    assert (schema_folder() / "result.v1.schema.json").is_file()
    with pytest.raises(FileNotFoundError):
        load_schema("absent.v9")
