from decimal import Decimal
from pathlib import Path

import pytest

from abotn.errors import ConfigError, UnknownNameError
from abotn.report import ReportOptions, build_report
from abotn.report.published import published_figures, published_names
from abotn.results.types import EvaluationResult


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


def test_metrics_of_other_parameters_than_the_published_say_so(make):
    metrics = tuple(
        make.metric(name, 0.5, parameters={"collision_threshold": count})
        for name, count in (("success_new", 5), ("spl_new", 3))
    )
    other = EvaluationResult(**{**vars(make.evaluation()), "metrics": metrics})
    options = ReportOptions(published="pointbench-outdoor")
    notes = build_report([("ours", other), ("same", make.evaluation())], options).tables[0].notes
    care = [note for note in notes if "published figures have" in note]
    assert care == [
        "Compare with care, success_new of ours and the published figures have different values "
        "of collision_threshold: 5; 3 (published)."
    ]


def test_a_parameter_that_no_metric_has_is_looked_up_in_the_protocol(make):
    protocol = {"name": "poibench", "values": {"arrive_threshold": 1.0}, "modified": []}
    metrics = (make.metric("success", 0.5), make.metric("poi_spl", 0.4))
    made = make.with_provenance(make.evaluation(groups={}), protocol=protocol)
    made = EvaluationResult(**{**vars(made), "metrics": metrics})
    notes = build_report([("ours", made)], ReportOptions(published="poibench")).tables[0].notes
    assert (
        "Compare with care, success, poi_spl of ours and the published figures have different "
        "values of arrive_threshold: 1.0; 2.0 (published)." in notes
    )


LITERALS = {
    ("pointbench-outdoor", "success_new", "spl_new", "collision_threshold", 3): """
        GNM 39.1 36.7, ViNT 62.2 62.2, NoMaD 56.0 55.7, CityWalker 48.9 48.3,
        SocialNav 72.0 71.9, ABot-N1 92.9 91.4""",
    ("pointbench-indoor", "success_new", "spl_new", "collision_threshold", 1): """
        GNM 26.7 26.6, ViNT 27.9 27.9, NoMaD 20.0 19.6, CityWalker 21.7 21.6,
        SocialNav 42.5 42.5, ABot-N1 95.4 93.7""",
    ("poibench", "success", "poi_spl", "arrive_threshold", 2): """
        ViNT 19.0 18.2, OmniNav (vanilla) 23.9 22.4, OmniNav (BridgeNav) 34.4 31.5,
        POINav 42.3 40.3, ABot-N1 77.3 72.6""",
}


def figures_of(text):
    """The figures of a text of comma-separated "agent rate spl", as fractions of decimals."""
    rows = (row.rsplit(maxsplit=2) for row in text.split(","))
    return {agent.strip(): (Decimal(rate), Decimal(spl)) for agent, rate, spl in rows}


def held(name):
    """What the package holds of a published table, back in percent."""
    figures = published_figures(name)
    return {
        agent: tuple(Decimal(str(value)) * 100 for value in figures.values(agent).values())
        for agent in figures.percentages
    }


@pytest.mark.parametrize("head", LITERALS, ids=lambda head: head[0])
def test_every_figure_is_the_published_one(head):
    name, rate, spl, parameter, value = head
    figures = published_figures(name)
    assert (figures.metrics, dict(figures.parameters)) == ((rate, spl), {parameter: value})
    assert list(held(name).items()) == list(figures_of(LITERALS[head]).items())
    assert [tuple(figures.values(agent)) for agent in held(name)] == [(rate, spl)] * len(held(name))


def test_there_are_seventeen_rows_of_two_figures():
    assert sum(len(held(name)) for name in published_names()) == 17


def test_the_figures_are_those_of_the_protocol_page():
    page = Path(__file__).parents[3] / "shared" / "design" / "PROTOCOL.md"
    if not page.exists():
        pytest.skip("the protocol page does not lie beside the repository")
    section = page.read_text(encoding="utf-8").split("## 11. ")[1].split("\n## ")[0]
    rows = [
        [cell.strip() for cell in line.strip().strip("|").split("|")]
        for line in section.splitlines()
        if line.startswith("|")
    ]
    head, body = rows[0], rows[2:]
    names = {"PointBench outdoor": "pointbench-outdoor", "PointBench indoor": "pointbench-indoor",
             "POIBench": "poibench"}  # fmt: skip
    limits = {"SR<3col": 3, "SR<1col": 1, "SR<2m": 2}
    for column, title in enumerate(head):
        if title in names:
            found = {
                row[column]: (Decimal(row[column + 1]), Decimal(row[column + 2]))
                for row in body
                if len(row) > column + 2 and row[column]
            }
            assert held(names[title]) == found
            parameters = published_figures(names[title]).parameters
            assert list(parameters.values()) == [limits[head[column + 1]]]
    assert set(names) <= set(head)
