"""``python -m abotn_evaluator.point_goal.metrics`` and its POI-goal twin."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from functools import partial

from abotn.compat.command_line import (
    PublishedParser,
    add_grouping_options,
    add_poi_option,
    run_command,
)
from abotn.compat.summary_reports import analyze_poi_goal, analyze_point_goal


def point_goal_metrics(arguments: Sequence[str] | None = None) -> int:
    """Summarise point-goal results; return the exit code.

    Args:
        arguments: The arguments; those of the process by default.
    """
    parser = _parser("abotn_evaluator.point_goal.metrics", "outdoor")
    return run_command(parser, partial(_call, analyze_point_goal), arguments)


def poi_goal_metrics(arguments: Sequence[str] | None = None) -> int:
    """Summarise POI-goal results; return the exit code.

    Args:
        arguments: The arguments; those of the process by default.
    """
    parser = _parser("abotn_evaluator.poi_goal.metrics", "indoor")
    parser.add_argument("--arrive-threshold", type=float, default=2.0, metavar="M")
    add_poi_option(parser)
    return run_command(parser, partial(_call, analyze_poi_goal), arguments)


def _parser(name: str, mode: str) -> PublishedParser:
    parser = PublishedParser(prog=name, description="Summarise the results there are.")
    parser.add_argument("--result-dir", required=True, metavar="DIR", help="the run's folder")
    parser.add_argument("--collision-threshold", type=int, default=3, metavar="N")
    parser.add_argument("--output-path", default=None, metavar="FILE")
    add_grouping_options(parser, mode)
    return parser


def _call(analyze: Callable[..., object], given: argparse.Namespace) -> None:
    analyze(**vars(given))
