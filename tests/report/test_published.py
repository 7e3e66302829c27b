import pytest

from abotn.errors import ConfigError, UnknownNameError
from abotn.report import ReportOptions, build_report
from abotn.report.published import published_figures, published_names


def test_published_figures_stand_apart(three_runs):
    report = build_report(three_runs, ReportOptions(published="pointbench-outdoor"))
    main = report.tables[0]
    published = [row for row in main.rows if row.muted]
    assert len(main.rows) == 3 + 6
    assert [cell.text for cell in published[-1].cells] == ["ABot-N1 (published)", "–", "0.929", "–"]
    assert not any(cell.best or cell.second for row in published for cell in row.cells)
    assert main.rows[0].cells[2].best
    (source,) = [note for note in main.notes if "arXiv 2607.10383" in note]
    assert "no part in the marking" in source
    assert "Made under pointbench-outdoor with modifications: straight_line." in main.notes
    named = [(entry.run, entry.value) for entry in report.entries if entry.source]
    assert ("GNM", 0.391) in named
    assert len(named) == 6


@pytest.mark.parametrize(
    ("digits", "percent", "text"),
    [
        (None, True, "92.9"),
        (4, True, "92.9"),
        (0, True, "93"),
        (5, False, "0.929"),
        (2, False, "0.93"),
    ],
)
def test_published_figures_never_get_decimals_that_were_not_printed(
    three_runs, digits, percent, text
):
    options = ReportOptions(published="pointbench-outdoor", digits=digits, percent=percent)
    assert build_report(three_runs, options).tables[0].rows[-1].cells[2].text == text


def test_published_figures_of_another_protocol_say_so(three_runs):
    options = ReportOptions(published="pointbench-indoor")
    notes = build_report(three_runs, options).tables[0].notes
    assert "Not made under pointbench-indoor: planner, straight_line, random." in notes


def test_published_figures_need_a_metric_in_the_table(three_runs):
    options = ReportOptions(published="pointbench-outdoor", metrics=("collision_length",))
    with pytest.raises(ConfigError, match="published: the figures of pointbench-outdoor"):
        build_report(three_runs, options)
    with pytest.raises(UnknownNameError, match="did you mean: poibench"):
        build_report(three_runs, ReportOptions(published="poibenc"))


def test_every_published_figure_is_within_its_bounds():
    assert published_names() == ["poibench", "pointbench-indoor", "pointbench-outdoor"]
    for name in published_names():
        figures = published_figures(name)
        for agent in figures.percentages:
            rate, spl = figures.values(agent).values()
            assert 0 < spl <= rate < 1
            assert round(rate * 1000) == pytest.approx(rate * 1000, abs=1e-9)
