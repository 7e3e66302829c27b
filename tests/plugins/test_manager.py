import importlib
import sys
import types

import pytest

from abotn.errors import PluginError, UnknownNameError
from abotn.metrics.registry import MetricRegistry
from abotn.metrics.spec import metric
from abotn.plugins.hookspecs import hookimpl
from abotn.plugins.manager import Origin, PluginManager
from abotn.units import Unit


def make_metric(name="new_one", **options):
    def function(success):
        """A metric for tests."""
        return success

    return metric(unit=Unit.NONE, better="higher", name=name, **options)(function)


def make_plugin(specs, **hooks):
    plugin = types.SimpleNamespace(**hooks)
    plugin.abotn_metrics = hookimpl(lambda: specs)
    return plugin


@pytest.fixture
def manager():
    return PluginManager(discover=False)


def install(folder, name, body):
    """Make an importable distribution with an entry point in group abotn."""
    (folder / f"{name}.py").write_text(body, encoding="utf-8")
    info = folder / f"{name}-1.5.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.5\n")
    (info / "entry_points.txt").write_text(f"[abotn]\nplug = {name}\n")


@pytest.fixture
def site(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(tmp_path))
    importlib.invalidate_caches()
    return tmp_path


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("import does_not_exist_anywhere", "ModuleNotFoundError"),
        ("def broken(:", "SyntaxError"),
        ("raise SystemExit(3)", "SystemExit"),
        ("1/0", "ZeroDivisionError"),
    ],
)
def test_a_plugin_that_cannot_be_imported_costs_one_warning(site, capsys, body, reason):
    name = f"bad_{reason.lower()}"
    install(site, name, body)
    registry = PluginManager().metric_registry()
    assert "success" in registry
    warnings = [line for line in capsys.readouterr().err.splitlines() if name in line]
    assert len(warnings) == 1
    assert warnings[0].startswith("warning: ")
    assert f"{name} 1.5" in warnings[0]
    assert reason in warnings[0]
    sys.modules.pop(name, None)


def test_an_installed_plugin_is_found_and_named(site):
    install(
        site,
        "good_plugin",
        "from abotn import hookimpl, metric\n"
        "@metric(unit='', better='higher')\n"
        "def shiny(success):\n    'Shiny.'\n    return success\n"
        "@hookimpl\ndef abotn_metrics():\n    return [shiny]\n",
    )
    manager = PluginManager()
    spec = manager.metric_registry().get("shiny")
    assert (spec.distribution, spec.version) == ("good_plugin", "1.5")
    assert manager.versions["good_plugin"] == "1.5"


def test_a_misspelt_hook_is_named(manager):
    plugin = types.SimpleNamespace(abotn_metricks=hookimpl(lambda: None))
    with pytest.raises(PluginError, match=r"dist 1: .*'p'.*abotn_metricks"):
        manager.register(plugin, Origin("dist", "1", "p"))
    assert "success" in manager.metric_registry()


def test_a_hook_that_raises_costs_a_warning(manager, capsys):
    def explode():
        raise RuntimeError("boom")

    manager.register(
        types.SimpleNamespace(abotn_metrics=hookimpl(explode)), Origin("dist", "1", "p")
    )
    assert "success" in manager.metric_registry()
    assert "dist 1: abotn_metrics raised RuntimeError: boom" in capsys.readouterr().err


def test_what_is_not_a_metric_costs_a_warning(manager, capsys):
    manager.register(make_plugin([print, make_metric()]), Origin("dist", "1", "p"))
    assert "new_one" in manager.metric_registry()
    assert "abotn_metrics returned a builtin" in capsys.readouterr().err


def test_two_plugins_with_one_name_are_an_error_when_it_is_asked_for(manager):
    for dist in ("one", "two"):
        manager.register(make_plugin([make_metric("same")]), Origin(dist, "2", "p"))
    registry = manager.metric_registry()
    assert registry.get("success").name == "success"
    with pytest.raises(PluginError, match="'same' comes from both one 2 and two 2"):
        registry.get("same")


def test_a_built_in_is_not_replaced_in_passing(manager):
    manager.register(make_plugin([make_metric("success")]), Origin("dist", "1", "p"))
    with pytest.raises(PluginError, match=r"both abotn .* and dist 1"):
        manager.metric_registry().get("success")


@pytest.mark.parametrize("name", ["success", "sr_new"])
def test_a_built_in_is_evaluated_whoever_else_has_its_name(manager, capsys, name):
    from abotn import Evaluator

    manager.register(make_plugin([make_metric(name), make_metric()]), Origin("dist", "1", "p"))
    rows = [
        {"task_id": str(i), "status": "stop", "success": i > 0, "path_collision_count": 0}
        for i in range(2)
    ]
    result = Evaluator(plugins=manager).evaluate_dataset(rows)
    for metric_name in ("success", "success_new", "new_one"):
        assert result[metric_name].value == 0.5
    assert result["success"].source["distribution"] == "abotn"
    reason = result.skipped[f"{name} of dist 1"]
    assert "of abotn " in reason
    (warning,) = capsys.readouterr().err.splitlines()
    assert warning == f"warning: plugin 'p' of dist 1: {reason}"
    with pytest.raises(PluginError, match=r"both abotn .* and dist 1"):
        Evaluator(plugins=manager).evaluate_dataset(rows, metrics=[name])


def test_two_plugins_with_one_name_are_skipped_by_all_with_the_reason(manager):
    from abotn import Evaluator

    for dist in ("one", "two"):
        manager.register(make_plugin([make_metric("same")]), Origin(dist, "2", "p"))
    rows = [{"task_id": "t", "status": "stop", "success": True}]
    for choice in ({}, {"metrics": ["success"], "categories": ["navigation"]}):
        result = Evaluator(plugins=manager).evaluate_dataset(rows, **choice)
        assert result["success"].value == 1.0
        assert "same" not in result
    result = Evaluator(plugins=manager).evaluate_dataset(rows)
    assert result.skipped["same"] == "metric 'same' comes from both one 2 and two 2"


def test_a_built_in_is_replaced_when_the_plugin_says_so(manager):
    manager.register(make_plugin([make_metric("success", override=True)]), Origin("dist", "1", "p"))
    spec = manager.metric_registry().get("success")
    assert spec.distribution == "dist"
    assert spec.overrides.startswith("abotn ")


def test_an_alias_that_hides_another_metric_is_a_conflict():
    registry = MetricRegistry([make_metric("a"), make_metric("b", aliases=("a",))])
    with pytest.raises(PluginError, match="'a' comes from both"):
        registry.get("a")
    assert registry.get("b").name == "b"


def test_events_reach_plugins_and_a_raising_one_stops_nothing(manager, capsys):
    heard = []

    def finished(record):
        heard.append(record)
        raise ValueError("no")

    manager.register(
        types.SimpleNamespace(abotn_episode_finished=hookimpl(finished)), Origin("d", "1", "p")
    )
    manager.tell("abotn_episode_finished", record="r1")
    manager.tell("abotn_episode_finished", record="r2")
    assert heard == ["r1", "r2"]
    assert "abotn_episode_finished raised ValueError: no" in capsys.readouterr().err


def test_a_grouping_that_fails_costs_a_warning_and_the_evaluation_goes_on(manager, capsys):
    from abotn import Evaluator

    def explode(success):
        raise SystemExit(3)

    def scene(episode_id):
        return episode_id

    plugin = types.SimpleNamespace(abotn_groupings=hookimpl(lambda: [explode, scene, 5]))
    manager.register(plugin, Origin("dist", "1", "p"))
    rows = [{"task_id": str(i), "status": "stop", "success": True} for i in range(3)]
    result = Evaluator(plugins=manager).evaluate_dataset(rows)
    assert result["success"].value == 1.0
    assert result.groups == {}
    said = capsys.readouterr().err
    assert "dist 1: grouping explode: raised SystemExit" in said
    assert "grouping 'scene' is there from abotn" in said
    assert "got int" in said


def test_asking_for_something_nobody_offers_names_the_nearest(manager):
    with pytest.raises(UnknownNameError, match="run-folder"):
        manager.named("abotn_record_readers", "record reader", "run-foldr")
