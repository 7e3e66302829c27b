import re
import shutil
import subprocess
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from abotn.report import ReportOptions, build_report
from abotn.report.latex import escape, latex_table, write_latex
from abotn.report.texts import flat

ENGINES = [name for name in ("tectonic", "pdflatex", "xelatex", "lualatex") if shutil.which(name)]
printable = st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=20)
MEANINGS = {
    r"\textbackslash{}": "\\", r"\{": "{", r"\}": "}", r"\$": "$", r"\&": "&", r"\%": "%",
    r"\#": "#", r"\_": "_", r"\textasciitilde{}": "~", r"\textasciicircum{}": "^",
    r"\textless{}": "<", r"\textgreater{}": ">", r"\textbar{}": "|", r"\symbol{34}": '"',
    r"\textasciigrave{}": "`", "{[}": "[", "{]}": "]", "{*}": "*", "{}": "",
}  # fmt: skip
PIECE = re.compile("|".join(map(re.escape, MEANINGS)) + r"|[^\\{}$&%#_~^]")


def decoded(latex):
    """What TeX would typeset, read off the short list of commands that may appear."""
    pieces = PIECE.findall(latex)
    assert "".join(pieces) == latex
    return "".join(MEANINGS.get(piece, piece) for piece in pieces)


@settings(deadline=None)
@given(printable)
def test_any_ascii_is_escaped_once(text):
    assert decoded(escape(text)) == flat(text)


@pytest.mark.parametrize("text", ["--", "---", "''", ",,", "a--b", "--'',,"])
def test_no_ligature_joins_two_signs(text):
    assert not re.search(r"--|''|,,", escape(text))
    assert decoded(escape(text)) == text


def test_a_row_cannot_begin_with_an_argument_of_the_line_before(awkward_runs):
    lines = write_latex(build_report([("*star", awkward_runs[0][1]), ("[x]", awkward_runs[1][1])]))
    starts = [line.strip()[:1] for line in lines.splitlines() if line.rstrip().endswith("\\\\")]
    assert not {"[", "*"} & set(starts)


@pytest.mark.parametrize("groups", ["rows", "columns"])
def test_every_row_has_the_columns_of_its_table(three_runs, groups):
    for table in build_report(three_runs, ReportOptions(groups=groups, second=True)).tables:
        text = latex_table(table)
        columns = re.search(r"\\begin\{tabular\}\{([lr]+)\}", text)[1]
        assert len(columns) == len(table.columns)
        lines = [line for line in text.splitlines() if line.endswith("\\\\")]
        for line in lines:
            spans = sum(int(n) - 1 for n in re.findall(r"\\multicolumn\{(\d+)\}", line))
            assert len(re.findall(r"(?<!\\)&", line)) + 1 + spans == len(columns)
        assert len(lines) == len(table.rows) + 1 + (groups == "columns" and "by" in table.key)


def test_environments_are_closed_and_braces_balance(awkward_runs):
    text = write_latex(build_report(awkward_runs))
    bare = re.sub(r"\\[{}\\%]", "", text)
    assert bare.count("{") == bare.count("}")
    opened = re.findall(r"\\begin\{([a-z*]+)\}", text)
    assert Counter(opened) == Counter(re.findall(r"\\end\{([a-z*]+)\}", text))


def test_marks_and_minus_signs(three_runs):
    text = latex_table(build_report(three_runs, ReportOptions(second=True)).tables[0])
    assert r"\textbf{0.938} {\scriptsize {[}0.813, 1.000{]}}" in text
    assert r"\underline{0.937}" in text
    assert r"straight\_line$\dagger$" in text
    assert r"collision\_length (m) $\downarrow$" in text


def test_a_negative_value_gets_a_minus_sign(make):
    from abotn.results.types import EvaluationResult

    one = EvaluationResult(metrics=(make.metric("x", -0.5, make.interval(-1.0, 0.25)),))
    text = latex_table(build_report([("a", one)]).tables[0])
    assert r"$-$0.500 {\scriptsize {[}$-$1.000, 0.250{]}}" in text


def test_published_rows_are_in_italics_below_a_rule(three_runs):
    options = ReportOptions(published="pointbench-outdoor")
    lines = latex_table(build_report(three_runs, options).tables[0]).splitlines()
    first = next(i for i, line in enumerate(lines) if "GNM" in line)
    assert lines[first - 1].strip() == r"\midrule"
    assert r"\textit{GNM (published)} & \textit{\textendash{}} & \textit{0.391}" in lines[first]


@pytest.mark.skipif(not ENGINES, reason="no TeX engine is installed")
@pytest.mark.parametrize("groups", ["rows", "columns"])
def test_the_tables_compile(make, tmp_path, groups):
    names = [name for name in make.awkward if name.isascii()]
    runs = [(name, make.modified(make.evaluation(i / 16, i), x=i)) for i, name in enumerate(names)]
    options = ReportOptions(groups=groups, second=True, published="pointbench-outdoor")
    (tmp_path / "report.tex").write_text(write_latex(build_report(runs, options)), encoding="utf-8")
    (tmp_path / "paper.tex").write_text(
        "\\documentclass[twocolumn]{article}\n\\usepackage{booktabs}\n"
        "\\begin{document}\n\\input{report}\n\\end{document}\n"
    )
    engine = ENGINES[0]
    flags = [] if engine == "tectonic" else ["-interaction=nonstopmode", "-halt-on-error"]
    done = subprocess.run(
        [engine, *flags, "paper.tex"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout[-3000:]
    assert (tmp_path / "paper.pdf").stat().st_size > 10_000
