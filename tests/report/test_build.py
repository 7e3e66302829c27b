import math

import pytest

from abotn.errors import ConfigError, EvaluationInputError, UnknownMetricError, UnknownNameError
from abotn.report import ReportOptions, build_report
from abotn.results.types import EvaluationResult, GroupResult


def table_of(report, key):
    return next(table for table in report.tables if table.key == key)


def texts(table):
    return [[cell.plain for cell in row.cells] for row in table.rows]


def notes_of(report):
    return [note for table in report.tables for note in table.notes] + list(report.notes)


def replaced(result, **fields):
    return EvaluationResult(**{**vars(result), **fields})


def test_agents_are_rows_and_headline_metrics_columns(three_runs):
    main = build_report(three_runs).tables[0]
    assert [column.label for column in main.columns] == [
        "agent",
        "success ↑",
        "success_new ↑",
        "collision_length (m) ↓",
    ]
    assert texts(main) == [
        ["planner", "0.938 [0.813, 1.000]", "0.469 [0.406, 0.500]", "0.50 [0.00, 1.00]"],
        ["straight_line†", "0.937 [0.812, 1.000]", "0.469 [0.406, 0.500]", "1.25 [0.75, 1.75]"],
        ["random", "0.125 [0.000, 0.188]", "0.063 [0.000, 0.094]", "8.00 [7.50, 8.50]"],
    ]


def test_the_best_is_judged_on_what_is_shown(three_runs):
    main = build_report(three_runs).tables[0]
    best = [[cell.best for cell in row.cells[1:]] for row in main.rows]
    assert best == [[True, True, True], [False, True, False], [False, False, False]]
    rounded = build_report(three_runs, ReportOptions(digits=1)).tables[0]
    assert [row.cells[1].best for row in rounded.rows] == [True, True, False]


def test_metrics_beyond_the_headline_get_rows_of_their_own(three_runs):
    further = table_of(build_report(three_runs), "further")
    assert texts(further) == [["ndtw ↑", "–", "–", "–"]]
    assert [column.header for column in further.columns] == [
        "metric",
        "planner",
        "straight_line†",
        "random",
    ]
    assert further.rows[0].cells[1].reason == "needs trajectory"
    assert "No value: needs trajectory." in further.notes


def test_asked_metrics_come_in_their_order_under_their_shown_names(three_runs):
    options = ReportOptions(
        metrics=("collision_length", "success"), display_names={"success": "SR"}, percent=True
    )
    report = build_report(three_runs, options)
    heads = [column.label for column in report.tables[0].columns]
    assert heads == ["agent", "collision_length (m) ↓", "SR (%) ↑"]
    assert report.tables[0].rows[0].cells[2].plain == "93.8 [81.3, 100.0]"
    assert [table.key for table in report.tables] == ["results", "by-difficulty", "runs"]


def test_many_asked_metrics_become_rows(make):
    metrics = tuple(make.metric(f"m{i}", i / 10) for i in range(9))
    runs = [(name, replaced(make.evaluation(groups={}), metrics=metrics)) for name in "ab"]
    main = build_report(runs, ReportOptions(metrics=tuple(m.name for m in metrics))).tables[0]
    assert [row.cells[0].text for row in main.rows] == [f"m{i} ↑" for i in range(9)]
    assert len(main.columns) == 3


def test_without_headline_metrics_the_first_ones_with_a_value_are_shown(make):
    metrics = (make.metric("gap", math.nan), make.metric("odd", 1.0), make.metric("even", 2.0))
    runs = [("a", replaced(make.evaluation(groups={}), metrics=metrics))]
    main = build_report(runs).tables[0]
    assert [column.metric for column in main.columns[1:]] == ["odd", "even"]


def test_an_unknown_metric_is_an_error_with_the_nearest(three_runs):
    with pytest.raises(UnknownMetricError, match=r"'sucess' \(did you mean: success"):
        build_report(three_runs, ReportOptions(metrics=("sucess",)))


def test_a_run_without_a_metric_has_a_dash_that_is_never_best(make):
    whole, bare = make.evaluation(0.5), make.evaluation(0.25)
    bare = replaced(bare, metrics=bare.metrics[1:])
    main = build_report([("whole", whole), ("bare", bare)]).tables[0]
    cells = [row.cells[1] for row in main.rows]
    assert [cell.text for cell in cells] == ["0.500", "–"]
    again = "not in this run's evaluation; evaluate it again"
    assert cells[1].reason == again
    assert f"No value of success in bare: {again}." in main.notes
    assert not any(cell.best for cell in cells)


def test_a_metric_that_failed_says_why(make):
    broken = make.metric("success", math.nan, metadata={"error": "ValueError: no."})
    runs = [("a", replaced(make.evaluation(groups={}), metrics=(broken, make.metric("x", 1.0))))]
    assert "No value: ValueError: no." in notes_of(build_report(runs))


def test_group_rows_hold_every_run_of_every_group(three_runs):
    table = table_of(build_report(three_runs), "by-difficulty")
    start = [[cell.text for cell in row.cells[:4]] for row in table.rows]
    assert start == [
        ["short", "planner", "25", "0.938"],
        ["short", "straight_line†", "25", "0.937"],
        ["short", "random", "25", "0.125"],
        ["long", "planner", "15", "0.469"],
        ["long", "straight_line†", "15", "0.469"],
        ["long", "random", "15", "0.063"],
    ]
    assert [row.cells[3].best for row in table.rows] == [True, False, False, True, True, False]


def test_group_columns_stand_under_the_group(three_runs):
    table = table_of(build_report(three_runs, ReportOptions(groups="columns")), "by-difficulty")
    assert table.blocks() == [("", 1), ("short (n = 25)", 3), ("long (n = 15)", 3)]
    assert [row.cells[0].text for row in table.rows] == ["planner", "straight_line†", "random"]
    assert [cell.text for cell in table.rows[0].cells[1:]] == [
        "0.938", "0.469", "0.50", "0.469", "0.234", "1.00",
    ]  # fmt: skip


def test_groups_that_a_run_lacks_are_dashes(make):
    full, part = make.evaluation(0.5), make.evaluation(0.75)
    part = replaced(part, groups={"difficulty": part.groups["difficulty"][1:]})
    runs = [("full", full), ("part", part)]
    rows = table_of(build_report(runs), "by-difficulty").rows
    assert [cell.text for cell in rows[1].cells] == ["short", "part", "0", "–", "–", "–"]
    assert rows[1].cells[3].reason == "no records"
    columns = table_of(build_report(runs, ReportOptions(groups="columns")), "by-difficulty")
    assert columns.columns[1].block == "short"


def test_groups_can_be_left_out(three_runs):
    report = build_report(three_runs, ReportOptions(groups="none"))
    assert [table.key for table in report.tables] == ["results", "further", "runs"]
    assert not any(entry.grouping for entry in report.entries)


def test_groupings_whose_names_look_alike_have_keys_of_their_own(make):
    groups = {
        name: (GroupResult("g", 1, (make.metric("success", 1.0),)),) for name in ("a b", "a-b")
    }
    report = build_report([("r", make.evaluation(groups=groups))])
    assert [table.key for table in report.tables[2:4]] == ["by-a-b", "by-a-b-2"]


def test_the_runs_are_counted(three_runs):
    runs = table_of(build_report(three_runs), "runs")
    counts = ["41", "40", "2", "1", "0"]
    assert texts(runs) == [
        ["planner", "pointbench-outdoor", "0123456789ab", *counts],
        ["straight_line†", "pointbench-outdoor (modified)", "0123456789ab", *counts],
        ["random", "pointbench-outdoor", "0123456789ab", *counts],
    ]
    bare = EvaluationResult(metrics=())
    assert texts(build_report([("x", bare)]).tables[-1]) == [["x", *["–"] * 7]]


def test_symmetric_intervals_can_be_plus_minus(three_runs):
    table = build_report(three_runs, ReportOptions(intervals="plus-minus")).tables[0]
    assert table.rows[0].cells[1].interval == "[0.813, 1.000]"
    assert table.rows[0].cells[3].interval == "± 0.50"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"digits": -1}, "digits: must be a whole number from 0 to 12, got -1"),
        ({"digits": 13}, "digits: must be"),
        ({"metrics": ("a", "b", "a")}, "metrics: a is asked for twice"),
        ({"intervals": "bracket"}, "did you mean: brackets"),
        ({"groups": "column"}, "did you mean: columns"),
    ],
)
def test_options_are_checked(options, message):
    with pytest.raises((ConfigError, UnknownNameError), match=message):
        ReportOptions(**options)


def test_entries_hold_every_number_unrounded(three_runs):
    entries = build_report(three_runs).entries
    assert len(entries) == 3 * 3 * 4
    first = entries[1]
    assert (first.run, first.metric, first.value) == ("planner", "success_new", 0.9375 / 2)
    assert (first.lower, first.upper, first.level, first.method) == (0.40625, 0.5, 0.95, "wilson")
    undefined = [entry for entry in entries if entry.metric == "ndtw"]
    assert all(entry.value is None and entry.reason == "needs trajectory" for entry in undefined)


def test_no_run_is_an_error():
    with pytest.raises(EvaluationInputError, match="at least one run"):
        build_report([])
