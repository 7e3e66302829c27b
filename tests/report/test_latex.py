import os
import re
import shutil
import subprocess
from collections import Counter
from dataclasses import replace
from itertools import chain
from pathlib import Path

import matplotlib
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from abotn.report import ReportOptions, build_report
from abotn.report.latex import latex_table, write_latex
from abotn.report.latex_text import escape, preamble
from abotn.report.paper_layout import parts
from abotn.report.texts import flat
from abotn.results.types import GroupResult

ENGINES = [name for name in ("tectonic", "pdflatex", "xelatex", "lualatex") if shutil.which(name)]
UNICODE_ENGINES = [name for name in ENGINES if name in ("xelatex", "lualatex")]
printable = st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=20)
MEANINGS = {
    r"\textbackslash{}": "\\", r"\{": "{", r"\}": "}", r"\$": "$", r"\&": "&", r"\%": "%",
    r"\#": "#", r"\_": "_", r"\textasciitilde{}": "~", r"\textasciicircum{}": "^",
    r"\textless{}": "<", r"\textgreater{}": ">", r"\textbar{}": "|",
    r"\texttt{\symbol{34}}": '"', r"\textquotesingle{}": "'",
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


def compiled(folder, text, *, engine="pdflatex", head="", options=""):
    """Compile a paper that inputs the text; return the process, and what the engine wrote."""
    (folder / "report.tex").write_text(text, encoding="utf-8")
    (folder / "paper.tex").write_text(
        f"\\documentclass[{options}]{{article}}\n\\usepackage{{booktabs,graphicx}}\n{head}"
        "\\begin{document}\n\\input{report}\n\\end{document}\n"
    )
    flags = [] if engine == "tectonic" else ["-interaction=nonstopmode", "-halt-on-error"]
    done = subprocess.run(
        [engine, *flags, "paper.tex"], cwd=folder, capture_output=True, text=True, check=False,
        errors="replace", env={**os.environ, "max_print_line": "1000"},
    )  # fmt: skip
    log = folder / "paper.log"
    return done, log.read_text(encoding="utf-8", errors="replace") if log.exists() else done.stdout


@pytest.mark.skipif(not ENGINES, reason="no TeX engine is installed")
@pytest.mark.parametrize("groups", ["rows", "columns"])
def test_the_tables_compile(make, tmp_path, groups):
    names = [name for name in make.awkward if name.isascii()]
    runs = [(name, make.modified(make.evaluation(i / 16, i), x=i)) for i, name in enumerate(names)]
    options = ReportOptions(groups=groups, second=True, published="pointbench-outdoor")
    text = write_latex(build_report(runs, options))
    done, _ = compiled(tmp_path, text, engine=ENGINES[0], options="twocolumn")
    assert done.returncode == 0, done.stdout[-3000:]
    assert (tmp_path / "paper.pdf").stat().st_size > 10_000


def wide_runs(make, metrics=6, scenes=6):
    """Three runs with so many metrics, each in so many groups."""
    threshold = {"collision_threshold": 1}
    names = ("success", "success_new", "spl_new", "tcr_new", "dcr_new", "some_longer_metric_name")
    values = tuple(
        make.metric(name, 0.125, make.interval(0.1, 0.25), parameters=threshold)
        for name in names[:metrics]
    )
    groups = tuple(GroupResult(f"indoor_{i}", 5, values) for i in range(scenes))
    one = replace(make.evaluation(), metrics=values, groups={"scene": groups})
    return [(name, one) for name in ("PlannerAgent", "StraightLineAgent", "a_rather_long_name")]


@pytest.mark.skipif(not shutil.which("pdflatex"), reason="pdflatex is not installed")
@pytest.mark.parametrize("options", ["", "twocolumn"])
@pytest.mark.parametrize(("metrics", "groups"), [(3, "rows"), (6, "rows"), (6, "columns")])
def test_no_table_runs_off_its_page(make, tmp_path, options, metrics, groups):
    report = build_report(wide_runs(make, metrics), ReportOptions(groups=groups))
    done, log = compiled(tmp_path, write_latex(report), options=options)
    assert done.returncode == 0, done.stdout[-3000:]
    assert [w for w in re.findall(r"Overfull \\hbox \((\S+)pt", log) if float(w) > 1.0] == []
    assert "Float too large" not in log


def test_a_table_that_would_be_too_small_to_read_is_divided(make):
    (table,) = (
        table
        for table in build_report(wide_runs(make), ReportOptions(groups="columns")).tables
        if any(column.block for column in table.columns)
    )
    found = [part.table for part in parts(table)]
    assert len(found) > 2
    heads = [[(c.block, c.header) for c in part.columns[1:]] for part in found]
    assert [*chain(*heads)] == [(c.block, c.header) for c in table.columns[1:]]
    assert all(part.columns[0] == table.columns[0] for part in found)
    assert [part.title[-8:] for part in found] == [f" {i} of {len(found)})" for i in range(1, 7)]
    assert [bool(part.notes) for part in found] == [False] * 5 + [True]
    assert len({part.key for part in found}) == len(found)


def test_a_table_that_is_taller_than_a_page_is_divided(make):
    scenes = build_report(wide_runs(make, 3, scenes=60), ReportOptions()).tables[1]
    found = [part.table for part in parts(scenes)]
    assert len(found) > 3
    assert tuple(chain(*(part.rows for part in found))) == scenes.rows


def test_a_table_that_fits_is_left_whole(make):
    run = [("a", replace(make.evaluation(), groups={}))]
    table = build_report(run, ReportOptions(metrics=("success",))).tables[0]
    assert [(part.table, part.room, part.wide) for part in parts(table)] == [(table, 0, False)]
    text = latex_table(table)
    assert "{table}" in text
    assert "{table*}" not in text
    assert r"0.750 {\scriptsize {[}0.625, 0.813{]}}" in text


def test_straight_quotes_stay_straight_and_apostrophes_are_apostrophes():
    assert escape("\"a\" 'b' c's") == (
        r"\texttt{\symbol{34}}a\texttt{\symbol{34}} \textquotesingle{}b\textquotesingle{} c's"
    )


def test_what_is_written_from_right_to_left_is_set_so():
    assert escape("to שלום עולם, 1") == r"to \abotnrtl{שלום עולם}, 1"
    assert r"\DeclareRobustCommand\abotnrtl" in preamble(escape("שלום"))
    assert r"\abotnrtl" not in preamble(escape("Planner"))


@pytest.mark.parametrize("text", ["Ålesund–Łódź", "“x” … €", "a ± 1 ≤ 2 × 3 − 4 ↑†‡∞²"])
def test_latin_needs_no_other_engine(text):
    assert "errmessage" not in preamble(escape(text))


@pytest.mark.skipif(not shutil.which("pdflatex"), reason="pdflatex is not installed")
def test_pdflatex_sets_latin_and_says_what_it_cannot_set(make, tmp_path):
    fine = preamble(escape("Åé–ñ")) + escape("Łódź š “x” … € a ± 1 ≤ 2 × 3 − 4 e\u0301 'x' \"y\"")
    assert compiled(tmp_path, fine)[0].returncode == 0
    done, log = compiled(tmp_path, write_latex(build_report([("导航 שלום", make.evaluation())])))
    assert done.returncode != 0
    error = re.findall("^! .*", log, flags=re.MULTILINE)[0]
    assert error.startswith("! This file has names that pdflatex cannot set (U+5BFC, U+822A, ")
    assert "XeLaTeX or LuaLaTeX" in log


def has_fonts(engine):
    """Whether an engine can use fonts other than TeX's own; LuaLaTeX needs a package for that."""
    if engine == "xelatex":
        return True
    found = subprocess.run(["kpsewhich", "luaotfload-main.lua"], capture_output=True, check=False)
    return bool(found.stdout.strip())


@pytest.mark.skipif(not UNICODE_ENGINES, reason="neither XeLaTeX nor LuaLaTeX is installed")
def test_names_of_every_script_are_typeset(make, tmp_path):
    engine = UNICODE_ENGINES[0]
    head = ""
    if has_fonts(engine):
        shutil.copy(Path(matplotlib.get_data_path()) / "fonts/ttf/DejaVuSans.ttf", tmp_path)
        head = "\\usepackage{fontspec}\\setmainfont{DejaVuSans.ttf}[Path=./]\n"
    names = [*make.awkward, "Ωμέγα", "Робот", "ملاح"]
    runs = [(name, make.evaluation(i / 32, i)) for i, name in enumerate(names)]
    text = write_latex(build_report(runs, ReportOptions(groups="none", metrics=("success",))))
    done, log = compiled(tmp_path, text, engine=engine, head=head)
    assert done.returncode == 0, done.stdout[-3000:]
    if head:
        missing = set(re.findall(r"Missing character: There is no (.)", log))
        assert missing <= set("导航智能体🤖"), "this font has all other letters"
