"""What each comparison with a threshold says below it, exactly at it, and above it.

All numbers are sums of powers of two, so that equal means equal.
"""

import numpy as np
import pytest

from abotn.evaluation.evaluator import Evaluator
from abotn.evaluation.gate import gate, parse_condition
from abotn.metrics import collision, navigation, prediction, safety

BIT = 2.0**-20
ONE, LENGTH = np.array([1.0]), np.array([8.0])


@pytest.mark.parametrize(("closest", "reached"), [(2 - BIT, 1.0), (2.0, 1.0), (2 + BIT, 0.0)])
def test_oracle_success(closest, reached):
    assert navigation.oracle_success(np.array([closest]), np.array([2.0])).tolist() == [reached]


@pytest.mark.parametrize(("hits", "solved"), [(2.0, 1.0), (3.0, 0.0), (4.0, 0.0)])
def test_the_scores_that_count_collisions(hits, solved):
    """A success is spoiled by ``c`` collisions, here the default 3, not by fewer."""
    k = np.array([hits])
    for chosen in ({}, {"collision_threshold": 3}):
        assert navigation.success_new(ONE, k, **chosen).tolist() == [solved]
        assert navigation.spl_new(ONE, k, LENGTH, LENGTH, **chosen).tolist() == [solved]
        assert collision.tcr_new(ONE, k, LENGTH, **chosen).tolist() == [solved * (8 - hits) / 8]
        assert collision.dcr_new(ONE, k, ONE, LENGTH, **chosen).tolist() == [solved * 7 / 8]


@pytest.mark.parametrize("limit", [0, 1, 7])
def test_any_number_of_collisions_may_be_the_limit(limit):
    counts = np.arange(10.0)
    expected = [float(count < limit) for count in range(10)]
    found = navigation.success_new(np.ones(10), counts, collision_threshold=limit)
    assert found.tolist() == expected


def test_a_task_has_a_collision_from_the_first_on():
    assert collision.path_collision_task_rate(np.array([0.0, 1.0, 2.0])).tolist() == [0, 1, 1]


@pytest.mark.parametrize(("limit", "missed"), [(2 - BIT, 1.0), (2.0, 0.0), (2 + BIT, 0.0)])
def test_miss_rate(limit, missed):
    path, truth = [[[0.0, 0.0], [3.0, 0.0]]], [[0.0, 0.0], [1.0, 0.0]]
    assert prediction.miss_rate(path, truth, threshold=limit) == missed


@pytest.mark.parametrize(("limit", "near"), [(2 - BIT, 0.0), (2.0, 0.0), (2 + BIT, 1.0)])
def test_near_miss_rate(limit, near):
    assert safety.near_miss_rate([2.0], threshold=limit) == near


@pytest.mark.parametrize(("apart", "touched"), [(2 - BIT, 1.0), (2.0, 1.0), (2 + BIT, 0.0)])
def test_discs_touch(apart, touched):
    paths = [[0.0, 0.0]], [[[apart, 0.0]]]
    assert safety.collision_rate(*paths, ego_radius=0.5, actor_radius=1.5) == touched


@pytest.mark.parametrize(
    ("metric", "mark", "passed"),
    [
        ("success", 0.5 - BIT, True), ("success", 0.5, True), ("success", 0.5 + BIT, False),
        ("steps", 4 - BIT, False), ("steps", 4.0, True), ("steps", 4 + BIT, True),
    ],
)  # fmt: skip
def test_pass_marks_and_gates_hold_at_equality(metric, mark, passed):
    records = [
        {
            "episode_id": "s", "task_id": f"t{i}", "status": "stop", "steps": 3 + 2 * i,
            "success": i == 0, "travel_length": 8.0, "shortest_path_length": 8.0, "metrics": {},
        }
        for i in range(2)
    ]  # fmt: skip
    chosen = {"metrics": [metric], "bootstrap_ci": None}
    result = Evaluator().evaluate_dataset(records, thresholds={metric: mark}, **chosen)
    assert result[metric].passed is passed
    found = gate(result, [parse_condition(f"{metric}={mark!r}")])
    assert found.passed is passed
