"""The arithmetic behind pictures: looks, names, fronts, distributions, bins, windows."""

import doctest
import math
import pkgutil
import unicodedata
import zlib
from importlib import import_module

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from abotn.errors import ConfigError, EvaluationInputError, UnknownNameError
from abotn.report import plots
from abotn.report.palette import LIGHT
from abotn.report.plots import KINDS, plot_kind
from abotn.report.plots.distribution import Sample, linear_part, steps
from abotn.report.plots.lettering import (
    FAMILY,
    NO_GLYPH,
    families,
    font_of,
    readable,
    readable_names,
    unknown_letters,
)
from abotn.report.plots.looks import looks
from abotn.report.plots.map_backdrop import bar_length, window_around
from abotn.report.plots.pareto import not_beaten
from abotn.report.plots.sheet import check_columns, picture, suffix_of
from abotn.report.plots.success_length import length_bins, length_edges
from abotn.report.texts import width


@pytest.mark.parametrize("name", [m.name for m in pkgutil.iter_modules(plots.__path__)])
def test_the_examples_of_docstrings_say_what_happens(name):
    assert doctest.testmod(import_module(f"{plots.__name__}.{name}")).failed == 0


def test_an_agent_keeps_its_look_whatever_the_order():
    names = ["planner", "random", "straight"]
    assert looks(names) == looks(reversed(names))
    assert looks(names)["planner"].colour == LIGHT[zlib.crc32(b"planner") % len(LIGHT)]


def test_an_agent_keeps_its_look_whoever_else_is_shown():
    names = ["planner", "random", "copycat", "straight"]
    whole = looks(names)
    assert len({zlib.crc32(name.encode()) % len(LIGHT) for name in names}) == len(names)
    for left_out in names:
        rest = [name for name in names if name != left_out]
        assert looks(rest) == {name: whole[name] for name in rest}


def test_sixty_three_agents_all_look_different():
    found = looks(f"agent {number:02}" for number in range(63))
    assert len({(look.colour, look.marker) for look in found.values()}) == 63


@given(st.text(max_size=60), st.integers(4, 50))
def test_a_name_is_one_line_of_at_most_so_many_columns(text, most):
    shown = readable(text, most)
    assert width(shown) <= most
    assert "\n" not in shown
    assert all(font_of(letter) for letter in shown)


def test_a_long_name_keeps_both_ends():
    assert readable("checkpoint-0001-of-the-first-series/seed-7", 21) == "checkpoint…ies/seed-7"


def test_names_that_come_to_look_the_same_are_numbered():
    unheard_of = ["\U0005fffe\U0005ffff", "\U0005ffff\U0005fffe"]
    assert list(readable_names([*unheard_of, "a"]).values()) == [
        f"{NO_GLYPH * 2} (1)", f"{NO_GLYPH * 2} (2)", "a",
    ]  # fmt: skip
    assert unknown_letters(unheard_of) == "\U0005fffe\U0005ffff"


def test_a_letter_that_the_usual_font_lacks_comes_from_another_that_has_it():
    from matplotlib import font_manager
    from matplotlib.ft2font import FT2Font

    letter = next((c for c in map(chr, range(0x0900, 0x3100)) if font_of(c) not in (None, FAMILY)),
                  None)  # fmt: skip
    if letter is None:
        pytest.skip("no font installed beside the usual one")
    usual, other = families([f"a{letter}"])
    assert usual == FAMILY
    assert ord(letter) in FT2Font(font_manager.findfont(other)).get_charmap()
    assert ord(letter) not in FT2Font(font_manager.findfont(FAMILY)).get_charmap()


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=9),
       st.sampled_from(["higher", "lower"]), st.sampled_from(["higher", "lower"]))  # fmt: skip
def test_the_front_is_what_a_comparison_of_all_pairs_leaves(points, first, second):
    def at_least(a, b, direction):
        return a >= b if direction == "higher" else a <= b

    def beats(a, b):
        as_good = at_least(a[0], b[0], first) and at_least(a[1], b[1], second)
        return as_good and a != b

    expected = [not any(beats(other, point) for other in points) for point in points]
    assert not_beaten(points, [first, second]).tolist() == expected


@given(st.lists(st.one_of(st.integers(-3, 3).map(float), st.just(math.inf), st.just(math.nan),
                          st.just(-math.inf)), min_size=1, max_size=20))  # fmt: skip
def test_the_line_of_a_distribution_is_the_share_of_records_up_to_each_value(values):
    x, share = steps(np.array(values))
    defined = [value for value in values if not math.isnan(value)]
    for value in {value for value in defined if math.isfinite(value)}:
        at = share[np.flatnonzero(x == value)[-1]]
        assert at == pytest.approx(sum(one <= value for one in defined) / len(defined))
    assert len(x) == len(share)
    assert (np.diff(share) >= 0).all()


def test_an_axis_is_linear_unless_values_span_decades():
    def sample(values, mark=None):
        return Sample("a", "distance_to_goal", np.array(values), "m", "lower", mark)

    assert linear_part([sample([0.1, 2.0], mark=0.5)]) is None
    assert linear_part([sample([0.1, 20.0], mark=0.5), sample([1.0])]) == 0.5
    assert linear_part([sample([-1.0, 200.0], mark=0.5)]) is None
    assert linear_part([sample([0.0, 0.0])]) is None
    assert linear_part([sample([1e-9] * 9 + [100.0])]) == 0.1


@given(st.lists(st.floats(1, 80), min_size=1, max_size=60))
def test_bins_of_lengths_agree_with_pandas(lengths):
    edges = length_edges([*lengths, math.nan, math.inf])
    assert edges[0] == min(lengths)
    assert edges[-1] >= max(lengths)
    inner = [-math.inf, *edges[1:-1], math.inf]
    expected = pd.cut(lengths, inner, right=False, labels=False).astype(int).astype(str)
    assert length_bins(lengths, edges) == expected.tolist()


def test_a_bin_holds_its_lower_edge_and_the_last_one_both():
    assert length_bins([5.0, 10.0, 20.0], np.array([5.0, 10.0, 20.0])) == ["0", "1", "1"]


def test_bins_hold_about_equally_many_records_and_not_too_few():
    lengths = np.random.default_rng(0).lognormal(2, 1, 400)
    counts = np.unique(length_bins(lengths, length_edges(lengths)), return_counts=True)[1]
    assert counts.tolist() == [80] * 5
    assert len(length_edges(lengths[:17])) - 1 == 2
    assert len(length_edges([5.0] * 20)) - 1 == 1
    assert length_bins([math.nan, math.inf, 5.0], length_edges([5.0])) == [None, None, "0"]
    with pytest.raises(EvaluationInputError, match="no record has a reference length"):
        length_edges([math.nan])


@given(st.floats(1.0, 1e5))
def test_a_scale_bar_is_the_longest_round_length_within_a_quarter(side):
    length = bar_length(side)
    power = 10.0 ** math.floor(math.log10(length) + 1e-9)
    digit = round(length / power)
    assert digit in (1, 2, 5)
    assert length <= side / 4 * (1 + 1e-9)
    following = {1: 2, 2: 5, 5: 10}[digit] * power
    assert following > side / 4 * (1 - 1e-9)


@given(st.lists(st.tuples(st.floats(-50, 50), st.floats(-50, 50)), min_size=1, max_size=8))
def test_a_window_is_a_square_around_all_points(points):
    window = window_around(np.array([*points, (math.nan, 1.0)]))
    array = np.array(points)
    low, high = np.array(window[:2]), np.array(window[:2]) + window.side
    assert ((array > low) & (array < high)).all()
    assert window.side >= 2.0
    other = window_around(np.array([[90.0, 0.0]]))
    joined = window.joined(other)
    for corner in (*window.corners, *other.corners):
        assert (corner >= np.array(joined[:2]) - 1e-9).all()
        assert (corner <= np.array(joined[:2]) + joined.side + 1e-9).all()


def test_a_window_needs_a_finite_point():
    with pytest.raises(EvaluationInputError, match="neither path, reference nor goal"):
        window_around(np.full((2, 2), math.nan))


def test_kinds_endings_and_columns_are_checked():
    with pytest.raises(UnknownNameError, match=r"kind of plot 'interval' .*did you mean: interval"):
        plot_kind("interval")
    assert all(kind.question.endswith("?") for kind in KINDS.values())
    with pytest.raises(ConfigError, match=r"ends in \.png, \.svg, \.pdf, got \.jpg"):
        suffix_of("a.jpg")
    with pytest.raises(ConfigError, match="got no ending"):
        suffix_of("picture")
    with pytest.raises(ConfigError, match="columns: must be 1 or 2, got 3"):
        check_columns(3)


def test_letters_that_draw_nothing_are_left_out_of_every_picture():
    from matplotlib.figure import Figure

    groups = ("Cf", "Cc", "Zs", "Zl", "Zp", "Cs", "Cn")
    codes = (*range(0x3100), *range(0xF000, 0x10000), *range(0xE0000, 0xE0200))
    chosen = {chr(code) for code in codes}
    odd = [letter for letter in sorted(chosen) if unicodedata.category(letter) in groups]
    odd += [chr(code) for code in (0x34F, 0x115F, 0x1160, 0x17B4, 0x3164, 0xFE00, 0xFE0F, 0xFFA0)]
    texts = {readable(f"x{letter}") for letter in odd} | {readable(letter) for letter in odd}
    assert texts <= {"", "x", "□", "x□"}

    def draw():
        figure = Figure(figsize=(2, 2))
        for text in sorted(texts):
            figure.text(0.5, 0.5, text)
        return figure

    assert picture(draw, ".pdf").startswith(b"%PDF")
    assert readable("\ufeffbom") == "bom"
    assert readable("\ufeff") == "□"
    assert readable_names(["bom", "\ufeffbom"]) == {"bom": "bom (1)", "\ufeffbom": "bom (2)"}
    assert unknown_letters(["\ufeff\u200b\u2060\U000e0001"]) == ""
