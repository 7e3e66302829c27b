"""Navigation metrics against exact fractions, another derivation, and their own laws."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from abotn.metrics import collision, navigation, path, poi
from abotn.metrics.compute import compute_column
from abotn.records.table import RecordTable

LENGTHS = st.integers(0, 4000).map(lambda n: Fraction(n, 64))
COUNTS = st.integers(0, 12)


@st.composite
def records(draw):
    """One record as exact numbers that a float holds exactly."""
    steps = draw(st.integers(0, 60))
    travelled = draw(LENGTHS)
    return {
        "success": draw(st.integers(0, 1)),
        "steps": steps,
        "travel_length": travelled,
        "shortest_path_length": draw(LENGTHS),
        "distance_to_goal": draw(LENGTHS),
        "min_distance_to_goal": draw(LENGTHS),
        "initial_distance_to_goal": draw(LENGTHS),
        "path_collision_count": draw(st.integers(0, steps)),
        "collision_path_length": travelled * Fraction(draw(st.integers(0, 64)), 64),
        "total_distance": travelled,
        "pointgoal_arrive_threshold": draw(st.sampled_from([Fraction(1, 2), Fraction(2)])),
        "collision_threshold": draw(st.integers(1, 5)),
    }


def exact(name: str, r: dict) -> Fraction:
    """The rows of the metric table, in rational arithmetic."""
    success, n, k = Fraction(r["success"]), r["steps"], r["path_collision_count"]
    p, ref = r["travel_length"], r["shortest_path_length"]
    last, first = r["distance_to_goal"], r["initial_distance_to_goal"]
    inside, total = r["collision_path_length"], r["total_distance"]
    counted = success if k < r["collision_threshold"] else Fraction(0)
    ratio = ref / max(p, ref) if max(p, ref) else Fraction(1)
    done = max(Fraction(0), 1 - last / first) if first else success
    edge = max(ref - r["pointgoal_arrive_threshold"], Fraction(1, 1000))
    return {
        "success": success,
        "oracle_success": Fraction(r["min_distance_to_goal"] <= r["pointgoal_arrive_threshold"]),
        "success_new": counted,
        "spl": success * ratio,
        "spl_new": counted * ratio if ref else Fraction(0),
        "soft_spl": done * ratio,
        "progress": done,
        "tcr_new": counted * Fraction(n - k, n) if n else Fraction(0),
        "dcr_new": counted * (total - inside) / total if total else Fraction(0),
        "poi_spl": success * edge / max(p, edge) if ref else Fraction(0),
        "path_efficiency": ratio,
        "path_collision_task_rate": Fraction(k > 0),
    }[name]


HOMES = {
    "success": navigation, "oracle_success": navigation, "success_new": navigation,
    "spl": navigation, "spl_new": navigation, "soft_spl": navigation, "progress": navigation,
    "tcr_new": collision, "dcr_new": collision, "path_collision_task_rate": collision,
    "poi_spl": poi, "path_efficiency": path,
}  # fmt: skip


def value(spec, rows: list[dict]) -> np.ndarray:
    table = RecordTable(
        {
            name: np.array([float(row[name]) for row in rows])
            for name in rows[0]
            if name != "collision_threshold"
        }
        | {
            "attempt": np.arange(len(rows), dtype=float),
            "task_id": np.array(["t"] * len(rows), dtype=object),
            "task_type": np.array(["poi_goal"] * len(rows), dtype=object),
        }
    )
    chosen = {}
    if "collision_threshold" in spec.parameters:
        chosen["collision_threshold"] = rows[0]["collision_threshold"]
    return compute_column(spec, table, chosen).values


@pytest.mark.parametrize("name", sorted(HOMES))
@settings(max_examples=60, deadline=None)
@given(record=records())
def test_value_equals_exact_arithmetic(name, record):
    spec = getattr(HOMES[name], name)
    assert value(spec, [record])[0] == pytest.approx(float(exact(name, record)), abs=1e-12)


@settings(max_examples=60, deadline=None)
@given(rows=st.lists(records(), min_size=2, max_size=12), order=st.randoms(use_true_random=False))
def test_values_follow_the_records_when_they_are_shuffled(rows, order):
    shuffled = list(range(len(rows)))
    order.shuffle(shuffled)
    for name, home in HOMES.items():
        same = [{**row, "collision_threshold": 3} for row in rows]
        straight = value(getattr(home, name), same)
        mixed = value(getattr(home, name), [same[i] for i in shuffled])
        np.testing.assert_array_equal(mixed, straight[shuffled], err_msg=name)


@settings(max_examples=100, deadline=None)
@given(rows=st.lists(records(), min_size=1, max_size=8))
def test_order_of_the_success_family(rows):
    rows = [{**row, "collision_threshold": rows[0]["collision_threshold"]} for row in rows]
    success, spl, new = (
        value(m, rows) for m in (navigation.success, navigation.spl, navigation.success_new)
    )
    spl_new = value(navigation.spl_new, rows)
    assert (spl >= 0).all()
    assert (spl <= success).all()
    assert (spl_new <= spl).all()
    assert (spl_new <= new).all()
    assert (new <= success).all()
    assert (value(collision.tcr_new, rows) <= new).all()
    assert (value(collision.dcr_new, rows) <= new).all()


@settings(max_examples=60, deadline=None)
@given(record=records(), detour=LENGTHS)
def test_a_detour_never_raises_spl(record, detour):
    longer = {**record, "travel_length": record["travel_length"] + detour}
    assert value(navigation.spl, [longer])[0] <= value(navigation.spl, [record])[0]


@settings(max_examples=60, deadline=None)
@given(record=records())
def test_a_higher_threshold_never_lowers_success_new(record):
    found = [
        value(navigation.success_new, [{**record, "collision_threshold": c}])[0]
        for c in range(1, 8)
    ]
    assert found == sorted(found)


def test_habitat_definitions():
    """Habitat divides by max(start distance, path) and by the start distance, 0 not allowed."""
    rng = np.random.default_rng(4)
    start, travelled, last = rng.uniform(0.5, 20, (3, 50))
    success = rng.integers(0, 2, 50).astype(float)
    habitat_spl = [s * (d / max(d, p)) for s, d, p in zip(success, start, travelled, strict=True)]
    np.testing.assert_allclose(navigation.spl(success, travelled, start), habitat_spl, rtol=1e-15)
    habitat_soft = [
        max(0, 1 - t / d) * (d / max(d, p)) for t, d, p in zip(last, start, travelled, strict=True)
    ]
    found = navigation.soft_spl(success, last, start, travelled, start)
    np.testing.assert_allclose(found, habitat_soft, rtol=1e-15, atol=1e-15)


@pytest.mark.parametrize(
    ("name", "solved", "failed"),
    [("success", 1, 0), ("spl", 1, 0), ("soft_spl", 1, 0), ("progress", 1, 0),
     ("spl_new", 0, 0), ("poi_spl", 0, 0), ("dcr_new", 0, 0)],
)  # fmt: skip
def test_start_on_the_goal(name, solved, failed):
    still = dict.fromkeys(
        ["steps", "travel_length", "shortest_path_length", "distance_to_goal", "total_distance",
         "min_distance_to_goal", "initial_distance_to_goal", "path_collision_count",
         "collision_path_length"], 0
    ) | {"pointgoal_arrive_threshold": 0.5, "collision_threshold": 3}  # fmt: skip
    spec = getattr(HOMES[name], name)
    assert value(spec, [{**still, "success": 1}])[0] == solved
    assert value(spec, [{**still, "success": 0}])[0] == failed


def test_start_on_the_goal_and_a_walk_gives_no_spl():
    assert navigation.spl(np.ones(1), np.array([3.0]), np.zeros(1)).tolist() == [0.0]
    assert navigation.soft_spl(*(np.array([v]) for v in (1.0, 0.2, 0.0, 3.0, 0.0)))[0] == 0.0


COLUMNS_BESIDE_THE_REFERENCE = (
    "success",
    "travel_length",
    "distance_to_goal",
    "initial_distance_to_goal",
    "path_collision_count",
    "pointgoal_arrive_threshold",
)


@pytest.mark.parametrize("reference", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("name", ["spl", "spl_new", "soft_spl", "poi_spl", "path_efficiency"])
def test_without_a_reference_only_that_record_is_undefined(name, reference):
    row = dict.fromkeys(COLUMNS_BESIDE_THE_REFERENCE, 1.0)
    rows = [row | {"shortest_path_length": 1.0}, row | {"shortest_path_length": reference}]
    column = value(getattr(HOMES[name], name), [r | {"collision_threshold": 3} for r in rows])
    assert np.isnan(column).tolist() == [False, True]


@pytest.mark.parametrize("name", ["spl", "path_efficiency"])
def test_a_negative_length_is_undefined(name):
    columns = {"success": np.ones(2), "travel_length": np.array([1.0, -1.0])}
    columns["shortest_path_length"] = np.array([-2.0, 1.0])
    spec = getattr(HOMES[name], name)
    assert np.isnan(spec(*(columns[c] for c in spec.inputs))).all()


def test_a_negative_distance_is_undefined():
    assert np.isnan(navigation.progress(np.ones(1), np.array([-1.0]), np.ones(1))).all()


def test_collision_path_ratio_is_a_ratio_of_sums():
    table = RecordTable(
        {
            "collision_path_length": np.array([1.0, 0.0, 3.0]),
            "total_distance": np.array([2.0, 0.0, 10.0]),
        }
    )
    column = compute_column(collision.collision_path_ratio, table)
    assert column.numerators.sum() / column.denominators.sum() == pytest.approx(4 / 12)
    assert column.defined.all()


def test_a_record_that_contradicts_itself_is_undefined_and_spoils_no_other():
    """More blocked than there is counts for nothing; a failed task has 0 whatever it says."""
    solved, few = np.array([1.0, 1.0, 0.0]), np.ones(3)
    inside, way = np.array([1.0, 5.0, 5.0]), np.full(3, 4.0)
    np.testing.assert_array_equal(collision.dcr_new(solved, few, inside, way), [0.75, np.nan, 0])
    hits, steps = np.array([1.0, 2.0, 2.0]), np.array([4.0, 1.0, 1.0])
    np.testing.assert_array_equal(collision.tcr_new(solved, hits, steps), [0.75, np.nan, 0])
    table = RecordTable({"collision_path_length": inside, "total_distance": way})
    column = compute_column(collision.collision_path_ratio, table)
    assert column.defined.tolist() == [True, False, False]


def test_a_length_that_exceeds_the_way_by_rounding_alone_counts():
    way = np.array([0.1 + 0.2])
    inside = np.nextafter(way, 1.0)
    assert collision.dcr_new(np.ones(1), np.ones(1), inside, way) == pytest.approx(0, abs=1e-12)


def test_poi_metrics_are_undefined_for_point_goal_tasks():
    table = RecordTable(
        {
            "collision_count": np.array([2.0, 5.0]),
            "task_type": np.array(["point_goal", "poi_goal"], dtype=object),
        }
    )
    np.testing.assert_array_equal(compute_column(poi.collision_count, table).values, [np.nan, 5.0])


def test_false_stop_needs_a_declaration_and_a_failure():
    declared, solved = np.array([0.0, 0.0, 1.0, 1.0]), np.array([0.0, 1.0, 0.0, 1.0])
    assert navigation.false_stop(declared, solved).tolist() == [0, 0, 1, 0]
