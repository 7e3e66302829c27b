"""reStructuredText and Typst, read back by their own tools where these are installed."""

import html
import re
from importlib import import_module

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from abotn.report import ReportOptions, build_report
from abotn.report import rst as rst_format
from abotn.report import typst as typst_format
from abotn.report.rst import write_rst
from abotn.report.texts import flat
from abotn.report.typst import write_typst

live = "\\`*_{}[]()<>#+-.!|~^$%&\"'=:;/@1aA \n"
texts = st.text(st.one_of(st.sampled_from(live), st.characters(codec="utf-8")), max_size=12)
LIVE_NAMES = [
    "1. x", "A. Smith", "(1) x", "i. z", ":math:`x`", ".. x::", "a::", "x_", "[1]_", "|s|", ">>> x",
    "-a", "/V", "====", "• x", "--x", "...", "//c", "/*c*/", "#let", "@ref", "<lab>", "-5", "-?",
    "\\\\\\\\", "\\+", "= h", "/ t: d", "\\u{41}", "https://a.b/c", "+ y", "$x$", '"q"', "~", "- x",
]  # fmt: skip


def tool(name):
    """A package that reads the format back."""
    try:
        return import_module(name)
    except ImportError:
        pytest.skip(f"{name} is not installed, so the format is only compared with its golden file")


@pytest.fixture(scope="module")
def doctree():
    core = tool("docutils.core")
    strict = {"report_level": 1, "halt_level": 1, "file_insertion_enabled": False}
    return lambda source: core.publish_doctree(source, settings_overrides=strict)


def entries(document):
    nodes = import_module("docutils.nodes")
    return [entry.astext() for entry in document.findall(nodes.entry)]


@settings(max_examples=60, deadline=None)
@given(one=texts, other=texts)
def test_an_rst_cell_shows_any_text_as_it_is(doctree, one, other):
    cells = f"   * - {rst_format.escape(one)}\n     - {rst_format.escape(other)}\n"
    assert entries(doctree(f".. list-table::\n\n{cells}")) == [flat(one), flat(other)]


def test_live_rst_is_not_live(doctree, make):
    names = [*LIVE_NAMES, *make.awkward]
    cells = "".join(f"   * - {rst_format.escape(name)}\n" for name in names)
    assert entries(doctree(f".. list-table::\n\n{cells}")) == [flat(name) for name in names]


@pytest.mark.parametrize("groups", ["rows", "columns"])
def test_an_rst_report_parses_without_a_warning(doctree, awkward_runs, groups):
    options = ReportOptions(groups=groups, second=True, published="pointbench-outdoor")
    report = build_report(awkward_runs, options)
    cells = entries(doctree(write_rst(report)))
    assert len(cells) == sum(len(t.columns) * (len(t.rows) + 1) for t in report.tables)
    for name, _ in awkward_runs:
        assert flat(name) in cells


def test_an_rst_cell_in_bold_is_followed_by_its_interval(three_runs):
    assert "     - **0.938** [0.813, 1.000]\n" in write_rst(build_report(three_runs))


@pytest.fixture(scope="module")
def typst_cells(tmp_path_factory):
    typst = tool("typst")
    folder = tmp_path_factory.mktemp("typst")

    def read(source):
        (folder / "report.typ").write_text(source, encoding="utf-8")
        page = typst.compile(str(folder / "report.typ"), format="html").decode()
        found = re.findall(r"<t[dh][^>]*>(.*?)</t[dh]>", page, re.DOTALL)
        return [html.unescape(re.sub(r"<[^>]*>", "", cell)) for cell in found]

    return read


def test_live_typst_is_not_live(typst_cells, make):
    names = [*LIVE_NAMES, *make.awkward]
    source = "".join(f"#table(columns: 1, [{typst_format.escape(name)}])\n" for name in names)
    assert typst_cells(source) == [flat(name) for name in names]


@pytest.mark.parametrize("groups", ["rows", "columns"])
def test_a_typst_report_compiles(typst_cells, awkward_runs, groups):
    options = ReportOptions(groups=groups, second=True, published="pointbench-outdoor")
    cells = typst_cells(write_typst(build_report(awkward_runs, options)))
    for name, _ in awkward_runs:
        assert flat(name) in cells


def test_typst_minus_signs_and_marks(make):
    from abotn.results.types import EvaluationResult

    results = [
        EvaluationResult(metrics=(make.metric("x", value, make.interval(-1.0, 0.25)),))
        for value in (-0.5, -0.75)
    ]
    text = write_typst(build_report(list(zip("ab", results, strict=True))))
    assert "#strong[−0.500] #text(0.8em)[\\[−1.000, 0.250\\]]" in text
