"""Intervals, comparisons and power: arrays in, numbers out. This room knows no metric."""

from abotn.statistics.accumulate import ExactSum, Moments
from abotn.statistics.bootstrap import resample_sums
from abotn.statistics.clusters import (
    UnitSums,
    aggregate_units,
    choose_clusters,
    pass_at_k,
    task_means,
)
from abotn.statistics.interval import METHODS, Interval, NoInterval
from abotn.statistics.intervals import ratio_intervals, ratio_values
from abotn.statistics.paired import PairedResult, compare_columns, compare_pairs, holm
from abotn.statistics.power import Requirement, Spread, measure_spread, power_at, required_units
from abotn.statistics.sign_flip import FlipTest, sign_flip_tests
from abotn.statistics.stream_bootstrap import StreamBootstrap

__all__ = [
    "METHODS",
    "ExactSum",
    "FlipTest",
    "Interval",
    "Moments",
    "NoInterval",
    "PairedResult",
    "Requirement",
    "Spread",
    "StreamBootstrap",
    "UnitSums",
    "aggregate_units",
    "choose_clusters",
    "compare_columns",
    "compare_pairs",
    "holm",
    "measure_spread",
    "pass_at_k",
    "power_at",
    "ratio_intervals",
    "ratio_values",
    "required_units",
    "resample_sums",
    "sign_flip_tests",
    "task_means",
]
