from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from abotn.evaluation.pace import LEAST_RECORDS, RECENT_RECORDS, pace


@pytest.mark.parametrize("count", range(LEAST_RECORDS))
def test_too_few_records_tell_no_time(count):
    found = pace([10.0 * i for i in range(count)], left=5, now=100.0)
    assert (found.seconds_per_record, found.seconds_left) == (None, None)
    assert found.unknown in ("no record", "fewer than 4 records")


@settings(max_examples=50, deadline=None)
@given(
    st.lists(st.integers(1, 19), min_size=3, max_size=RECENT_RECORDS - 1),
    st.integers(1, 1000),
    st.integers(0, 40),
    st.randoms(use_true_random=False),
)
def test_the_time_left_is_the_mean_gap_times_what_is_left(gaps, left, since, random):
    times = np.concatenate([[0], np.cumsum(gaps)]).astype(float)
    shuffled = list(times)
    random.shuffle(shuffled)
    found = pace(shuffled, left, times[-1] + since)
    mean = Fraction(sum(gaps), len(gaps))
    assert found.seconds_per_record == pytest.approx(float(mean))
    assert found.seconds_left == pytest.approx(float(left * mean - min(Fraction(since), mean)))
    assert (found.seconds_since_last, found.unknown) == (since, None)


def test_only_the_latest_records_count():
    slow = [100.0 * i for i in range(100)]
    fast = [slow[-1] + i for i in range(1, RECENT_RECORDS + 1)]
    assert pace([*slow, *fast], 10, fast[-1]).seconds_per_record == 1.0


def test_a_rest_between_two_starts_does_not_count():
    before = [0.0, 2.0, 4.0, 6.0, 8.0]
    after = [100_000.0, 100_003.0, 100_006.0]
    assert pace([*before, *after], 10, after[-1]).unknown == "fewer than 4 records"
    found = pace([*before, *after, 100_009.0], 10, 100_009.0)
    assert (found.seconds_per_record, found.seconds_left) == (3.0, 30.0)


def test_a_run_that_has_gone_quiet_tells_no_time():
    times = [0.0, 1.0, 2.0, 3.0]
    assert pace(times, 7, 62.0).seconds_left == 6.0
    quiet = pace(times, 7, 64.0)
    assert (quiet.seconds_left, quiet.unknown) == (None, "no new record for long")
    assert quiet.seconds_since_last == 61.0


def test_a_clock_that_runs_behind_the_files_gives_no_negative_time():
    found = pace([0.0, 10.0, 20.0, 30.0], 2, now=5.0)
    assert (found.seconds_since_last, found.seconds_left) == (0.0, 20.0)


def test_copied_files_of_one_time_tell_nothing():
    found = pace([5.0] * 10, 2, 6.0)
    assert (found.seconds_left, found.unknown) == (None, "all files have the same time")


def test_nothing_left_and_nothing_known():
    assert pace([1.0] * 9, 0, 1e6).seconds_left == 0.0
    assert pace([1.0] * 9, 0, 1e6).unknown is None
    assert pace([0.0, 1.0, 2.0, 3.0], None, 3.0).unknown == "the number of tasks is not known"
    assert pace([], 0, 3.0).seconds_left == 0.0
