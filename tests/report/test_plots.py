"""What the pictures show, and the bytes they are written as."""

import math
import re
import struct
import subprocess
import sys
from functools import partial

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.cbook import STEP_LOOKUP_MAP

from abotn.errors import (
    EvaluationInputError,
    UnknownMetricError,
    UnknownNameError,
)
from abotn.report.plots.collisions import count_name, draw_collisions
from abotn.report.plots.distribution import Sample, draw_distribution
from abotn.report.plots.groups import draw_groups
from abotn.report.plots.intervals import default_metrics, draw_intervals
from abotn.report.plots.looks import looks
from abotn.report.plots.pareto import draw_pareto
from abotn.report.plots.sheet import drawing_style, picture
from abotn.report.plots.success_length import GROUPING, draw_success_length
from abotn.results.types import EvaluationResult, GroupResult

EDGES = np.array([5.0, 10.0, 20.0])


def samples(names, metric="distance_to_goal"):
    return [
        Sample(name, metric, np.array([0.1, 0.4, index, math.nan]), "m", "lower", 0.5, "arrival")
        for index, name in enumerate(names, start=1)
    ]


def by_length(runs):
    """The runs with two bins of lengths, from their own difficulty groups."""
    binned = []
    for name, result in runs:
        groups = [
            GroupResult(str(place), group.count, group.metrics)
            for place, group in enumerate(result.groups["difficulty"])
        ]
        binned.append((name, EvaluationResult(result.metrics, {GROUPING: tuple(groups)})))
    return binned


def counted(runs, make):
    return [
        (name, EvaluationResult(tuple(
            make.metric(count_name(count), 0.5 / count, make.interval(0.1, 0.9), direction="lower")
            for count in (1, 2)
        )))
        for name, _ in runs
    ]  # fmt: skip


def drawings(runs, make, columns=1):
    """A function that draws each kind."""
    names = [name for name, _ in runs]
    return {
        "intervals": partial(draw_intervals, runs, columns=columns),
        "groups": partial(draw_groups, runs, columns=columns),
        "pareto": partial(draw_pareto, runs, columns=columns),
        "cdf": partial(draw_distribution, samples(names), columns=columns),
        "success-vs-length": partial(
            draw_success_length, by_length(runs), EDGES, "success", columns=columns
        ),
        "collisions": partial(
            draw_collisions, counted(runs, make), samples(names, "collision_length"),
            thresholds=dict.fromkeys(names, 2), columns=columns,
        ),
    }  # fmt: skip


KINDS = ("intervals", "groups", "pareto", "cdf", "success-vs-length", "collisions")


def points_of(axes):
    """Colour, place and ends of every point with an interval, as they are drawn."""
    found = {}
    for container in axes.containers:
        line, _, bars = container
        x, y = line.get_data()
        ends = [bar.get_segments()[0] for bar in bars]
        found.setdefault(line.get_color(), []).append((x[0], y[0], ends))
    return found


def test_intervals_draw_every_value_and_both_ends(three_runs):
    figure = draw_intervals(three_runs, ["success", "collision_length"])
    colour = {name: look.colour for name, look in looks(n for n, _ in three_runs).items()}
    for axes, metric in zip(figure.axes, ("success", "collision_length"), strict=True):
        drawn = points_of(axes)
        for row, (name, result) in enumerate(three_runs):
            ((x, y, (bar,)),) = drawn[colour[name]]
            assert (x, y) == (result[metric].value, row)
            ci = result[metric].ci
            assert bar[:, 0].tolist() == pytest.approx([ci.lower, ci.upper])
        top_to_bottom = axes.get_ylim()
        assert top_to_bottom[0] > top_to_bottom[1]
        assert [t.get_text() for t in axes.get_yticklabels()] == [
            "planner", "straight_line†", "random",
        ]  # fmt: skip
    assert figure.axes[0].get_xlabel() == "success ↑"
    assert figure.axes[1].get_xlabel() == "collision_length (m) ↓"
    assert figure.axes[0].get_xlim() == (-0.04, 1.04)


def test_a_run_without_a_value_is_said_to_have_none(make):
    missing = make.metric("success", math.nan, reason="needs status")
    runs = [
        ("a", make.evaluation()),
        ("b", EvaluationResult((missing,))),
        ("c", EvaluationResult(())),
    ]
    axes = draw_intervals(runs, ["success"]).axes[0]
    assert [(t.get_text(), t.get_position()[1]) for t in axes.texts] == [
        ("no value", 1), ("no value", 2),
    ]  # fmt: skip
    assert sum(map(len, points_of(axes).values())) == 1


def test_without_metrics_the_headline_ones_with_a_value_are_shown(three_runs, make):
    assert default_metrics(three_runs) == ["success", "success_new", "collision_length"]
    own = [("a", EvaluationResult((make.metric("mine", 1.0), make.metric("empty", math.nan))))]
    assert default_metrics(own) == ["mine"]


def test_the_notes_say_what_bars_are_and_that_a_protocol_was_modified(three_runs, make):
    note = draw_intervals(three_runs, ["success"], columns=2).get_supxlabel()
    assert note == "Bars: 95 % Wilson score over records.\n† modified protocol."
    bare = [("a", EvaluationResult((make.metric("success", 0.5),)))]
    assert draw_intervals(bare).get_supxlabel() == "No intervals: none were computed."


def test_groups_draw_each_run_within_its_group(three_runs):
    axes = draw_groups(three_runs, "success").axes[0]
    assert [t.get_text() for t in axes.get_yticklabels()] == ["short (n = 25)", "long (n = 15)"]
    look = looks(name for name, _ in three_runs)
    drawn = points_of(axes)
    for name, result in three_runs:
        for place, (x, y, _) in enumerate(drawn[look[name].colour]):
            assert x == result.groups["difficulty"][place].metrics[0].value
            assert abs(y - place) < 0.5
    order = [y for name, _ in three_runs for _, y, _ in drawn[look[name].colour][:1]]
    assert order == sorted(order)


def test_groups_are_by_the_first_grouping_with_more_than_one(make):
    metric = make.metric("success", 0.5)
    one, two = (
        tuple(GroupResult(name, 4, (metric,)) for name in names)
        for names in (("unknown",), ("easy", "hard"))
    )
    run = EvaluationResult((metric,), {"difficulty": one, "scene": two})
    figure = draw_groups([("a", run)])
    assert [t.get_text() for t in figure.axes[0].get_yticklabels()] == [
        "easy (n = 4)",
        "hard (n = 4)",
    ]
    only = draw_groups([("a", EvaluationResult((metric,), {"difficulty": one}))])
    assert [t.get_text() for t in only.axes[0].get_yticklabels()] == ["unknown (n = 4)"]


def test_a_run_that_ties_in_one_value_is_not_ringed_and_the_caption_fits_that(make):
    runs = [
        (name, EvaluationResult((make.metric("x", x), make.metric("y", 0.5))))
        for name, x in (("better", 0.5), ("worse", 0.25), ("equal", 0.5))
    ]
    figure = draw_pareto(runs, ["x", "y"])
    (ringed,) = (line.get_xydata().tolist() for line in figure.axes[0].lines
                 if line.get_marker() == "o" and line.get_markerfacecolor() == "none")  # fmt: skip
    assert ringed == [[0.5, 0.5], [0.5, 0.5]]
    shown = " ".join(text.get_text() for text in figure.texts).replace("\n", " ")
    assert "Ringed: no other run is better in one and at least as good in the other." in shown


def test_pareto_draws_both_intervals_and_rings_the_best(three_runs):
    figure = draw_pareto(three_runs, ["collision_length", "success"])
    axes = figure.axes[0]
    ringed = [line.get_xydata().tolist() for line in axes.lines
              if line.get_marker() == "o" and line.get_markerfacecolor() == "none"]  # fmt: skip
    assert ringed == [[[0.5, 0.9375]]]
    across, up = points_of(axes)[looks(n for n, _ in three_runs)["planner"].colour][0][2]
    ci = three_runs[0][1]["success"].ci
    assert across[:, 0].tolist() == [0.0, 1.0]
    assert up[:, 1].tolist() == pytest.approx([ci.lower, ci.upper])
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("collision_length (m) ↓", "success ↑")
    assert draw_pareto(three_runs).axes[0].get_xlabel() == "collision_length (m) ↓"


@pytest.mark.parametrize("first", ["higher", "lower"])
@pytest.mark.parametrize("second", ["higher", "lower"])
def test_the_line_of_the_front_bounds_what_its_runs_beat(first, second, make):
    values = [(math.cos(angle), math.sin(angle)) for angle in np.linspace(0, 6, 12)]
    runs = [
        (str(number), EvaluationResult((
            make.metric("x", x, direction=first), make.metric("y", y, direction=second),
        )))
        for number, (x, y) in enumerate(values)
    ]  # fmt: skip
    axes = draw_pareto(runs, ["x", "y"]).axes[0]
    (line,) = (line for line in axes.lines if line.get_linestyle() == ":")
    corners = np.transpose(STEP_LOOKUP_MAP[line.get_drawstyle()](*line.get_data()))
    assert len(corners) > 3
    signs = np.array([1.0 if way == "higher" else -1.0 for way in (first, second)])
    for corner in corners:
        assert (np.array(values) * signs >= corner * signs).all(axis=1).any()


def test_a_distribution_rises_to_the_share_of_finite_records():
    values = np.array([1.0, 2.0, math.inf, math.nan])
    figure = draw_distribution([Sample("a", "x", values), Sample("b", "x", np.array([4.0]))])
    line = figure.axes[0].lines[0]
    assert line.get_xydata()[-1].tolist() == [4.0, pytest.approx(2 / 3)]
    assert figure.get_supxlabel() == "Records with a value: a 3 of 4, b 1."


def test_a_modified_run_is_marked_in_a_distribution():
    figure = draw_distribution([Sample("a", "x", np.array([1.0]), modified=True)])
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["a†"]
    assert "† modified protocol." in figure.get_supxlabel()


def test_success_vs_length_draws_bins_with_their_edges(three_runs):
    axes = draw_success_length(by_length(three_runs), EDGES, "success").axes[0]
    assert [t.get_text() for t in axes.get_xticklabels()] == ["5", "10", "20"]
    assert [t.get_text() for t in axes.texts] == ["n = 25", "15"]
    drawn = points_of(axes)[looks(n for n, _ in three_runs)["planner"].colour]
    assert [math.floor(x) for x, _, _ in drawn] == [0, 1]
    assert [y for _, y, _ in drawn] == [0.9375, 0.46875]


def test_collisions_draw_shares_by_count_and_mark_the_threshold(three_runs, make):
    figure = drawings(three_runs, make)["collisions"]()
    left, right = figure.axes
    assert [[y for _, y, _ in run] for run in points_of(left).values()] == [[0.5, 0.25]] * 3
    assert [t.get_text() for t in left.texts] == ["2 or more spoil a success"]
    assert left.texts[0].xy[0] == 1.5
    assert right.get_xlabel() == "collision_length (m) ↓"


@pytest.mark.parametrize("columns", [1, 2])
@pytest.mark.parametrize("kind", KINDS)
def test_nothing_is_cut_off_at_the_edges(kind, columns, three_runs, make):
    with drawing_style():
        figure = drawings(three_runs, make, columns)[kind]()
        figure.draw_without_rendering()
        box = figure.get_tightbbox()
    width, height = figure.get_size_inches()
    assert box.x0 > -0.01
    assert box.y0 > -0.01
    assert box.x1 < width + 0.01
    assert box.y1 < height + 0.01


@pytest.mark.parametrize("kind", ["intervals", "groups", "cdf"])
def test_any_name_can_be_drawn(kind, awkward_runs, make):
    assert picture(drawings(awkward_runs, make)[kind], ".png")[:4] == b"\x89PNG"


def test_a_name_is_never_read_as_a_formula(make):
    runs = [(r"$\frac{$", make.evaluation()), ("$x$", make.evaluation())]
    with drawing_style():
        figure = draw_pareto(runs)
        figure.draw_without_rendering()
    assert [t.get_text() for t in figure.legends[0].get_texts()] == [r"$\frac{$", "$x$"]


@pytest.mark.parametrize("suffix", [".svg", ".pdf"])
def test_any_name_can_be_drawn_in_every_format(suffix, awkward_runs, make):
    start = {".svg": b"<?xml", ".pdf": b"%PDF"}[suffix]
    assert picture(drawings(awkward_runs, make)["cdf"], suffix).startswith(start)


@pytest.mark.parametrize("suffix", [".png", ".svg", ".pdf"])
def test_the_same_runs_give_the_same_bytes_without_a_date(suffix, three_runs, make):
    first, second = (picture(drawings(three_runs, make)["collisions"], suffix) for _ in range(2))
    assert first == second
    assert not re.search(rb"20\d\d-\d\d-\d\d|CreationDate|Software|Matplotlib v", first)


@pytest.mark.parametrize(("columns", "inches"), [(1, 3.35), (2, 7.0)])
def test_a_picture_is_one_or_two_text_columns_wide(columns, inches, three_runs, make):
    draw = drawings(three_runs, make, columns)["cdf"]
    pixels = struct.unpack(">I", picture(draw, ".png")[16:20])[0]
    assert pixels == round(inches * 300)
    points = float(re.search(rb'width="([\d.]+)pt"', picture(draw, ".svg"))[1])
    assert points == pytest.approx(inches * 72)
    box = re.search(rb"/MediaBox \[ 0 0 ([\d.]+)", picture(draw, ".pdf"))
    assert float(box[1]) == pytest.approx(inches * 72)


def test_pdf_embeds_outline_fonts_and_svg_has_no_text_to_replace(three_runs, make):
    pdf = picture(drawings(three_runs, make)["intervals"], ".pdf")
    assert b"/FontFile2" in pdf
    assert b"/Type3" not in pdf
    assert b"<text" not in picture(drawings(three_runs, make)["intervals"], ".svg")


def test_the_callers_settings_are_neither_used_nor_changed(three_runs, make):
    draw = drawings(three_runs, make)["cdf"]
    plain = picture(draw, ".png")
    with mpl.rc_context({"font.size": 20, "axes.facecolor": "red", "text.parse_math": True}):
        before = dict(mpl.rcParams)
        assert picture(draw, ".png") == plain
        assert dict(mpl.rcParams) == before


def test_pictures_do_not_start_the_stateful_interface():
    code = (
        "import sys; from abotn.report.plots.sheet import drawing_style, picture, new_figure; "
        "picture(lambda: new_figure(1, 1.0), '.png'); print('matplotlib.pyplot' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_impossible_requests_say_what_is_wrong(three_runs, make):
    planner = three_runs[:1]
    with pytest.raises(EvaluationInputError, match="at least one run"):
        draw_intervals([])
    with pytest.raises(EvaluationInputError, match="two runs are named 'planner'"):
        draw_intervals(planner * 2)
    with pytest.raises(UnknownMetricError, match="did you mean: success"):
        draw_intervals(planner, ["sucess"])
    with pytest.raises(EvaluationInputError, match="ndtw: no run has a value: needs trajectory"):
        draw_intervals(planner, ["ndtw"])
    with pytest.raises(EvaluationInputError, match="no run has groups"):
        draw_groups([("a", EvaluationResult((make.metric("success", 1.0),)))])
    with pytest.raises(UnknownNameError, match=r"unknown grouping 'scene' .*difficulty"):
        draw_groups(planner, grouping="scene")
    with pytest.raises(UnknownMetricError):
        draw_groups(planner, "speed")
    with pytest.raises(EvaluationInputError, match=r"expected two different metrics, got 1: spl"):
        draw_pareto(planner, ["spl"])
    with pytest.raises(EvaluationInputError, match="no pair of metrics to choose"):
        draw_pareto([("a", EvaluationResult((make.metric("mine", 1.0),)))])
    with pytest.raises(EvaluationInputError, match="no run has a value of both"):
        draw_pareto(planner, ["success", "ndtw"])
    with pytest.raises(EvaluationInputError, match="at least one run"):
        draw_distribution([])
    with pytest.raises(EvaluationInputError, match="no record has a value"):
        draw_distribution([Sample("a", "x", np.array([math.nan, math.inf]))])
    with pytest.raises(EvaluationInputError, match="two runs are named 'a'"):
        draw_distribution([Sample("a", "x", np.array([1.0]))] * 2)
    with pytest.raises(EvaluationInputError, match="no run has a value"):
        draw_success_length(planner, EDGES, "success")


def test_too_many_groups_are_refused(make):
    metric = make.metric("success", 0.5)
    groups = tuple(GroupResult(str(number), 1, (metric,)) for number in range(61))
    with pytest.raises(EvaluationInputError, match="has 61 groups, a picture holds 60"):
        draw_groups([("a", EvaluationResult((metric,), {"scene": groups}))])
