"""What a caller may hand in as a path, and what an error says about the rest."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from abotn.errors import EvaluationInputError
from abotn.metrics.arrays import (
    as_modes_pair,
    as_number,
    as_path,
    as_path_pair,
    as_paths,
    plain_array,
    shape_of,
)
from abotn.metrics.example_inputs import example_trajectory


class Tensor:
    """As much of a torch tensor as matters: the chain of calls that reaches numpy."""

    def __init__(self, values):
        self.values = np.array(values)
        self.place = "gpu, with a gradient"

    def detach(self):
        found = Tensor(self.values)
        found.place = "gpu"
        return found

    def cpu(self):
        assert self.place == "gpu"
        self.place = "cpu"
        return self

    def numpy(self):
        assert self.place == "cpu"
        return self.values


class Points:
    """An object with an ``array`` method, as RoboMetrics' Trajectory."""

    def array(self):
        return np.array([[1.0, 2.0]])


@pytest.mark.parametrize(
    "given",
    [
        np.array([[1, 2]], dtype=np.int32),
        [[1, 2]],
        ([Fraction(1), 2.0],),
        Tensor([[1.0, 2.0]]),
        [Tensor([1.0, 2.0])],
        Points(),
    ],
)
def test_one_path_in_many_guises(given):
    path = as_path(given, "prediction")
    assert path.dtype == np.float64
    assert path.tolist() == [[1.0, 2.0]]


def test_a_recorded_trajectory_is_its_positions():
    one = example_trajectory(np.random.default_rng(0))
    assert plain_array(one) is one.position
    assert as_path(one, "prediction").shape == (13, 3)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([1.0, 2.0], r"expected shape \(T, D\) with D = 2 or 3, got \(2,\)"),
        (np.zeros((3, 4)), r"got \(3, 4\)"),
        (np.zeros((0, 2)), r"got \(0, 2\)"),
        (np.zeros((2, 3, 2)), r"got \(2, 3, 2\)"),
        ([[1.0, np.inf]], "got NaN or infinity"),
        ([[1.0, np.nan]], "got NaN or infinity"),
        ([[1.0, 2.0], [3.0]], "got an irregular list"),
        ("far", "got str"),
        ({"x": 1}, "got dict"),
        (None, r"got \(\)"),
    ],
)
def test_what_is_no_path_is_an_error_that_names_the_argument(given, message):
    with pytest.raises(EvaluationInputError, match=f"prediction: .*{message}"):
        as_path(given, "prediction")


def test_the_caller_keeps_what_it_owns():
    given = np.array([[1.0, 2.0]])
    path = as_path(given, "prediction")
    assert path is given or not np.shares_memory(path, given)


@pytest.mark.parametrize("other", [np.zeros((3, 2)), np.zeros((2, 3))])
def test_paths_of_two_shapes_do_not_match(other):
    with pytest.raises(EvaluationInputError, match=r"ground_truth: .* does not match .*\(2, 2\)"):
        as_path_pair(np.zeros((2, 2)), other)


def test_lengths_may_differ_where_allowed_but_not_dimensions():
    left, right = as_path_pair(np.zeros((2, 2)), np.zeros((3, 2)), same_length=False)
    assert (len(left), len(right)) == (2, 3)
    with pytest.raises(EvaluationInputError, match="does not match"):
        as_path_pair(np.zeros((2, 2)), np.zeros((3, 3)), same_length=False)


def test_modes_must_match_the_truth():
    modes, truth = as_modes_pair(np.zeros((5, 4, 2)), np.zeros((4, 2)))
    assert (modes.shape, truth.shape) == ((5, 4, 2), (4, 2))
    with pytest.raises(EvaluationInputError, match="ground_truth"):
        as_modes_pair(np.zeros((5, 4, 2)), np.zeros((3, 2)))
    with pytest.raises(EvaluationInputError, match="prediction"):
        as_modes_pair(np.zeros((4, 2)), np.zeros((4, 2)))


@pytest.mark.parametrize(
    ("given", "lengths"),
    [
        (np.zeros((4, 2)), [4]),
        ([[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]], [3]),
        (np.zeros((3, 4, 2)), [4, 4, 4]),
        ([np.zeros((1, 2)), np.zeros((5, 2))], [1, 5]),
        ([], []),
        ([Tensor(np.zeros((2, 3)))], [2]),
    ],
)
def test_paths_of_several_actors(given, lengths):
    assert [len(path) for path in as_paths(given, "actor_trajs")] == lengths


def test_the_actor_at_fault_is_named():
    with pytest.raises(EvaluationInputError, match=r"actor_trajs\[1\]: .*NaN"):
        as_paths([np.zeros((2, 2)), np.full((2, 2), np.nan)], "actor_trajs")
    with pytest.raises(EvaluationInputError, match="actor_trajs: expected a list of paths"):
        as_paths(3.0, "actor_trajs")


@pytest.mark.parametrize("value", [2, 2.0, np.float32(2), np.array(2), np.array([2.0])])
def test_a_number_in_many_guises(value):
    assert as_number(value, "dt", above=True) == 2.0


@pytest.mark.parametrize("value", [0.0, -1.0, np.nan, np.inf, "fast", None, [1.0, 2.0]])
def test_what_is_no_positive_number_is_refused(value):
    with pytest.raises(EvaluationInputError, match="dt: expected a number above 0"):
        as_number(value, "dt", above=True)


def test_zero_is_allowed_where_it_makes_sense():
    assert as_number(0, "ego_radius") == 0.0
    with pytest.raises(EvaluationInputError, match="of at least 0, got -1"):
        as_number(-1, "ego_radius")


def test_shape_of_what_has_none():
    assert shape_of([[1, 2], [3, 4]]) == (2, 2)
    assert shape_of(3) == ()
    assert shape_of("text") is None
    assert shape_of([[1], [1, 2]]) is None
