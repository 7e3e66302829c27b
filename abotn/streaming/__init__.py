"""Evaluators that are fed batch by batch, for data that does not fit in memory."""

from __future__ import annotations

from abotn.streaming.accumulator import MetricAccumulator
from abotn.streaming.contract import StreamingEvaluator
from abotn.streaming.pixel import PixelEvaluator
from abotn.streaming.point import PointEvaluator
from abotn.streaming.scenario import ScenarioEvaluator
from abotn.streaming.sensor import SensorEvaluator
from abotn.streaming.timestep import TimestepEvaluator

__all__ = [
    "MetricAccumulator",
    "PixelEvaluator",
    "PointEvaluator",
    "ScenarioEvaluator",
    "SensorEvaluator",
    "StreamingEvaluator",
    "TimestepEvaluator",
]
