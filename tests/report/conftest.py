"""Evaluations made by hand, small enough to check every number of a report by eye."""

import math

import pytest

from abotn.results.types import (
    ConfidenceInterval,
    EvaluationResult,
    GroupResult,
    MetricResult,
)

AWKWARD = [
    "a_b_c",
    "_lead and trail_",
    "100% & more",
    "#1 {braces}",
    "$x^2$ ~tilde~",
    r"back\slash",
    "<script>alert('x')</script>",
    "a|b\\|c",
    'say "hi", it\'s `code`',
    "two\nlines\tand tabs",
    "🤖 robot",
    "שלום עולם",
    "导航智能体",
    "*star* **bold** [link](http://example.org)",
    "&amp; &#35;",
    "- 1. list -- dash --- ...",
    "=cmd()",
]


def interval(lower, upper, method="wilson", **fields):
    """An interval of 95 %; resampling methods say 10000 resamples, seed 0."""
    drawn = {"n_resamples": 10_000, "seed": 0} if method == "bca" else {}
    return ConfidenceInterval(lower, upper, 0.95, method, **{**drawn, "n_units": 40, **fields})


def metric(name, value, ci=None, *, unit="", direction="higher", **fields):
    """A metric over 40 records of this package."""
    counts = {"sample_count": 40, "finite_count": 40}
    source = {"distribution": "abotn", "version": "1.0"}
    given = {**counts, "source": source, **fields}
    return MetricResult(name, value, unit, direction, ci=ci, **given)


def metrics(success, length):
    """Four metrics with intervals, one of them without a value."""
    threshold = {"collision_threshold": 3}
    low, high = max(success - 0.125, 0.0), min(success + 0.0625, 1.0)
    return (
        metric("success", success, interval(low, high)),
        metric("success_new", success / 2, interval(low / 2, high / 2), parameters=threshold),
        metric(
            "collision_length",
            length,
            interval(length - 0.5, length + 0.5, "bca"),
            unit="m",
            direction="lower",
        ),
        metric("ndtw", math.nan, finite_count=0, undefined_count=40, reason="needs trajectory"),
    )


def evaluation(success=0.75, length=2.0, **fields):
    """An evaluation of 40 records in two groups under ``pointbench-outdoor``."""
    protocol = {
        "name": "pointbench-outdoor",
        "values": {"arrive_threshold": 0.5, "require_stop": False},
        "modified": [],
    }
    given = {
        "groups": {
            "difficulty": (
                GroupResult("short", 25, metrics(success, length)),
                GroupResult("long", 15, metrics(success / 2, length * 2)),
            )
        },
        "counts": {"found": 41, "scored": 40, "errors": 2, "damaged": 1, "excluded": 0},
        "damaged": ({"path": "park/traj_1/result.json", "reason": "not valid JSON"},),
        "provenance": {
            "protocol": protocol,
            "dataset": {"fingerprint": "0123456789abcdef" * 4, "scenes": 4, "tasks": 41},
            "on_error": "failure",
            "excluded_scenes": {},
        },
        **fields,
    }
    return EvaluationResult(metrics=metrics(success, length), **given)


def modified(result, **values):
    """The evaluation with overridden protocol parameters."""
    protocol = dict(result.provenance["protocol"])
    protocol["values"] = {**protocol["values"], **values}
    protocol["modified"] = list(values)
    return with_provenance(result, protocol=protocol)


def with_provenance(result, **entries):
    """The evaluation with other entries in its provenance."""
    return EvaluationResult(**{**vars(result), "provenance": {**result.provenance, **entries}})


class Make:
    """The functions of this file, for tests."""

    awkward = AWKWARD
    interval = staticmethod(interval)
    metric = staticmethod(metric)
    evaluation = staticmethod(evaluation)
    modified = staticmethod(modified)
    with_provenance = staticmethod(with_provenance)


@pytest.fixture(scope="session")
def make():
    """Builders of evaluations."""
    return Make


@pytest.fixture(scope="session")
def three_runs():
    """Three runs that tie in one metric, one of them under a modified protocol."""
    return [
        ("planner", evaluation(0.9375, 0.5)),
        ("straight_line", modified(evaluation(0.9374, 1.25), arrive_threshold=1.0)),
        ("random", evaluation(0.125, 8.0)),
    ]


@pytest.fixture(scope="session")
def awkward_runs():
    """A run per awkward name."""
    return [(name, evaluation(index / 32, index)) for index, name in enumerate(AWKWARD)]
