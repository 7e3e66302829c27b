"""Pictures of two paths on one map, and the documents that show them."""

import io
import re
import shutil
import subprocess
from dataclasses import replace

import numpy as np
import pytest
from matplotlib.text import Text
from PIL import Image

from abotn.report.comparison_pictures import (
    drawn_pictures,
    latex_pictures,
    markdown_pictures,
    task_pictures,
)
from abotn.report.comparison_tables import comparison_report
from abotn.report.latex import write_latex
from abotn.report.plots.looks import looks
from abotn.report.plots.map_backdrop import OBSTACLE
from abotn.report.plots.map_drawing import TaskMap
from abotn.report.plots.pair_paths import PairSide, draw_pair
from abotn.report.plots.sheet import drawing_style

ENGINES = [name for name in ("tectonic", "pdflatex", "xelatex", "lualatex") if shutil.which(name)]


@pytest.fixture
def lines(parts):
    """The axes of the picture of a planner above a straight one, with its lines by style."""
    look = looks(["planner", "straight"])
    above = TaskMap(parts.trajectory(start=(1.0, 2.0)), arrive_threshold=0.5)
    below = TaskMap(parts.trajectory(hits=(1, 2)), arrive_threshold=0.5)
    sides = [
        PairSide("planner", look["planner"], "solved", above),
        PairSide("straight", look["straight"], "time-out", below),
    ]
    with drawing_style():
        return draw_pair(sides, "hall/t0")


def paths_in(figure):
    found = [one for one in figure.axes[0].get_lines() if one.get_linewidth() == 1.6]
    return [(one.get_color(), one.get_linestyle(), one.get_xydata()) for one in found]


def test_two_paths_differ_by_colour_line_letter_and_mark(lines):
    (first, second), axes = paths_in(lines), lines.axes[0]
    look = looks(["planner", "straight"])
    assert (first[0], second[0]) == (look["planner"].colour, look["straight"].colour)
    assert first[0] != second[0]
    assert (first[1], second[1]) == ("-", "--")
    assert first[2].tolist() == [[1.0 + 0.5 * i, 2.0] for i in range(5)]
    assert second[2].tolist() == [[1.0 + 0.5 * i, 1.0] for i in range(5)]
    assert {"A", "B"} <= {text.get_text() for text in axes.texts}
    crosses = [one for one in axes.get_lines() if one.get_marker() == "P"]
    # The middles of the second and the third step of half a metre.
    assert crosses[0].get_xydata().tolist() == [[1.75, 1.0], [2.25, 1.0]]
    title = axes.get_title(loc="left")
    assert title.splitlines() == ["hall/t0", "A planner: solved", "B straight: time-out"]
    words = [text.get_text() for text in lines.legends[0].get_texts()]
    assert words == ["A planner", "B straight", "collision of B", "reference", "start", "goal",
                     "arrival"]  # fmt: skip


def test_no_letter_is_too_small_to_read_in_print(lines):
    texts = [text for text in lines.findobj(Text) if text.get_text().strip()]
    assert min(text.get_fontsize() for text in texts if text.get_visible()) >= 7.0
    # In the text of LaTeX's article, 345 points wide, two stand side by side at 0.49 each.
    assert lines.get_size_inches()[0] * 72.27 <= 0.5 * 345


def test_names_stand_whole_where_there_is_room(parts):
    names = ["PlannerAgent", "StraightLineAgent"]
    look = looks(names)
    sides = [PairSide(name, look[name], "collided on the way, 0.25 m to goal, 9.30 m long",
                      TaskMap(parts.trajectory())) for name in names]  # fmt: skip
    with drawing_style():
        figure = draw_pair(sides, "indoor_0/traj_1")
    words = [text.get_text() for text in figure.legends[0].get_texts()]
    assert words[:2] == ["A PlannerAgent", "B StraightLineAgent"]
    title = figure.axes[0].get_title(loc="left").replace("\n", " ")
    assert "B StraightLineAgent: collided on the way, 0.25 m to goal, 9.30 m long" in title


def test_what_both_share_is_drawn_once_and_what_differs_twice(lines, parts):
    def goals(figure):
        return sum(one.get_marker() == "*" for one in figure.axes[0].get_lines())

    assert goals(lines) == 1
    look = looks(["a", "b"])
    other = TaskMap(parts.trajectory(goal=(4.0, 1.0)))
    sides = [
        PairSide("a", look["a"], "", TaskMap(parts.trajectory())),
        PairSide("b", look["b"], "", other),
    ]
    with drawing_style():
        assert goals(draw_pair(sides, "t")) == 2


def test_a_run_without_a_path_leaves_the_other(parts):
    look = looks(["a", "b"])
    sides = [PairSide("a", look["a"], "solved", TaskMap(parts.trajectory())),
             PairSide("b", look["b"], "error")]  # fmt: skip
    with drawing_style():
        figure = draw_pair(sides, "t")
    assert len(paths_in(figure)) == 1
    assert "B b: error" in figure.axes[0].get_title(loc="left")


def test_there_is_a_picture_per_listed_task_with_a_path(pair):
    comparison, sources = pair
    found = task_pictures(comparison, sources, ".png")
    assert [one.name for one in found] == [
        "1-a-01-hall-t0.png", "1-a-02-hall-t1.png", "1-a-03-hall-t5.png", "1-b-01-hall-t2.png",
    ]  # fmt: skip
    bare = replace(sources, runs=tuple(replace(run, records=None) for run in sources.runs),
                   known_tasks={})  # fmt: skip
    assert task_pictures(comparison, bare, ".png") == []


def test_the_map_lies_behind_the_paths_and_the_bytes_repeat(pair):
    comparison, sources = pair
    shown = task_pictures(comparison, sources, ".png")[:1]
    (name, content), (_, again) = (
        *drawn_pictures(shown, sources, ".png"), *drawn_pictures(shown, sources, ".png"),
    )  # fmt: skip
    assert name == "1-a-01-hall-t0.png"
    assert content == again
    colours = np.asarray(Image.open(io.BytesIO(content)).convert("RGB")).reshape(-1, 3)
    own = [look.colour for look in looks(["planner", "straight"]).values()]
    for expected in (OBSTACLE, *own):
        wanted = [int(expected[place : place + 2], 16) for place in (1, 3, 5)]
        assert (colours == wanted).all(axis=1).sum() > 100


def test_names_of_any_letters_give_names_of_files(pair):
    comparison, sources = pair
    odd = replace(comparison.pairs[0], solved_only_by_a=(), solved_only_by_b=())
    assert task_pictures(replace(comparison, pairs=(odd,)), sources, ".png") == []


def test_markdown_links_are_relative_and_encoded(pair):
    comparison, sources = pair
    text = markdown_pictures(task_pictures(comparison, sources, ".png"), "my % paths")
    assert text.startswith("## Paths\n\n### Tasks that planner solves and straight does not\n")
    assert "![hall/t0](my%20%25%20paths/1-a-01-hall-t0.png)" in text
    assert markdown_pictures([], "x") == ""


def test_latex_figures_hold_four_pictures_each(pair):
    comparison, sources = pair
    shown = task_pictures(comparison, sources, ".pdf")
    text = latex_pictures([shown[0]] * 9, "cmp_paths")
    assert text.count("\\begin{figure*}") == 3
    assert text.count("\\includegraphics") == 9
    assert "{cmp_paths/1-a-01-hall-t0.pdf}" in text
    assert latex_pictures([shown[0]] * 80, "p").count("\\clearpage") >= 2


@pytest.mark.skipif(not ENGINES, reason="no TeX engine is installed")
def test_the_document_with_its_pictures_compiles(parts, make, tmp_path):
    awkward = make.awkward[2] + make.awkward[3] + make.awkward[4] + make.awkward[5]
    first, second = parts.pair(tmp_path, names=(awkward, "a_b^c|<d>"), scene="h_a%l", task="#{}~$")
    comparison, sources = parts.compared(first, second)
    shown = task_pictures(comparison, sources, ".pdf")
    (tmp_path / "cmp_paths").mkdir()
    for name, content in drawn_pictures(shown, sources, ".pdf"):
        (tmp_path / "cmp_paths" / name).write_bytes(content)
    text = write_latex(comparison_report(comparison, None, sources))
    text += "\n" + latex_pictures(shown, "cmp_paths")
    (tmp_path / "cmp.tex").write_text(text, encoding="utf-8")
    (tmp_path / "paper.tex").write_text(
        "\\documentclass[twocolumn]{article}\n\\usepackage{booktabs}\n\\usepackage{graphicx}\n"
        "\\begin{document}\n\\input{cmp}\n\\end{document}\n"
    )
    engine = ENGINES[0]
    flags = [] if engine == "tectonic" else ["-interaction=nonstopmode", "-halt-on-error"]
    done = subprocess.run(
        [engine, *flags, "paper.tex"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout[-3000:]
    log = (tmp_path / "paper.log").read_text(encoding="utf-8", errors="replace")
    assert len(set(re.findall(r"cmp_paths/1-[ab]-\d\d[^>,\s]*\.pdf", log))) >= 4
