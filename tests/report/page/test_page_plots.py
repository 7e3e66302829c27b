import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from abotn.report import ReportOptions
from abotn.report.document import Entry
from abotn.report.page_plots import Axis, metric_plots, run_style
from abotn.report.palette import preferred_place

numbers = st.floats(-1e6, 1e6) | st.floats(-1e299, 1e299)


def entry(run="a", value=0.5, lower=0.25, upper=0.75, *, unit="", group="", **fields):
    given_ = {"grouping": "g" if group else "", "records": 4, "metric": "m", "direction": "higher"}
    return Entry(run=run, group=group, value=value, unit=unit, lower=lower, upper=upper,
                 **{**given_, **fields})  # fmt: skip


def figure(entries, runs=("a", "b"), **options):
    (text,) = metric_plots(entries, ["m"], list(runs), ReportOptions(**options))
    return text


def places(text, name):
    return [float(one) for one in re.findall(rf'{name}="([\d.]+)%"', text)]


@given(st.lists(numbers, min_size=1, max_size=5))
def test_an_axis_holds_its_values_and_zero(values):
    axis = Axis.over([entry(value=one, lower=None, upper=None, unit="m") for one in values])
    slack = 1e-6 * (axis.high - axis.low) + 1e-12
    assert axis.low - slack <= min([0, *values])
    assert axis.high + slack >= max([0, *values])
    assert 2 <= len(axis.ticks) <= 7
    gaps = [b - a for a, b in zip(axis.ticks, axis.ticks[1:], strict=False)]
    assert gaps == pytest.approx([gaps[0]] * len(gaps))
    share = -axis.low / (axis.high - axis.low)
    assert float(axis.place(0.0)[:-1]) == pytest.approx(100 * share, abs=0.01)


def test_fractions_have_the_axis_from_zero_to_one():
    assert Axis.over([entry()]).ticks == (0.0, 0.25, 0.5, 0.75, 1.0)
    assert Axis.over([entry(upper=1.5)]).high > 1
    assert Axis.over([entry(unit="m")]).high < 1
    assert Axis.over([entry(value=None, lower=None, upper=None, unit="m")]).high == 1


def test_a_dot_and_its_interval_lie_where_the_numbers_say():
    text = figure([entry()])
    assert places(text, "cx") == [50]
    assert places(text, "x1")[0] == 25
    assert places(text, "x2")[0] == 75
    assert "<span>0.500</span> <small>[0.250, 0.750]</small>" in text


def test_options_of_the_report_hold():
    text = figure([entry()], percent=True, digits=0, display_names={"m": "SR"})
    assert "<bdi>SR</bdi> (%)" in text
    assert "<span>50</span> <small>[25, 75]</small>" in text
    assert ">100</text>" in text
    bare = figure([entry()], intervals="none")
    assert "interval" not in bare
    assert "[" not in bare


def test_a_missing_value_is_a_dash_with_its_reason():
    text = figure([entry(), entry("b", None, None, None, reason="needs <poses>")])
    assert "<span>–</span> <small>needs &lt;poses&gt;</small>" in text
    assert text.count("<circle") == 1
    assert list(metric_plots([entry(value=None)], ["m"], ["a"], ReportOptions())) == []


def test_an_infinite_value_does_not_stretch_the_axis():
    text = figure([entry(value=float("inf"), lower=1.0, upper=float("inf"), unit="m")])
    assert places(text, "cx") == [100]
    assert "∞" in text


def test_groups_are_named_once_for_several_runs_and_stand_for_a_single_one():
    entries = [entry(run, group=group) for group in ("short", "long") for run in "ab"]
    text = figure(entries)
    assert text.count("short") == text.count("long") == 1
    assert text.count("<bdi>a</bdi>") == 2
    alone = figure([one for one in entries if one.run == "a"])
    assert "<bdi>a</bdi>" not in alone
    assert "<bdi>short</bdi> <small>n = 4</small>" in alone


def test_runs_keep_their_colour_and_published_figures_have_none():
    runs = [f"run {number}" for number in range(10)]
    assert {run_style(run, runs) for run in runs} == {f"run-{number}" for number in range(7)}
    assert run_style("else", runs) == "run-other"
    text = figure([entry("b"), entry("a", lower=None, upper=None, source="paper")], ["b"])
    assert f"track ticks-4 run-{preferred_place('b')}" in text
    assert "track ticks-4 run-other" in text
    assert "published" in text
