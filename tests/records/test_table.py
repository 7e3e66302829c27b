import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from abotn.errors import EvaluationInputError
from abotn.records.table import RecordTable, natural_key
from abotn.records.types import ResultRecord


def document(scene="s", task="t", **more):
    return {"episode_id": scene, "task_id": task, "status": "stop", "success": True, **more}


def test_metrics_become_columns_and_missing_values_are_nan():
    table = RecordTable.from_dicts(
        [document(task="a", steps=4, metrics={"k": 2}), document(task="b", metrics={})]
    )
    assert table.column("k").tolist()[0] == 2.0
    assert np.isnan(table.column("k")[1])
    assert np.isnan(table.column("steps")[1])
    assert table.column("success").tolist() == [1.0, 1.0]


def test_a_top_level_key_wins_over_one_in_metrics():
    table = RecordTable.from_dicts([document(x=1, metrics={"x": 2})])
    assert table.column("x").tolist() == [1.0]


def test_records_are_sorted_naturally_by_scene_task_and_attempt():
    names = ["traj_10", "traj_2", "traj_1"]
    table = RecordTable.from_dicts(
        [document("s2", n) for n in names] + [document("s10", "traj_1", attempt=k) for k in (1, 0)]
    )
    labels = [table.label(row) for row in range(len(table))]
    assert labels == ["s2/traj_1", "s2/traj_2", "s2/traj_10", "s10/traj_1", "s10/traj_1@1"]


@given(st.lists(st.integers(0, 10**6), unique=True, min_size=1, max_size=30), st.randoms())
def test_order_of_input_does_not_matter(numbers, random):
    documents = [document(task=f"t{n}", value=n) for n in numbers]
    shuffled = documents[:]
    random.shuffle(shuffled)
    one, two = RecordTable.from_dicts(documents), RecordTable.from_dicts(shuffled)
    assert one.column("value").tolist() == two.column("value").tolist() == sorted(numbers)


def test_a_record_given_twice_is_refused_by_name():
    with pytest.raises(EvaluationInputError, match="two records for s/t"):
        RecordTable.from_dicts([document(), document()])


def test_columns_cannot_be_changed():
    table = RecordTable.from_dicts([document(steps=1)])
    with pytest.raises(ValueError, match="read-only"):
        table.column("steps")[0] = 5


def test_an_unknown_column_is_named_with_the_known_ones():
    with pytest.raises(EvaluationInputError, match=r"'nope'.*status"):
        RecordTable.from_dicts([document()]).column("nope")


def test_non_finite_tokens_are_undefined_numbers_and_other_text_is_text():
    table = RecordTable.from_dicts([document(task="a", x="inf", y="q"), document(task="b", x=1.0)])
    assert np.array_equal(table.column("x"), [np.nan, 1.0], equal_nan=True)
    assert table.column("y").tolist() == ["q", None]


def test_numeric_ids_become_text():
    assert RecordTable.from_dicts([document(7, 8)]).label(0) == "7/8"


def test_dataframe_dicts_and_records_make_the_same_table():
    rows = [document(task="a", steps=3), document(task="b", steps=4)]
    from_dicts = RecordTable.from_dicts(rows)
    from_frame = RecordTable.from_dataframe(
        pd.DataFrame(rows).rename(columns={"steps": "metrics.steps"})
    )
    from_records = RecordTable.from_records([ResultRecord.from_dict(row) for row in rows])
    for table in (from_frame, from_records):
        assert table.column("steps").tolist() == from_dicts.column("steps").tolist()
        assert table.column("task_id").tolist() == from_dicts.column("task_id").tolist()


def test_missing_in_a_dataframe_is_missing():
    frame = pd.DataFrame({"task_id": ["a", "b"], "success": [True, None], "poi_name": ["x", None]})
    table = RecordTable.from_dataframe(frame)
    assert np.isnan(table.column("success")[1])
    assert table.column("poi_name").tolist() == ["x", None]


def test_a_lazy_column_is_loaded_once_and_only_when_asked():
    calls = []

    def load(table):
        calls.append(len(table))
        return np.arange(len(table), dtype=float)

    table = RecordTable({"task_id": np.array(["a", "b"], dtype=object)}, lazy={"late": load})
    assert "late" in table
    assert calls == []
    assert table.column("late").tolist() == table.column("late").tolist() == [0.0, 1.0]
    assert calls == [2]


def test_defaults_fill_only_gaps():
    table = RecordTable.from_dicts([document(task="a", d=0.5), document(task="b")])
    assert table.with_default("d", 2.0).column("d").tolist() == [0.5, 2.0]
    assert table.with_default("new", 1.0).column("new").tolist() == [1.0, 1.0]


def test_natural_key_orders_numbers_by_value():
    assert sorted(["a10", "a9", "a", "10", "9"], key=natural_key) == ["9", "10", "a", "a9", "a10"]


def test_a_number_too_large_is_undefined_in_its_own_record_only():
    for others in ([3, None], [3.5, "nan"]):
        documents = [
            {"episode_id": "s", "task_id": f"t_{i}", "steps": steps}
            for i, steps in enumerate([10**400, *others])
        ]
        steps = RecordTable.from_dicts(documents).column("steps")
        assert np.array_equal(steps, [np.nan, others[0], np.nan], equal_nan=True)


def test_two_files_of_one_record_are_named():
    documents = [{"episode_id": "s", "task_id": "t"}] * 2
    paths = np.array(["a/result.json", "b/result.json"], dtype=object)
    with pytest.raises(EvaluationInputError, match=r"s/t: a/result\.json and b/result\.json"):
        RecordTable.from_dicts(documents, columns={"result_path": paths})
