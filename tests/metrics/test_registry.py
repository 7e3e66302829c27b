"""A registry finds, lists and protects metrics."""

from __future__ import annotations

import pytest

from abotn.errors import PluginError, UnknownMetricError
from abotn.metrics.poi import collision_rate as recorded_rate
from abotn.metrics.registry import MetricRegistry
from abotn.metrics.safety import collision_rate as disc_rate
from abotn.metrics.spec import metric


def spec(name="m", distribution="", version="1", **options):
    def function(steps):
        """A metric."""
        return steps

    made = metric(unit="", better="lower", name=name, category="c", **options)(function)
    return made.from_distribution(distribution, version) if distribution else made


def test_get_by_name_and_alias():
    one = spec("one", aliases=("uno",))
    registry = MetricRegistry([one, spec("two")])
    assert registry.get("uno") is registry.get("one") is one
    assert "uno" in registry
    assert "three" not in registry
    assert [s.name for s in registry] == ["one", "two"]
    assert len(registry) == 2


def test_an_unknown_name_comes_with_the_nearest():
    with pytest.raises(UnknownMetricError, match=r"unknown metric 'sucess'.*success") as caught:
        MetricRegistry([spec("success"), spec("spl")]).get("sucess")
    assert caught.value.nearest == ["success"]


def test_only_metrics_can_be_registered():
    with pytest.raises(PluginError, match="expected a metric, got function"):
        MetricRegistry([lambda steps: steps])


def test_two_distributions_with_one_name_are_a_conflict_when_asked_for():
    registry = MetricRegistry([spec("m", "first"), spec("n"), spec("m", "second")])
    assert registry.get("n").name == "n"
    with pytest.raises(PluginError, match="from both first 1 and second 1"):
        registry.get("m")
    assert list(registry.conflicts) == ["m"]


def test_an_alias_that_is_another_metrics_name_is_a_conflict():
    registry = MetricRegistry([spec("m", "first"), spec("other", "second", aliases=("m",))])
    with pytest.raises(PluginError, match="first 1 and second 1"):
        registry.get("m")


@pytest.mark.parametrize("plugin_first", [False, True])
def test_a_built_in_is_replaced_only_on_purpose(plugin_first):
    ours, theirs = spec("m", "abotn", "0.1"), spec("m", "mine", "2", override=True)
    registry = MetricRegistry([theirs, ours] if plugin_first else [ours, theirs])
    assert registry.get("m").distribution == "mine"
    assert registry.get("m").overrides == "abotn 0.1"
    accident = MetricRegistry([ours, spec("m", "mine", "2")])
    with pytest.raises(PluginError, match=r"abotn 0\.1 and mine 2"):
        accident.get("m")


def test_a_metric_is_listed_under_the_categories_of_its_variants_too():
    registry = MetricRegistry([recorded_rate.with_variant(disc_rate), spec("m")])
    assert registry.list_metrics("safety") == ["collision_rate"]
    assert registry.list_metrics("poi") == ["collision_rate"]
    assert registry.list_metrics() == ["collision_rate", "m"]
    assert registry.categories == ["c", "poi", "safety"]
