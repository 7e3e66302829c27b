import copy
import math
import pickle
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from abotn import Evaluator
from abotn.errors import ConfigError, DataError, EvaluationInputError, UnknownMetricError
from abotn.results.types import EvaluationResult, MetricResult
from abotn.streaming import MetricAccumulator, StreamingEvaluator

numbers = st.floats(-1e12, 1e12) | st.just(math.nan)


def filled(values, keys=None, **options):
    accumulator = MetricAccumulator(["ade"], **options)
    accumulator.update({"ade": values}, keys=keys)
    return accumulator


def test_it_is_a_streaming_evaluator():
    assert isinstance(MetricAccumulator(), StreamingEvaluator)


@settings(max_examples=60)
@given(st.lists(st.lists(numbers, max_size=6), min_size=1, max_size=5))
def test_figures_against_exact_arithmetic(batches):
    accumulator = MetricAccumulator(["ade"])
    for batch in batches:
        accumulator.update({"ade": batch})
    finite = [Fraction(x) for batch in batches for x in batch if math.isfinite(x)]
    found = accumulator.compute()["metrics"]["ade"]
    assert found["count"] == len(finite)
    assert found["undefined"] == sum(map(len, batches)) - len(finite)
    assert accumulator.sample_count == sum(map(len, batches))
    if finite:
        mean = sum(finite) / len(finite)
        assert found["value"] == float(mean)
        assert (found["min"], found["max"]) == (float(min(finite)), float(max(finite)))
    else:
        assert math.isnan(found["value"])
    if len(finite) > 1:
        variance = sum((x - mean) ** 2 for x in finite) / (len(finite) - 1)
        assert found["std"] == pytest.approx(math.sqrt(variance))


@settings(max_examples=25)
@given(st.lists(st.lists(numbers, min_size=1, max_size=8), min_size=2, max_size=5), st.randoms())
def test_shards_merged_in_any_order_give_the_same_bits(batches, random):
    options = {"bootstrap_ci": 100, "bootstrap_seed": 3}
    keys = [[f"{i}/{k}" for k in range(len(batch))] for i, batch in enumerate(batches)]
    shards = [filled(b, k, **options) for b, k in zip(batches, keys, strict=True)]
    whole = MetricAccumulator(["ade"], **options)
    for batch, key in zip(batches, keys, strict=True):
        whole.update({"ade": batch}, keys=key)
    before = pickle.dumps(shards[0].state_dict())
    random.shuffle(shards)
    middle = random.randint(1, len(shards) - 1)
    left, right = (MetricAccumulator(["ade"], **options) for _ in range(2))
    for shard in shards[:middle]:
        left.merge(shard)
    for shard in shards[middle:]:
        right.merge(shard)
    right.merge(left)
    assert right.to_result().to_json() == whole.to_result().to_json()
    assert any(pickle.dumps(shard.state_dict()) == before for shard in shards)


def records(count, start=0):
    return [
        {
            "episode_id": f"s{i % 5}",
            "task_id": f"t{i}",
            "status": "stop",
            "success": i % 3 > 0,
            "travel_length": 10.0 + i,
            "shortest_path_length": 10.0,
            "metrics": {"collision_path_length": 0.1 * (i % 4), "total_distance": 10.0 + i},
        }
        for i in range(start, start + count)
    ]


METRICS = ["success", "spl", "collision_path_ratio"]


def test_batches_of_records_give_what_one_evaluation_gives():
    evaluator, rows = Evaluator(), records(60)
    whole = evaluator.evaluate_dataset(rows, metrics=METRICS)
    accumulator = MetricAccumulator(METRICS, thresholds={"spl": 0.9, "success": 0.5})
    for start in range(0, 60, 25):
        batch = rows[start : start + 25]
        accumulator.update(evaluator.evaluate_dataset(batch, metrics=METRICS, keep_values=True))
    result = accumulator.to_result(name="agent")
    for name in METRICS:
        assert result[name].value == pytest.approx(whole[name].value, rel=1e-15)
        for field in ("unit", "direction", "finite_count", "sample_count", "minimum", "maximum"):
            assert getattr(result[name], field) == getattr(whole[name], field)
    assert result["spl"].std == pytest.approx(whole["spl"].std)
    assert (result["spl"].passed, result["success"].passed) == (False, True)
    assert result["collision_path_ratio"].ci_reason == "no intervals were asked for"
    assert EvaluationResult.from_json(result.to_json()) == result


def test_intervals_are_near_those_of_the_whole_data_set():
    evaluator, rows = Evaluator(), records(200)
    whole = evaluator.evaluate_dataset(
        rows, metrics=["spl"], bootstrap_ci=2000, ci_method="percentile", cluster_by=None
    )["spl"].ci
    accumulator = MetricAccumulator(["spl"], bootstrap_ci=2000)
    accumulator.update(evaluator.evaluate_dataset(rows, metrics=["spl"], keep_values=True))
    ci = accumulator.to_result()["spl"].ci
    width = whole.upper - whole.lower
    assert ci.lower == pytest.approx(whole.lower, abs=0.15 * width)
    assert ci.upper == pytest.approx(whole.upper, abs=0.15 * width)
    assert (ci.method, ci.n_resamples, ci.seed, ci.n_units) == ("percentile", 2000, 0, 200)


def test_the_seed_is_used():
    values, keys = np.arange(30.0), [f"t{i}" for i in range(30)]
    first, again, other = (
        filled(values, keys, bootstrap_ci=200, bootstrap_seed=seed).to_result()["ade"].ci
        for seed in (0, 0, 1)
    )
    assert first == again
    assert first.lower != other.lower


def test_clusters_are_resampled_by_their_key():
    values = np.repeat([0.0, 1.0, 2.0, 3.0, 4.0, 5.0], 20)
    scenes = np.repeat(list("abcdef"), 20).tolist()
    tasks = [f"{scene}/{i}" for i, scene in enumerate(scenes)]
    whole = filled(values, scenes, bootstrap_ci=500, resampled="episode_id").to_result()["ade"].ci
    alone = filled(values, tasks, bootstrap_ci=500).to_result()["ade"].ci
    assert whole.upper - whole.lower > 2 * (alone.upper - alone.lower)
    assert whole.resampled == "episode_id"
    result = Evaluator().evaluate_dataset(records(40), metrics=["spl"], keep_values=True)
    own, given = (MetricAccumulator(["spl"], bootstrap_ci=100, resampled="episode_id"),
                  MetricAccumulator(["spl"], bootstrap_ci=100, resampled="episode_id"))  # fmt: skip
    own.update(result)
    keys = [key.partition("/")[0] for key in result.provenance["record_keys"]]
    given.update({"spl": result["spl"].metadata["raw_values"]}, keys=keys)
    assert own.to_result()["spl"] == given.to_result()["spl"]


def test_single_samples_are_one_value_each():
    evaluator, accumulator = Evaluator(), MetricAccumulator()
    truth = np.array([[0.0, 0.0], [1.0, 0.0]])
    for shift in (0.5, 1.5):
        accumulator.update(
            evaluator.evaluate(prediction=truth + shift, ground_truth=truth, metrics=["ade", "fde"])
        )
    found = accumulator.compute()["metrics"]
    assert list(found) == ["ade", "fde"]
    assert found["ade"]["value"] == pytest.approx(math.sqrt(2))
    assert (found["ade"]["count"], found["ade"]["unit"]) == (2, "m")


def test_a_metric_that_raised_is_counted():
    failed = MetricResult("ade", math.nan, "m", "lower", sample_count=1, metadata={"error": "E: x"})
    accumulator = MetricAccumulator(["ade"])
    accumulator.update(EvaluationResult((failed,)))
    assert accumulator.compute()["metrics"]["ade"]["errors"] == 1
    assert accumulator.to_result()["ade"].metadata["sample_error_count"] == 1
    both = MetricAccumulator(["ade"])
    both.merge(accumulator)
    both.merge(pickle.loads(pickle.dumps(accumulator)))
    assert both.compute()["metrics"]["ade"]["errors"] == 2
    assert accumulator.compute()["metrics"]["ade"]["errors"] == 1


def test_memory_does_not_grow_with_the_records():
    accumulator = MetricAccumulator(["ade"], bootstrap_ci=100)
    sizes = []
    for batch in range(6):
        keys = [f"{batch}/{i}" for i in range(500)]
        accumulator.update({"ade": np.linspace(0.1, 9.9, 500)}, keys=keys)
        sizes.append(len(pickle.dumps(accumulator.state_dict())))
    assert sizes[-1] <= sizes[0] + 64


def test_state_is_saved_and_loaded_to_the_same_bits():
    first = filled([0.1, 0.7, math.nan], ["a", "b", "c"], bootstrap_ci=100)
    state = pickle.loads(pickle.dumps(first.state_dict()))
    second = MetricAccumulator(["ade"], bootstrap_ci=100)
    second.load_state_dict(state)
    for one in (first, second):
        one.update({"ade": [3.3]}, keys=["d"])
    assert second.to_result().to_json() == first.to_result().to_json()
    third = MetricAccumulator(["ade"], bootstrap_ci=100)
    third.load_state_dict(state)
    assert third.sample_count == 3


def test_reset_forgets_all_and_keeps_the_configuration():
    accumulator = filled([1.0], ["a"], bootstrap_ci=100)
    accumulator.reset()
    assert accumulator.sample_count == 0
    assert accumulator.config() == MetricAccumulator(["ade"], bootstrap_ci=100).config()
    empty = accumulator.to_result()["ade"]
    assert math.isnan(empty.value)
    assert (empty.reason, empty.unit, empty.direction) == ("no record has a value", "m", "lower")
    assert empty.ci is None
    assert empty.ci_reason


def test_one_record_and_equal_values_give_a_flagged_interval():
    for values in ([2.0], [2.0] * 9):
        keys = [str(i) for i in range(len(values))]
        ci = filled(values, keys, bootstrap_ci=100).to_result()["ade"].ci
        assert (ci.lower, ci.upper, ci.degenerate) == (2.0, 2.0, True)


def test_aliases_and_metrics_that_are_not_tracked():
    accumulator = MetricAccumulator(["average_displacement_error"])
    accumulator.update({"ade": [1.0], "fde": [2.0]})
    assert accumulator.tracked_metrics == ["ade"]
    everything = MetricAccumulator()
    everything.update({"fde": [2.0], "ade": [1.0]})
    assert everything.tracked_metrics == ["ade", "fde"]


@pytest.mark.parametrize(
    ("batch", "keys", "named"),
    [
        ({"ade": [1.0], "fde": [1.0, 2.0]}, None, "different numbers"),
        ({"ade": [1.0]}, None, "lacks fde"),
        ({"ade": [[1.0]], "fde": [1.0]}, None, "ade"),
        ({"ade": ["x"], "fde": [1.0]}, None, "ade"),
        ({"ade": ([1.0], [1.0], [1.0]), "fde": [1.0]}, None, "numerators"),
        ({"ade": ([1.0], [1.0, 2.0]), "fde": [1.0]}, None, "denominators"),
        ({"ade": ([1.0], [-1.0]), "fde": [1.0]}, None, "negative"),
        ([1.0], None, "batch"),
        ({}, None, "batch"),
    ],
)
def test_an_update_that_raises_has_taken_nothing(batch, keys, named):
    accumulator = MetricAccumulator(["ade", "fde"])
    accumulator.update({"ade": [1.0], "fde": [2.0]})
    before = copy.deepcopy(accumulator.state_dict())
    with pytest.raises(EvaluationInputError, match=named):
        accumulator.update(batch, keys=keys)
    assert pickle.dumps(accumulator.state_dict()) == pickle.dumps(before)


def test_keys_are_needed_for_intervals():
    accumulator = MetricAccumulator(["ade"], bootstrap_ci=100)
    with pytest.raises(EvaluationInputError, match="keys"):
        accumulator.update({"ade": [1.0]})
    with pytest.raises(EvaluationInputError, match=r"2 keys for 1 record$"):
        accumulator.update({"ade": [1.0]}, keys=["a", "b"])


def test_a_mean_over_records_cannot_be_taken_apart():
    result = Evaluator().evaluate_dataset(records(3), metrics=["spl"])
    with pytest.raises(EvaluationInputError, match="keep_values"):
        MetricAccumulator(["spl"]).update(result)


def test_units_that_contradict_are_refused():
    accumulator = MetricAccumulator()
    accumulator.update({"ade": [1.0]})
    other = MetricResult("ade", 1.0, "px", "lower", sample_count=1)
    with pytest.raises(EvaluationInputError, match="'px'"):
        accumulator.update(EvaluationResult((other,)))
    shard = MetricAccumulator()
    shard.update(EvaluationResult((other,)))
    with pytest.raises(EvaluationInputError, match="'px'"):
        accumulator.merge(shard)
    assert accumulator.sample_count == 1


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"bootstrap_ci": 99}, "bootstrap_ci"),
        ({"bootstrap_ci": True}, "bootstrap_ci"),
        ({"ci_level": 1.0}, "ci_level"),
        ({"bootstrap_seed": -1}, "bootstrap_seed"),
        ({"thresholds": {"ade": math.inf}}, "thresholds"),
    ],
)
def test_bad_options_are_named(options, named):
    with pytest.raises(EvaluationInputError, match=named):
        MetricAccumulator(["ade"], **options)


def test_unknown_metrics_in_arrays_are_refused_before_anything_is_taken():
    with pytest.raises(UnknownMetricError, match="ade"):
        MetricAccumulator().update({"adee": [1.0]})


def test_what_cannot_be_merged_or_loaded():
    accumulator = MetricAccumulator(["ade"])
    for other in (MetricAccumulator(["fde"]), MetricAccumulator(["ade"], bootstrap_ci=100), 3,
                  accumulator):  # fmt: skip
        with pytest.raises(ConfigError):
            accumulator.merge(other)
    with pytest.raises(ConfigError, match="seed"):
        accumulator.load_state_dict(MetricAccumulator(["ade"], bootstrap_seed=1).state_dict())


def test_damaged_states_are_refused_and_change_nothing():
    good = filled([1.0, 2.0], ["a", "b"], bootstrap_ci=100)
    before = good.to_result().to_json()
    state = good.state_dict()
    damaged = [
        None,
        {},
        {**state, "version": 2},
        {**state, "streams": {"ade": {}}},
        {**state, "streams": None},
        {**state, "streams": {"ade": {**state["streams"]["ade"], "values": {"count": 1}}}},
        {**state, "streams": {"ade": {**state["streams"]["ade"], "direction": "up"}}},
        {**state, "count": "many"},
    ]
    for bad in damaged:
        with pytest.raises(DataError):
            good.load_state_dict(bad)
    assert good.to_result().to_json() == before


def test_wrong_kinds_inside_a_state_are_refused():
    state = filled([1.0, 2.0], ["a", "b"], bootstrap_ci=100).state_dict()
    for part, key, value in (
        ("values", "count", 1.5),
        ("values", "_low", "low"),
        ("bootstrap", "_tops", {"_width": 101, "_sums": {0: np.zeros(3)}}),
        ("bootstrap", "_tops", 3),
    ):
        bad = copy.deepcopy(state)
        bad["streams"]["ade"][part][key] = value
        with pytest.raises(DataError, match="damaged"):
            MetricAccumulator(["ade"], bootstrap_ci=100).load_state_dict(bad)


def test_infinite_values_are_counted_and_make_the_mean_infinite():
    evaluator, shards = Evaluator(), []
    for speed in ([1.0, -1.0], [2.0, 1.0]):
        inputs = {
            "ego_state": [[0.0, 0.0, one, 0.0] for one in speed],
            "actor_state": [[10.0, 0.0, 0.0, 0.0, 2.0]] * 2,
        }
        batch = evaluator.evaluate_dataset(sample_inputs=inputs, metrics=["ttc"], keep_values=True)
        shard = MetricAccumulator(["ttc"], bootstrap_ci=100, thresholds={"ttc": 3.0})
        shard.update(batch, keys=[f"{speed}/{i}" for i in range(2)])
        shards.append(shard)
    finite = shards[1].to_result()["time_to_collision"]
    assert (finite.value, finite.reason, finite.undefined_count) == (6.0, None, 0)
    shards[1].merge(shards[0])
    loaded = MetricAccumulator(["ttc"], bootstrap_ci=100, thresholds={"ttc": 3.0})
    loaded.load_state_dict(shards[1].state_dict())
    found = loaded.to_result()["time_to_collision"]
    assert (found.value, found.passed, found.ci) == (math.inf, True, None)
    assert found.reason == found.ci_reason == "1 of 4 values is infinite"
    assert (found.finite_count, found.undefined_count) == (3, 0)
    assert (found.minimum, found.maximum, found.std) == (4.0, None, None)
    assert found.metadata == {"infinite_count": 1}
    figures = loaded.compute()["metrics"]["time_to_collision"]
    assert (figures["infinite"], figures["max"], figures["ci"]) == (1, math.inf, None)
    loaded.update({"ttc": [-math.inf, math.nan]}, keys=["a", "b"])
    both = loaded.to_result()["time_to_collision"]
    assert math.isnan(both.value)
    assert (both.passed, both.undefined_count) == (None, 1)
