"""Whatever a plugin does wrong costs one warning that names it, and nothing else."""

from __future__ import annotations

import importlib
import json
import os
import subprocess
import sys
import types

import pytest

from abotn import Evaluator
from abotn.errors import PluginError
from abotn.plugins.hookspecs import hookimpl
from abotn.plugins.manager import Origin, PluginManager

ROWS = [{"task_id": str(i), "episode_id": "s", "status": "stop", "success": True} for i in range(3)]
GOOD = """
from abotn import hookimpl, metric

@metric(unit="", better="higher")
def shiny(success):
    'Shiny.'
    return success

@hookimpl
def abotn_metrics():
    return [shiny]
"""


@pytest.fixture
def site(tmp_path, monkeypatch):
    before = set(sys.modules)
    monkeypatch.syspath_prepend(str(tmp_path))
    importlib.invalidate_caches()
    yield tmp_path
    for name in set(sys.modules) - before:
        if getattr(sys.modules[name], "__file__", None) and str(tmp_path) in str(
            sys.modules[name].__file__
        ):
            del sys.modules[name]


def install(site, name, body, *, metadata=None, entry_points=None):
    """Lay a distribution out as pip would, with an entry point in group abotn."""
    module = name.replace("-", "_")
    (site / f"{module}.py").write_text(body, encoding="utf-8")
    info = site / f"{module}-1.5.dist-info"
    info.mkdir()
    stated = f"Name: {name}\nVersion: 1.5\n" if metadata is None else metadata
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\n{stated}")
    (info / "entry_points.txt").write_text(entry_points or f"[abotn]\nplug = {module}\n")


def warnings_about(text, capsys):
    return [line for line in capsys.readouterr().err.splitlines() if text in line]


def evaluates_as_ever(manager):
    result = Evaluator(plugins=manager).evaluate_dataset(ROWS)
    return result["success"].value == 1.0 and not any("bad" in name for name in result.skipped)


@pytest.mark.parametrize(
    ("metadata", "reason"),
    [
        ("Version: 1.5\n", "states no Name"),
        ("Name: bad-one\n", "states no Version"),
        ("Summary: nothing\n", "no Name and no Version"),
        ("Name:\nVersion:\n", "no Name and no Version"),
    ],
)
def test_a_distribution_without_a_name_or_version_is_left_out(site, capsys, metadata, reason):
    install(site, "bad-one", GOOD, metadata=metadata)
    install(site, "fine-one", GOOD.replace("shiny", "fine"))
    manager = PluginManager()
    assert evaluates_as_ever(manager)
    assert "shiny" not in manager.metric_registry()
    assert "fine" in manager.metric_registry()
    (warning,) = warnings_about("bad", capsys)
    assert reason in warning


def test_a_distribution_without_any_metadata_is_left_out(site, capsys):
    install(site, "bad-one", GOOD)
    (site / "bad_one-1.5.dist-info" / "METADATA").unlink()
    assert evaluates_as_ever(PluginManager())
    (warning,) = warnings_about("bad_one", capsys)
    assert "states no Name" in warning


@pytest.mark.parametrize(
    ("entry_points", "reason"),
    [
        ("[abotn]\nplug = not a module!\n", "cannot be a module"),
        ("[abotn]\nplug =\n", "cannot be a module"),
        ("[abotn]\nplug = bad_one:nothing\n", "AttributeError"),
        ("[abotn]\nplug = bad_one.deeper\n", "ModuleNotFoundError"),
        ("[abotn]\nplug = json:dumps\n", "function object has no hook"),
        ("[abotn]\nplug = json\n", "its module has no hook"),
        ("[abotn]\nplug\n", "entry points cannot be read"),
        ("[abotn]\nan odd: name [1] = json\n", "its module has no hook"),
    ],
)
def test_an_entry_point_that_names_no_plugin_costs_a_warning(site, capsys, entry_points, reason):
    install(site, "bad-one", "", entry_points=entry_points)
    install(site, "fine-one", GOOD.replace("shiny", "fine"))
    manager = PluginManager()
    assert evaluates_as_ever(manager)
    assert "fine" in manager.metric_registry()
    (warning,) = warnings_about("bad-one 1.5", capsys)
    assert reason in warning


def test_an_entry_point_with_an_odd_name_works(site, capsys):
    install(site, "fine-one", GOOD, entry_points="[abotn]\n1 [Ä]: b = fine_one\n")
    manager = PluginManager()
    assert manager.metric_registry().get("shiny").distribution == "fine-one"
    assert capsys.readouterr().err == ""


def test_two_entry_points_with_one_module_are_one_plugin(site, capsys):
    install(site, "fine-one", GOOD, entry_points="[abotn]\na = fine_one\nb = fine_one\n")
    assert PluginManager().metric_registry().get("shiny").name == "shiny"
    (warning,) = warnings_about("fine-one", capsys)
    assert "is there as fine-one:a" in warning


@pytest.mark.parametrize("error", ["SystemExit(3)", "KeyboardInterrupt", "GeneratorExit"])
def test_leaving_while_imported_stops_nothing(site, capsys, error):
    install(site, "bad-one", f"raise {error}")
    assert evaluates_as_ever(PluginManager())
    (warning,) = warnings_about("bad-one 1.5", capsys)
    assert error.partition("(")[0] in warning


def test_what_a_plugin_prints_goes_to_stderr(site):
    body = GOOD.replace("    return [shiny]", "    print('asked')\n    return [shiny]")
    install(site, "loud-one", f"print('imported')\n{body}")
    paths = os.pathsep.join([str(site), *filter(None, [os.environ.get("PYTHONPATH")])])
    done = subprocess.run(
        [sys.executable, "-m", "abotn", "metrics", "list", "--json"],
        env={**os.environ, "PYTHONPATH": paths}, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert "shiny" in [row["name"] for row in json.loads(done.stdout)["metrics"]]
    assert "imported" in done.stderr
    assert "asked" in done.stderr


def registered(**hooks):
    manager = PluginManager(discover=False)
    plugin = types.SimpleNamespace(**{name: hookimpl(hook) for name, hook in hooks.items()})
    manager.register(plugin, Origin("bad-one", "1.5", "p"))
    return manager


LIST_HOOKS = [
    "abotn_metrics",
    "abotn_groupings",
    "abotn_record_readers",
    "abotn_renderers",
    "abotn_visualization_handlers",
    "abotn_protocols",
    "abotn_report_formats",
]


@pytest.mark.parametrize("hook", LIST_HOOKS)
@pytest.mark.parametrize(
    ("returned", "reason"),
    [
        (lambda: None, "returned None, expected a list"),
        (lambda: 5, "returned an int, expected a list"),
        (lambda: "success", "returned a str, expected a list"),
        (lambda: {"a": 1}, "returned a dict, expected a list"),
        (lambda: (n for n in [1]), "returned a generator, expected a list"),
        (lambda: [][1], "raised IndexError"),
        (lambda: sys.exit(3), "raised SystemExit: 3"),
    ],
)
def test_a_hook_that_returns_no_list_costs_a_warning(capsys, hook, returned, reason):
    manager = registered(**{hook: returned})
    built_in = PluginManager(discover=False)
    assert len(list(manager.offers(hook))) == len(list(built_in.offers(hook)))
    list(manager.offers(hook))
    assert evaluates_as_ever(manager)
    (warning,) = warnings_about("bad-one 1.5", capsys)
    assert f"{hook} {reason}" in warning


@pytest.mark.parametrize("hook", [name for name in LIST_HOOKS if name != "abotn_groupings"])
def test_entries_of_another_kind_are_left_out(capsys, hook):
    nameless = types.SimpleNamespace(name=5)
    manager = registered(**{hook: lambda: [5, None, print, nameless]})
    built_in = PluginManager(discover=False)
    assert len(list(manager.offers(hook))) == len(list(built_in.offers(hook)))
    assert evaluates_as_ever(manager)
    found = warnings_about("bad-one 1.5", capsys)
    assert len(found) == 4
    assert all("expected a" in warning for warning in found)


@pytest.mark.parametrize("value", [5, None, dict, int, object(), lambda: None])
def test_what_is_no_grouping_is_left_out(capsys, value):
    assert evaluates_as_ever(registered(abotn_groupings=lambda: [value]))
    assert len(warnings_about("bad-one 1.5", capsys)) == 1


def test_the_rest_of_a_list_is_kept(capsys):
    namespace = {}
    exec(GOOD, namespace)
    manager = registered(abotn_metrics=lambda: (5, namespace["shiny"]))
    assert manager.metric_registry().get("shiny").distribution == "bad-one"
    (warning,) = warnings_about("bad-one", capsys)
    assert "returned an int, expected a metric (decorate it with @metric)" in warning


def test_a_hook_with_other_arguments_takes_the_whole_plugin_out(capsys):
    def groupings():
        return []

    def metrics(wanted):
        return []

    manager = PluginManager(discover=False)
    plugin = types.SimpleNamespace(
        abotn_groupings=hookimpl(groupings), abotn_metrics=hookimpl(metrics)
    )
    with pytest.raises(PluginError, match=r"'p' has a hook that does not fit.*wanted"):
        manager.register(plugin, Origin("bad-one", "1.5", "p"))
    assert evaluates_as_ever(manager)
    assert manager.origins == []


def test_failures_name_everything_that_is_wrong(capsys):
    manager = registered(abotn_metrics=lambda: None, abotn_protocols=lambda: 3)
    manager.examine()
    manager.examine()
    (reason,) = manager.failures.values()
    assert "abotn_metrics returned None" in reason
    assert "abotn_protocols returned an int" in reason
    assert len(warnings_about("bad-one", capsys)) == 2
