"""Metrics, groupings and plugins on the command line."""

from __future__ import annotations

import json

import pytest

from abotn.cli.main import run_command_line
from abotn.plugins.manager import plugin_manager


def said(capsys, *arguments):
    code = run_command_line([str(argument) for argument in arguments])
    out, err = capsys.readouterr()
    return code, out, err


def test_describe_knows_metrics_and_groupings(capsys):
    code, out, _ = said(capsys, "metrics", "describe", "difficulty_outdoor")
    assert code == 0
    assert out.startswith("difficulty_outdoor(shortest_path_length)\n")
    for line in ("kind            grouping", "order           short, medium, long, out_of_range"):
        assert line in out.splitlines()
    code, out, _ = said(capsys, "metrics", "describe", "sr_new")
    assert out.startswith("success_new(success, path_collision_count, *, collision_threshold=3)")
    assert "[0, inf)" in out


def test_describe_prints_json_of_both(capsys):
    for name, inputs in (("scene", ["episode_id"]), ("success", ["success"])):
        code, out, _ = said(capsys, "metrics", "describe", name, "--json")
        assert code == 0
        assert json.loads(out)["inputs"] == inputs


def test_every_metric_and_grouping_of_the_list_can_be_described(capsys):
    _, out, _ = said(capsys, "metrics", "list", "--json")
    listed = json.loads(out)
    names = [row["name"] for row in listed["metrics"]] + listed["groupings"]
    assert len(names) > 60
    for name in names:
        code, out, _ = said(capsys, "metrics", "describe", name, "--json")
        assert (code, json.loads(out)["name"]) == (0, name)


@pytest.mark.parametrize(("name", "near"), [("sucess", "success"), ("scen", "scene")])
def test_an_unknown_name_comes_with_the_nearest_of_both(capsys, name, near):
    code, out, err = said(capsys, "metrics", "describe", name)
    assert (code, out) == (2, "")
    assert err.startswith(f"error: unknown metric or grouping '{name}'")
    assert near in err


def test_plugins_lists_what_is_wrong_only_when_asked(capsys, monkeypatch):
    import types

    from abotn.plugins.hookspecs import hookimpl
    from abotn.plugins.manager import Origin, PluginManager

    manager = PluginManager(discover=False)
    plugin = types.SimpleNamespace(abotn_groupings=hookimpl(lambda: [5]))
    manager.register(plugin, Origin("odd-one", "1.5", "p"))
    monkeypatch.setattr("abotn.plugins.manager.plugin_manager", lambda: manager)
    code, out, err = said(capsys, "plugins", "--json")
    assert code == 0
    (failed,) = json.loads(out)["failed"]
    assert failed["distribution"] == "odd-one"
    assert "got int" in failed["reason"]
    assert err.count("odd-one") == 1


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["--threshold", "success=1.5"],
         "thresholds['success']: the threshold of success must lie in [0, 1], got 1.5"),
        (["--threshold", "success=-1"],
         "thresholds['success']: the threshold of success must lie in [0, 1], got -1.0"),
        (["--threshold", "collision_length=-3"],
         "thresholds['collision_length']: the threshold of collision_length must lie in [0, inf), "
         "got -3.0"),
        (["--set", "success_new.collision_threshold=nonsense"],
         "success_new.collision_threshold: expected a finite number, got 'nonsense'"),
        (["--set", "success_new.colision_threshold=1"],
         "unknown parameter of metric success_new 'colision_threshold' "
         "(did you mean: collision_threshold)"),
        (["--set", "success_new.collision_threshold=-1"],
         "success_new.collision_threshold: expected a number in [0, inf), got -1"),
        (["--metrics", "spl", "--set", "success_new.collision_threshold=1"],
         "metric_kwargs['success_new']: success_new is not evaluated, so its parameters have no "
         "effect: it is not among the metrics asked for (leave them out, or ask for the metric by "
         "name)"),
    ],
)  # fmt: skip
def test_evaluate_refuses_what_a_metric_cannot_have(capsys, tmp_path, arguments, line):
    code, out, err = said(capsys, "evaluate", tmp_path, *arguments)
    assert (code, out, err) == (2, "", f"error: {line}\n")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("value", ["inf", "nan"])
def test_a_threshold_is_finite(capsys, tmp_path, value):
    code, out, err = said(capsys, "evaluate", tmp_path, "--threshold", f"spl={value}")
    assert (code, out) == (2, "")
    assert "spl" in err
    assert "finite number" in err
    assert value in err


def test_a_gate_refuses_a_threshold_out_of_bounds(capsys, tmp_path):
    from abotn.evaluation.evaluator import Evaluator

    failures = dict(plugin_manager().failures)
    rows = [{"task_id": "t", "episode_id": "s", "status": "stop", "success": True}]
    file = tmp_path / "evaluation.json"
    Evaluator().evaluate_dataset(rows, metrics=["success"]).write(file)
    code, out, err = said(capsys, "gate", file, "--threshold", "success>=1.5")
    assert (code, out) == (2, "")
    assert "the threshold of success must lie in [0, 1], got 1.5" in err
    document = json.loads(file.read_text(encoding="utf-8"))
    document["metrics"][0]["threshold"] = 1.5
    file.write_text(json.dumps(document), encoding="utf-8")
    code, out, err = said(capsys, "gate", file)
    assert (code, out) == (2, "")
    assert "the threshold of success must lie in [0, 1], got 1.5" in err
    assert plugin_manager().failures == failures
