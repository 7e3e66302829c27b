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


def names(registry):
    return [one.name for one in registry.usable]


@pytest.mark.parametrize("plugin_first", [False, True])
def test_a_built_in_stays_among_the_usable_ones_and_the_other_is_refused(plugin_first):
    ours, theirs = spec("m", "abotn", "0.1"), spec("m", "mine", "2")
    registry = MetricRegistry([theirs, ours] if plugin_first else [ours, theirs])
    assert registry.usable == [ours]
    assert registry.left_out == {
        "m of mine 2": "metric 'm' was left out: the name belongs to metric 'm' of abotn 0.1; "
        "override=True would replace it"
    }
    with pytest.raises(PluginError, match=r"abotn 0\.1 and mine 2.*override=True"):
        registry.get("m")
    assert list(registry.conflicts) == ["m"]


def test_a_built_in_s_alias_is_as_safe_as_its_name():
    ours = spec("m", "abotn", "0.1", aliases=("also",))
    registry = MetricRegistry([spec("also", "mine", "2"), ours])
    assert registry.usable == [ours]
    assert "also of mine 2" in registry.left_out
    with pytest.raises(PluginError, match=r"abotn 0\.1 and mine 2"):
        registry.get("also")
    assert registry.get("m") is ours


def test_an_alias_that_is_a_built_in_s_name_is_refused_and_its_metric_is_not():
    ours = spec("m", "abotn", "0.1", aliases=("also",))
    theirs = spec("other", "mine", "2", aliases=("m", "also", "free"))
    registry = MetricRegistry([ours, theirs])
    assert registry.usable == [ours, theirs]
    assert registry.get("other") is registry.get("free") is theirs
    assert set(registry.left_out) == {"m of mine 2", "also of mine 2"}
    assert "alias 'also' of metric 'other' was left out" in registry.left_out["also of mine 2"]
    for name in ("m", "also"):
        with pytest.raises(PluginError, match=r"abotn 0\.1 and mine 2"):
            registry.get(name)


def test_a_built_in_s_alias_can_be_taken_on_purpose():
    ours = spec("m", "abotn", "0.1", aliases=("also",))
    registry = MetricRegistry([ours, spec("also", "mine", "2", override=True)])
    assert registry.get("also").overrides == "abotn 0.1"
    assert registry.get("m") is ours
    assert registry.conflicts == {}


def test_what_replaces_a_built_in_keeps_its_aliases_and_is_as_safe():
    ours = spec("m", "abotn", "0.1", aliases=("also",))
    theirs = spec("m", "mine", "2", override=True)
    registry = MetricRegistry([spec("m", "third", "3"), ours, theirs])
    assert [one.distribution for one in registry.usable] == ["mine"]
    assert "m of third 3" in registry.left_out
    quiet = MetricRegistry([ours, theirs])
    assert quiet.get("also").distribution == "mine"


def test_two_plugins_that_replace_one_built_in_are_a_conflict():
    both = [spec("m", name, "1", override=True) for name in ("one", "two")]
    registry = MetricRegistry([spec("m", "abotn", "0.1"), *both, spec("n", "one")])
    assert names(registry) == ["n"]
    assert registry.left_out == {"m": "metric 'm' comes from both one 1 and two 1"}
    with pytest.raises(PluginError, match="one 1 and two 1"):
        registry.get("m")


def test_three_that_claim_one_name_are_all_named():
    registry = MetricRegistry([spec("m", name) for name in ("c", "a", "b")])
    assert registry.conflicts == {"m": "metric 'm' comes from both a 1 and b 1 and c 1"}
    assert registry.usable == []


@pytest.mark.parametrize("alias_first", [False, True])
def test_an_alias_takes_no_metric_out_of_all(alias_first):
    pair = [spec("m", "first"), spec("other", "second", aliases=("m",))]
    registry = MetricRegistry(reversed(pair) if alias_first else pair)
    assert sorted(names(registry)) == ["m", "other"]
    with pytest.raises(PluginError, match="first 1 and second 1"):
        registry.get("m")


def test_iteration_follows_registration_whoever_has_the_name():
    ours = [spec(name, "abotn") for name in ("a", "b", "c")]
    registry = MetricRegistry([spec("z", "mine"), *ours, spec("b", "mine", override=True)])
    assert [one.name for one in registry] == ["z", "a", "b", "c"]
