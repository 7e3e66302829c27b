"""The point-goal evaluator under its published name."""

from abotn.compat.config import POINT_GOAL_PROTOCOL, EvalConfig, make_eval_config
from abotn.compat.evaluators import PointGoalEvaluator

__all__ = ["POINT_GOAL_PROTOCOL", "EvalConfig", "PointGoalEvaluator", "make_eval_config"]
