"""Every metric shared with RoboMetrics and evo has the same value, or a named difference."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from abotn.metrics import comfort, physics, prediction, roads, safety, trajectory
from abotn.metrics import time_to_collision as ttc
from abotn.metrics.plugin import abotn_metrics
from abotn.metrics.reduce import reduce_value
from abotn.metrics.tracking import ape, rpe, umeyama

robometrics = pytest.importorskip("robometrics")

OURS = {form.name: form for spec in abotn_metrics() for form in (spec, *spec.variants)
        if form.sample}  # fmt: skip
NAMES = {
    "pred": "prediction", "predictions": "prediction", "traj": "prediction",
    "ego_traj": "prediction", "gt": "ground_truth", "ref": "ground_truth",
}  # fmt: skip
PLANAR = {"collision_rate_obb", "soft_ttc"}  # RoboMetrics takes planar paths only
SHARED = sorted(one.name for one in robometrics.registry.list_metrics() if one.name in OURS)


def inputs(seed: int, *, dimensions: int, modes: int) -> dict[str, Any]:
    """Random values for every argument a shared metric may ask for."""
    rng = np.random.default_rng([seed, dimensions])
    steps = int(rng.integers(5, 30))
    walk = lambda *shape: np.cumsum(rng.normal(0.2, 0.5, shape), axis=-2)  # noqa: E731
    lengths = [steps, steps - 2, steps + 3]
    actors = [walk(length, dimensions) for length in lengths]
    corner_angles = np.sort(rng.uniform(0, 2 * math.pi, 7))
    corners = (
        3
        * rng.uniform(0.3, 1, (7, 1))
        * np.stack([np.cos(corner_angles), np.sin(corner_angles)], axis=1)
    )
    return {
        "prediction": walk(modes, steps, dimensions) if modes else walk(steps, dimensions),
        "ground_truth": walk(steps, dimensions),
        "dt": float(rng.uniform(0.05, 1.0)),
        "log_weights": rng.normal(size=modes),
        "actor_trajs": actors,
        "ego_radius": float(rng.uniform(0, 0.3)),
        "actor_radius": float(rng.uniform(0, 0.3)),
        "ego_dims": rng.uniform(0.5, 3.0, 2),
        "ego_yaws": rng.uniform(-9, 9, steps),
        "actor_dims": [rng.uniform(0.5, 3.0, (length, 2)) for length in lengths],
        "actor_yaws": [rng.uniform(-9, 9, length) for length in lengths],
        "ego_state": rng.uniform(-5, 5, 4),
        "actor_state": np.append(rng.uniform(-5, 5, 4), rng.uniform(0, 4)),
        "lane_boundary": corners,
        "drivable_polygons": [corners, corners + 2.0],
        "clearances": rng.uniform(0, 3, steps),
        "max_accel": 2.0,
        "max_jerk": 2.0,
        "max_curvature": 2.0,
        "constraints": {"max_speed": 1.5, "max_accel": 3.0, "max_jerk": 40.0},
    }  # fmt: skip


def number(returned: Any) -> float:
    return reduce_value(getattr(returned, "value", returned)).value


def test_enough_is_shared_to_mean_something():
    assert len(SHARED) >= 28
    assert {"ade", "collision_rate_obb", "jerk_cost", "prediction_nll"} <= set(SHARED)


@pytest.mark.parametrize(
    ("name", "dimensions"),
    [(name, d) for name in SHARED for d in (2, 3) if d == 2 or name not in PLANAR],
)
def test_value_equals_robometrics(name, dimensions):
    theirs = robometrics.registry.get(name)
    multimodal = OURS[name].shapes.get("prediction") == "K T D"
    for seed in range(20):
        given = inputs(seed, dimensions=dimensions, modes=8 if multimodal else 0)
        parameters = {k: given[k] for k in OURS[name].parameters if k in given}
        values = (given[argument] for argument in OURS[name].inputs)
        ours = number(OURS[name](*values, **parameters))
        named = {
            argument: given[NAMES.get(argument, argument)]
            for argument in (*theirs.required_inputs, *theirs.default_kwargs)
            if NAMES.get(argument, argument) in given
        }
        if name == "displacement_at_k":
            named["ground_truth"] = named.pop("gt")  # its registry names an argument it lacks
        expected = number(theirs.fn(**{**theirs.default_kwargs, **named}))
        assert ours == pytest.approx(expected, rel=1e-9, abs=1e-9), seed


@pytest.mark.parametrize(
    ("ours", "theirs", "why"),
    [
        (comfort.acceleration, "acceleration", "two points have no acceleration"),
        (comfort.jerk, "jerk", "two points have no jerk"),
        (comfort.max_acceleration, "max_acceleration", "two points have no acceleration"),
        (comfort.max_deceleration, "max_deceleration", "two points have no acceleration"),
    ],
)
def test_named_difference_too_short_a_path_is_undefined_not_zero(ours, theirs, why):
    path = [[0.0, 0.0], [1.0, 0.0]]
    assert number(robometrics.registry.get(theirs).fn(path, 1.0)) == 0.0, why
    assert math.isnan(number(ours(path, 1.0))), why


def test_named_difference_three_points_have_no_jerk():
    path = [[0.0, 0.0], [1.0, 0.0], [5.0, 0.0]]
    assert number(robometrics.registry.get("jerk").fn(path, 1.0)) == 0.0
    assert math.isnan(number(comfort.jerk(path, 1.0)))


def test_named_difference_short_paths_have_no_curvature_and_no_smoothness():
    path = [[0.0, 0.0], [1.0, 0.0]]
    assert robometrics.registry.get("mean_curvature").fn(path) == 0.0
    assert math.isnan(trajectory.mean_curvature(path))
    with pytest.warns(RuntimeWarning, match="not measurable"):
        assert robometrics.registry.get("smoothness_score").fn(path) == 1.0
    assert math.isnan(comfort.smoothness_score(path))


def test_named_difference_a_crawl_towards_each_other_still_ends_in_a_collision():
    ego, actor = [0.0, 0.0, 1e-7, 0.0], [1.0, 0.0, 0.0, 0.0]
    assert robometrics.registry.get("time_to_collision").fn(ego, actor) == math.inf
    assert ttc.time_to_collision(ego, actor) == pytest.approx(1e7)


def test_named_difference_entries_that_are_not_finite_are_not_dropped():
    values = np.array([1.0, np.nan])
    assert math.isnan(reduce_value(values).value)


def planar_and_solid() -> list[tuple[np.ndarray, np.ndarray]]:
    rng = np.random.default_rng(11)
    return [
        (np.cumsum(rng.normal(size=(steps, d)), axis=0), np.cumsum(rng.normal(size=(steps, d)), 0))
        for d in (2, 3)
        for steps in (3, 8, 40)
    ]


@pytest.mark.parametrize("with_scale", [False, True])
def test_alignment_equals_evo(with_scale):
    geometry = pytest.importorskip("evo.core.geometry")
    for source, target in planar_and_solid():
        rotation, shift, scale = umeyama(source, target, with_scale=with_scale)
        expected = geometry.umeyama_alignment(source.T, target.T, with_scale=with_scale)
        np.testing.assert_allclose(rotation, expected[0], atol=1e-9)
        np.testing.assert_allclose(shift, expected[1], atol=1e-9)
        assert scale == pytest.approx(expected[2], abs=1e-9)


def evo_rmse(build: Callable[[Any], Any], estimate: np.ndarray, truth: np.ndarray) -> float:
    metrics = pytest.importorskip("evo.core.metrics")
    paths = pytest.importorskip("evo.core.trajectory")
    upright = np.tile([1.0, 0.0, 0.0, 0.0], (len(truth), 1))
    pair = [paths.PosePath3D(positions_xyz=p, orientations_quat_wxyz=upright)
            for p in (truth, estimate)]  # fmt: skip
    measure = build(metrics)
    measure.process_data(tuple(pair))
    return float(measure.get_statistic(metrics.StatisticsType.rmse))


@pytest.mark.parametrize("align", ["none", "rigid", "similarity"])
def test_ape_and_rpe_equal_evo(align):
    geometry = pytest.importorskip("evo.core.geometry")
    for source, target in planar_and_solid():
        moved = source
        if align != "none":
            r, t, s = geometry.umeyama_alignment(source.T, target.T, align == "similarity")
            moved = s * source @ r.T + t
        flat = [np.pad(p, ((0, 0), (0, 3 - p.shape[1]))) for p in (moved, target)]
        absolute = evo_rmse(lambda m: m.APE(m.PoseRelation.translation_part), *flat)
        assert ape(source, target, align=align) == pytest.approx(absolute, abs=1e-9)
        for delta in (1, 2):
            relative = evo_rmse(
                lambda m, d=delta: m.RPE(m.PoseRelation.translation_part, delta=d, all_pairs=True),
                *flat,
            )
            found = rpe(source, target, delta=delta, align=align)
            assert found == pytest.approx(relative, abs=1e-9)


def test_every_pack_is_compared():
    packs = {trajectory, prediction, comfort, safety, ttc, roads, physics}
    compared = {OURS[name].function.__module__ for name in SHARED}
    assert {pack.__name__ for pack in packs} <= compared
