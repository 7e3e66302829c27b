"""``python -m abotn_evaluator.point_goal.runner`` and its POI-goal twin."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from abotn.agents.exposure import provided_fields
from abotn.compat.command_line import run_command
from abotn.compat.config import EvalConfig, PoiGoalEvalConfig, make_eval_config
from abotn.compat.runner_options import poi_goal_parser, point_goal_parser
from abotn.compat.summary_reports import analyze_poi_goal, analyze_point_goal
from abotn.records.files import MANIFEST_NAME
from abotn.rendering.camera import CameraConfig

if TYPE_CHECKING:
    from abotn.rollout.session import RunOutcome

_RUNTIME = (
    "render_url", "max_steps", "provide_history", "provide_occ_map", "provide_height_map",
    "max_history_frames", "history_resize_ratio", "save_render_images", "enable_visualization",
    "waypoint_frame",
)  # fmt: skip
_POI_PROTOCOL = (
    "arrive_threshold", "collision_threshold", "occ_dilation_meters", "collision_mode",
    "robot_radius", "occ_obstacle_polarity", "occ_dark_threshold",
)  # fmt: skip
_POINT_PROTOCOL = ("arrive_threshold", "collision_threshold", "occ_dilation_meters")


def point_goal_runner(arguments: Sequence[str] | None = None) -> int:
    """Run a point-goal agent and summarise; return the exit code.

    Args:
        arguments: The arguments; those of the process by default.
    """
    return run_command(point_goal_parser(), _run_point_goal, arguments)


def poi_goal_runner(arguments: Sequence[str] | None = None) -> int:
    """Run a POI-goal agent and summarise; return the exit code.

    Args:
        arguments: The arguments; those of the process by default.
    """
    return run_command(poi_goal_parser(), _run_poi_goal, arguments)


def _run_point_goal(given: argparse.Namespace) -> None:
    overrides = {n: getattr(given, n) for n in _POINT_PROTOCOL if getattr(given, n) is not None}
    config = make_eval_config(given.mode, **_runtime(given), **overrides)
    folder = _made(given, config)
    if not given.skip_metrics:
        analyze_point_goal(
            folder, collision_threshold=config.collision_threshold, **_summary_options(given)
        )


def _run_poi_goal(given: argparse.Namespace) -> None:
    protocol = {name: getattr(given, name) for name in _POI_PROTOCOL}
    config = PoiGoalEvalConfig(mode=given.mode, **_runtime(given), **protocol)
    folder = _made(given, config)
    if not given.skip_metrics:
        analyze_poi_goal(
            folder,
            collision_threshold=config.collision_threshold,
            arrive_threshold=config.arrive_threshold,
            per_poi=given.per_poi,
            **_summary_options(given),
        )


def _runtime(given: argparse.Namespace) -> dict[str, Any]:
    camera = CameraConfig(
        width=given.camera_width,
        height=given.camera_height,
        fx=given.camera_fx,
        fy=given.camera_fy,
        cx=given.camera_width / 2,
        cy=given.camera_height / 2,
        extrinsic_height=given.extrinsic_height,
    )
    return {**{name: getattr(given, name) for name in _RUNTIME}, "camera_config": camera}


def _summary_options(given: argparse.Namespace) -> dict[str, Any]:
    names = ("mode", "min_distance", "max_distance", "exclude_scenes", "per_scene")
    return {name: getattr(given, name) for name in names}


def _made(given: argparse.Namespace, config: EvalConfig) -> Path:
    """Make the run and return its folder."""
    if str(Path.cwd()) not in sys.path:
        sys.path.insert(0, str(Path.cwd()))
    if given.evaluator_module is not None:
        from abotn.compat.custom_evaluator import run_with_evaluator

        return _told(given, run_with_evaluator(given, config))
    from abotn.rollout.progress import progress_bar
    from abotn.rollout.runner import run

    with progress_bar(given.agent_module) as listen:
        outcome = run(
            config.task_type,
            given.agent_module,
            agent_config=given.agent_config,
            data_dir=given.data_dir,
            map_dir=given.map_dir,
            protocol=config.protocol(),
            overrides={"waypoint_frame": config.waypoint_frame},
            render=config.render_url,
            max_steps=config.max_steps,
            provide=provided_fields(vars(config)),
            max_history_frames=config.max_history_frames,
            history_resize_ratio=config.history_resize_ratio,
            camera=config.camera_config,
            save_images=config.save_render_images,
            visualize=config.enable_visualization,
            isolated=True,
            progress=listen,
            **_place(given),
        )
    return _told(given, outcome)


def _told(given: argparse.Namespace, outcome: RunOutcome) -> Path:
    """Say what the run did, and where it is unless its summary will say so; return its folder."""
    from abotn.rollout.summary import summary_lines

    for line in summary_lines(outcome):
        print(line, file=sys.stderr)
    if given.skip_metrics:
        print(outcome.folder)
    return outcome.folder


def _place(given: argparse.Namespace) -> dict[str, Any]:
    if given.resume_dir is None:
        return {"output_dir": given.output_dir}
    resumed = Path(given.resume_dir, MANIFEST_NAME).is_file()
    return {"resume_dir" if resumed else "run_dir": given.resume_dir}
