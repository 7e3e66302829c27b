"""RoboMetrics' registry, seen as metrics of this package."""

from __future__ import annotations

import numpy as np
import pytest

from abotn.metrics import bridge_robometrics
from abotn.metrics.bridge_robometrics import abotn_metrics, unit_of
from abotn.metrics.registry import MetricRegistry
from abotn.metrics.spec import MetricSpec
from abotn.plugins.manager import Origin, PluginManager
from abotn.units import Unit

robometrics = pytest.importorskip("robometrics")


@pytest.fixture(scope="module")
def bridged() -> dict[str, MetricSpec]:
    return {spec.name: spec for spec in abotn_metrics()}


def test_the_whole_registry_appears(bridged):
    theirs = robometrics.registry.list_metrics()
    assert sorted(bridged) == sorted(f"robometrics/{one.name}" for one in theirs)


def test_direction_unit_and_parameters_are_theirs(bridged):
    for one in robometrics.registry.list_metrics():
        spec = bridged[f"robometrics/{one.name}"]
        assert (spec.direction == "higher") == one.higher_is_better
        assert dict(spec.parameters) == dict(one.default_kwargs)
        assert {*spec.inputs, *spec.parameters} == {*one.required_inputs, *one.default_kwargs}
        assert (spec.unit is Unit.ARBITRARY) == (f"In {one.unit}." in spec.function.__doc__)


@pytest.mark.parametrize(
    ("text", "unit"),
    [("meters", Unit.METRE), ("ratio", Unit.NONE), ("m^2/s^6", Unit.METRE2_PER_SECOND6),
     ("1/m", Unit.PER_METRE), ("state_units", Unit.ARBITRARY)],
)  # fmt: skip
def test_units_are_translated(text, unit):
    assert unit_of(text) is unit


def test_values_are_theirs(bridged):
    rng = np.random.default_rng(5)
    path, other = rng.normal(size=(2, 9, 2))
    one, two = path.tolist(), other.tolist()
    assert bridged["robometrics/ade"](path, other) == robometrics.registry.get("ade").fn(one, two)
    assert bridged["robometrics/miss_rate"]([path], other, threshold=1e9) == 0.0
    jerk = robometrics.registry.get("jerk").fn(path, 0.1)
    np.testing.assert_array_equal(bridged["robometrics/jerk"](path, 0.1), jerk)


def test_an_argument_that_the_registry_misnames_is_passed_all_the_same(bridged):
    paths, truth = np.zeros((2, 3, 2)), np.ones((3, 2))
    assert bridged["robometrics/displacement_at_k"](paths, truth) == pytest.approx(2**0.5)


def test_a_result_object_becomes_its_value_and_the_limit_the_pass_mark(bridged):
    path = np.random.default_rng(5).normal(size=(9, 2))
    spec = bridged["robometrics/acceleration_limits_violated"]
    theirs = robometrics.registry.get("acceleration_limits_violated").fn(path, 0.1, 3.0)
    assert spec(path, 0.1, 3.0) == theirs.value
    assert spec.threshold_from == "max_accel"


def test_shapes_keep_single_paths_from_metrics_of_many(bridged):
    path = np.zeros((4, 2))
    spec = bridged["robometrics/min_ade"]
    assert spec.misfit({"predictions": path, "gt": path}) == (
        "needs predictions of shape (K, T, D), got (4, 2)"
    )
    assert spec.misfit({"predictions": path[None], "gt": path}) is None


def test_they_stand_beside_the_built_in_metrics():
    manager = PluginManager(discover=False)
    manager.register(bridge_robometrics, Origin("abotn", "1", "robometrics"))
    registry = manager.metric_registry()
    assert registry.conflicts == {}
    assert registry.get("robometrics/average_displacement_error").name == "robometrics/ade"
    assert registry.get("ade").category == "trajectory"
    assert len(registry.list_metrics("robometrics")) == len(robometrics.registry.list_metrics())


def test_without_the_package_nothing_is_offered(monkeypatch):
    monkeypatch.setattr(bridge_robometrics, "PACKAGE", "no_such_package_here")
    assert abotn_metrics() == []


def test_registry_accepts_every_one(bridged):
    assert len(MetricRegistry(bridged.values())) == len(bridged)
