"""Many futures: the best one counts, and the first k only where asked."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from abotn.errors import EvaluationInputError
from abotn.metrics.prediction import (
    displacement_at_k,
    min_ade,
    min_fde,
    miss_rate,
    prediction_nll,
    topk_trajectory_error,
)
from abotn.metrics.trajectory import ade, fde


def sample(seed: int, modes: int = 5) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return rng.normal(size=(modes, 6, 2)), rng.normal(size=(6, 2))


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 1000), modes=st.integers(1, 6), k=st.integers(1, 9))
def test_best_of_many_equals_a_loop_over_single_paths(seed, modes, k):
    paths, truth = sample(seed, modes)
    means = [ade(path, truth) for path in paths]
    assert min_ade(paths, truth) == pytest.approx(min(means))
    assert min_fde(paths, truth) == pytest.approx(min(fde(path, truth) for path in paths))
    assert displacement_at_k(paths, truth, k=k) == pytest.approx(min(means[:k]))
    if k <= modes:
        assert topk_trajectory_error(paths, truth, k=k) == pytest.approx(min(means[:k]))


def test_more_paths_than_there_are_cannot_be_asked_of_topk():
    with pytest.raises(EvaluationInputError, match="k: 6 is above the number of paths, 5"):
        topk_trajectory_error(*sample(0), k=6)


@pytest.mark.parametrize("k", [0, -1, 1.5, True])
@pytest.mark.parametrize("measure", [topk_trajectory_error, displacement_at_k])
def test_k_is_a_positive_whole_number(measure, k):
    with pytest.raises(EvaluationInputError, match="k: expected a whole number above 0"):
        measure(*sample(0), k=k)


def test_a_miss_is_an_end_beyond_the_threshold():
    paths, truth = np.zeros((1, 2, 2)), np.array([[0.0, 0.0], [3.0, 4.0]])
    assert miss_rate(paths, truth, threshold=4.999) == 1.0
    assert miss_rate(paths, truth, threshold=5.0) == 0.0
    with pytest.raises(EvaluationInputError, match="threshold"):
        miss_rate(paths, truth, threshold=-1.0)


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 1000), sigma=st.floats(0.3, 3))
def test_normalised_nll_is_that_of_a_mixture_density(seed, sigma):
    paths, truth = sample(seed, 4)
    weights = np.random.default_rng(seed + 1).dirichlet(np.ones(4))
    density = [
        sum(
            w * stats.multivariate_normal.pdf(truth[t], path[t], sigma**2)
            for w, path in zip(weights, paths, strict=True)
        )
        for t in range(6)
    ]
    expected = -np.mean(np.log(density))
    for shift in (0.0, 5.0):
        found = prediction_nll(paths, truth, np.log(weights) + shift, sigma=sigma, normalised=True)
        assert found == pytest.approx(expected, rel=1e-9)


def test_plain_nll_of_one_sure_path_is_half_the_squared_distance():
    assert prediction_nll([[[0.0, 0.0]]], [[3.0, 4.0]], [0.0]) == 12.5
    assert prediction_nll([[[0.0, 0.0]]], [[3.0, 4.0]], [0.0], sigma=5.0) == 0.5
    one = prediction_nll([[[0.0, 0.0]]], [[0.0, 0.0]], [0.0], normalised=True)
    assert one == pytest.approx(math.log(2 * math.pi))


@pytest.mark.parametrize(
    ("weights", "sigma", "message"),
    [
        ([0.0], 1.0, "log_weights: expected 5 weights, one per path, got 1"),
        ([0.0, 0.0, 0.0, 0.0, np.inf], 1.0, "log_weights: .*NaN or infinity"),
        ([0.0] * 5, 0.0, "sigma: expected a number above 0"),
    ],
)
def test_nll_of_what_is_no_mixture_is_refused(weights, sigma, message):
    with pytest.raises(EvaluationInputError, match=message):
        prediction_nll(*sample(0), weights, sigma=sigma)
