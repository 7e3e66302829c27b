"""Single samples and datasets of predictions: inputs, selection, thresholds, results."""

import json
import math

import numpy as np
import pytest

from abotn import EvaluationResult, Evaluator, metric, registry
from abotn.errors import EvaluationInputError, UnknownMetricError, UnknownNameError
from abotn.evaluation.gate import gate
from abotn.metrics.registry import MetricRegistry
from abotn.records.types import Trajectory

RNG = np.random.default_rng(7)
TRUTH = np.cumsum(RNG.normal(0.5, 0.3, (20, 2)), axis=0)
PATH = TRUTH + RNG.normal(0, 0.4, TRUTH.shape)
MODES = np.stack([PATH, TRUTH + 0.1, TRUTH + 2.0])
DISTANCES = np.hypot(*(PATH - TRUTH).T)


@pytest.fixture(scope="module")
def evaluator():
    return Evaluator()


def test_named_metrics_have_the_values_that_numpy_gives(evaluator):
    result = evaluator.evaluate(prediction=PATH, ground_truth=TRUTH, metrics=["ade", "fde"])
    assert [one.name for one in result.metrics] == ["ade", "fde"]
    assert result["ade"].value == pytest.approx(DISTANCES.mean(), abs=1e-12)
    assert result["fde"].value == pytest.approx(DISTANCES[-1], abs=1e-12)
    assert (result["ade"].unit, result["ade"].direction) == ("m", "lower")
    assert (result["ade"].passed, result["ade"].threshold) == (None, None)


class Tensor:
    """What a tensor offers, as far as it is used here."""

    def __init__(self, array):
        self.array = array

    def detach(self):
        return self

    def cpu(self):
        return self

    def numpy(self):
        return self.array


def trajectory(path):
    """A recorded trajectory through a path."""
    count = len(path)
    steps = np.zeros(count - 1)
    return Trajectory(
        position=np.column_stack([path, np.zeros(count)]),
        yaw=np.zeros(count),
        waypoint=np.zeros((count - 1, 2)),
        executed_index=steps.astype(int),
        distance_to_goal=np.zeros(count),
        collided=steps.astype(bool),
        collision_length=steps,
        agent_seconds=steps,
        render_seconds=steps,
        reference=path,
        goal=path[-1],
    )


@pytest.mark.parametrize(
    "form",
    [
        np.asarray,
        lambda path: path.tolist(),
        lambda path: [tuple(point) for point in path],
        lambda path: path.astype(np.float32),
        Tensor,
        lambda path: [Tensor(point) for point in path],
        trajectory,
    ],
)
def test_every_form_of_a_path_is_accepted(evaluator, form):
    pair = {"prediction": form(PATH), "ground_truth": form(TRUTH)}
    result = evaluator.evaluate(**pair, metrics=["ade"])
    assert result["ade"].value == pytest.approx(DISTANCES.mean(), rel=1e-6)
    many = {"predictions": [form(PATH)] * 2, "ground_truths": [form(TRUTH)] * 2}
    result = evaluator.evaluate_dataset(**many, metrics=["ade"])
    assert result["ade"].value == pytest.approx(DISTANCES.mean(), rel=1e-6)


def test_robometrics_trajectories_are_accepted(evaluator):
    schemas = pytest.importorskip("robometrics.schemas")
    form = [schemas.Trajectory(points=path.tolist()) for path in (PATH, TRUTH)]
    result = evaluator.evaluate(prediction=form[0], ground_truth=form[1], metrics=["ade"])
    assert result["ade"].value == pytest.approx(DISTANCES.mean())


@pytest.mark.parametrize("name", ["pred", "predictions", "traj", "trajectory", "ego_traj"])
def test_a_prediction_serves_arguments_of_other_names(name):
    namespace = {"__name__": __name__}
    exec(f"def spread({name}, gt):\n    'Sum.'\n    return float(({name} - gt).sum())", namespace)
    spec = metric(unit="m", better="lower", sample=True)(namespace["spread"])
    result = Evaluator(MetricRegistry([spec])).evaluate(prediction=PATH, ground_truth=TRUTH)
    assert result["spread"].value == pytest.approx((PATH - TRUTH).sum())


@pytest.mark.parametrize("name", ["gt", "ref", "reference"])
def test_a_ground_truth_serves_arguments_of_other_names(name):
    namespace = {"__name__": __name__}
    exec(f"def first({name}):\n    'First.'\n    return float({name}[0, 0])", namespace)
    spec = metric(unit="m", better="lower", sample=True)(namespace["first"])
    result = Evaluator(MetricRegistry([spec])).evaluate(ground_truth=TRUTH)
    assert result["first"].value == TRUTH[0, 0]


def test_all_takes_what_the_inputs_allow_and_says_what_is_missing(evaluator):
    result = evaluator.evaluate(prediction=PATH, ground_truth=TRUTH, metrics="all")
    assert {"ade", "fde", "hausdorff_distance", "path_length", "ape"} <= {
        one.name for one in result.metrics
    }
    assert result.skipped["jerk"] == "needs dt"
    assert result.skipped["min_ade"] == "needs prediction of shape (K, T, D), got (20, 2)"
    assert result.summary()["error_count"] == 0
    with_time = evaluator.evaluate(prediction=PATH, ground_truth=TRUTH, dt=0.1)
    assert "jerk" in with_time
    many = evaluator.evaluate(prediction=MODES, ground_truth=TRUTH)
    assert "min_ade" in many
    assert "ade" not in many


def test_categories_restrict_all_and_add_to_names(evaluator):
    result = evaluator.evaluate(prediction=PATH, ground_truth=TRUTH, categories=["trajectory"])
    assert {"ade", "fde"} <= {one.name for one in result.metrics}
    assert {one.category for one in result.metrics} == {"trajectory"}
    both = evaluator.evaluate(
        prediction=PATH, ground_truth=TRUTH, dt=0.1, metrics=["jerk"], categories="trajectory"
    )
    assert both.metrics[0].name == "jerk"
    assert "ade" in both


def test_a_category_that_cannot_run_names_every_missing_input(evaluator):
    with pytest.raises(EvaluationInputError) as caught:
        evaluator.evaluate(prediction=PATH, categories=["physics"])
    for text in ("jerk_limits_violated needs dt, max_jerk", "curvature_limits_violated needs max_"):
        assert text in str(caught.value)


def test_a_named_metric_that_lacks_an_input_is_an_error_result(evaluator):
    result = evaluator.evaluate(prediction=PATH, ground_truth=TRUTH, metrics=["ade", "jerk"])
    assert math.isnan(result["jerk"].value)
    assert (result["jerk"].passed, result["jerk"].is_error) == (None, True)
    assert "needs dt" in result["jerk"].metadata["error"]
    assert result.summary()["error_count"] == 1
    with pytest.raises(EvaluationInputError, match="jerk needs dt"):
        evaluator.evaluate(prediction=PATH, metrics=["jerk"])


def test_an_unknown_name_is_refused_before_anything_runs():
    calls = []

    @metric(unit="m", better="lower", sample=True)
    def seen(prediction):
        """Note that it ran."""
        calls.append(1)
        return 0.0

    evaluator = Evaluator(MetricRegistry([seen]))
    with pytest.raises(UnknownMetricError, match="seen"):
        evaluator.evaluate(prediction=PATH, metrics=["seen", "seeen"])
    with pytest.raises(UnknownMetricError, match="seen"):
        evaluator.evaluate(prediction=PATH, metrics=["seen"], thresholds={"sen": 1.0})
    assert calls == []
    assert evaluator.evaluate(prediction=PATH, metrics="seen")["seen"].value == 0.0


@pytest.mark.parametrize(
    ("value", "ade", "score"), [(0.5, True, False), (0.49, True, False), (0.51, False, True)]
)
def test_thresholds_follow_the_direction_in_both_forms(value, ade, score):
    @metric(unit="m", better="lower", sample=True)
    def low(prediction):
        """Lower is better."""
        return float(prediction[0, 0])

    @metric(unit="", better="higher", sample=True)
    def high(prediction):
        """Higher is better."""
        return float(prediction[0, 0])

    evaluator = Evaluator(MetricRegistry([low, high]))
    path = np.full((3, 2), value)
    marks = {"low": 0.5, "high": 0.5 + 1e-9}
    one = evaluator.evaluate(prediction=path, thresholds=marks)
    many = evaluator.evaluate_dataset(predictions=[path, path], thresholds=marks)
    for result in (one, many):
        assert (result["low"].passed, result["high"].passed) == (ade, score)
        assert result["low"].threshold == 0.5


def test_passed_needs_every_verdict_and_strict_passed_those_that_are_there(evaluator):
    def run(**thresholds):
        return evaluator.evaluate(
            prediction=PATH, ground_truth=TRUTH, metrics=["ade", "fde"], thresholds=thresholds
        )

    assert (run().passed, run().strict_passed) == (None, False)
    assert (run(ade=99.0).passed, run(ade=99.0).strict_passed) == (None, True)
    assert (run(ade=99.0, fde=99.0).passed, run(ade=99.0, fde=0.0).passed) == (True, False)
    assert run(ade=0.0).strict_passed is False


def test_an_error_fails_no_pass_mark_but_is_counted(evaluator):
    result = evaluator.evaluate(
        prediction=PATH[:5], ground_truth=TRUTH, metrics=["ade", "hausdorff_distance"],
        thresholds={"ade": 1.0, "hausdorff_distance": 1e9},
    )  # fmt: skip
    assert "shape (20, 2)" in result["ade"].metadata["error"]
    assert math.isnan(result["ade"].value)
    assert result["ade"].passed is None
    assert result.summary()["error_count"] == 1
    assert result.strict_passed is True


def test_a_metrics_own_parameter_can_be_a_keyword(evaluator):
    final = np.hypot(*(MODES[:, -1] - TRUTH[-1]).T).min()
    for threshold, missed in ((final * 1.01, 0.0), (final * 0.99, 1.0)):
        plain = evaluator.evaluate(
            prediction=MODES, ground_truth=TRUTH, metrics=["miss_rate"], threshold=threshold
        )
        named = evaluator.evaluate(
            prediction=MODES, ground_truth=TRUTH, metrics=["miss_rate"],
            metric_kwargs={"miss_rate": {"threshold": threshold}}, threshold=77.0,
        )  # fmt: skip
        for result in (plain, named):
            assert result["miss_rate"].value == missed
            assert result["miss_rate"].parameters["threshold"] == threshold


def test_arrays_are_reduced_and_the_original_kept(evaluator):
    result = evaluator.evaluate(prediction=PATH, dt=0.5, metrics=["acceleration", "curvature"])
    acceleration = np.array(result["acceleration"].metadata["original"])
    assert acceleration.shape[1] == 2
    assert result["acceleration"].metadata["reduction"] == "mean_norm"
    assert result["acceleration"].value == pytest.approx(np.hypot(*acceleration.T).mean())
    curvature = np.array(result["curvature"].metadata["original"])
    assert result["curvature"].metadata["reduction"] == "mean"
    assert result["curvature"].value == pytest.approx(curvature.mean())


def test_an_empty_array_has_no_mean():
    @metric(unit="m", better="lower", sample=True)
    def nothing(prediction):
        """Return no values."""
        return np.zeros((0, 2))

    result = Evaluator(MetricRegistry([nothing])).evaluate(prediction=PATH)
    assert math.isnan(result["nothing"].value)
    assert result["nothing"].reason


def test_a_dataset_has_one_result_per_metric(evaluator):
    shifts = [0.1 * i for i in range(10)]
    result = evaluator.evaluate_dataset(
        predictions=[TRUTH + np.array([shift, 0.0]) for shift in shifts],
        ground_truths=[TRUTH] * 10,
        metrics=["ade", "fde"],
        thresholds={"ade": 0.5, "fde": 0.4},
        bootstrap_ci=1000,
        bootstrap_seed=0,
        keep_values=True,
    )
    ade = result["ade"]
    assert ade.value == pytest.approx(0.45)
    assert (ade.passed, result["fde"].passed) == (True, False)
    assert (ade.sample_count, ade.finite_count) == (10, 10)
    assert (ade.minimum, ade.maximum) == (pytest.approx(0.0), pytest.approx(0.9))
    assert ade.std == pytest.approx(np.std(shifts, ddof=1))
    assert ade.metadata["raw_values"] == pytest.approx(shifts)
    assert ade.ci.lower < ade.value < ade.ci.upper
    assert (ade.ci.n_resamples, ade.ci.seed, ade.ci.resampled) == (1000, 0, "records")


def test_the_seed_decides_the_resamples(evaluator):
    def interval(seed):
        return evaluator.evaluate_dataset(
            predictions=[TRUTH * (1 + 0.01 * i * i) for i in range(12)],
            ground_truths=[TRUTH] * 12, metrics=["ade"], bootstrap_ci=200, bootstrap_seed=seed,
        )["ade"].ci  # fmt: skip

    assert interval(0) == interval(0)
    assert interval(0).lower != interval(1).lower


def test_one_sample_that_fails_is_named_and_left_out(evaluator):
    result = evaluator.evaluate_dataset(
        predictions=[PATH, PATH[:3], PATH], ground_truths=[TRUTH] * 3, metrics=["ade"]
    )
    ade = result["ade"]
    assert ade.value == pytest.approx(DISTANCES.mean())
    assert (ade.sample_count, ade.finite_count, ade.undefined_count) == (3, 2, 1)
    assert list(ade.metadata["sample_errors"]) == ["sample_1"]
    assert "error" not in ade.metadata
    every = evaluator.evaluate_dataset(
        predictions=[PATH[:3]] * 2, ground_truths=[TRUTH] * 2, metrics=["ade", "hausdorff_distance"]
    )
    assert every["ade"].metadata["error"].startswith("raised on 2 records, the first is sample_0:")
    assert every.summary()["error_count"] == 1


def test_paths_of_any_lengths_give_what_each_alone_gives(evaluator):
    lengths = [5, 9, 5, 14, 9, 20]
    predictions, truths = [PATH[:n] for n in lengths], [TRUTH[:n] for n in lengths]
    many = evaluator.evaluate_dataset(
        predictions=predictions, ground_truths=truths, metrics=["ade", "fde"], keep_values=True
    )
    for name in ("ade", "fde"):
        alone = [
            evaluator.evaluate(prediction=p, ground_truth=t, metrics=[name])[name].value
            for p, t in zip(predictions, truths, strict=True)
        ]
        assert many[name].metadata["raw_values"] == pytest.approx(alone, abs=1e-12)


def test_inputs_are_shared_or_per_sample(evaluator):
    steps = [0.1, 0.2]
    shared = evaluator.evaluate_dataset(predictions=[PATH, PATH], metrics=["jerk_cost"], dt=0.1)
    own = evaluator.evaluate_dataset(
        predictions=[PATH, PATH], metrics=["jerk_cost"], sample_inputs={"dt": steps}
    )
    alone = [
        evaluator.evaluate(prediction=PATH, dt=dt, metrics=["jerk_cost"])["jerk_cost"].value
        for dt in steps
    ]
    assert shared["jerk_cost"].value == pytest.approx(alone[0])
    assert own["jerk_cost"].value == pytest.approx(np.mean(alone))


def test_the_callers_arrays_stay_as_they_are(evaluator):
    path, truth = PATH.copy(), TRUTH.copy()
    evaluator.evaluate(prediction=path, ground_truth=truth, dt=0.1)
    evaluator.evaluate_dataset(predictions=[path] * 2, ground_truths=[truth] * 2, dt=0.1)
    assert (path == PATH).all()
    assert (truth == TRUTH).all()
    assert path.flags.writeable


def test_the_result_goes_through_json_markdown_csv_and_a_frame(evaluator):
    result = evaluator.evaluate(prediction=PATH[:3], ground_truth=TRUTH, metrics=["ade", "ape"],
                                thresholds={"ade": 1.0})  # fmt: skip
    document = json.loads(result.to_json(), parse_constant=lambda token: pytest.fail(token))
    assert document["schema_version"] == "1"
    row = document["metrics"][0]
    assert (row["value"], row["metadata"]["value_serialization"]) == (None, "nan")
    assert EvaluationResult.from_json(result.to_json()).to_json() == result.to_json()
    lines = result.to_markdown().splitlines()
    assert sum(line.startswith("|") for line in lines) == 4
    assert lines[-1].startswith("- No value of ape: EvaluationInputError")
    assert list(result.to_dataframe()["metric"]) == ["ade", "ape"]
    assert result.to_csv().splitlines()[1].startswith(",,ade,")


def test_mixed_units_have_no_common_mean(evaluator):
    result = evaluator.evaluate(prediction=PATH, ground_truth=TRUTH, dt=0.1,
                                metrics=["ade", "fde", "jerk_cost"])  # fmt: skip
    summary = result.summary()
    assert summary["mean"] is None
    assert summary["warnings"]
    assert summary["per_unit"]["m"]["count"] == 2
    assert summary["per_unit"][result["jerk_cost"].unit]["mean"] == result["jerk_cost"].value


def test_the_default_registry_lists_and_finds_by_alias():
    assert {"ade", "fde", "miss_rate"} <= set(registry.list_metrics())
    assert registry.get("average_displacement_error") is registry.get("ade")


@pytest.mark.parametrize(
    ("inputs", "named"),
    [
        ({}, "prediction: no input"),
        ({"prediction": PATH[:, 0], "ground_truth": TRUTH}, "prediction: expected shape"),
        ({"prediction": PATH[None, None]}, "prediction: expected shape"),
        ({"prediction": np.zeros((0, 2))}, "prediction: expected shape"),
        ({"prediction": np.zeros((4, 5))}, "prediction: expected shape"),
        ({"prediction": PATH, "ground_truth": MODES}, "ground_truth: expected shape"),
        ({"prediction": "path"}, "prediction: expected an array"),
        ({"prediction": [[0.0, 1.0], [2.0]]}, "prediction: expected an array"),
        ({"prediction": PATH * np.nan}, "prediction: expected finite"),
        ({"prediction": PATH, "ground_truth": TRUTH + np.inf}, "ground_truth: expected finite"),
        ({"prediction": PATH, "dt": math.inf}, "dt: expected finite"),
    ],
)
def test_single_inputs_that_cannot_be_used_are_named(evaluator, inputs, named):
    with pytest.raises(EvaluationInputError, match=named):
        evaluator.evaluate(**inputs)


@pytest.mark.parametrize(
    ("arguments", "error", "named"),
    [
        ({"predictions": []}, EvaluationInputError, "no samples"),
        ({"ground_truths": [TRUTH] * 3}, EvaluationInputError, "different numbers of samples"),
        ({"sample_inputs": {"dt": [0.1]}}, EvaluationInputError, "dt has 1"),
        ({"predictions": [PATH, PATH[:, 0]]}, EvaluationInputError, r"predictions\[1\]"),
        ({"ground_truths": [TRUTH, TRUTH * np.nan]}, EvaluationInputError, r"ground_truths\[1\]"),
        ({"bootstrap_ci": 99}, EvaluationInputError, "bootstrap_ci"),
        ({"ci_level": 0.0}, EvaluationInputError, "ci_level"),
        ({"ci_level": 1.0}, EvaluationInputError, "ci_level"),
        ({"thresholds": {"ade": math.nan}}, EvaluationInputError, "thresholds"),
        ({"thresholds": {"ade": True}}, EvaluationInputError, "thresholds"),
        ({"cluster_by": "weather"}, EvaluationInputError, "cluster_by"),
        ({"ci_method": "magic"}, UnknownNameError, "ci_method"),
        ({"categories": "trajectries"}, UnknownNameError, "trajectory"),
        ({"dtt": 0.1}, UnknownNameError, "dt"),
        ({"results": [{"status": "stop"}]}, EvaluationInputError, "results"),
    ],
)
def test_dataset_arguments_that_cannot_be_used_are_named(evaluator, arguments, error, named):
    given = {"predictions": [PATH] * 2, "ground_truths": [TRUTH] * 2, **arguments}
    if arguments == {"predictions": []}:
        given["ground_truths"] = []
    with pytest.raises(error, match=named):
        evaluator.evaluate_dataset(**given, metrics=["ade"])


@pytest.mark.parametrize("count", [1, 2, 5])
def test_few_or_equal_samples_give_a_flagged_interval(evaluator, count):
    result = evaluator.evaluate_dataset(
        predictions=[PATH] * count, ground_truths=[TRUTH] * count, metrics=["ade", "fde"],
        bootstrap_ci=100,
    )  # fmt: skip
    for one in EvaluationResult.from_json(result.to_json()).metrics:
        assert one.ci.degenerate
        assert one.ci.lower <= one.value <= one.ci.upper


SAFE, NEAR = [0.0, 0.0, -1.0, 0.0], [0.0, 0.0, 1.0, 0.0]
AHEAD = [10.0, 0.0, 0.0, 0.0, 2.0]


def times(evaluator, egos, **options):
    """The time to collision of agents with something 10 m ahead, 2 m in radius."""
    inputs = {"ego_state": egos, "actor_state": [AHEAD] * len(egos)}
    return evaluator.evaluate_dataset(sample_inputs=inputs, metrics=["ttc"], **options)


def test_never_colliding_is_infinite_and_passes(evaluator):
    result = evaluator.evaluate(
        ego_state=SAFE, actor_state=AHEAD, metrics=["ttc"], thresholds={"ttc": 3.0}
    )
    found = result["time_to_collision"]
    assert (found.value, found.passed, found.is_error) == (math.inf, True, False)
    assert (found.undefined_count, found.metadata["infinite_count"]) == (0, 1)
    document = json.loads(result.to_json())["metrics"][0]
    assert (document["value"], document["metadata"]["value_serialization"]) == (None, "inf")
    again = EvaluationResult.from_json(result.to_json())
    assert (again["time_to_collision"].value, again.to_json()) == (math.inf, result.to_json())
    assert all(one.passed for one in gate(again, ["time_to_collision>=3"]).verdicts)


def test_a_mean_with_safe_samples_is_infinite_and_says_how_many(evaluator):
    result = times(
        evaluator, [NEAR, SAFE, NEAR, SAFE], bootstrap_ci=100, thresholds={"ttc": 3.0},
        keep_values=True,
    )  # fmt: skip
    found = result["time_to_collision"]
    assert (found.value, found.passed) == (math.inf, True)
    assert (found.reason, found.ci_reason) == ("2 of 4 values are infinite",) * 2
    assert (found.ci, found.std, found.maximum, found.minimum) == (None, None, None, 8.0)
    assert (found.sample_count, found.finite_count, found.undefined_count) == (4, 2, 0)
    assert found.metadata["finite_mean"] == 8.0
    assert found.metadata["raw_values"] == [8.0, math.inf, 8.0, math.inf]
    json.loads(result.to_json(), parse_constant=lambda token: pytest.fail(token))
    near = times(evaluator, [NEAR, NEAR], bootstrap_ci=100)["time_to_collision"]
    assert (near.value, near.reason, near.ci.lower) == (8.0, None, 8.0)


def test_infinite_values_of_both_signs_have_no_mean():
    @metric(unit="m", better="lower", sample=True)
    def far(prediction):
        """Infinite to one side."""
        return float(prediction[0, 0]) * math.inf

    ends = [np.full((2, 2), sign) for sign in (1.0, -1.0)]
    evaluator = Evaluator(MetricRegistry([far]))
    found = evaluator.evaluate_dataset(predictions=ends, thresholds={"far": 1.0})["far"]
    assert math.isnan(found.value)
    assert (found.passed, found.reason) == (None, "2 of 2 values are infinite, of both signs")
    below = evaluator.evaluate(prediction=ends[1], thresholds={"far": 1.0})["far"]
    assert (below.value, below.passed) == (-math.inf, True)


def test_infinities_of_robometrics_are_kept():
    pytest.importorskip("robometrics")
    result = Evaluator().evaluate(
        ego_state=SAFE, actor_state=AHEAD, metrics=["robometrics/time_to_collision"]
    )
    assert result.metrics[0].value == math.inf


def test_no_metric_can_write_to_its_inputs():
    @metric(unit="m", better="lower", sample=True)
    def writes(prediction, actor_trajs):
        """Write to what it was given."""
        actor_trajs[0][0, 0] = prediction[0, 0] = 99.0
        return 0.0

    @metric(unit="m", better="lower", sample=True)
    def reads(prediction, actor_trajs):
        """Read the same."""
        return float(prediction[0, 0] + actor_trajs[0][0, 0])

    path, actors = np.ones((4, 2)), [np.ones((3, 2)), np.ones((5, 2))]
    evaluator = Evaluator(MetricRegistry([writes, reads]))
    one = evaluator.evaluate(prediction=path, actor_trajs=actors)
    many = evaluator.evaluate_dataset(
        predictions=[path] * 2, sample_inputs={"actor_trajs": [actors] * 2}
    )
    for result in (one, many):
        assert "read-only" in result["writes"].metadata["error"]
        assert result["reads"].value == 2.0
    assert (path == 1).all()
    assert path.flags.writeable
    assert actors[0].flags.writeable


def test_samples_are_keyed_and_clustered_by_what_is_given(evaluator):
    rng = np.random.default_rng(3)
    shifts = rng.gamma(2.0, 1.0, 24)
    rows = list(range(24))

    def run(order, **options):
        keys = {
            "task_id": [f"t{i}" for i in order],
            "episode_id": [f"s{i % 8}" for i in order],
        }
        if options.get("cluster_by"):
            keys["weather"] = [("rain", "sun", "fog")[i % 3] for i in order]
        return evaluator.evaluate_dataset(
            predictions=[TRUTH + np.array([shifts[i], 0.0]) for i in order],
            ground_truths=[TRUTH] * 24, sample_inputs=keys, metrics=["ade"], bootstrap_ci=200,
            keep_values=True, **options,
        )  # fmt: skip

    for options, resampled, units in (
        ({"cluster_by": "weather"}, "weather", 3),
        ({}, "episode_id", 8),
        ({"cluster_by": None}, "records", 24),
    ):
        found = run(rows, **options)
        assert (found["ade"].ci.resampled, found["ade"].ci.n_units) == (resampled, units)
        assert run(rows[::-1], **options).to_json() == found.to_json()


def test_two_samples_of_one_key_and_unknown_labels_are_refused(evaluator):
    pair = {"predictions": [PATH] * 2, "ground_truths": [TRUTH] * 2, "metrics": ["ade"]}
    with pytest.raises(EvaluationInputError, match="two records for a"):
        evaluator.evaluate_dataset(**pair, sample_inputs={"task_id": ["a", "a"]})
    with pytest.raises(UnknownNameError, match="weather"):
        evaluator.evaluate_dataset(**pair, sample_inputs={"weather": ["a", "a"]})


def test_samples_that_raised_are_counted_once(evaluator):
    result = evaluator.evaluate_dataset(
        predictions=[PATH, PATH[:3], PATH], ground_truths=[TRUTH] * 3, metrics=["ade", "fde"]
    )
    assert result.counts["sample_errors"] == 1
    assert [one.metadata["sample_error_count"] for one in result.metrics] == [1, 1]


@pytest.mark.parametrize(("pred", "gt"), [("pred", "gt"), ("traj", "ref"), ("pred", "reference")])
def test_other_names_give_prediction_and_ground_truth(evaluator, pred, gt):
    one = evaluator.evaluate(**{pred: PATH, gt: TRUTH}, metrics=["ade"])
    assert one["ade"].value == pytest.approx(DISTANCES.mean())
    many = evaluator.evaluate_dataset(
        sample_inputs={pred: [PATH] * 2, gt: [TRUTH] * 2}, metrics=["ade"]
    )
    assert many["ade"].value == pytest.approx(DISTANCES.mean())


class Broken(Tensor):
    """A tensor on a device that is gone."""

    def numpy(self):
        raise RuntimeError("no such device")


@pytest.mark.parametrize("value", [Broken(PATH), PATH + 0j, (PATH + 0j).tolist()])
def test_values_that_are_no_real_arrays_are_named(evaluator, value):
    with pytest.raises(EvaluationInputError, match=r"^prediction: .*(no such device|complex)"):
        evaluator.evaluate(prediction=value, ground_truth=TRUTH)
    with pytest.raises(EvaluationInputError, match=r"^ground_truths\[1\]: "):
        evaluator.evaluate_dataset(predictions=[PATH] * 2, ground_truths=[TRUTH, value])
    with pytest.raises(EvaluationInputError, match=r"^dt: "):
        evaluator.evaluate(prediction=PATH, dt=value if isinstance(value, Broken) else 1j)


def test_predictions_that_are_no_list_are_named(evaluator):
    with pytest.raises(EvaluationInputError, match=r"^predictions: .*got int"):
        evaluator.evaluate_dataset(predictions=5, ground_truths=[TRUTH])
