"""The options of the published runners."""

from __future__ import annotations

import argparse

from abotn.compat.command_line import PublishedParser, add_grouping_options, add_poi_option
from abotn.compat.config import DEFAULT_RENDER_URL, EvalConfig, PoiGoalEvalConfig
from abotn.geometry.frames import WAYPOINT_FRAMES
from abotn.rendering.camera import CameraConfig

DEFAULT_OUTPUT_DIR = "./eval_output"


def point_goal_parser() -> PublishedParser:
    """Return the parser of the point-goal runner; what is None is set by the mode."""
    parser = _parser("abotn_evaluator.point_goal.runner", "outdoor")
    parser.add_argument("--arrive-threshold", type=float, metavar="M", help="[by mode]")
    parser.add_argument("--collision-threshold", type=int, metavar="N", help="[by mode]")
    parser.add_argument("--occ-dilation-meters", type=float, metavar="M", help="[by mode]")
    return parser


def poi_goal_parser() -> PublishedParser:
    """Return the parser of the POI-goal runner."""
    parser = _parser("abotn_evaluator.poi_goal.runner", "indoor")
    default = PoiGoalEvalConfig()
    parser.add_argument("--arrive-threshold", type=float, default=default.arrive_threshold)
    parser.add_argument("--collision-threshold", type=int, default=default.collision_threshold)
    parser.add_argument("--occ-dilation-meters", type=float, default=default.occ_dilation_meters)
    parser.add_argument("--collision-mode", choices=("off", "soft", "hard"),
                        default=default.collision_mode)  # fmt: skip
    parser.add_argument("--robot-radius", type=float, default=default.robot_radius, metavar="M")
    parser.add_argument("--occ-obstacle-polarity", choices=("dark", "light"),
                        default=default.occ_obstacle_polarity)  # fmt: skip
    parser.add_argument("--occ-dark-threshold", type=int, default=default.occ_dark_threshold)
    add_poi_option(parser)
    return parser


def _parser(name: str, mode: str) -> PublishedParser:
    parser = PublishedParser(prog=name, description="Evaluate an agent and summarise.")
    add = parser.add_argument
    add("--agent-module", required=True, metavar="MODULE:CLASS", help="the agent's class")
    add("--agent-config", metavar="FILE", help="its arguments, in YAML")
    add("--evaluator-module", metavar="MODULE:CLASS",
        help="an evaluator's class, made with scene, renderer, config and output_dir")  # fmt: skip
    add("--data-dir", required=True, metavar="DIR", help="folder of the scenes")
    add("--map-dir", metavar="DIR", help="folder of the maps, if apart")
    add("--render-url", default=DEFAULT_RENDER_URL, metavar="URL",
        help="the render server, or 'embedded', or 'none'")  # fmt: skip
    add("--output-dir", default=DEFAULT_OUTPUT_DIR, metavar="DIR",
        help="the run gets a new folder in it")  # fmt: skip
    add("--resume-dir", metavar="DIR", help="go on with the run in DIR")
    add("--skip-metrics", action="store_true", help="no summary")
    add("--waypoint-frame", choices=sorted(WAYPOINT_FRAMES),
        help="how the agent's waypoints are read")  # fmt: skip
    _add_observation_options(parser)
    _add_camera_options(parser)
    add_grouping_options(parser, mode)
    return parser


def _add_observation_options(parser: argparse.ArgumentParser) -> None:
    add, default = parser.add_argument, EvalConfig()
    add("--max-steps", type=int, default=default.max_steps, metavar="N")
    add("--provide-history", action="store_true")
    add("--provide-occ-map", action="store_true")
    add("--provide-height-map", action="store_true")
    add("--max-history-frames", type=int, default=default.max_history_frames, metavar="N")
    add("--history-resize-ratio", type=float, default=default.history_resize_ratio, metavar="R")
    add("--save-render-images", action=argparse.BooleanOptionalAction,
        default=default.save_render_images)  # fmt: skip
    add("--enable-visualization", action="store_true")


def _add_camera_options(parser: argparse.ArgumentParser) -> None:
    add, default = parser.add_argument, CameraConfig()
    add("--camera-width", type=int, default=default.width)
    add("--camera-height", type=int, default=default.height)
    add("--camera-fx", type=float, default=default.fx)
    add("--camera-fy", type=float, default=default.fy)
    add("--extrinsic-height", type=float, default=default.extrinsic_height, metavar="M")
