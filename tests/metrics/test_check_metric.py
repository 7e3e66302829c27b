"""The contract check finds each kind of broken promise, and names the metric."""

from __future__ import annotations

import math

import numpy as np
import pytest

from abotn.errors import PluginError
from abotn.metrics.example_inputs import example_columns, example_trajectory
from abotn.metrics.spec import metric
from abotn.metrics.testing import check_metric
from abotn.units import Unit


def declared(function, **options):
    return metric(**{"unit": Unit.METRE, "better": "lower", "name": "mine", **options})(function)


def whole(travel_length):
    """Metres travelled."""
    return travel_length * 1.0


def silent(travel_length):
    return travel_length * 1.0


def total(travel_length):
    """Metres travelled by all."""
    return np.sum(travel_length)


def nothing_to_add(travel_length):
    """Fails on no records."""
    return travel_length - travel_length.max()


def changing(travel_length):
    """Sorts what it was given."""
    if travel_length.flags.writeable:
        travel_length.sort()
    return np.zeros(len(travel_length))


def restless(travel_length, *, generator=np.random.default_rng(0)):  # noqa: B008
    """A new number each time."""
    return generator.random(len(travel_length))


def relative(travel_length):
    """Metres beyond the mean."""
    return travel_length - (travel_length.mean() if len(travel_length) else 0.0)


def contagious(travel_length, steps):
    """One lacking record spoils the others."""
    return travel_length + (0.0 if np.isfinite(steps).all() else 1.0)


def raising(trajectory):
    """Raises for a record."""
    raise RuntimeError("no wheels")


def never(travel_length):
    """Has no value."""
    return np.full(len(travel_length), np.nan)


BROKEN = [
    (silent, {}, "no docstring"),
    (whole, {"bounds": (0, 1), "failure_value": 2.0}, "failure_value=2 outside its bounds"),
    (whole, {"bounds": (0, 1), "threshold": -1.0}, "threshold=-1 outside its bounds"),
    (whole, {"bounds": (0, 1)}, "outside its bounds"),
    (total, {}, r"shape \(\)"),
    (nothing_to_add, {}, "for 0 records|raised ValueError"),
    (changing, {}, "changed its input 'travel_length'"),
    (restless, {}, "two values for the same inputs"),
    (relative, {}, "alone and"),
    (contagious, {}, "changed other records when one had no 'steps'"),
    (raising, {"per_record": True}, "no wheels"),
    (never, {}, "no value for any example"),
]


@pytest.mark.parametrize(("function", "options", "promise"), BROKEN)
def test_a_broken_promise_is_named(function, options, promise):
    with pytest.raises(PluginError, match=promise) as caught:
        check_metric(declared(function, **options))
    assert "'mine'" in str(caught.value)


def test_a_metric_that_keeps_the_contract_passes():
    check_metric(declared(whole, bounds=(0, math.inf), threshold=5.0))


def test_what_is_no_metric_is_refused():
    with pytest.raises(PluginError, match="expected a metric, got function"):
        check_metric(whole)


def test_given_inputs_are_used():
    values = [1.0, 2.0, 3.0, 4.0, 5.0]
    spec = declared(whole, bounds=(1, 5))
    check_metric(spec, inputs={"travel_length": values})
    with pytest.raises(PluginError, match="returned 6"):
        check_metric(spec, inputs={"travel_length": [*values[:4], 6.0]})


@pytest.mark.parametrize("inputs", [{"speed": [1.0] * 5}, {"travel_length": [1.0]}])
def test_inputs_that_do_not_fit_are_refused(inputs):
    with pytest.raises(PluginError, match="5 values for each column"):
        check_metric(declared(whole), inputs=inputs)


def test_example_columns_agree_with_each_other_and_with_their_seed():
    names = ["steps", "path_collision_count", "collision_path_length", "total_distance", "mine"]
    columns = example_columns(names, 40, seed=3)
    assert (columns["path_collision_count"] <= columns["steps"]).all()
    assert (columns["collision_path_length"] <= columns["total_distance"]).all()
    again = example_columns(names, 40, seed=3)
    assert all(np.array_equal(columns[n], again[n]) for n in names)
    other = example_columns(names, 40, seed=4)
    assert not any(np.array_equal(columns[n], other[n]) for n in names)


def test_example_trajectory_has_matching_lengths():
    one = example_trajectory(np.random.default_rng(0), steps=4)
    assert one.position.shape == (5, 3)
    assert one.waypoint.shape == (4, 2)
    np.testing.assert_allclose(
        one.distance_to_goal, np.linalg.norm(one.position[:, :2] - one.goal, axis=1)
    )
