"""Metrics that write to what they are given: the records, and the caller's arrays, stay."""

from __future__ import annotations

import contextlib
import copy
import inspect
import types
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from abotn import Evaluator
from abotn.errors import EvaluationInputError, PluginError
from abotn.metrics.registry import MetricRegistry
from abotn.metrics.spec import metric
from abotn.plugins.hookspecs import hookimpl
from abotn.plugins.manager import Origin, PluginManager
from abotn.records.files import read_trajectory, write_trajectory
from abotn.records.sealed import sealed, shown
from abotn.records.table import RecordTable
from abotn.records.types import Trajectory
from abotn.units import Unit


def row(task: str, **more: Any) -> dict[str, Any]:
    return {"episode_id": "s", "task_id": task, "status": "stop", "success": False, **more}


def overwrite(array: Any) -> None:
    """Write over an array and all that it is a view of, wherever numpy lets one."""
    while isinstance(array, np.ndarray):
        with contextlib.suppress(ValueError):
            array.flags.writeable = True
        with contextlib.suppress(ValueError):
            array[...] = np.ones(array.shape)
        array = array.base


def evaluate(column: str, function: Callable[[Any], Any], table: Any, **options: Any) -> Any:
    def change(values: Any) -> Any:
        """What it returns matters to nobody."""
        return function(values)

    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    change.__signature__ = inspect.Signature([inspect.Parameter(column, kind)])  # type: ignore[attr-defined]
    spec = metric(unit=Unit.NONE, better="higher", **options)(change)
    evaluator = Evaluator(MetricRegistry([spec]))
    return evaluator.evaluate_dataset(table, metrics=["change"], groupings=None)


@pytest.mark.parametrize("column", ["success", "steps", "status", "marks"])
def test_columns_stay_as_they_are(column: str) -> None:
    rows = [row("a", steps=3, marks=[1, 2]), row("b", steps=4, marks=[3])]
    table = RecordTable.from_dicts(rows)
    names = ("success", "steps", "status", "marks")
    before = copy.deepcopy([table.column(name).tolist() for name in names])

    def hostile(values: Any) -> Any:
        if column == "marks":
            values[0].append(9)
        overwrite(values)
        return np.zeros(2)

    assert evaluate(column, hostile, table)["change"].value == 0.0
    assert [table.column(name).tolist() for name in names] == before
    assert rows[0]["marks"] == [1, 2]


def test_a_grouping_cannot_change_a_column() -> None:
    def hostile(success: Any) -> list[str]:
        overwrite(success)
        return ["one", "two"]

    result = Evaluator().evaluate_dataset(
        [row("a"), row("b")], metrics=["success"], groupings=[hostile]
    )
    assert result["success"].value == 0.0


def test_trajectories_stay_as_they_are(tmp_path: Any) -> None:
    steps = {"agent_seconds": np.zeros(1), "render_seconds": np.zeros(1)}
    path = Trajectory(
        position=np.zeros((2, 3)), yaw=np.zeros(2), waypoint=np.zeros((1, 2)),
        executed_index=np.zeros(1, dtype=int), distance_to_goal=np.zeros(2),
        collided=np.zeros(1, dtype=bool), collision_length=np.zeros(1),
        reference=np.zeros((0, 2)), goal=np.zeros(2), **steps,
    )  # fmt: skip
    write_trajectory(tmp_path, path, {"episode_id": "s", "task_id": "t", "attempt": 0})
    loaded = read_trajectory(tmp_path / "trajectory.json")
    for name in ("position", "yaw", "executed_index", "collided", "goal"):
        overwrite(getattr(loaded, name))
        assert not getattr(loaded, name).any()
    assert loaded.reference.shape[0] == 0


def test_samples_of_the_caller_stay_as_they_are() -> None:
    prediction = np.zeros((3, 2))

    def hostile(values: Any) -> float:
        overwrite(values)
        return 0.0

    spec_options = {"sample": True, "shapes": {"prediction": "T D"}}
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    hostile.__signature__ = inspect.Signature([inspect.Parameter("prediction", kind)])  # type: ignore[attr-defined]
    spec = metric(unit=Unit.NONE, better="lower", **spec_options)(hostile)
    Evaluator(MetricRegistry([spec])).evaluate(prediction=prediction, metrics=["hostile"])
    assert not prediction.any()


@pytest.mark.parametrize(
    "array",
    [
        np.array(3.0), np.arange(12.0).reshape(3, 4)[:, ::2], np.array(["ab", "c"]),
        np.zeros((0, 2)),
        np.array([1, 2], dtype="M8[s]"), np.array([True]), np.arange(9)[::-1], np.array([None, 1]),
        np.arange(3, dtype=">f8"),
    ],
    ids=lambda array: f"{array.dtype}{array.shape}",
)  # fmt: skip
def test_a_sealed_array_has_the_same_values(array: Any) -> None:
    for made in (sealed(array), shown(array)):
        assert (made.dtype, made.shape, made.tolist()) == (array.dtype, array.shape, array.tolist())
        with pytest.raises(ValueError, match="read-only"):
            made[...] = made


@pytest.mark.parametrize("label", [object(), [object()], len.__call__, {"a", "b"}, frozenset("ab")])
def test_labels_that_differ_from_run_to_run_are_refused(label: Any) -> None:
    def odd(success: Any) -> list[Any]:
        return [label for _ in success]

    with pytest.raises(EvaluationInputError, match=r"grouping odd: .*differs from run to run"):
        Evaluator().evaluate_dataset([row("a")], metrics=["success"], groupings=[odd])


def test_labels_may_be_numbers() -> None:
    def halves(success: Any) -> list[Any]:
        return [0.5, None, np.int64(2), True, (1, "b")]

    rows = [row(name) for name in "abcde"]
    result = Evaluator().evaluate_dataset(rows, metrics=["success"], groupings=[halves])
    assert [one.label for one in result.groups["halves"]] == ["0.5", "2", "(1, 'b')", "True"]


@pytest.mark.parametrize("name", ["two\nlines", "../x", "a b", "a/", "/a", "", ".", "a//b", "a|b"])
def test_a_name_that_files_and_tables_cannot_hold_is_refused(name: str) -> None:
    def plain(success: Any) -> Any:
        return success

    for options in ({"name": name}, {"aliases": (name,)}):
        if options == {"name": ""}:
            continue
        with pytest.raises(PluginError, match="is not a usable metric name"):
            metric(unit=Unit.NONE, better="higher", **options)(plain)


def test_a_warning_names_the_plugin_of_a_grouping(capsys: pytest.CaptureFixture[str]) -> None:
    def broken(success: Any) -> Any:
        raise ValueError("no")

    plugins = PluginManager(discover=False)
    module = types.ModuleType("mine")
    module.abotn_groupings = hookimpl(lambda: [broken], specname="abotn_groupings")  # type: ignore[attr-defined]
    plugins.register(module, Origin("mine-dist", "1.0", "mine"))
    Evaluator(plugins=plugins).evaluate_dataset([row("a")], metrics=["success"])
    said = capsys.readouterr().err
    assert "plugin 'mine' of mine-dist 1.0: grouping broken: raised ValueError: no" in said
