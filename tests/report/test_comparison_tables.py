import csv
import io
import json

import pytest

from abotn.errors import UnknownMetricError
from abotn.report.comparison_lists import MOST_TASKS
from abotn.report.comparison_tables import comparison_report, pair_table
from abotn.report.csv_format import write_csv
from abotn.report.options import ReportOptions
from abotn.report.plugin import FORMATS
from abotn.results.comparison import Comparison, MetricComparison, PairComparison
from abotn.results.types import ConfidenceInterval

NAN = float("nan")


def metric(name="success", a=0.9, b=0.5, p=0.001, adjusted=0.002, **more):
    ci = ConfidenceInterval(0.2, 0.6, 0.95, "bca", 1000, 0, "tasks", 40)
    given = {
        "name": name, "unit": "", "direction": "higher", "value_a": a, "value_b": b,
        "difference": a - b, "ci": ci, "ci_reason": None, "p_value": p, "p_adjusted": adjusted,
        "test": "mcnemar_exact", "n_pairs": 40, "n_undefined": 0, "winner": "planner", **more,
    }  # fmt: skip
    return MetricComparison(**given)


UNDEFINED = metric(
    "poi_spl", NAN, NAN, NAN, NAN, ci=None, ci_reason="no defined value", test="none",
    n_pairs=0, n_undefined=40, winner="no difference shown",
)  # fmt: skip
LENGTH = metric(
    "collision_length", 0.25, 1.5, 0.2, 0.4, unit="m", direction="lower",
    ci=ConfidenceInterval(-2.0, -0.5, 0.95, "bca", 1000, 0, "tasks", 40),
    test="sign_flip_monte_carlo", winner="no difference shown",
)  # fmt: skip


def pair(*metrics, a="planner", b="straight", **more):
    return PairComparison(a, b, metrics or (metric(), LENGTH, UNDEFINED), 40, **more)


def comparison(*pairs, **provenance):
    statistics = {"statistics": {"level": 0.95}}
    return Comparison(pairs or (pair(),), None, {**statistics, **provenance})


def cells(row):
    return [cell.plain for cell in row.cells]


def test_a_row_has_both_values_the_difference_and_both_p_values():
    (table,) = comparison_report(comparison()).tables
    assert [column.header for column in table.columns] == [
        "metric", "planner", "straight", "difference", "p", "p (Holm)", "better",
    ]  # fmt: skip
    assert cells(table.rows[0]) == [
        "success ↑", "0.900", "0.500", "0.400* [0.200, 0.600]", "0.0010", "0.0020", "planner",
    ]  # fmt: skip
    assert cells(table.rows[1]) == [
        "collision_length (m) ↓", "0.25", "1.50", "-1.25 [-2.00, -0.50]", "0.2000", "0.4000",
        "no difference shown",
    ]  # fmt: skip
    assert cells(table.rows[2])[1:6] == ["–"] * 5


def test_the_notes_say_how_it_was_done_and_what_is_missing():
    (table,) = comparison_report(comparison()).tables
    notes = "\n".join(table.notes)
    assert "Intervals: 95 % BCa bootstrap, 1000 resamples of tasks, seed 0." in notes
    assert "Tests of success: exact McNemar test." in notes
    assert "Tests of collision_length: sign-flip test over random patterns." in notes
    assert "No interval of poi_spl: no defined value." in notes
    assert "Pairs without both values of poi_spl: 40 of 40." in notes
    assert "* p below 0.05 after Holm's correction for 3 metrics" in notes


def test_the_mark_follows_the_level_of_the_comparison():
    near = comparison(pair(metric(adjusted=0.03)))
    assert comparison_report(near).tables[0].rows[0].cells[3].mark == "*"
    strict = Comparison(near.pairs, None, {"statistics": {"level": 0.99}})
    table = comparison_report(strict).tables[0]
    assert table.rows[0].cells[3].mark == ""
    assert not any("Holm" in note for note in table.notes)


def test_small_p_values_are_not_shown_as_zero():
    table = comparison_report(comparison(pair(metric(p=1e-9)))).tables[0]
    assert (table.rows[0].cells[4].text, table.rows[0].cells[4].value) == ("< 0.0001", 1e-9)


def test_tasks_that_only_one_solves_or_has_are_listed():
    made = pair(solved_only_by_a=("s/t1", "s/t2"), solved_only_by_b=("s/t9",), only_a=("s/extra",))
    report = comparison_report(comparison(made))
    assert "planner alone solves 2, straight alone 1." in report.tables[0].caption
    assert [table.key for table in report.tables] == [
        "pair-1", "only-a-1", "only-b-1", "alone-1",
    ]  # fmt: skip
    assert [cells(row) for row in report.tables[1].rows] == [["s/t1"], ["s/t2"]]
    assert [cells(row) for row in report.tables[2].rows] == [["s/t9"]]
    assert [cells(row) for row in report.tables[3].rows] == [["planner", "s/extra"]]


def test_long_lists_are_cut_and_say_so():
    tasks = tuple(f"s/t{i}" for i in range(MOST_TASKS + 1))
    tables = comparison_report(comparison(pair(solved_only_by_b=tasks, only_a=tasks))).tables
    assert [len(table.rows) for table in tables[1:]] == [MOST_TASKS, MOST_TASKS]
    assert tables[1].notes == ("The first 40 of 41; the HTML page has all.",)
    assert tables[2].notes == ("planner: the first 40 of 41; the HTML page has all.",)


def test_a_table_can_name_the_methods():
    options, names = ReportOptions(), ["success", "poi_spl"]
    table = pair_table(pair(), 1, names, options, 0.05, with_methods=True)
    assert [column.header for column in table.columns][-3:] == ["pairs", "interval", "test"]
    assert cells(table.rows[0])[-3:] == ["40", "bca", "exact McNemar test"]
    assert cells(table.rows[1])[-3:] == ["0", "no defined value", "no test"]


def test_one_metric_is_said_in_the_singular():
    notes = comparison_report(comparison(pair(metric()))).tables[0].notes
    assert "* p below 0.05 after Holm's correction for 1 metric compared." in notes


def test_several_pairs_get_a_table_of_all_differences_first():
    second = pair(metric(adjusted=0.5), b="random")
    first = comparison_report(comparison(pair(), second)).tables[0]
    assert [column.header for column in first.columns][1:] == [
        "planner − straight", "planner − random",
    ]  # fmt: skip
    assert cells(first.rows[0])[1:] == ["0.400* [0.200, 0.600]", "0.400 [0.200, 0.600]"]
    assert cells(first.rows[1])[2] == "–"


def test_metrics_and_names_can_be_chosen():
    options = ReportOptions(metrics=("collision_length",), display_names={"collision_length": "L"})
    (table,) = comparison_report(comparison(), options).tables
    assert [row.cells[0].text for row in table.rows] == ["L (m) ↓"]
    with pytest.raises(UnknownMetricError, match="success"):
        comparison_report(comparison(), ReportOptions(metrics=("sucess",)))
    percent = comparison_report(comparison(), ReportOptions(percent=True, intervals="none"))
    assert cells(percent.tables[0].rows[0])[1:4] == ["90.0", "50.0", "40.0*"]


def test_too_few_units_for_any_small_p_are_pointed_out():
    few = [
        metric(name, test="sign_flip_exact", p=0.125, adjusted=0.5,
               ci=ConfidenceInterval(0.1, 0.9, 0.95, "t", n_units=6))
        for name in ("success", "spl")
    ]  # fmt: skip
    notes = "\n".join(comparison_report(comparison(pair(*few))).tables[0].notes)
    assert "6 tasks allow no p below 0.031, so nothing can stand out among 2 metrics" in notes


def test_too_few_scenes_ask_for_more_scenes():
    few = [
        metric(name, test="sign_flip_exact", p=0.0625, adjusted=0.125,
               ci=ConfidenceInterval(-0.1, 0.9, 0.95, "t", n_units=5, resampled="episode_id"))
        for name in ("success", "spl")
    ]  # fmt: skip
    notes = comparison_report(comparison(pair(*few, resampled="episode_id"))).tables[0].notes
    assert (
        "5 scenes allow no p below 0.062, so nothing can stand out among 2 metrics: "
        "compare fewer metrics, or more scenes." in notes
    )
    assert "Intervals: 95 % Student's t over scenes." in notes


def test_one_metric_over_too_few_scenes_needs_more_of_them():
    ci = ConfidenceInterval(-0.1, 0.9, 0.95, "t", n_units=5, resampled="episode_id")
    few = pair(
        metric(test="sign_flip_exact", p=0.0625, adjusted=0.0625, ci=ci), resampled="episode_id"
    )
    notes = comparison_report(comparison(few)).tables[0].notes
    assert any(note.endswith("among 1 metric: compare more scenes.") for note in notes)


def test_an_interval_without_zero_beside_no_difference_is_explained():
    notes = comparison_report(comparison()).tables[0].notes
    assert (
        "Intervals without 0 where no difference is shown, collision_length: an interval is for "
        "its metric alone, and the test, corrected for 2 metrics, decides." in notes
    )
    both = pair(metric(), metric("spl", winner="planner"))
    assert not any(
        "without 0" in note for note in comparison_report(comparison(both)).tables[0].notes
    )
    lone = comparison_report(comparison(pair(LENGTH))).tables[0].notes
    assert any("an interval is of another method than the test" in note for note in lone)
    around = metric(adjusted=0.4, ci=ConfidenceInterval(-0.1, 0.9, 0.95, "t"))
    assert not any(
        "without 0" in n for n in comparison_report(comparison(pair(around))).tables[0].notes
    )


def test_runs_of_other_step_limits_are_hard_to_compare():
    protocol = {"name": "strict", "values": {"default_max_steps": 100}, "modified": []}
    known = {
        name: {"protocol": protocol, "run": {"max_steps": steps}}
        for name, steps in (("planner", 8), ("straight", 100))
    }
    notes = comparison_report(comparison(runs=known)).notes
    assert "† planner: modified protocol strict (max_steps = 8 instead of 100)." in notes
    care = "Compare with care, the runs have different values of max_steps: 8 (planner); "
    assert f"{care}100 (straight)." in notes


def test_runs_that_are_hard_to_compare_are_pointed_out():
    protocols = [{"name": name, "values": {}, "modified": []} for name in ("strict", "loose")]
    known = dict(zip(("planner", "straight"), ({"protocol": p} for p in protocols), strict=True))
    left_out = {"planner": {}, "straight": {"ndtw": "needs trajectory"}}
    report = comparison_report(comparison(runs=known, left_out=left_out, on_error="failure"))
    notes = "\n".join(report.notes)
    assert "different protocols: strict (planner); loose (straight)" in notes
    assert "ndtw is not compared, straight cannot be measured: needs trajectory." in notes


def test_csv_has_every_number_unrounded():
    rows = list(csv.DictReader(io.StringIO(write_csv(comparison_report(comparison())))))
    one = {row["group"]: row for row in rows if row["metric"] == "success"}
    assert list(one) == ["planner", "straight", "difference", "p_value", "p_adjusted"]
    assert (one["planner"]["value"], one["difference"]["lower"]) == ("0.9", "0.2")
    assert (one["p_adjusted"]["value"], one["p_value"]["method"]) == ("0.002", "mcnemar_exact")
    empty = [row for row in rows if row["metric"] == "poi_spl"]
    assert {row["value"] for row in empty} == {""}
    assert {row["reason"] for row in empty} == {"no defined value"}


@pytest.mark.parametrize("form", FORMATS, ids=lambda form: form.name)
def test_every_format_writes_it(form, make):
    awkward = [
        pair(a=name, b=f"{name} 2", solved_only_by_a=(f"{name}/t",)) for name in make.awkward[:6]
    ]
    content = form.content(comparison_report(comparison(pair(), *awkward)))
    assert content == form.content(comparison_report(comparison(pair(), *awkward)))
    text = content.decode("utf-8")
    assert "planner" in text
    unbroken = text.replace(" \\ ", " ").replace("\\\\", " ")
    assert "no difference shown" in unbroken or form.name == "csv"
    if form.name == "json":
        assert json.loads(text)["tables"][0]["key"] == "differences"
