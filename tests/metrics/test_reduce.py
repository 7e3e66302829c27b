"""Arrays become one number by a named rule."""

from __future__ import annotations

import math

import numpy as np
import pytest

from abotn.metrics.reduce import reduce_value


@pytest.mark.parametrize("value", [2.5, np.float64(2.5), 5 / 2, np.array(2.5), True])
def test_a_number_stays_as_it_is(value):
    assert reduce_value(value) == (float(value), None, None)


def test_vectors_give_the_mean_of_their_norms():
    rows = [[3.0, 4.0, 0.0], [0.0, 0.0, 1.0]]
    assert reduce_value(rows) == (3.0, "mean_norm", rows)
    assert reduce_value(np.ones((2, 3, 2))).value == pytest.approx(math.sqrt(2))


@pytest.mark.parametrize("rows", [[1.0, 2.0, 6.0], [3.0, 3.0]])
def test_numbers_in_a_row_give_their_mean(rows):
    assert reduce_value(rows) == (3.0, "mean", rows)


def test_a_table_of_other_than_vectors_gives_its_mean():
    assert reduce_value(np.arange(8.0).reshape(2, 4)).value == 3.5
    assert reduce_value(np.arange(8.0).reshape(2, 4)).rule == "mean"


@pytest.mark.parametrize("value", [[], np.empty((0, 2))])
def test_nothing_is_undefined(value):
    assert math.isnan(reduce_value(value).value)


def test_entries_that_are_not_finite_count():
    assert math.isnan(reduce_value([1.0, math.nan]).value)
    assert reduce_value([1.0, math.inf]).value == math.inf


@pytest.mark.parametrize("value", ["far", [[1.0], [1.0, 2.0]], None, object()])
def test_what_is_no_number_is_refused(value):
    with pytest.raises((TypeError, ValueError)):
        reduce_value(value)
