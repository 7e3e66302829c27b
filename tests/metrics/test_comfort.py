"""Motion with known derivatives, and limits on it."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from abotn.errors import EvaluationInputError
from abotn.metrics.comfort import (
    acceleration,
    jerk,
    jerk_cost,
    max_acceleration,
    max_deceleration,
    rms_acceleration,
    smoothness,
    smoothness_score,
)
from abotn.metrics.path import smoothness as recorded_smoothness
from abotn.metrics.physics import (
    acceleration_limits_violated,
    curvature_limits_violated,
    dynamic_feasibility_score,
    jerk_limits_violated,
)
from abotn.metrics.reduce import reduce_value

TIMES = np.linspace(0, 2, 4001)
STEP = TIMES[1] - TIMES[0]
SPIN = 3.0
CIRCLE = 2.0 * np.stack([np.cos(SPIN * TIMES), np.sin(SPIN * TIMES)], axis=1)


def test_steady_circling_has_the_derivatives_of_the_textbook():
    # |p''| = r w^2 and |p'''| = r w^3.
    assert reduce_value(acceleration(CIRCLE, STEP)).value == pytest.approx(18, rel=1e-3)
    assert rms_acceleration(CIRCLE, STEP) == pytest.approx(18, rel=1e-3)
    assert max_acceleration(CIRCLE[:, :], STEP) == pytest.approx(18, rel=1e-2)
    assert np.linalg.norm(jerk(CIRCLE, STEP)[9:-9], axis=1) == pytest.approx(
        np.full(3983, 54.0), rel=1e-3
    )
    assert max_deceleration(CIRCLE, STEP) == pytest.approx(0, abs=0.2)


@settings(max_examples=30, deadline=None)
@given(a=st.floats(-5, 5), v=st.floats(-5, 5), dt=st.floats(0.1, 2))
def test_constant_acceleration_is_exact(a, v, dt):
    times = dt * np.arange(7.0)
    path = np.stack([v * times + a * times**2 / 2, 0 * times, times], axis=1)
    assert acceleration(path, dt) == pytest.approx(np.tile([a, 0.0, 0.0], (7, 1)), abs=1e-9)
    assert max_acceleration(path, dt) == pytest.approx(abs(a), abs=1e-9)
    assert jerk_cost(path, dt) == pytest.approx(0, abs=1e-9)


def test_braking_is_what_goes_against_the_motion():
    times = np.arange(5.0)
    braking = np.stack([10 * times - times**2, 0 * times], axis=1)
    assert max_deceleration(braking, 1.0) == pytest.approx(2.0)
    assert max_deceleration(-braking, 1.0) == pytest.approx(2.0)
    speeding = np.stack([times + times**2, 0 * times], axis=1)
    assert max_deceleration(speeding, 1.0) == 0.0
    assert max_deceleration(np.zeros((5, 2)), 1.0) == 0.0


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 1000), factor=st.floats(0.1, 10))
def test_slower_motion_scales_as_its_units_say(seed, factor):
    path = np.random.default_rng(seed).normal(size=(9, 2))
    for measure, power in [(max_acceleration, 2), (rms_acceleration, 2), (jerk_cost, 6)]:
        assert measure(path, factor) * factor**power == pytest.approx(measure(path, 1.0))
    assert smoothness_score(factor * path) == pytest.approx(smoothness_score(path))


def test_smoothness_score_of_line_and_zigzag():
    line = np.stack([np.arange(8.0), np.zeros(8)], axis=1)
    zigzag = line + np.stack([np.zeros(8), np.arange(8) % 2], axis=1)
    assert smoothness_score(line) == 1.0
    assert smoothness_score(np.zeros((8, 2))) == 1.0
    # Third differences (0, +-4) over steps (1, +-1): q = 16 / 2.
    assert smoothness_score(zigzag) == pytest.approx(1 / (1 + math.log(9)))


def test_smoothness_of_an_array_equals_that_of_a_record_that_looks_ahead():
    class Recorded:
        position = np.array([[0.0, 0, 0], [1, 0, 0], [1, 2, 0], [0, 2, 0]])
        yaw = np.array([0.0, math.pi / 2, math.pi])

    assert smoothness(Recorded.position) == pytest.approx(math.pi / 4)
    assert recorded_smoothness(Recorded) == pytest.approx(smoothness(Recorded.position))


def test_standing_still_between_moves_turns_nothing():
    moves = [[0.0, 0.0], [1.0, 0.0], [1.0, 0.0], [1.0, 0.0], [2.0, 0.0]]
    assert smoothness(moves) == 0.0
    assert math.isnan(smoothness([[1.0, 1.0]] * 3))
    assert math.isnan(smoothness([[1.0, 1.0]]))


@pytest.mark.parametrize(
    ("measure", "least"),
    [(acceleration, 3), (jerk, 4), (jerk_cost, 4), (max_acceleration, 3), (rms_acceleration, 3),
     (max_deceleration, 3), (smoothness_score, 4)],
)  # fmt: skip
def test_too_few_points_are_undefined(measure, least):
    path = np.random.default_rng(0).normal(size=(least, 2))
    rest = () if measure is smoothness_score else (0.5,)
    assert math.isfinite(reduce_value(measure(path, *rest)).value)
    assert math.isnan(reduce_value(measure(path[:-1], *rest)).value)


@pytest.mark.parametrize("dt", [0.0, -1.0, math.nan, "fast"])
@pytest.mark.parametrize("measure", [acceleration, jerk, max_deceleration])
def test_time_must_pass(measure, dt):
    with pytest.raises(EvaluationInputError, match="dt: expected a number above 0"):
        measure(CIRCLE, dt)


def test_limits_report_the_largest_value_and_pass_by_it():
    assert acceleration_limits_violated(CIRCLE, STEP, 1.0) == max_acceleration(CIRCLE, STEP)
    largest = np.linalg.norm(jerk(CIRCLE, STEP), axis=1).max()
    assert jerk_limits_violated(CIRCLE, STEP, 1.0) == largest
    assert curvature_limits_violated(CIRCLE, 1.0) == pytest.approx(0.5, rel=1e-2)
    assert acceleration_limits_violated.threshold_from == "max_accel"


@pytest.mark.parametrize(
    ("measure", "arguments", "name"),
    [
        (acceleration_limits_violated, (1.0, -1.0), "max_accel"),
        (jerk_limits_violated, (1.0, -1.0), "max_jerk"),
        (curvature_limits_violated, (math.nan,), "max_curvature"),
    ],
)
def test_a_limit_is_not_negative(measure, arguments, name):
    with pytest.raises(EvaluationInputError, match=name):
        measure(CIRCLE, *arguments)


PULL = [[0.0, 0.0], [1.0, 0.0], [4.0, 0.0], [9.0, 0.0]]  # 2 m/s^2, at most 6 m/s, straight


@pytest.mark.parametrize(
    ("constraints", "score"),
    [
        ({}, 1.0),
        ({"max_accel": 2.5}, 1.0),
        ({"max_accel": 1.0}, 1 / 2),
        ({"max_speed": 1.5}, 1 / 4),
        ({"max_speed": 1.5, "max_accel": 1.0}, 1 / 4),
        ({"max_curvature": 0.0}, 1.0),
        ({"max_accel": 0.0}, 0.0),
    ],
)
def test_feasibility_is_that_of_the_worst_limit(constraints, score):
    assert dynamic_feasibility_score(PULL, 1.0, constraints) == pytest.approx(score)


def test_feasibility_of_what_cannot_be_measured_is_undefined():
    assert math.isnan(dynamic_feasibility_score(PULL[:3], 1.0, {"max_jerk": 1.0}))
    assert math.isnan(dynamic_feasibility_score(PULL[:3], 1.0, {"max_jerk": 0.0}))
    assert math.isnan(dynamic_feasibility_score(PULL[:3], 1.0, {"max_jerk": 1, "max_speed": 1}))


def test_unknown_and_negative_limits_are_refused():
    with pytest.raises(EvaluationInputError, match=r"unknown limit max_fun.*known: max_speed"):
        dynamic_feasibility_score(PULL, 1.0, {"max_fun": 1.0})
    with pytest.raises(EvaluationInputError, match=r"constraints\['max_jerk'\]"):
        dynamic_feasibility_score(PULL, 1.0, {"max_jerk": -1.0})
