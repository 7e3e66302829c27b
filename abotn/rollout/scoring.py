"""From a finished walk to its record."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np

from abotn.geometry.paths import path_length
from abotn.metrics.collision import dcr_new, tcr_new
from abotn.metrics.navigation import spl_new, success_new
from abotn.records.types import ResultRecord, Trajectory
from abotn.rollout.plan import Plan
from abotn.rollout.pose_hits import PoseHits
from abotn.rollout.protocol import Protocol
from abotn.rollout.rules import RunRules, Unit
from abotn.rollout.scene_maps import SceneMaps, StepCollisions
from abotn.rollout.stages import AttemptFailed
from abotn.rollout.walk import Walk

Collisions = Mapping[str, StepCollisions]


@dataclass(frozen=True)
class Ending:
    """Why an attempt ended.

    Attributes:
        status: One of ``abotn.records.types.STATUSES``.
        declared_arrival: Whether the agent itself declared arrival at the end.
        failure: What failed, when the status is ``"error"``.
    """

    status: str
    declared_arrival: bool = False
    failure: AttemptFailed | None = None


def unplanned_record(unit: Unit, rules: RunRules, error: Mapping[str, str]) -> ResultRecord:
    """Return the record of an attempt that failed before it had a start and a goal."""
    return ResultRecord(
        *unit,
        task_type=rules.task_type,
        status="error",
        error=dict(error),
        extra=MappingProxyType(_labels(rules, None, Ending("error"), oracle=False)),
    )


def score(
    unit: Unit, rules: RunRules, maps: SceneMaps, walk: Walk, hits: PoseHits, ending: Ending
) -> tuple[ResultRecord, Trajectory]:
    """Return the record and the trajectory of a walk.

    Args:
        unit: Which attempt it is.
        rules: The rules of the run.
        maps: The scene.
        walk: What was walked.
        hits: Poses on obstacles.
        ending: Why it ended.
    """
    protocol, plan = rules.protocol, walk.plan
    collisions = maps.step_collisions(walk.path) if maps.has_map else {}
    travelled = path_length(walk.path)
    success = _succeeded(protocol, walk, ending)
    metrics = {
        **_distances(protocol, walk, travelled),
        **_path_collisions(protocol, collisions),
        **_new_scores(protocol, walk, collisions, success=success, travelled=travelled),
        "min_clearance": maps.least_clearance(walk.path) if maps.has_map else None,
        **(hits.to_metrics(walk.steps) if rules.task_type == "poi_goal" else {}),
    }
    oracle = min(walk.distances) <= protocol.arrive_threshold
    record = ResultRecord(
        *unit,
        task_type=rules.task_type,
        status=ending.status,
        steps=walk.steps,
        travel_length=travelled,
        shortest_path_length=plan.reference_length,
        distance_to_goal=walk.distance,
        success=success,
        metrics=MappingProxyType(metrics),
        error=None if ending.failure is None else ending.failure.entry(),
        extra=MappingProxyType(_labels(rules, plan, ending, oracle=oracle)),
    )
    return record, walk.trajectory(collisions.get(protocol.collision_sampling))


def _succeeded(protocol: Protocol, walk: Walk, ending: Ending) -> bool:
    if ending.status in ("collision", "error"):
        return False
    if protocol.require_stop and not ending.declared_arrival:
        return False
    return walk.distance <= protocol.arrive_threshold


def _labels(rules: RunRules, plan: Plan | None, ending: Ending, *, oracle: bool) -> dict[str, Any]:
    label = "" if plan is None else plan.goal_label
    labels: dict[str, Any] = {
        "protocol": rules.protocol.name,
        "reference": rules.protocol.reference,
        "oracle_success": oracle,
        "declared_arrival": ending.declared_arrival,
        "goal_label": label,
    }
    if rules.task_type == "poi_goal":
        labels["poi_name"] = label or None
    if plan is not None and plan.reference_length is None:
        labels["reference_missing"] = "no collision-free path from start to goal on the map"
    return labels


def _distances(protocol: Protocol, walk: Walk, travelled: float) -> dict[str, Any]:
    return {
        "initial_distance_to_goal": walk.distances[0],
        "min_distance_to_goal": min(walk.distances),
        "pointgoal_arrive_threshold": protocol.arrive_threshold,
        "total_distance": travelled,
    }


def _path_collisions(protocol: Protocol, collisions: Collisions) -> dict[str, Any]:
    metrics: dict[str, Any] = {}
    for name in ("published", "exact"):
        found = collisions.get(name)
        metrics[f"path_collision_count_{name}"] = None if found is None else int(found.hit.sum())
        metrics[f"collision_path_length_{name}"] = None if found is None else _total(found)
    count = metrics[f"path_collision_count_{protocol.collision_sampling}"]
    metrics["path_collision_count"] = count
    metrics["collision_path_length"] = metrics[
        f"collision_path_length_{protocol.collision_sampling}"
    ]
    metrics["is_path_collided"] = None if count is None else count > 0
    return metrics


def _total(found: StepCollisions) -> float:
    return float(found.length.sum())


def _new_scores(
    protocol: Protocol, walk: Walk, collisions: Collisions, *, success: bool, travelled: float
) -> dict[str, Any]:
    found = collisions.get(protocol.collision_sampling)
    if found is None:
        return dict.fromkeys(("success_new", "spl_new", "tcr_new", "dcr_new"))
    length = walk.plan.reference_length
    common = float(success), float(found.hit.sum())
    limit = protocol.collision_threshold
    spl = None if length is None else _one(spl_new, limit, *common, travelled, length)
    return {
        "success_new": bool(_one(success_new, limit, *common)),
        "spl_new": spl,
        "tcr_new": _one(tcr_new, limit, *common, float(walk.steps)),
        "dcr_new": _one(dcr_new, limit, *common, _total(found), travelled),
    }


def _one(metric: Callable[..., Any], threshold: int, *columns: float) -> float | None:
    arrays = [np.array([column]) for column in columns]
    with np.errstate(all="ignore"):
        value = float(metric(*arrays, collision_threshold=threshold)[0])
    return value if np.isfinite(value) else None
