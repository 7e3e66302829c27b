import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from abotn.report import ReportOptions, build_report
from abotn.report.markdown import escape, markdown_table, write_markdown
from abotn.report.texts import flat, width

GITHUB = MarkdownIt("commonmark").enable(["table", "strikethrough"])
live = "\\`*_{}[]()<>#+-.!|~^$%&\"'=:;/@1aA \n"
texts = st.text(st.one_of(st.sampled_from(live), st.characters(codec="utf-8")), max_size=12)


def shown(markdown):
    """The text of every inline part, all of which must be plain text."""
    parts = [token for token in GITHUB.parse(markdown) if token.type == "inline"]
    for part in parts:
        assert {child.type for child in part.children} <= {"text", "text_special"}, part.content
    return ["".join(child.content for child in part.children) for part in parts]


@settings(deadline=None)
@given(texts, texts)
@example("a|b\\|c", "\\|")
@example("&amp;", "&#35;x;")
@example("__init__", "a_b _c_ d__e")
@example("~~x~~", "[x](y) ![z](w)")
@example("<b>", "<!-- -->")
def test_a_table_cell_shows_any_text_as_it_is(one, other):
    markdown = f"| h | k |\n| --- | --- |\n| {escape(one)} | {escape(other)} |\n"
    assert shown(markdown) == ["h", "k", flat(one), flat(other)]


@settings(deadline=None)
@given(texts.filter(flat))
@example("1. x")
@example("- x")
@example("# x")
@example("=== x")
def test_a_note_shows_any_text_as_it_is(text):
    assert shown(f"- {escape(text)}\n") == [flat(text)]


def test_ordinary_names_are_not_touched():
    for name in ("success_new", "socialnav-2", "R&D", "50 %", "a.b: c, d", "导航", "שלום"):
        assert escape(name) == name


def test_mathematics_on_github_is_not_started():
    assert "$" not in escape("$x$ and $$y$$")


def test_awkward_names_come_out_in_a_report(awkward_runs):
    report = build_report(awkward_runs, ReportOptions(groups="none"))
    inline = [token for token in GITHUB.parse(write_markdown(report)) if token.type == "inline"]
    cells = [
        "".join(child.content for child in token.children if child.type.startswith("text"))
        for token in inline
    ]
    for name, _ in awkward_runs:
        assert cells.count(flat(name)) >= 2


def test_columns_line_up_whatever_the_script(awkward_runs):
    lines = markdown_table(build_report(awkward_runs).tables[0]).splitlines()
    assert len({width(line) for line in lines}) == 1
    assert len(lines) == len(awkward_runs) + 2


def test_marks_are_bold_and_underlined(three_runs):
    table = build_report(three_runs, ReportOptions(second=True)).tables[0]
    rows = markdown_table(table).splitlines()
    assert "**0.938** [0.813, 1.000]" in rows[2]
    assert "<ins>0.937</ins>" in rows[3]


def test_the_rule_aligns_labels_left_and_numbers_right(three_runs):
    rule = markdown_table(build_report(three_runs).tables[0]).splitlines()[1]
    columns = [part.strip() for part in rule.strip("|").split("|")]
    assert [part.endswith(":") for part in columns] == [False, True, True, True]


def test_a_group_is_named_once(three_runs):
    report = build_report(three_runs)
    group = next(table for table in report.tables if table.key == "by-difficulty")
    first = [line.split("|")[1].strip() for line in markdown_table(group).splitlines()]
    assert first[2:] == ["short", "", "", "long", "", ""]


def test_group_columns_name_their_group(three_runs):
    report = build_report(three_runs, ReportOptions(groups="columns"))
    assert "| short (n = 25): success ↑ |" in " ".join(write_markdown(report).split())


def test_a_shared_note_stands_once(three_runs):
    text = write_markdown(build_report(three_runs))
    assert text.count("modified protocol pointbench-outdoor") == 1
    assert text.count("Bold: best") == 1


@pytest.mark.parametrize("mark", ["*", "†"])
def test_a_mark_follows_the_value(mark, three_runs):
    from dataclasses import replace

    table = build_report(three_runs).tables[0]
    row = table.rows[0]
    cell = replace(row.cells[1], mark=mark)
    marked = replace(table, rows=(replace(row, cells=(row.cells[0], cell, *row.cells[2:])),))
    (token,) = [
        token
        for token in GITHUB.parse(markdown_table(marked))
        if token.type == "inline" and "0.938" in token.content
    ]
    kinds = [child.type for child in token.children if child.content or "strong" in child.type]
    assert kinds[:3] == ["strong_open", "text", "strong_close"]
    after = "".join(child.content for child in token.children[3:])
    assert after == f"{mark} [0.813, 1.000]"
