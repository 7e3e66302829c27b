"""Metrics of one kind of task say nothing about records of another, errors included."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

from abotn import Evaluator
from abotn.metrics.registry import MetricRegistry
from abotn.metrics.spec import MetricSpec, metric
from abotn.results.types import MetricResult
from abotn.units import Unit

KINDS = ("point_goal", "poi_goal", None)


@metric(unit=Unit.NONE, better="higher", failure_value=0.0, task_types=("poi_goal",))
def poi_only(success: Any) -> Any:
    """Success of POI-goal tasks."""
    return success


@metric(unit=Unit.NONE, better="higher", failure_value=0.25, task_types=("point_goal", "poi_goal"))
def either(success: Any) -> Any:
    """Success of tasks that say their kind."""
    return success


@metric(unit=Unit.NONE, better="higher", failure_value=0.0)
def anyone(success: Any) -> Any:
    """Success of every task."""
    return success


def record(number: int, kind: str | None, *, failed: bool = False) -> dict[str, Any]:
    ending = (
        {"status": "error", "success": False} if failed else {"status": "stop", "success": True}
    )
    made = {
        "episode_id": "s", "task_id": f"t{number}", "task_type": kind, "steps": 2,
        "travel_length": 2.0, "shortest_path_length": 4.0,
        "metrics": {"collision_count": 1, "pointgoal_arrive_threshold": 2.0}, **ending,
    }  # fmt: skip
    if kind is None:
        del made["task_type"]
    return made


def mixed() -> list[dict[str, Any]]:
    """Per kind one solved record; 1, 2 and 4 errors of point goals, POI goals and unnamed kind."""
    errors = [kind for kind, count in zip(KINDS, (1, 2, 4), strict=True) for _ in range(count)]
    return [
        *(record(number, kind) for number, kind in enumerate(KINDS)),
        *(record(10 + number, kind, failed=True) for number, kind in enumerate(errors)),
    ]


def counts(result: MetricResult) -> tuple[float, int, int, int]:
    return result.value, result.finite_count, result.error_count, result.undefined_count


@pytest.fixture(scope="module")
def evaluator() -> Evaluator:
    specs: list[MetricSpec] = [poi_only, either, anyone]
    registry = MetricRegistry()
    for spec in specs:
        registry.register(spec)
    return Evaluator(registry)


@pytest.mark.parametrize("given_as", [list, pd.DataFrame])
def test_an_error_counts_as_a_failure_of_its_own_kind_of_task(
    evaluator: Evaluator, given_as: Any
) -> None:
    result = evaluator.evaluate_dataset(given_as(mixed()), metrics=["poi_only", "either", "anyone"])
    assert counts(result["poi_only"]) == (1 / 3, 3, 2, 7)
    assert counts(result["either"]) == ((2 + 3 * 0.25) / 5, 5, 3, 5)
    assert counts(result["anyone"]) == (3 / 10, 10, 7, 0)
    assert result["poi_only"].metadata["errors_left_out"] == 5
    assert result["either"].metadata["errors_left_out"] == 4


def test_a_group_of_another_kind_has_no_value(evaluator: Evaluator) -> None:
    result = evaluator.evaluate_dataset(mixed(), metrics=["poi_only"], groupings=["task_type"])
    groups = {group.label: group.metrics[0] for group in result.groups["task_type"]}
    assert groups["poi_goal"].value == 1 / 3
    assert groups["point_goal"].finite_count == groups["point_goal"].error_count == 0
    assert groups["point_goal"].reason == "undefined for every record"


def test_errors_left_out_everywhere_are_no_failures(evaluator: Evaluator) -> None:
    result = evaluator.evaluate_dataset(mixed(), metrics=["poi_only"], on_error="exclude")
    assert counts(result["poi_only"]) == (1.0, 1, 0, 2)


def test_records_that_say_no_kind_are_of_none(evaluator: Evaluator) -> None:
    rows = [record(0, None), record(1, None, failed=True)]
    result = evaluator.evaluate_dataset(rows, metrics=["poi_only", "anyone"])
    assert counts(result["poi_only"])[1:] == (0, 0, 2)
    assert counts(result["anyone"]) == (0.5, 2, 1, 0)


def test_built_in_poi_metrics_leave_point_goals_alone() -> None:
    points = [record(0, "point_goal"), record(1, "point_goal", failed=True)]
    pois = [record(2, "poi_goal"), record(3, "poi_goal", failed=True)]
    of_pois = [spec.name for spec in Evaluator().registry if spec.task_types == ("poi_goal",)]
    assert "poi_spl" in of_pois
    assert not set(of_pois) & {m.name for m in Evaluator().evaluate_dataset(points).metrics}
    alone = Evaluator().evaluate_dataset(pois, metrics=["poi_spl"])["poi_spl"]
    both = Evaluator().evaluate_dataset([*points, *pois], metrics=["poi_spl"])["poi_spl"]
    assert both.value == alone.value == 0.5
    assert (both.finite_count, both.error_count, both.undefined_count) == (2, 1, 2)
