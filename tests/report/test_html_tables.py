from html.parser import HTMLParser

from hypothesis import given, settings
from hypothesis import strategies as st

from abotn.report import ReportOptions, build_report
from abotn.report.html_tables import escape, html_table, write_html
from abotn.report.texts import flat

OWN = {
    "html", "head", "meta", "title", "style", "body", "main", "h1", "h2", "section", "div",
    "table", "caption", "thead", "tbody", "tr", "th", "td", "bdi", "wbr", "strong", "u", "sup",
    "span", "ul", "li",
}  # fmt: skip
EMPTY = {"meta", "wbr"}


class Page(HTMLParser):
    """Checks nesting, and collects the cells of every row with their attributes."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.open, self.tags, self.rows, self.attributes = [], [], [], []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.attributes += [name for name, _ in attributes]
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append(["", dict(attributes)])
        if tag not in EMPTY:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if "td" in self.open or "th" in self.open:
            self.rows[-1][-1][0] += data


def test_awkward_names_are_text_and_never_markup(awkward_runs):
    page = Page(write_html(build_report(awkward_runs)))
    assert page.open == []
    assert set(page.tags) <= OWN
    assert not any(name.startswith("on") for name in page.attributes)
    names = [row[0][0] for row in page.rows]
    for name, _ in awkward_runs:
        assert flat(name) in names


@settings(deadline=None)
@given(st.text(max_size=20))
def test_escaped_text_is_one_piece_of_text(text):
    page = Page(f'<table><tr><td class="{escape(text)}">{escape(text)}</td></tr></table>')
    ((cell, attributes),) = page.rows[0]
    assert (cell, attributes["class"]) == (flat(text), flat(text))
    assert page.tags == ["table", "tr", "td"]


def test_no_outside_request_can_be_made(awkward_runs):
    text = write_html(build_report(awkward_runs))
    page = Page(text)
    assert not {"src", "href", "action", "srcset", "style"} & set(page.attributes)
    assert "url(" not in text
    assert "@import" not in text


def test_rows_and_columns_have_heads(three_runs):
    report = build_report(three_runs)
    for table in report.tables:
        rows = Page(html_table(table)).rows
        assert all(cell[1]["scope"] == "col" for cell in rows[0])
        assert len(rows) == len(table.rows) + 1
        for row in rows[1:]:
            assert row[0][1]["scope"] in ("row", "rowgroup")


def test_group_labels_span_their_rows(three_runs):
    table = next(t for t in build_report(three_runs).tables if t.key == "by-difficulty")
    rows = Page(html_table(table)).rows[1:]
    spans = [cell[1]["rowspan"] for row in rows for cell in row if "rowspan" in cell[1]]
    assert spans == ["3", "3"]
    assert [len(row) for row in rows] == [6, 5, 5, 6, 5, 5]


def test_spanning_heads_cover_the_columns(three_runs):
    report = build_report(three_runs, ReportOptions(groups="columns"))
    table = next(t for t in report.tables if t.key == "by-difficulty")
    rows = Page(html_table(table)).rows
    assert [int(cell[1]["colspan"]) for cell in rows[0]] == [1, 3, 3]
    assert len(rows[1]) == 7
