import math
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from abotn.report.numbers import NumberFormat, number_format, ranked, shown_unit
from abotn.report.table import MISSING, Cell

values = st.floats(-1e6, 1e6, allow_nan=False)
digits = st.integers(0, 6)


@settings(deadline=None)
@given(values, digits, st.booleans())
def test_a_shown_number_is_the_nearest_one_with_so_many_decimals(value, decimals, percent):
    text = NumberFormat(decimals, percent).show(value)
    exact = Fraction(repr(value)) * (100 if percent else 1)
    shown = Fraction(text)
    assert abs(shown - exact) <= Fraction(1, 2 * 10**decimals)
    assert len(text.partition(".")[2]) == decimals
    if abs(shown - exact) == Fraction(1, 2 * 10**decimals):
        assert abs(shown) > abs(exact)


@pytest.mark.parametrize(
    ("value", "decimals", "percent", "text"),
    [
        (0.575, 2, False, "0.58"),
        (0.9285, 1, True, "92.9"),
        (-0.0004, 3, False, "0.000"),
        (-0.0, 1, False, "0.0"),
        (12345678901.5, 2, False, "1.23e+10"),
        (math.inf, 2, False, "∞"),
        (-math.inf, 2, True, "-∞"),
        (math.nan, 2, False, MISSING),
        (None, 2, False, MISSING),
    ],
)
def test_numbers_at_the_edges(value, decimals, percent, text):
    assert NumberFormat(decimals, percent).show(value) == text


@pytest.mark.parametrize(
    ("style", "lower", "upper", "text"),
    [
        ("brackets", 0.4, 0.6, "[0.40, 0.60]"),
        ("plus-minus", 0.4, 0.6, "± 0.10"),
        ("plus-minus", 0.4, 0.601, "± 0.10"),
        ("plus-minus", 0.4, 0.62, "[0.40, 0.62]"),
        ("plus-minus", 0.4, math.inf, "[0.40, ∞]"),
        ("none", 0.4, 0.6, ""),
        ("brackets", None, None, ""),
        ("brackets", math.nan, 0.6, ""),
    ],
)
def test_intervals_are_plus_minus_only_where_symmetric_as_shown(style, lower, upper, text):
    assert NumberFormat(2).show_interval(0.5, lower, upper, style) == text


def test_an_interval_that_does_not_hold_its_value_is_never_plus_minus():
    assert NumberFormat(2).show_interval(0.5, 0.6, 0.4, "plus-minus") == "[0.60, 0.40]"


@pytest.mark.parametrize(
    ("unit", "shown", "given_digits", "percent", "expected"),
    [
        ("", [0.9], None, False, NumberFormat(3)),
        ("", [0.9], None, True, NumberFormat(1, percent=True)),
        ("m", [12.0, None], None, True, NumberFormat(2)),
        ("m", [0.00123], None, False, NumberFormat(4)),
        ("m", [2e-11], None, False, NumberFormat(12)),
        ("m", [9e-12], None, False, NumberFormat(2)),
        ("m", [1e-300], None, False, NumberFormat(2)),
        ("", [0.0, math.nan], None, False, NumberFormat(3)),
        ("rad/m", [3.0], None, False, NumberFormat(3)),
        ("m", [0.00123], 1, False, NumberFormat(1)),
    ],
)
def test_digits_follow_unit_and_size(unit, shown, given_digits, percent, expected):
    assert number_format(unit, shown, digits=given_digits, percent=percent) == expected


def test_units_are_shown_with_raised_powers():
    assert shown_unit("m^2/s^6") == "m²/s⁶"
    assert shown_unit("", percent=True) == "%"
    assert shown_unit("m", percent=True) == "m"


def cells_of(numbers, decimals=1):
    shown = NumberFormat(decimals)
    return [Cell(shown.show(n), value=None if math.isnan(n) else n) for n in numbers]


maybe = st.one_of(st.floats(-3, 3), st.just(math.nan))


@settings(deadline=None)
@given(st.lists(maybe, max_size=8), st.sampled_from(["higher", "lower"]), st.booleans())
def test_the_marks_agree_with_a_sort_of_the_shown_values(numbers, direction, second):
    cells = ranked(cells_of(numbers), direction, second=second)
    shown = [None if cell.text == MISSING else float(cell.text) for cell in cells]
    present = [value for value in shown if value is not None]
    podium = sorted(set(present), reverse=direction == "higher")
    for cell, value in zip(cells, shown, strict=True):
        competes = value is not None and len(present) >= 2
        assert cell.best == (competes and value == podium[0])
        leaders = present.count(podium[0]) if podium else 0
        third = second and len(present) >= 3 and leaders == 1
        assert cell.second == (competes and third and value == podium[1])
        assert not (cell.best and cell.second)


def test_values_that_look_equal_are_all_best():
    cells = ranked(cells_of([0.92, 0.94, 0.1]), "higher", second=True)
    assert [cell.best for cell in cells] == [True, True, False]


def test_two_that_share_the_first_place_leave_no_second():
    def seconds(numbers):
        return [cell.second for cell in ranked(cells_of(numbers), "higher", second=True)]

    assert seconds([0.92, 0.94, 0.1]) == [False, False, False]
    assert seconds([0.9, 0.5, 0.1]) == [False, True, False]
    assert seconds([0.9, 0.5, 0.51, 0.1]) == [False, True, True, False]


def test_a_time_is_never_shown_as_zero_beside_a_longer_one():
    assert number_format("s", [0.00001]) == number_format("s", [0.00001, 0.02]) == NumberFormat(6)
    assert number_format("s", [0.0, 1.5, 3e-9]).digits == 6
    assert number_format("s", [0.0, 1.5]).digits == 2
    assert number_format("s", [0.00001, 0.02], digits=3).digits == 3
    assert number_format("m", [0.00001, 0.02]).digits == 3


def test_infinity_competes_and_labels_do_not():
    cells = ranked([*cells_of([math.inf, 2.0]), Cell("9", is_label=True)], "higher")
    assert [cell.best for cell in cells] == [True, False, False]
