"""What holds for every streaming evaluator: merging, state, and the protocol itself."""

import copy
import json
import pickle
import subprocess
import sys

import numpy as np
import pytest

import abotn.streaming.contract
from abotn.errors import ConfigError, DataError
from abotn.streaming import (
    PixelEvaluator,
    PointEvaluator,
    ScenarioEvaluator,
    SensorEvaluator,
    StreamingEvaluator,
    TimestepEvaluator,
)
from abotn.streaming.stored import find_sample_scores, read_score_table, read_scores

KINDS = {
    "pixel-front": lambda: PixelEvaluator("front", num_workers=2),
    "pixel-front exact": lambda: PixelEvaluator("front", num_workers=2, exact=True),
    "point": lambda: PointEvaluator(num_workers=2),
    "point exact": lambda: PointEvaluator(num_workers=2, exact=True),
    "sensor-front": lambda: SensorEvaluator("front"),
    "timestep": TimestepEvaluator,
    "scenario": ScenarioEvaluator,
}
EVERY_KIND = pytest.mark.parametrize("kind", KINDS)


def batches_of(kind, root):
    """The arguments of every update that feeds a kind the generated scores."""
    name = kind.split()[0]
    if name in ("pixel-front", "point"):
        stored, _ = find_sample_scores(root / "scores" / name, root)
        return [
            (read_scores(one.path)[None], [one.scenario_id], [one.timestep_id]) for one in stored
        ]
    path = root / "scores" / f"{name}.feather"
    table = read_score_table(path, root, per_timestep=name != "scenario")
    if name == "scenario":
        return list(zip(table.scores, table.scenario_ids, strict=True))
    rows = zip(table.scores, table.scenario_ids, table.timestep_ids, strict=True)
    return [([score], [scenario], [timestep]) for score, scenario, timestep in rows]


def fed(kind, batches):
    evaluator = KINDS[kind]()
    for batch in batches:
        evaluator.update(*batch)
    return evaluator


@EVERY_KIND
def test_it_keeps_the_contract(kind):
    assert isinstance(KINDS[kind](), StreamingEvaluator)


def test_a_class_without_the_names_does_not():
    class Half:
        def update(self):
            pass

        def compute(self):
            pass

    assert not isinstance(Half(), StreamingEvaluator)


def test_the_example_of_the_contract_keeps_it():
    import doctest

    assert doctest.testmod(abotn.streaming.contract).failed == 0


@EVERY_KIND
def test_the_known_answers_come_out(kind, generated):
    root, answers = generated
    figures, answer = fed(kind, batches_of(kind, root)).compute(), answers[kind.split()[0]]
    pairs = [(figures, answer)]
    pairs += [(figures["by_type"][name], one) for name, one in answer["by_type"].items()]
    for found, expected in pairs:
        for name in ("auroc", "aupr", "ap", "fpr95"):
            value = np.nan if expected[name] is None else expected[name]
            assert found[name] == pytest.approx(value, abs=1e-12, nan_ok=True)
        assert found["n_positive"] == expected["n_positive"]
        assert found["n_negative"] == expected["n_negative"]


@EVERY_KIND
def test_shards_merged_in_any_order_give_what_one_evaluator_gives(kind, generated):
    batches = batches_of(kind, generated[0])
    whole = fed(kind, batches).compute()
    rng = np.random.default_rng(0)
    for _ in range(3):
        order = rng.permutation(len(batches))
        shards = [fed(kind, [batches[i] for i in part]) for part in np.array_split(order, 4)]
        merged = KINDS[kind]()
        for i in rng.permutation(4):
            merged.merge(shards[i])
        # Repr, since an undefined figure is NaN, which is not equal to itself.
        assert repr(merged.compute()) == repr(whole)


@EVERY_KIND
def test_merging_leaves_the_other_as_it_is_and_both_can_go_on(kind, generated):
    batches = batches_of(kind, generated[0])
    half = len(batches) // 2
    left, right = fed(kind, batches[:half]), fed(kind, batches[half:-1])
    before = repr(right.compute())
    left.merge(right)
    left.update(*batches[-1])
    assert repr(right.compute()) == before
    right.update(*batches[-1])
    assert repr(left.compute()) == repr(fed(kind, batches).compute())
    assert repr(right.compute()) == repr(fed(kind, batches[half:]).compute())


@EVERY_KIND
def test_the_state_survives_pickling_and_goes_on(kind, generated):
    batches = batches_of(kind, generated[0])
    half = len(batches) // 2
    state = pickle.loads(pickle.dumps(fed(kind, batches[:half]).state_dict()))
    resumed = fed(kind, batches[-3:])
    resumed.load_state_dict(state)
    for batch in batches[half:]:
        resumed.update(*batch)
    assert repr(resumed.compute()) == repr(fed(kind, batches).compute())


@EVERY_KIND
def test_the_state_is_a_copy(kind, generated):
    batches = batches_of(kind, generated[0])
    evaluator = fed(kind, batches[:2])
    state, kept = evaluator.state_dict(), evaluator.state_dict()
    evaluator.update(*batches[2])
    evaluator.compute()
    other = KINDS[kind]()
    other.load_state_dict(state)
    other.update(*batches[3])
    other.compute()
    assert pickle.dumps(state) == pickle.dumps(kept)


@pytest.mark.parametrize("kind", ["pixel-front", "timestep"])
def test_the_state_survives_a_restart(kind, generated, tmp_path, repository):
    root, answers = generated
    batches = batches_of(kind, root)
    half = len(batches) // 2
    first, second = tmp_path / "state.pickle", tmp_path / "rest.pickle"
    first.write_bytes(pickle.dumps(fed(kind, batches[:half]).state_dict()))
    second.write_bytes(pickle.dumps(batches[half:]))
    made = {"pixel-front": "PixelEvaluator('front')", "timestep": "TimestepEvaluator()"}[kind]
    code = f"""
import json, pickle, sys
from abotn.streaming import PixelEvaluator, TimestepEvaluator
evaluator = {made}
evaluator.load_state_dict(pickle.load(open(sys.argv[1], "rb")))
for batch in pickle.load(open(sys.argv[2], "rb")):
    evaluator.update(*batch)
print(json.dumps(evaluator.compute()["auroc"]))
"""
    done = subprocess.run(
        [sys.executable, "-c", code, first, second],
        cwd=repository,
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(done.stdout) == pytest.approx(answers[kind]["auroc"], abs=1e-12)


@EVERY_KIND
def test_reset_gives_a_new_evaluator(kind, generated):
    batches = batches_of(kind, generated[0])
    evaluator = fed(kind, batches)
    evaluator.reset()
    assert repr(evaluator.compute()) == repr(KINDS[kind]().compute())
    for batch in batches:
        evaluator.update(*batch)
    assert repr(evaluator.compute()) == repr(fed(kind, batches).compute())


@EVERY_KIND
def test_a_damaged_state_is_refused_and_changes_nothing(kind, generated):
    batches = batches_of(kind, generated[0])
    evaluator = fed(kind, batches[:3])
    before, state = repr(evaluator.compute()), evaluator.state_dict()
    broken = [
        ({}, "expected a state of abotn.streaming"),
        (None, "expected a state of abotn.streaming.*got NoneType"),
        ({**state, "format": "abotn.streaming.Other"}, "got abotn.streaming.Other"),
        ({**state, "version": 2}, "expected version 1, got 2"),
        ({key: value for key, value in state.items() if key != "store"}, "damaged"),
        ({**state, "counters": {}}, "damaged"),
        ({**state, "store": {}}, "damaged"),
    ]
    for bad, message in broken:
        with pytest.raises(DataError, match=message):
            evaluator.load_state_dict(bad)
        assert repr(evaluator.compute()) == before


def test_stores_of_another_shape_are_refused(generated):
    root = generated[0]
    evaluator = fed("pixel-front", batches_of("pixel-front", root)[:2])
    state = copy.deepcopy(evaluator.state_dict())
    state["store"]["places"][0]["counts"] = np.zeros((2, 5))
    with pytest.raises(DataError, match=r"counts of shape \(2, 5\)"):
        evaluator.load_state_dict(state)
    kept = fed("timestep", batches_of("timestep", root)[:2])
    for damage, message in (
        ({"score": np.zeros(3)}, "different lengths"),
        ({"scenario_ids": []}, "beyond the scenario_ids"),
    ):
        state = copy.deepcopy(kept.state_dict())
        state["store"].update(damage)
        with pytest.raises(DataError, match=message):
            kept.load_state_dict(state)


@pytest.mark.parametrize(
    ("left", "right", "message"),
    [
        (PixelEvaluator("front"), PixelEvaluator("left"), "expected sensor 'front', got 'left'"),
        (PixelEvaluator("front"), PixelEvaluator("front", n_bins=8192), "n_bins 65536, got 8192"),
        (PixelEvaluator("front"), PixelEvaluator("front", exact=True), "exact False, got True"),
        (PixelEvaluator("front"), PixelEvaluator("front", score_range=(0, 1)), "score_transform"),
        (PixelEvaluator("front"), PixelEvaluator("front", scenario_bins=64), "scenario_bins"),
        (PointEvaluator(), PointEvaluator(nan_policy="omit"), "nan_policy 'raise', got 'omit'"),
        (TimestepEvaluator(), TimestepEvaluator(by_type_negatives="all"), "by_type_negatives"),
        (SensorEvaluator("front"), SensorEvaluator("rear"), "sensor"),
        (
            PixelEvaluator("front", score_transform=np.tanh),
            PixelEvaluator("front", score_transform=np.cbrt),
            "score_transform",
        ),
    ],
)
def test_differently_configured_ones_cannot_be_joined(left, right, message):
    with pytest.raises(ConfigError, match=message):
        left.merge(right)
    with pytest.raises(ConfigError, match=message):
        left.load_state_dict(right.state_dict())


def test_other_kinds_and_itself_cannot_be_merged():
    evaluator = TimestepEvaluator()
    with pytest.raises(ConfigError, match="expected a TimestepEvaluator, got ScenarioEvaluator"):
        evaluator.merge(ScenarioEvaluator())
    with pytest.raises(ConfigError, match="into itself"):
        evaluator.merge(evaluator)


@EVERY_KIND
def test_one_scenario_spelt_differently_is_one(kind, generated, monkeypatch, tmp_path):
    root = generated[0]
    (tmp_path / "mounted").symlink_to(root)
    batches = batches_of(kind, root)
    one = kind.split()[0] == "scenario"

    def respelt(scenario_id, i):
        other = scenario_id.replace(str(root), str(tmp_path / "mounted"))
        return (scenario_id, scenario_id + "/", other)[i % 3]

    spelt = [
        (batch[0], respelt(batch[1], i)) if one else
        (batch[0], [respelt(path, i) for path in batch[1]], batch[2])
        for i, batch in enumerate(batches)
    ]  # fmt: skip
    whole, half = fed(kind, batches), len(batches) // 2
    left, right = fed(kind, spelt[:half]), fed(kind, spelt[half:])
    right.merge(left)
    assert repr(right.compute()) == repr(whole.compute())
    ci = [one.to_result(bootstrap_ci=100).metrics[0].ci for one in (right, whole)]
    assert ci[0] == ci[1]
    resumed = KINDS[kind]()
    resumed.load_state_dict(right.state_dict())
    assert repr(resumed.compute()) == repr(whole.compute())


def damaged(state, *steps):
    """A copy of a state with one value in it replaced."""
    *way, last, value = steps
    changed = copy.deepcopy(state)
    place = changed
    for step in way:
        place = place[step]
    place[last] = value
    return changed


@pytest.mark.parametrize(
    ("kind", "steps"),
    [
        ("timestep", ["config", None]),
        ("timestep", ["config", []]),
        ("timestep", ["counters", "n_nan", -1]),
        ("timestep", ["counters", "n_nan", 0.5]),
        ("timestep", ["store", None]),
        ("timestep", ["store", "scenario_ids", 0, "/data/train/Town01/x"]),
        ("timestep", ["store", "scenario_ids", 0, 7]),
        ("timestep", ["store", "score", 0, np.nan]),
        ("timestep", ["store", "timestep", 0, -5]),
        ("pixel-front", ["store", "places", 0, "counts", 0, 0, -1]),
        ("pixel-front", ["store", "places", 0, "counts", 0, 0, 10**6]),
        ("pixel-front", ["store", "places", 0, "town", "Elsewhere"]),
        ("pixel-front", ["store", "scenarios", 0, "scenario_id", "/data/train/Town01/x"]),
        ("pixel-front", ["store", "scenarios", 0, "counts", np.zeros((2, 4096))]),
        ("pixel-front", ["store", "n_clamped", -1]),
        ("pixel-front", ["counters", "n_timesteps", -1]),
        ("pixel-front", ["seen", {"test/normal/Town01/x": np.array([-1])}]),
        ("pixel-front", ["seen", {"test/normal/Town01/x": np.array([0.5])}]),
        ("pixel-front", ["seen", None]),
    ],
)
def test_what_cannot_have_been_counted_is_damage(kind, steps, generated):
    evaluator = fed(kind, batches_of(kind, generated[0])[:4])
    before, state = repr(evaluator.compute()), evaluator.state_dict()
    with pytest.raises(DataError, match="damaged"):
        evaluator.load_state_dict(damaged(state, *steps))
    assert repr(evaluator.compute()) == before


@pytest.mark.parametrize("kind", ["timestep", "pixel-front"])
def test_a_state_with_a_scenario_in_two_spellings_is_damage(kind, generated):
    evaluator = fed(kind, batches_of(kind, generated[0])[:4])
    state = copy.deepcopy(evaluator.state_dict())
    store = state["store"]
    if kind == "timestep":
        store["scenario_ids"].append(store["scenario_ids"][0] + "/")
    else:
        store["scenarios"].append(store["scenarios"][0])
    with pytest.raises(DataError, match="a scenario comes twice"):
        evaluator.load_state_dict(state)
