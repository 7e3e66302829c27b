"""Reports on terminals of every width: the same values, nothing cut, nothing live."""

import io
import re

import pytest
from rich.cells import cell_len
from rich.console import Console

from abotn.report import ReportOptions, Table, build_report
from abotn.report.evaluation_tables import evaluation_report
from abotn.report.table import Cell, Column, Row
from abotn.report.terminal import draw_report, draw_table
from abotn.report.terminal_layout import choose_layout, wrapped
from abotn.report.texts import inert

WIDTHS = (20, 40, 60, 80, 120, 200)


def drawn(report, width, *, spare=(), **console):
    out = io.StringIO()
    draw_report(report, Console(file=out, width=width, highlight=False, **console), spare=spare)
    return out.getvalue()


def drawn_table(table, width, **options):
    out = io.StringIO()
    left_out = draw_table(table, Console(file=out, width=width, highlight=False), **options)
    return out.getvalue(), left_out


def bare(text):
    """Text without white space and rules: what no wrapping may change."""
    return re.sub(r"[\s─]", "", text)


@pytest.fixture(params=[ReportOptions(second=True), ReportOptions(groups="columns", percent=True)])
def report(request, three_runs):
    return build_report(three_runs, request.param)


@pytest.mark.parametrize("width", WIDTHS)
def test_no_line_is_wider_than_the_terminal(report, width):
    assert max(map(cell_len, drawn(report, width).splitlines())) <= width


@pytest.mark.parametrize("width", WIDTHS)
def test_every_value_mark_and_interval_is_there_whole(report, width):
    out = drawn(report, width)
    assert "…" not in out
    for table in report.tables:
        for cell in (cell for row in table.rows for cell in row.cells):
            parts = re.findall(r"[^\s_]+_*", cell.text) if cell.is_label else [cell.text]
            for part in [*parts, cell.interval]:
                assert part in out or (width < 30 and bare(part) in bare(out))


def test_a_wide_terminal_has_a_line_per_row(three_runs):
    table = build_report(three_runs).tables[0]
    lines = drawn_table(table, 120)[0].splitlines()
    assert [line.split()[0] for line in lines] == [
        "agent", "─" * cell_len(lines[1]), "planner", "straight_line†", "random",
    ]  # fmt: skip
    assert "0.938 [0.813, 1.000]" in lines[2]


def test_intervals_move_below_before_columns_become_lines(three_runs):
    table = build_report(three_runs).tables[0]
    layouts = {width: choose_layout(table, width) for width in range(20, 121)}
    kinds = ["lines" if one is None else ("below" if one.stacked else "beside")
             for one in layouts.values()]  # fmt: skip
    assert list(dict.fromkeys(kinds)) == ["lines", "below", "beside"]
    for width, layout in layouts.items():
        assert layout is None or sum(layout.widths) + 2 * (len(layout.widths) - 1) <= width


def test_columns_as_lines_name_each_value(three_runs):
    lines = drawn_table(build_report(three_runs).tables[0], 40)[0].splitlines()
    text = "\n".join(lines)
    assert lines[0] == "planner"
    assert "success ↑ 0.938 [0.813, 1.000]" in text
    assert "  collision_length (m) ↓ 0.50\n    [0.00, 1.00]" in text


def test_spare_columns_go_before_columns_become_lines_and_that_is_said():
    heads = (Column("metric"), Column("difference"), Column("p"))
    rows = (Row((Cell("spl", is_label=True), Cell("0.123456"), Cell("0.0001"))),)
    table = Table("t", "T", "c", heads, rows)
    assert drawn_table(table, 40, spare={"p"})[1] == []
    text, left_out = drawn_table(table, 22, spare={"p"})
    assert "0.0001" not in text
    assert left_out == ["Left out for want of room: p."]
    assert "0.0001" in drawn_table(table, 22)[0]
    assert "0.0001" in drawn_table(table, 12, spare={"p"})[0]


def test_the_best_is_bold_and_green_only_where_colours_are_wanted(three_runs, monkeypatch):
    monkeypatch.delenv("NO_COLOR", raising=False)
    report = build_report(three_runs)
    coloured = drawn(report, 120, force_terminal=True, color_system="standard")
    assert "\x1b[1;32m0.938" in coloured
    plain = drawn(report, 120, force_terminal=True, no_color=True)
    assert "\x1b[1m0.938" in plain
    assert not re.search(r"\x1b\[[\d;]*3[0-7]m", plain)
    assert "\x1b" not in drawn(report, 120)


STEERING = [
    "[red]alarm[/red]", "[/]", ":smile:", "\x1b[31mred\x1b[0m", "bell\a\b\r", "\x9b31m",
    "two\nlines", "\u202eevil\u202c", "\u2067open", "a\u200bb",
    "שלום עולם", "导航智能体", "🤖 robot",
]  # fmt: skip


@pytest.mark.parametrize("width", [40, 120])
def test_names_cannot_steer_the_terminal_and_stay_aligned(make, width):
    runs = [(name, make.evaluation(0.5, 2.0 + i)) for i, name in enumerate(STEERING)]
    table = build_report(runs, ReportOptions(groups="none")).tables[0]
    text = drawn_table(table, width)[0]
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e]", text)
    assert text.count("\u2067") + text.count("\u2068") == text.count("\u2069")
    assert "[red]alarm[/red]" in text
    assert ":smile:" in text
    if width == 120:
        rows = text.splitlines()[2:]
        assert len(rows) == len(STEERING)
        assert len({cell_len(row.rstrip()) for row in rows}) == 1


def test_inert_text_keeps_what_is_harmless():
    assert inert("a\x1b[0m\tb") == "a [0m b"
    assert inert("\u2068שלום\u2069 run") == "\u2068שלום\u2069 run"
    assert inert("\u2067\u2067x") == "\u2067\u2067x\u2069\u2069"


@pytest.mark.parametrize(
    ("text", "width", "expected"),
    [
        ("path_collision_count (count) ↓", 40, "path_collision_count (count) ↓"),
        ("path_collision_count (count) ↓", 22, "path_collision_count\n(count) ↓"),
        ("path_collision_count (count) ↓", 12, "path_\ncollision_\ncount\n(count) ↓"),
        ("success ↑", 7, "success\n↑"),
        ("导航 智能体", 6, "导航\n智能体"),
        ("", 5, ""),
    ],
)
def test_labels_break_at_spaces_then_at_underscores(text, width, expected):
    assert wrapped(text, width) == expected


def test_a_long_name_without_a_break_is_folded_not_cut(make):
    name = "x" * 150
    report = build_report([(name, make.evaluation())], ReportOptions(groups="none"))
    assert name in bare(drawn_table(report.tables[0], 60)[0])


def test_an_evaluation_has_its_values_counts_verdicts_and_reasons(make):
    metrics = (
        make.metric("success", 0.75, make.interval(0.6, 0.9), passed=True, threshold=0.5),
        make.metric("spl", 0.5, error_count=2, passed=False, threshold=0.9),
        make.metric("ndtw", float("nan"), finite_count=0, reason="needs trajectory"),
        make.metric("ttc", float("inf"), unit="s", metadata={"sample_error_count": 3}),
    )
    given = make.evaluation(skipped={"ade": "no predictions"})
    result = type(given)(**{**vars(given), "metrics": metrics})
    report = evaluation_report(result, "agent")
    table = report.tables[0]
    assert [column.header for column in table.columns] == [
        "metric", "value", "n", "failed", "passed",
    ]  # fmt: skip
    assert [[cell.plain for cell in row.cells] for row in table.rows] == [
        ["success ↑", "0.750 [0.600, 0.900]", "40", "0", "yes"],
        ["spl ↑", "0.500", "40", "2", "no"],
        ["ndtw ↑", "–", "0", "0", "–"],
        ["ttc (s) ↑", "∞", "40", "0", "–"],
    ]
    assert table.caption == "40 records scored, 2 errors, 1 damaged, 0 excluded."
    assert "No value of ndtw: needs trajectory." in table.notes
    assert "ttc raised on 3 of 40 records." in report.notes
    assert any("ade" in note and "no predictions" in note for note in report.notes)


def test_groups_of_an_evaluation_stand_without_the_agent(make):
    (_, table) = evaluation_report(make.evaluation()).tables
    assert [column.header for column in table.columns] == [
        "difficulty", "records", "success", "success_new", "collision_length",
    ]  # fmt: skip
    assert [cell.plain for cell in table.rows[0].cells] == ["short", "25", "0.750", "0.375", "2.00"]
