"""The same records give the same evaluation, whichever way they come in."""

from __future__ import annotations

import io
import json
import math
from decimal import Decimal
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from abotn import Evaluator
from abotn.errors import AbotnError, DataError, EvaluationInputError
from abotn.records.published import normalise
from abotn.records.readers import read_records
from abotn.records.types import ResultRecord
from abotn.results.types import EvaluationResult

EVALUATOR = Evaluator()
METRICS = (
    "path_collision_count", "collision_path_length", "total_distance", "initial_distance_to_goal",
)  # fmt: skip


def lengths(*odd: Any) -> st.SearchStrategy[Any]:
    return st.one_of(st.floats(0, 60), st.integers(0, 60), st.sampled_from(odd))


FROM_PATHS = ("ndtw", "sdtw", "smoothness", "agent_seconds")
NUMBERS = lengths("inf", "nan", math.inf, math.nan, None)
WRONG = {
    "steps": ["many", "3", 2.5, -1],
    "travel_length": ["12.5", -1.0, True],
    "distance_to_goal": ["near"],
    "attempt": ["x", "1", -1, 1.5],
    "status": ["stopped", ""],
    "success": ["yes", 2, -1, 0.5, 7.0],
    "render_error": [2, -1, 0.5],
}


@st.composite
def documents(draw: st.DrawFn, *, damaged: bool = True) -> list[dict[str, Any]]:
    """Results as the published tools write them, a few of them damaged."""
    optional = draw(st.sets(st.sampled_from(["render_error", "gt_taget_instance", "error"])))
    made = []
    for number in range(draw(st.integers(1, 5))):
        document = {
            "episode_id": draw(st.sampled_from(["scene_1", "scene_2"])),
            "task_id": f"traj_{number}",
            "task_type": draw(st.sampled_from(["point_goal", "poi_goal"])),
            "status": draw(
                st.sampled_from(["stop", "max_steps", "collision", "error", "render_error"])
            ),
            "steps": draw(st.integers(0, 40)),
            "success": draw(st.sampled_from([True, False, 1, 0])),
            "travel_length": draw(NUMBERS),
            "shortest_path_length": draw(NUMBERS),
            "distance_to_goal": draw(NUMBERS),
            "metrics": {name: draw(NUMBERS) for name in METRICS},
        }
        if "render_error" in optional:
            document["render_error"] = draw(st.sampled_from([True, False, None]))
        if "gt_taget_instance" in optional:
            document["gt_taget_instance"] = draw(st.sampled_from(["Café", "Bank", "nan", None]))
        if "error" in optional:
            ended = document["status"] in ("error", "render_error") or document.get("render_error")
            document["error"] = "server gone" if ended else None
        if damaged and draw(st.integers(0, 5)) == 0:
            key = draw(st.sampled_from(sorted(WRONG)))
            document[key] = draw(st.sampled_from(WRONG[key]))
        made.append(document)
    return made


def flat(found: list[dict[str, Any]], prefix: str) -> pd.DataFrame:
    rows = [
        {**{k: v for k, v in one.items() if k != "metrics"},
         **{prefix + k: v for k, v in one["metrics"].items()}}
        for one in found
    ]  # fmt: skip
    return pd.DataFrame(rows)


def as_folder(found: list[dict[str, Any]], folder: str) -> str:
    for one in found:
        place = Path(folder, one["episode_id"], one["task_id"])
        place.mkdir(parents=True)
        (place / "result.json").write_text(json.dumps(one), encoding="utf-8")
    return folder


def said(results: Any, **options: Any) -> Any:
    """What an evaluation says, apart from where records were."""
    try:
        result = EVALUATOR.evaluate_dataset(results, **options)
    except (DataError, EvaluationInputError) as error:
        return error.message
    return facts(result)


def facts(result: EvaluationResult) -> Any:
    document = result.to_dict()
    damaged = sorted(one["reason"] for one in document["damaged"])
    metrics = {one["name"]: one for one in document["metrics"] if one["name"] not in FROM_PATHS}
    groups = {
        (name, group["label"]): (group["count"], [m["value"] for m in group["metrics"][:4]])
        for name, groups in document["groups"].items()
        for group in groups
    }
    return document["counts"], damaged, metrics, groups, document["provenance"]


@settings(max_examples=8, deadline=None)
@given(documents())
def test_dicts_folder_and_frames_say_the_same(found: list[dict[str, Any]]) -> None:
    named = any(one.get("gt_taget_instance") is not None for one in found)
    options = {"groupings": ["scene", "status", *(["poi"] if named else [])]}
    wanted = said(found, **options)
    with TemporaryDirectory() as folder:
        assert said(as_folder(found, folder), **options) == wanted
    nested = pd.DataFrame(found)
    before = nested.copy(deep=True)
    assert said(nested, **options) == wanted
    pd.testing.assert_frame_equal(nested, before)
    for prefix in ("metrics.", ""):
        assert said(flat(found, prefix), **options) == wanted
    assert said(nested.to_dict("records"), **options) == wanted


@settings(max_examples=8, deadline=None)
@given(documents(damaged=False))
def test_records_say_the_same_as_their_documents(found: list[dict[str, Any]]) -> None:
    records = [ResultRecord.from_dict(normalise(one)) for one in found]
    wanted, got = said(found), said(records)
    assert got == wanted
    lifted = [{**one, "schema_version": "1"} for one in map(normalise, found)]
    assert said(pd.DataFrame(lifted)) == said(lifted) == wanted


@settings(max_examples=6, deadline=None)
@given(documents(damaged=False), st.sampled_from(["metrics.", ""]))
def test_frames_say_the_same_after_a_file(found: list[dict[str, Any]], prefix: str) -> None:
    for one in found:
        # An Arrow column has one type, so numbers are numbers here, infinite ones too.
        for place in (one, one["metrics"]):
            place.update({k: float(v) for k, v in place.items() if v in ("inf", "nan")})
        one["success"] = bool(one["success"])
    wanted = said(found)
    for frame in (flat(found, prefix), pd.DataFrame(found)):
        parquet, feather = io.BytesIO(), io.BytesIO()
        frame.to_parquet(parquet)
        frame.to_feather(feather)
        assert said(pd.read_parquet(io.BytesIO(parquet.getvalue()))) == wanted
        assert said(pd.read_feather(io.BytesIO(feather.getvalue()))) == wanted
        table = pa.Table.from_pandas(frame)
        assert said(table.to_pandas(types_mapper=pd.ArrowDtype)) == wanted


@settings(max_examples=6, deadline=None)
@given(documents(damaged=False))
def test_frames_of_other_types_say_the_same(found: list[dict[str, Any]]) -> None:
    frame = flat(found, "metrics.")
    wanted = said(found)
    # convert_dtypes takes NaN for missing, which it is here.
    assert said(frame.convert_dtypes()) == wanted
    texts = dict.fromkeys(("episode_id", "task_id", "status", "task_type"), "category")
    assert said(frame.astype(texts)) == wanted
    assert said(frame.astype(object)) == wanted
    assert said(frame.set_index(["episode_id", "task_id"])) == wanted
    assert said(frame.iloc[::-1].set_index(pd.Index([7] * len(frame)))) == wanted


def plain_frame() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "episode_id": "s",
            "task_id": ["t1", "t2", "t3"],
            "status": ["stop", "render_error", "max_steps"],
            "steps": [3, 4, 5],
            "success": [True, True, False],
            "travel_length": [2.0, 3.0, math.inf],
            "shortest_path_length": [2.0, 3.0, 4.0],
        }
    )


def test_a_csv_file_says_the_same() -> None:
    frame = plain_frame()
    text = frame.to_csv(index=False)
    again = pd.read_csv(io.StringIO(text))
    arrow = pd.read_csv(io.StringIO(text), dtype_backend="pyarrow")
    assert said(again) == said(arrow) == said(frame) == said(frame.to_dict("records"))
    assert EVALUATOR.evaluate_dataset(frame)["success"].value == pytest.approx(1 / 3)


def test_numbers_written_as_texts_are_damaged_everywhere(tmp_path: Path) -> None:
    rows = plain_frame().astype({"steps": object}).to_dict("records")
    rows[0]["steps"] = "3"
    rows[2]["travel_length"] = 5.0
    wanted = ["breaks result.v1: steps: '3' is not of type 'integer'"]
    whole = [{**row, "metrics": {}} for row in rows]
    for given_as in (rows, pd.DataFrame(rows), as_folder(whole, str(tmp_path))):
        result = EVALUATOR.evaluate_dataset(given_as)
        assert [one["reason"] for one in result.damaged] == wanted
        assert result.counts["damaged"] == 1
        assert result.counts["found"] == 3
    assert read_records(pd.DataFrame(rows)).damaged[0].path == "results[0]"
    texts = pd.read_csv(io.StringIO(plain_frame().to_csv(index=False)), dtype=str)
    with pytest.raises(DataError, match=r"no usable record; .*: '2.0' is not of type 'number'"):
        read_records(texts)


@pytest.mark.parametrize(
    ("name", "value"),
    [("collision_rate", 1.5), ("collision_rate", -0.5), ("collision_terminated", 2)],
)
def test_one_impossible_number_costs_that_record_alone(
    tmp_path: Path, name: str, value: float
) -> None:
    rows = plain_frame().to_dict("records")
    whole = [{**row, "task_type": "poi_goal", "metrics": {name: 0}} for row in rows]
    whole[1]["metrics"] = {name: value}
    for given_as in (whole, flat(whole, "metrics."), as_folder(whole, str(tmp_path))):
        result = EVALUATOR.evaluate_dataset(given_as)
        assert [name in one["reason"] for one in result.damaged] == [True]
        assert result[name].value == 0


def test_a_flag_of_a_failed_rendering_makes_an_error() -> None:
    row = {"episode_id": "s", "status": "stop", "success": True, "steps": 1, "metrics": {}}
    rows = [
        {**row, "task_id": "a", "render_error": True},
        {**row, "task_id": "b", "render_error": "server gone"},
        {**row, "task_id": "c", "render_error": "false"},
        {**row, "task_id": "d", "render_error": 0},
        {**row, "task_id": "e", "metrics": {"render_error": True}},
    ]
    for results in (rows, pd.DataFrame(rows)):
        result = EVALUATOR.evaluate_dataset(results, metrics=["success"])
        assert (result["success"].value, result.counts["errors"]) == (0.4, 3)
        errors = read_records(results).table.column("error")
        assert errors[0] == {"stage": "render", "type": "render_error", "message": "render_error"}
        assert errors[1]["message"] == "server gone"


def test_missing_values_of_pandas_in_dicts_are_missing() -> None:
    rows = plain_frame().convert_dtypes()
    rows.loc[0, "travel_length"] = pd.NA
    wanted = said(rows)
    assert said(rows.to_dict("records")) == wanted
    assert EVALUATOR.evaluate_dataset(rows)["travel_length"].undefined_count >= 1


def test_whole_numbers_that_came_as_floats_keep_their_names() -> None:
    frame = plain_frame().assign(task_id=[1.0, 2.0, 30.0], attempt=[0.0, 1.0, math.nan])
    table = read_records(frame).table
    assert table.column("task_id").tolist() == ["1", "2", "30"]
    assert table.column("attempt").tolist() == [0.0, 1.0, 0.0]


def two_columns(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.set_axis([*frame.columns[:-1], "steps"], axis=1)


def two_levels(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.set_axis(pd.MultiIndex.from_product([["a"], frame.columns]), axis=1)


@pytest.mark.parametrize(
    ("change", "named"),
    [
        (two_columns, "two columns are called 'steps'"),
        (two_levels, "2 levels"),
        (lambda frame: frame.iloc[:0], "no records"),
        (lambda frame: frame.drop(columns=["status", "success"]), "'status' or 'success'"),
        (lambda frame: frame.assign(task_id="t"), "two records for s/t"),
    ],
)
def test_frames_that_cannot_be_used_say_why(change: Any, named: str) -> None:
    with pytest.raises(EvaluationInputError, match=named):
        read_records(change(plain_frame()))


def test_a_frame_whose_metrics_are_texts_is_refused() -> None:
    with pytest.raises(AbotnError, match=r"metrics: '{}' is not of type 'object'"):
        read_records(plain_frame().assign(metrics="{}"))


def lifted() -> list[dict[str, Any]]:
    error = {"stage": "agent", "type": "E", "message": "m"}
    row = {"schema_version": "1", "episode_id": "s", "steps": 2, "success": True}
    return [
        {**row, "task_id": "a", "status": "stop", "metrics": {"path_collision_count": 0}},
        {**row, "task_id": "b", "status": "error", "metrics": {}, "error": error},
        {**row, "task_id": "c", "status": "stop", "metrics": {"path_collision_count": 4},
         "travel_length": None, "value_serialization": {"travel_length": "inf"}},
    ]  # fmt: skip


def test_a_frame_with_a_column_per_nested_key_says_the_same() -> None:
    wanted = said(lifted())
    frame = pd.json_normalize(lifted())
    assert {"metrics.path_collision_count", "error.stage"} <= set(frame.columns)
    assert said(frame) == said(pd.DataFrame(lifted())) == wanted
    assert wanted[2]["success_new"]["value"] == 1 / 3
    assert wanted[2]["success_new"]["error_count"] == 1


@pytest.mark.parametrize(
    ("version", "damaged"), [("1", 0), (1, 0), (1.0, 0), ("1.3", 0), ("2", 3), (None, 0)]
)
def test_the_version_of_a_layout_holds_in_frames_too(version: Any, damaged: int) -> None:
    for frame in (plain_frame(), plain_frame().assign(metrics=[{"a": 1}] * 3)):
        frame["schema_version"] = version
        if damaged:
            with pytest.raises(DataError, match="'2' is unknown here"):
                read_records(frame)
        else:
            assert read_records(frame).damaged == ()


def test_numbers_of_other_libraries_are_numbers() -> None:
    rows = [
        {"task_id": np.int64(number), "success": np.bool_(True), "travel_length": length,
         "steps": np.int32(4), "status": np.str_("stop")}
        for number, length in enumerate([Decimal("2.5"), np.float32(2.5), np.float64("inf")])
    ]  # fmt: skip
    for results in (rows, pd.DataFrame(rows), pd.DataFrame(rows).astype(object)):
        source = read_records(results)
        assert source.damaged == ()
        assert np.array_equal(
            source.table.column("travel_length"), [2.5, 2.5, np.nan], equal_nan=True
        )
        assert source.table.column("task_id").tolist() == ["0", "1", "2"]
        assert source.table.column("status").tolist() == ["stop"] * 3


def test_a_poi_may_be_called_as_a_token_is() -> None:
    row = {"episode_id": "s", "status": "stop", "success": True}
    rows = [{**row, "task_id": "a", "gt_taget_instance": "Nan"}]
    for results in (rows, pd.DataFrame(rows)):
        assert read_records(results).table.column("poi_name").tolist() == ["Nan"]


@pytest.mark.parametrize("wrong", [2, -1, 0.5, 7.0, np.int64(2), Decimal(3), math.pi])
@pytest.mark.parametrize("kind", ["dicts", "frame", "mixed frame", "records"])
def test_no_other_number_than_one_and_zero_is_a_truth_value(wrong: Any, kind: str) -> None:
    made = [
        {"episode_id": "s", "task_id": f"t{row}", "status": "stop", "steps": 1, "success": success}
        for row, success in enumerate([True, 1, 1.0, False, 0, 0.0, wrong])
    ]
    frame = pd.DataFrame(made)
    given: Any = {
        "dicts": made,
        "frame": frame.assign(success=frame["success"].astype(float)),
        "mixed frame": frame,
        "records": [ResultRecord(**one) for one in made],
    }[kind]
    result = EVALUATOR.evaluate_dataset(given, metrics=["success"])
    assert (result["success"].value, result["success"].sample_count) == (0.5, 6)
    (damaged,) = result.damaged
    assert damaged["path"] == "results[6]"
    assert "success" in damaged["reason"]
    assert "boolean" in damaged["reason"]


@pytest.mark.parametrize("flag", [2, -1, 0.5])
@pytest.mark.parametrize("place", ["top", "metrics"])
def test_a_flag_of_a_failed_view_that_is_none_is_damaged(flag: float, place: str) -> None:
    sound = {"episode_id": "s", "task_id": "t0", "status": "stop", "steps": 1, "success": True}
    odd = {**sound, "task_id": "t1"}
    odd.update({"render_error": flag} if place == "top" else {"metrics": {"render_error": flag}})
    for records in ([sound, odd], pd.DataFrame([sound, odd])):
        result = EVALUATOR.evaluate_dataset(records, metrics=["success"])
        assert result["success"].sample_count == 1
        assert "render_error" in result.damaged[0]["reason"]
