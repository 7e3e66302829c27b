"""Distances of paths against brute force and known curves."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from abotn.errors import EvaluationInputError
from abotn.metrics.tracking import ape, lateral_error, longitudinal_error, rpe, umeyama
from abotn.metrics.trajectory import (
    ade,
    curvature,
    fde,
    frechet_distance,
    hausdorff_distance,
    mean_curvature,
    pairwise_last,
    pairwise_mean,
    path_length,
)

NUMBERS = st.floats(-50, 50, width=32)


def paths(dimensions=2, least=1, most=8):
    lengths = st.integers(least, most)
    return lengths.flatmap(lambda n: arrays(np.float64, (n, dimensions), elements=NUMBERS))


def pairs(dimensions=2, least=1):
    return st.integers(least, 8).flatmap(
        lambda n: st.tuples(*[arrays(np.float64, (n, dimensions), elements=NUMBERS)] * 2)
    )


def textbook_frechet(p, q) -> float:
    @cache
    def leash(i: int, j: int) -> float:
        here = math.dist(p[i], q[j])
        if i == j == 0:
            return here
        steps = [(i - 1, j), (i, j - 1), (i - 1, j - 1)]
        return max(here, min(leash(*step) for step in steps if min(step) >= 0))

    return leash(len(p) - 1, len(q) - 1)


@settings(max_examples=40, deadline=None)
@given(left=paths(), right=paths())
def test_frechet_equals_the_recursion(left, right):
    expected = textbook_frechet(left.tolist(), right.tolist())
    assert frechet_distance(left, right) == pytest.approx(expected, abs=1e-12)


@settings(max_examples=40, deadline=None)
@given(left=paths(3), right=paths(3))
def test_hausdorff_equals_all_pairs_and_bounds_frechet(left, right):
    table = np.array([[math.dist(p, q) for q in right] for p in left])
    expected = max(table.min(axis=0).max(), table.min(axis=1).max())
    assert hausdorff_distance(left, right) == pytest.approx(expected, abs=1e-12)
    assert frechet_distance(left, right) >= hausdorff_distance(left, right) - 1e-12


@settings(max_examples=40, deadline=None)
@given(pair=pairs(3))
def test_displacement_errors_equal_plain_loops(pair):
    left, right = pair
    gaps = [math.dist(p, q) for p, q in zip(left, right, strict=True)]
    assert ade(left, right) == pytest.approx(math.fsum(gaps) / len(gaps), abs=1e-12)
    assert fde(left, right) == pytest.approx(gaps[-1], abs=1e-12)
    assert ade(left, right) <= max(gaps) + 1e-12
    assert ade(left, right) == pytest.approx(ade(right, left), abs=1e-12)


@settings(max_examples=40, deadline=None)
@given(path=paths(3), shift=arrays(np.float64, 3, elements=NUMBERS))
def test_a_shifted_path_is_as_far_away_as_the_shift(path, shift):
    distance = float(np.linalg.norm(shift))
    for measure in (ade, fde):
        assert measure(path + shift, path) == pytest.approx(distance, abs=1e-9)
    assert path_length(path + shift) == pytest.approx(path_length(path), abs=1e-9)
    assert ape(path, path + shift, align="none") == pytest.approx(distance, abs=1e-9)
    assert rpe(path, path, align="none") == (
        pytest.approx(0) if len(path) > 1 else pytest.approx(math.nan, nan_ok=True)
    )


def test_stacks_that_do_not_match_are_refused():
    for kernel in (pairwise_mean, pairwise_last):
        with pytest.raises(EvaluationInputError):
            kernel(np.zeros((2, 1, 2)), np.zeros((2, 5, 2)))
        with pytest.raises(EvaluationInputError):
            kernel(np.zeros((2, 5, 4)), np.zeros((2, 5, 4)))


@pytest.mark.parametrize("radius", [0.5, 4.0])
def test_curvature_of_a_circle_is_one_over_its_radius(radius):
    angles = np.linspace(0, 2, 2000)
    circle = radius * np.stack([np.cos(angles), np.sin(angles)], axis=1)
    assert mean_curvature(circle) == pytest.approx(1 / radius, rel=1e-3)
    assert curvature(circle)[5:-5] == pytest.approx(np.full(1990, 1 / radius), rel=1e-5)


def test_curvature_ignores_height_and_pauses():
    line = np.stack([np.arange(6.0), np.arange(6.0), np.arange(6.0) ** 3], axis=1)
    assert curvature(line).tolist() == [0.0] * 6
    pause = np.array([[0.0, 0.0]] * 4)
    assert curvature(pause).tolist() == [0.0] * 4
    assert np.isnan(curvature(line[:2])).all()
    assert math.isnan(mean_curvature(line[:2]))


@settings(max_examples=40, deadline=None)
@given(path=paths(2, least=2), across=NUMBERS, along=NUMBERS, angle=st.floats(-3, 3))
def test_errors_along_and_across_a_straight_reference(path, across, along, angle):
    forward = np.array([math.cos(angle), math.sin(angle)])
    left = np.array([-forward[1], forward[0]])
    reference = np.outer(np.arange(len(path), dtype=float), forward)
    moved = reference + along * forward + across * left
    assert lateral_error(moved, reference) == pytest.approx(abs(across), abs=1e-9)
    assert longitudinal_error(moved, reference) == pytest.approx(abs(along), abs=1e-9)


def test_a_reference_that_stands_still_has_no_along():
    still = np.zeros((3, 2))
    moved = still + np.array([3.0, 4.0])
    assert lateral_error(moved, still) == 5.0
    assert longitudinal_error(moved, still) == 0.0


def test_tangents_are_central_inside_and_one_sided_at_the_ends():
    corner = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0]])
    offset = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 0.0]])
    # At the corner the tangent is (1, 1) / sqrt 2, so an offset along x splits evenly.
    assert lateral_error(corner + offset, corner) == pytest.approx(math.sqrt(0.5) / 3)
    assert longitudinal_error(corner + offset, corner) == pytest.approx(math.sqrt(0.5) / 3)


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    dimensions=st.sampled_from([2, 3]),
    scale=st.floats(0.1, 10),
    steps=st.integers(2, 9),
)
def test_alignment_undoes_any_motion(seed, dimensions, scale, steps):
    rng = np.random.default_rng(seed)
    path = rng.normal(size=(steps, dimensions))
    rotation, _ = np.linalg.qr(rng.normal(size=(dimensions, dimensions)))
    rotation[0] *= np.sign(np.linalg.det(rotation))
    moved = path @ rotation.T + rng.normal(size=dimensions)
    assert ape(path, moved) == pytest.approx(0, abs=1e-9)
    assert rpe(path, moved) == pytest.approx(0, abs=1e-9)
    assert ape(path, scale * moved, align="similarity") == pytest.approx(0, abs=1e-8)


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10_000), angle=st.floats(-0.5, 0.5))
def test_no_other_motion_is_nearer(seed, angle):
    rng = np.random.default_rng(seed)
    source, target = rng.normal(size=(2, 6, 2))
    best = ape(source, target)
    rotation, shift, scale = umeyama(source, target)
    assert (scale, np.linalg.det(rotation)) == (1.0, pytest.approx(1.0))
    turn = np.array([[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]])
    other = source @ (turn @ rotation).T + shift + rng.normal(scale=0.1, size=2)
    assert math.sqrt(((other - target) ** 2).sum(axis=1).mean()) >= best - 1e-12


def test_a_mirror_image_is_not_aligned_by_mirroring():
    path = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 2.0]])
    assert ape(path, path * [1, -1]) > 0.1


def test_what_cannot_be_aligned_is_undefined():
    assert math.isnan(ape([[1.0, 2.0]], [[1.0, 2.0]]))
    assert ape([[1.0, 2.0]], [[1.0, 2.0]], align="none") == 0.0
    assert math.isnan(ape([[1.0, 2.0]] * 3, [[0.0, 0], [1, 0], [2, 0]], align="similarity"))
    assert math.isnan(rpe([[1.0, 2.0], [2.0, 2.0]], [[1.0, 2.0], [2.0, 2.0]], delta=2))


@pytest.mark.parametrize("delta", [0, -1, 1.5, True, "one"])
def test_delta_is_a_positive_whole_number(delta):
    with pytest.raises(EvaluationInputError, match="delta: expected a whole number above 0"):
        rpe([[0.0, 0.0]], [[0.0, 0.0]], delta=delta)


@pytest.mark.parametrize("measure", [ape, rpe])
def test_an_unknown_alignment_is_refused(measure):
    with pytest.raises(EvaluationInputError, match="align: expected one of none, rigid"):
        measure([[0.0, 0.0]], [[0.0, 0.0]], align="affine")
