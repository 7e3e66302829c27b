"""Every name, signature and default of the published reference, walked through one by one."""

from __future__ import annotations

import ast
import importlib
import importlib.util
import inspect
import re
import sys
from dataclasses import MISSING as NO_DEFAULT
from dataclasses import fields
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest


def _load(name: str) -> ModuleType:
    path = Path(__file__).with_name(f"{name}.py")
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


reference: Any = _load("published_reference")
SEEDS = Path(__file__).resolve().parents[3] / "shared" / "seeds"
DOCUMENT = next(iter(sorted(SEEDS.glob("000*.txt"))), None)
TEXT = "" if DOCUMENT is None else reference.read(DOCUMENT)

pytestmark = pytest.mark.skipif(DOCUMENT is None, reason="../shared/seeds is not there")


def published(path: str) -> Any:
    """Return ``module:name`` or ``module:Class.name`` below the published package."""
    module, _, names = path.partition(":")
    found = importlib.import_module(f"abotn_evaluator.{module}")
    for name in names.split("."):
        found = getattr(found, name)
    return found


def parameters(path: str) -> dict[str, inspect.Parameter]:
    """Return the parameters of a callable without ``self``."""
    found = inspect.signature(published(path)).parameters
    return {name: one for name, one in found.items() if name != "self"}


def check_table(table: reference.Table, path: str) -> None:
    """Check names, order and defaults of a table of parameters against a callable."""
    names = table.column("Parameter")
    known = parameters(path)
    assert names, path
    assert list(known)[: len(names)] == names, path
    required = dict(zip(names, table.column("Required"), strict=True)) \
        if "Required" in table.header else {}  # fmt: skip
    for position, name in enumerate(names):
        default = known[name].default
        if "Default" in table.header:
            cell = table.rows[position][table.header.index("Default")]
            wanted = reference.default(cell)
            if isinstance(wanted, str) and wanted.endswith("()"):
                wanted = published(f"render_client:{wanted[:-2]}")()
            wanted = inspect.Parameter.empty if wanted is reference.MISSING else wanted
            assert default == wanted, (path, name)
            assert type(default) is type(wanted), (path, name)
        else:
            assert (default is inspect.Parameter.empty) == (required[name] == "Yes"), (path, name)


@pytest.mark.parametrize(("module", "name"), reference.imports(TEXT))
def test_every_import_works(module: str, name: str) -> None:
    assert hasattr(importlib.import_module(module), name)


def test_the_walk_reads_what_there_is_to_read() -> None:
    assert len(reference.imports(TEXT)) >= 19
    assert len(reference.tables(TEXT)) >= 20
    assert len(reference.run_modules(TEXT)) == 2


@pytest.mark.parametrize("module", reference.run_modules(TEXT))
def test_every_module_that_is_run_is_there(module: str) -> None:
    assert importlib.util.find_spec(module) is not None
    twin = module.replace("metrics", "runner")
    assert callable(importlib.import_module(twin).main)


@pytest.mark.parametrize(
    ("heading", "path"),
    [
        ("GaussianScene", "scene:GaussianScene"),
        ("GaussianRenderer", "render_client:GaussianRenderer"),
        ("`render_at_pose`", "render_client:GaussianRenderer.render_at_pose"),
        ("ShortMemory", "memory:ShortMemory"),
        ("`add_frame`", "memory:ShortMemory.add_frame"),
        ("Point-Goal Parameters", "point_goal.metrics:analyze_and_report"),
        ("POI-Goal Parameters", "poi_goal.metrics:analyze_and_report"),
    ],
)
def test_parameters_and_defaults_are_as_tabled(heading: str, path: str) -> None:
    check_table(reference.table_after(TEXT, heading, "Parameter"), path)


@pytest.mark.parametrize(
    ("heading", "path"),
    [
        ("Observation Fields", "interface.point_goal:Observation"),
        ("POI-Goal additional field:", "interface.poi_goal:PoiGoalObservation"),
        ("WaypointPrediction Fields", "interface.point_goal:WaypointPrediction"),
        ("Episode Dataclass", "scene:Episode"),
        ("Task Dataclass", "scene:Task"),
        ("CameraConfig Dataclass", "render_client:CameraConfig"),
    ],
)
def test_fields_are_as_tabled(heading: str, path: str) -> None:
    table = reference.table_after(TEXT, heading)
    found = {field.name: field for field in fields(published(path))}
    for position, name in enumerate(table.column(table.header[0])):
        if name not in found:
            assert isinstance(getattr(published(path), name), property), name
            continue
        field = found[name]
        has_default = field.default is not NO_DEFAULT or field.default_factory is not NO_DEFAULT
        row = dict(zip(table.header, table.rows[position], strict=True))
        if row.get("Required") == "No":
            assert has_default, name
        if "Default" in row:
            assert field.default == reference.default(row["Default"]), name


@pytest.mark.parametrize(
    ("heading", "column", "path"),
    [
        ("Convenience methods:", "Method / Property", "scene:Episode"),
        ("Iteration", "Method / Property", "scene:GaussianScene"),
        ("Accessors", "Method", "memory:ShortMemory"),
        ("Properties:", "Property", "memory:ShortMemory"),
    ],
)
def test_methods_and_properties_are_as_tabled(heading: str, column: str, path: str) -> None:
    table = reference.table_after(TEXT, heading, column)
    kind = published(path)
    for cell in table.column(column):
        name, _, arguments = cell.partition("(")
        found = inspect.getattr_static(kind, name)
        assert isinstance(found, property) == ("(" not in cell), name
        if arguments.rstrip(")"):
            wanted = [part.strip() for part in arguments.rstrip(")").split(",")]
            assert [n for n in inspect.signature(found).parameters if n != "self"] == wanted


def test_intrinsics_line_has_the_documented_form() -> None:
    line = published("render_client:CameraConfig")().intrinsics_colmap
    assert line == "1 PINHOLE 720 640 252.075 252.075 360.0 320.0"


@pytest.mark.parametrize(
    ("callee", "path"),
    [
        ("GaussianScene", "scene:GaussianScene"),
        ("Episode.from_scene_dir", "scene:Episode.from_scene_dir"),
        ("Task.from_json", "scene:Task.from_json"),
        ("GaussianScene.check_point_collision_status", None),
        ("GaussianScene.check_line_collision_fast", None),
        ("GaussianScene.compute_line_collision_length", None),
        ("GaussianScene.convert_actual_to_pixel", None),
        ("GaussianScene.convert_pixel_to_actual", None),
        ("GaussianScene.get_gaussian_pose", None),
        ("episode.dilate_free_space_by_meter", "scene:Episode.dilate_free_space_by_meter"),
        ("GaussianRenderer", "render_client:GaussianRenderer"),
        ("CameraConfig", "render_client:CameraConfig"),
        ("renderer.render_at_pose", "render_client:GaussianRenderer.render_at_pose"),
        ("ShortMemory", "memory:ShortMemory"),
        ("memory.add_frame", "memory:ShortMemory.add_frame"),
        ("make_eval_config", "point_goal.evaluator:make_eval_config"),
        ("PoiGoalEvalConfig", "poi_goal.evaluator:PoiGoalEvalConfig"),
        ("load_class", "agent_loader:load_class"),
        ("load_agent_config", "config:load_agent_config"),
        ("load_yaml", "config:load_yaml"),
        ("merge_cli_args", "config:merge_cli_args"),
    ],
)
def test_calls_in_code_blocks_bind(callee: str, path: str | None) -> None:
    """Positional arguments are named after the parameters they meet; keywords exist."""
    found = reference.named_calls(TEXT, callee)
    assert found, f"the reference does not call {callee}"
    known = parameters(path or f"scene:{callee}")
    open_ended = any(one.kind is inspect.Parameter.VAR_KEYWORD for one in known.values())
    for call in found:
        assert len(call.args) <= len(known)
        if path is None or callee in ("memory.add_frame", "renderer.render_at_pose"):
            names = [arg.id for arg in call.args if isinstance(arg, ast.Name)]
            if len(call.keywords) or len(names) == len(call.args) > 2:
                assert list(known)[: len(names)] == names
        for keyword in call.keywords:
            assert keyword.arg in known or open_ended, (callee, keyword.arg)


@pytest.mark.parametrize(
    ("heading", "task"), [("Point-Goal Usage", "point_goal"), ("POI-Goal Usage", "poi_goal")]
)
def test_summary_calls_bind(heading: str, task: str) -> None:
    call = reference.named_calls(TEXT[TEXT.index(f"\n{heading}\n") :], "analyze_and_report")[0]
    known = parameters(f"{task}.metrics:analyze_and_report")
    assert {keyword.arg for keyword in call.keywords} <= set(known)
    assert len(call.keywords) >= 2


@pytest.mark.parametrize(
    ("callee", "path"),
    [
        ("GaussianScene.check_point_collision_status", None),
        ("GaussianScene.check_line_collision_fast", None),
        ("GaussianScene.compute_line_collision_length", None),
        ("renderer.render_at_pose", "render_client:GaussianRenderer.render_at_pose"),
        ("memory.add_frame", "memory:ShortMemory.add_frame"),
        ("ShortMemory", "memory:ShortMemory"),
        ("CameraConfig", "render_client:CameraConfig"),
        ("merge_cli_args", "config:merge_cli_args"),
    ],
)
def test_values_in_these_code_blocks_are_the_defaults(callee: str, path: str | None) -> None:
    known = parameters(path or f"scene:{callee}")
    call = max(reference.named_calls(TEXT, callee), key=lambda one: len(one.keywords))
    assert call.keywords
    for keyword in call.keywords:
        assert known[keyword.arg or ""].default == ast.literal_eval(keyword.value), keyword.arg


def test_collision_methods_are_class_methods_and_conversions_are_static() -> None:
    scene = published("scene:GaussianScene")
    for name in ("check_point_collision_status", "check_line_collision_fast",
                 "compute_line_collision_length"):  # fmt: skip
        assert isinstance(inspect.getattr_static(scene, name), classmethod)
    for name in ("convert_actual_to_pixel", "convert_pixel_to_actual"):
        assert isinstance(inspect.getattr_static(scene, name), staticmethod)
    assert list(inspect.signature(scene).parameters) == ["local_data_path", "local_map_path"]


def test_lower_level_dilation_is_there() -> None:
    assert "dilate_free_space(dilation_pixels)" in TEXT
    assert list(parameters("scene:Episode.dilate_free_space")) == ["dilation_pixels"]


@pytest.mark.parametrize("mode", ["outdoor", "indoor"])
def test_protocol_parameters_by_mode_are_as_tabled(mode: str) -> None:
    table = reference.table_after(TEXT, "Point-Goal: `make_eval_config`", "Mode")
    row = next(row for row in table.rows if row[0].strip("`") == mode)
    wanted = {name.strip("`"): ast.literal_eval(cell)
              for name, cell in zip(table.header[1:], row[1:], strict=True)}  # fmt: skip
    assert published("point_goal.evaluator:POINT_GOAL_PROTOCOL")[mode] == wanted
    config = published("point_goal.evaluator:make_eval_config")(mode=mode, render_url="http://x/r")
    assert {name: getattr(config, name) for name in wanted} == wanted


def test_configuration_calls_are_run_as_they_are_written() -> None:
    make, ran = published("point_goal.evaluator:make_eval_config"), []
    for text in re.findall(r"make_eval_config\([^()]*=[^()]*\)", TEXT):
        call = ast.parse(text, mode="eval").body
        assert isinstance(call, ast.Call)
        values = {str(one.arg): ast.literal_eval(one.value) for one in call.keywords}
        config = make(**values)
        assert {name: getattr(config, name) for name in values} == values
        ran.append(values)
    assert {"mode": "outdoor", "collision_threshold": 5} in ran
    assert len(ran) >= 2


def test_runtime_parameters_and_their_defaults() -> None:
    table = reference.table_after(TEXT, "Runtime parameters (passed as **kwargs):", "Parameter")
    make = published("point_goal.evaluator:make_eval_config")
    config = make(mode="outdoor", render_url="http://x/r")
    wanted = {
        name: reference.default(cell)
        for name, cell in zip(table.column("Parameter"), table.column("Default"), strict=True)
    }
    assert {name: getattr(config, name) for name in wanted} == wanted
    changed = make(mode="outdoor", render_url="http://x/r", **dict.fromkeys(wanted, 1))
    assert {name: getattr(changed, name) for name in wanted} == dict.fromkeys(wanted, 1)


def test_poi_goal_parameters_and_their_defaults() -> None:
    table = reference.table_after(TEXT, "POI-Goal: `PoiGoalEvalConfig`", "Parameter")
    config = published("poi_goal.evaluator:PoiGoalEvalConfig")()
    for name, cell in zip(table.column("Parameter"), table.column("Default"), strict=True):
        assert getattr(config, name) == reference.default(cell), name


@pytest.mark.parametrize("task", ["point_goal", "poi_goal"])
def test_every_command_line_flag_is_there(task: str) -> None:
    from abotn.compat.runner_options import poi_goal_parser, point_goal_parser

    table = reference.table_after(TEXT, "CLI Parameters", "Parameter")
    parser = point_goal_parser() if task == "point_goal" else poi_goal_parser()
    known = {flag: action for action in parser._actions for flag in action.option_strings}
    column = {"point_goal": "Point-Goal", "poi_goal": "POI-Goal"}[task]
    checked = 0
    for flag, cell in zip(table.column("Parameter"), table.column(column), strict=True):
        if cell == "--":
            continue
        assert flag in known, flag
        wanted = reference.default(cell)
        if cell == "Flag":
            on = "default: on" in " ".join(next(r for r in table.rows if flag in r[0]))
            assert known[flag].default is on, flag
        elif wanted is not reference.MISSING and "/" not in str(wanted):
            assert known[flag].default == wanted, flag
        checked += 1
    assert checked >= 16


@pytest.mark.parametrize("task", ["point_goal", "poi_goal"])
def test_flags_of_the_summary_commands_are_there(
    task: str, capsys: pytest.CaptureFixture[str]
) -> None:
    start = TEXT.index(f"python -m abotn_evaluator.{task}.metrics")
    command = TEXT[start : TEXT.index("\n\n", start)].split("\n#")[0]
    flags = re.findall(r"--[\w-]+", command)
    assert "--result-dir" in flags
    with pytest.raises(SystemExit):
        published(f"{task}.metrics:main")(["--help"])
    shown = capsys.readouterr().out
    assert all(flag in shown for flag in flags)


@pytest.mark.parametrize(
    ("path", "kind"),
    re.findall(r'load_class\("([^"]*)"\)', TEXT.partition("Error Handling")[2].partition(
        "Configuration")[0]) and [
        ("no_colon_here", ValueError), ("a:b:c", ValueError), (":MyClass", ValueError),
        ("nonexistent_package.module:Agent", ImportError),
        ("json:NonexistentClass", AttributeError), ("os.path:join", TypeError),
    ],
)  # fmt: skip
def test_loading_errors_are_the_four(path: str, kind: type[Exception]) -> None:
    section = TEXT[TEXT.index("Exception\tCondition") :]
    assert f"`{kind.__name__}`" in section[:2000]
    with pytest.raises(kind):
        published("agent_loader:load_class")(path)


def test_render_failure_is_an_exception_of_its_own() -> None:
    assert "except RenderFailureError as e" in TEXT
    assert issubclass(published("render_client:RenderFailureError"), Exception)


def test_visualization_handlers_have_their_place() -> None:
    assert "abotn_evaluator/visualization.py's _HANDLERS dict" in TEXT
    assert "affordance_pixel" in published("visualization:_HANDLERS")


def test_the_loop_of_the_reference_is_there() -> None:
    loop = TEXT[TEXT.index("agent.reset()") : TEXT.index("The evaluator only calls reset()")]
    names = set(re.findall(r"evaluator\.(\w+)\(", loop))
    assert names == {"build_observation", "step", "save_result"}
    for task in ("point_goal.evaluator:PointGoalEvaluator", "poi_goal.evaluator:PoiGoalEvaluator"):
        for name in names:
            assert callable(getattr(published(task), name))
