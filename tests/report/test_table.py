import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from abotn.report.document import Report
from abotn.report.table import Cell, Column, Row, Table
from abotn.report.texts import flat, padded, slug, width, with_ranges


def table(columns, rows, **fields):
    return Table("key", "title", "caption", tuple(columns), tuple(map(Row, rows)), **fields)


def test_a_row_of_the_wrong_length_is_refused():
    with pytest.raises(ValueError, match="2 columns, but a row of 1"):
        table([Column("a"), Column("b")], [(Cell("x"),)])


def test_a_head_names_unit_and_direction():
    assert Column("length", unit="m", direction="lower").label == "length (m) ↓"
    assert Column("agent").label == "agent"


def test_neighbouring_columns_of_one_block_share_a_head():
    heads = [Column(str(i), block=block) for i, block in enumerate(["", "s", "s", "l", "s"])]
    assert table(heads, []).blocks() == [("", 1), ("s", 2), ("l", 1), ("s", 1)]


labels = st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from("xy")), max_size=8)


@settings(deadline=None)
@given(labels)
def test_label_spans_cover_every_row_once_and_stay_inside_the_label_to_the_left(pairs):
    heads = [Column("one", merge=True), Column("two", merge=True), Column("value")]
    rows = [(Cell(a), Cell(b), Cell("1")) for a, b in pairs]
    spans = [spans for _, spans in table(heads, rows).label_spans()]
    for column, width_of_label in ((0, 1), (1, 2)):
        expected = [0] * len(pairs)
        start = 0
        for row in range(len(pairs)):
            if row and pairs[row][:width_of_label] != pairs[row - 1][:width_of_label]:
                start = row
            expected[start] += 1
        assert [row[column] for row in spans] == expected
    assert all(row[2] == 1 for row in spans)


def test_a_note_is_given_with_the_first_table_that_has_it():
    first, second = table([], [], notes=("a", "b")), table([], [], notes=("b", "c"))
    found = [notes for _, notes in Report("r", (first, second)).tables_with_new_notes()]
    assert found == [["a", "b"], ["c"]]


@settings(deadline=None)
@given(st.text())
def test_flat_text_has_no_breaks_and_keeps_its_words(text):
    shown = flat(text)
    assert len(shown.splitlines()) <= 1
    assert shown == shown.strip()
    assert flat(shown) == shown


@pytest.mark.parametrize(
    ("text", "columns"), [("abc", 3), ("导航", 4), ("e\u0301", 1), ("🤖", 2), ("שלום", 4), ("", 0)]
)
def test_width_counts_terminal_columns(text, columns):
    assert width(text) == columns
    assert width(padded(text, 9)) == width(padded(text, 9, right=True)) == 9


def test_slugs_are_safe_in_anchors():
    assert slug("quantiles:steps:4") == "quantiles-steps-4"
    assert slug("导航") == "table"


def test_texts_that_differ_in_numbers_share_a_range():
    texts = ["12 of 40 (v1)", "3 of 40 (v1)", "12.5 of 40 (v1)", "other 7"]
    shared = "3 to 12.5 of 40 (v1)"
    assert with_ranges(texts) == {**dict.fromkeys(texts[:3], shared), "other 7": "other 7"}
