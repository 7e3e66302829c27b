"""The POI-goal evaluator under its published name."""

from abotn.compat.config import PoiGoalEvalConfig
from abotn.compat.evaluators import PoiGoalEvaluator

__all__ = ["PoiGoalEvalConfig", "PoiGoalEvaluator"]
