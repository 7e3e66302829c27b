import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from abotn.errors import DataError, SchemaError
from abotn.results.export import escape_cell
from abotn.results.files import read_evaluation
from abotn.results.types import ConfidenceInterval, EvaluationResult, GroupResult, MetricResult


def made(name="ade", value=0.5, **more):
    return MetricResult(name, value, **{"unit": "m", "direction": "lower", **more})


CI = ConfidenceInterval(0.1, 0.9, 0.95, "bca", 1000, 3, "records", 40)


@pytest.mark.parametrize(
    ("verdicts", "passed", "strict"),
    [
        ([True, True], True, True),
        ([True, False], False, False),
        ([True, None], None, True),
        ([False, None], None, False),
        ([None], None, False),
        ([], None, False),
    ],
)
def test_passed_needs_every_verdict_and_strict_passed_ignores_absent_ones(verdicts, passed, strict):
    result = EvaluationResult(tuple(made(passed=verdict) for verdict in verdicts))
    assert result.passed is passed
    assert result.strict_passed is strict


def test_summary_refuses_to_average_over_mixed_units():
    mixed = EvaluationResult((made(value=1.0), made("jerk", 4.0, unit="m/s^3")))
    summary = mixed.summary()
    assert summary["mean"] is None
    assert summary["warnings"]
    assert summary["per_unit"]["m"]["mean"] == 1.0
    same = EvaluationResult((made(value=1.0), made("fde", 4.0))).summary()
    assert (same["mean"], same["min"], same["max"], same["warnings"]) == (2.5, 1.0, 4.0, [])


def test_a_metric_that_failed_is_counted():
    failed = made(value=math.nan, metadata={"error": "ValueError: shape"})
    assert EvaluationResult((failed, made())).summary()["error_count"] == 1


values = st.floats(allow_nan=False)


@given(
    st.lists(st.tuples(st.text(max_size=8), values, st.none() | st.booleans()), max_size=4),
    st.dictionaries(st.text(max_size=4), st.integers(0, 9), max_size=3),
)
def test_json_round_trip(rows, counts):
    metrics = tuple(made(n, v, passed=p, ci=CI, metadata={"k": [1, "x"]}) for n, v, p in rows)
    groups = {"g": (GroupResult("short", 2, metrics),)}
    result = EvaluationResult(metrics, groups, counts, ({"path": "p", "reason": "r"},), {"m": "w"})
    again = EvaluationResult.from_json(result.to_json())
    assert again == result
    assert again.to_json() == result.to_json()


@pytest.mark.parametrize(
    ("value", "name"), [(math.nan, "nan"), (math.inf, "inf"), (-math.inf, "-inf")]
)
def test_a_value_that_is_not_finite_is_null_and_named(value, name):
    text = EvaluationResult((made(value=value),)).to_json()
    row = json.loads(text, parse_constant=lambda token: pytest.fail(token))["metrics"][0]
    assert row["value"] is None
    assert row["metadata"]["value_serialization"] == name
    assert repr(EvaluationResult.from_json(text)["ade"].value) == repr(value)


def test_an_unknown_major_version_is_refused():
    document = EvaluationResult((made(),)).to_dict()
    for version in ("2", "0", "2.1"):
        with pytest.raises(SchemaError, match="schema_version"):
            EvaluationResult.from_dict({**document, "schema_version": version})
    with pytest.raises(DataError, match="no schema_version"):
        EvaluationResult.from_dict({"metrics": []})


def test_fields_of_a_newer_minor_version_survive_a_round_trip():
    document = EvaluationResult((made(),)).to_dict()
    document["from_the_future"] = {"a": 1}
    document["metrics"][0]["shape"] = [3]
    again = EvaluationResult.from_dict(document).to_dict()
    assert again["from_the_future"] == {"a": 1}
    assert again["metrics"][0]["shape"] == [3]


def test_the_dataframe_has_a_row_per_metric_and_group():
    group = GroupResult("short", 2, (made(value=0.25),))
    frame = EvaluationResult((made(ci=CI),), {"difficulty": (group,)}).to_dataframe()
    assert frame[["grouping", "group", "metric", "value"]].values.tolist() == [
        ["", "", "ade", 0.5],
        ["difficulty", "short", "ade", 0.25],
    ]
    assert frame["ci_lower"].iloc[0] == 0.1


def test_csv_is_the_dataframe():
    lines = EvaluationResult((made(),)).to_csv().splitlines()
    assert lines[0].startswith("grouping,group,metric,value")
    assert lines[1].startswith(",,ade,0.5")


def test_markdown_has_a_row_per_metric_and_escapes_names():
    lines = (
        EvaluationResult((made("a|b<i>", ci=CI), made("b", math.nan))).to_markdown().splitlines()
    )
    assert lines[0].startswith("| metric | value | interval |")
    assert lines[2].startswith("| a\\|b&lt;i&gt; | 0.50 | [0.10, 0.90] | m |")
    assert lines[3].startswith("| b | – | – |")


@given(st.text())
def test_an_escaped_cell_stays_one_cell(text):
    cell = escape_cell(text)
    assert "\n" not in cell
    assert "<" not in cell
    assert "|" not in cell.replace("\\|", "")


def test_written_and_read_back(tmp_path):
    result = EvaluationResult((made(ci=CI),), name="agent")
    result.write(tmp_path / "evaluation.json")
    assert read_evaluation(tmp_path) == result
    assert read_evaluation(tmp_path / "evaluation.json") == result


def test_a_file_that_breaks_the_schema_is_named(tmp_path):
    (tmp_path / "evaluation.json").write_text('{"schema_version": "1", "metrics": 3}')
    with pytest.raises(SchemaError, match=r"evaluation\.json"):
        read_evaluation(tmp_path)


def test_asking_for_a_metric_that_is_not_there():
    result = EvaluationResult((made(),))
    assert "ade" in result
    assert "fde" not in result
    with pytest.raises(KeyError):
        result["fde"]
