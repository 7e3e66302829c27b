"""Metrics of one trajectory: warping, turns and seconds."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from abotn.metrics.example_inputs import example_trajectory
from abotn.metrics.path import ndtw, sdtw, smoothness
from abotn.metrics.timing import agent_seconds


def trajectory(seed: int = 0, **changes):
    return replace(example_trajectory(np.random.default_rng(seed)), **changes)


def textbook_dtw(a, b) -> float:
    @cache
    def cost(i: int, j: int) -> float:
        if i < 0 or j < 0:
            return 0.0 if i == j == -1 else math.inf
        here = math.dist(a[i], b[j])
        return here + min(cost(i - 1, j), cost(i, j - 1), cost(i - 1, j - 1))

    return cost(len(a) - 1, len(b) - 1)


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10_000), radius=st.floats(0.1, 3.0))
def test_ndtw_equals_the_definition(seed, radius):
    one = trajectory(seed)
    cost = textbook_dtw(one.position[:, :2].tolist(), one.reference.tolist())
    assert ndtw(one, radius) == pytest.approx(math.exp(-cost / (len(one.reference) * radius)))
    assert sdtw(1.0, one, radius) == ndtw(one, radius)
    assert sdtw(0.0, one, radius) == 0.0


def test_ndtw_of_the_reference_itself_is_one():
    one = trajectory()
    assert ndtw(replace(one, reference=one.position[:, :2]), 0.5) == 1.0


@pytest.mark.parametrize(
    "changes",
    [
        {"reference": np.empty((0, 2))},
        {"position": np.empty((0, 3))},
        {"reference": np.array([[0.0, np.nan]])},
    ],
)
def test_ndtw_without_usable_paths_is_undefined(changes):
    assert math.isnan(ndtw(trajectory(**changes), 0.5))
    assert math.isnan(sdtw(1.0, trajectory(**changes), 0.5))


def test_ndtw_without_a_radius_is_undefined():
    assert math.isnan(ndtw(trajectory(), 0.0))


def test_smoothness_takes_each_turn_the_short_way():
    position = np.array([[0.0, 0, 0], [1, 0, 0], [1, 3, 9]])
    one = trajectory(position=position, yaw=np.array([3.0, -3.0, -2.5]))
    assert smoothness(one) == pytest.approx((2 * math.pi - 6.0 + 0.5) / 4.0)


def test_smoothness_of_an_agent_that_stays_is_undefined():
    assert math.isnan(smoothness(trajectory(position=np.zeros((13, 3)))))


def test_agent_seconds_is_the_mean():
    one = trajectory(agent_seconds=np.array([0.1, 0.2, 0.6]))
    assert agent_seconds(one) == pytest.approx(0.3)
    assert math.isnan(agent_seconds(trajectory(agent_seconds=np.empty(0))))
