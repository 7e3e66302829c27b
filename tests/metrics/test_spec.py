"""Declaring metrics: what is taken from the function, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

from abotn.errors import PluginError
from abotn.metrics.path import smoothness as recorded_smoothness
from abotn.metrics.poi import collision_rate as recorded_rate
from abotn.metrics.prediction import min_ade
from abotn.metrics.safety import collision_rate as disc_rate
from abotn.metrics.spec import metric
from abotn.metrics.trajectory import ade
from abotn.units import Direction, Unit


def good(steps, *, factor=2.0):
    """Steps, scaled.

    More text.
    """
    return steps * factor


def declared(function=good, **options):
    return metric(**{"unit": Unit.COUNT, "better": "lower", **options})(function)


def test_name_inputs_parameters_and_description_come_from_the_function():
    spec = declared()
    assert (spec.name, spec.inputs, dict(spec.parameters)) == ("good", ("steps",), {"factor": 2.0})
    assert spec.description == "Steps, scaled."
    assert spec.unit is Unit.COUNT
    assert spec.direction is Direction.LOWER
    assert spec.category == "test_spec"
    assert spec.signature == "good(steps, *, factor=2.0)"
    assert spec(np.array([3.0]), factor=3.0).tolist() == [9.0]


def test_unit_and_direction_may_be_given_as_text():
    spec = declared(unit="m/s^2", better=Direction.HIGHER)
    assert (spec.unit, spec.direction) == (Unit.METRE_PER_SECOND2, Direction.HIGHER)


def variable(*steps):
    """Any columns."""


def demanding(steps, *, factor):
    """A parameter without a default."""


def empty(*, factor=1):
    """No column."""


@pytest.mark.parametrize(
    ("function", "options", "message"),
    [
        (good, {"unit": "furlong"}, "unit='furlong'.*one of .*'m'"),
        (good, {"better": "bigger"}, "better='bigger'.*'higher', 'lower'"),
        (good, {"failure_value": float("nan")}, "is NaN"),
        (good, {"threshold": float("nan")}, "is NaN"),
        (good, {"bounds": (1, 1)}, "empty bounds"),
        (good, {"ratio": True, "failure_value": 0.0}, "cannot have a failure value"),
        (good, {"name": " a"}, "not a usable metric name"),
        (good, {"name": "a,b"}, "not a usable metric name"),
        (good, {"shapes": {"path": "T D"}}, "takes no input path"),
        (good, {"threshold_from": "limit"}, "takes no input limit"),
        (variable, {}, r"takes \*args"),
        (demanding, {}, "'factor'.*has no default"),
        (empty, {}, "takes no column"),
    ],
)
def test_a_declaration_that_is_incomplete_or_contradicts_itself_is_refused(
    function, options, message
):
    with pytest.raises(PluginError, match=message):
        declared(function, **options)


def test_an_array_metric_takes_one_sample_at_a_time():
    assert declared(sample=True).per_record
    assert not declared().per_record


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ({}, "needs prediction, ground_truth"),
        ({"prediction": [[0, 0]]}, "needs ground_truth"),
        ({"prediction": [[0, 0]], "ground_truth": [[0, 0]]}, None),
        (
            {"prediction": [[[0, 0]]], "ground_truth": [[0, 0]]},
            "needs prediction of shape (T, D), got (1, 1, 2)",
        ),
        (
            {"prediction": [[0, 0]], "ground_truth": "far"},
            "needs ground_truth of shape (T, D), got no numeric array",
        ),
    ],
)
def test_misfit_names_the_first_thing_in_the_way(given, reason):
    assert ade.misfit(given) == reason


def test_misfit_tells_one_path_from_many():
    one, many = np.zeros((4, 2)), np.zeros((3, 4, 2))
    assert min_ade.misfit({"prediction": many, "ground_truth": one}) is None
    assert "(K, T, D), got (4, 2)" in min_ade.misfit({"prediction": one, "ground_truth": one})


def test_a_variant_steps_in_where_its_inputs_are_there():
    both = recorded_rate.with_variant(disc_rate)
    assert both.resolve({"collision_rate"}) is both
    assert both.resolve(set(disc_rate.inputs)).function is disc_rate.function
    assert both.resolve({"collision_rate", *disc_rate.inputs}) is both
    assert both.resolve(set()) is both
    assert both.categories == {"poi", "safety"}


def test_a_variant_keeps_its_origin():
    marked = recorded_rate.with_variant(disc_rate).from_distribution("mine", "2")
    variant = marked.resolve(set(disc_rate.inputs))
    assert (variant.distribution, variant.version) == ("mine", "2")


def test_only_the_same_quantity_is_a_variant():
    with pytest.raises(PluginError, match="no variant of 'smoothness'"):
        recorded_smoothness.with_variant(disc_rate)
