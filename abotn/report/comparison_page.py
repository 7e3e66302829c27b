"""A comparison as one HTML file that opens from disk and asks nothing of the network."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from abotn.report.comparison_cards import SIDES, pair_viewer, task_cards
from abotn.report.comparison_data import ComparisonData, comparison_data
from abotn.report.comparison_differences import differences
from abotn.report.comparison_lists import alone_tables, damaged_tables
from abotn.report.comparison_sources import ComparisonSources
from abotn.report.comparison_tables import comparison_report, pair_tasks
from abotn.report.comparison_tasks import SplitTasks
from abotn.report.document import Report
from abotn.report.html_tables import escape
from abotn.report.page_embed import STYLES, json_block, script, styles
from abotn.report.page_origin import origin
from abotn.report.page_parts import Section, bullets, setting_lines, titled_table, whole_page
from abotn.report.page_protocol import setting
from abotn.report.page_sources import ReportSources
from abotn.report.runs import isolated
from abotn.results.comparison import Comparison, PairComparison

_STYLES = (*STYLES[:-1], "comparison.css", STYLES[-1])
_SCRIPTS = (
    "dom.js", "model.js", "map.js", "print.js", "pair_map.js", "pair_viewer.js", "pair_start.js",
)  # fmt: skip


def write_comparison_page(comparison: Comparison, sources: ComparisonSources | None = None) -> str:
    """Return a comparison as one page: differences, and the tasks that one run alone solves.

    Args:
        comparison: What ``compare`` returned.
        sources: Records, maps and options behind it; without records the page says that paths
            are not available.

    Raises:
        UnknownMetricError: no pair has a metric that was asked for.
    """
    sources = sources or ComparisonSources()
    split = [pair_tasks(comparison, pair, sources) for pair in comparison.pairs]
    data = comparison_data(comparison, split, sources)
    report = comparison_report(comparison, sources.options, sources)
    title = _title(comparison, sources)
    head = [
        f"<h1><bdi>{escape(title)}</bdi></h1>",
        *setting_lines(list(_setting(comparison, sources))),
    ]
    sections = [one for one in _sections(comparison, report, sources, split, data) if one[2]]
    drawn = any(task.has_path for task in data.tasks)
    elements = [*pair_viewer(), json_block("pairs", data.index)] if drawn else []
    return whole_page(title, head, sections, elements, styles(_STYLES), script(_SCRIPTS))


def _title(comparison: Comparison, sources: ComparisonSources) -> str:
    if len(comparison.pairs) > 1:
        return sources.options.title
    return _versus(comparison.pairs[0])


def _versus(pair: PairComparison) -> str:
    return f"{isolated(pair.run_a)} against {isolated(pair.run_b)}"


def _setting(comparison: Comparison, sources: ComparisonSources) -> Iterator[str]:
    yield from setting(sources.runs)
    for pair in comparison.pairs[:1]:
        if len(comparison.pairs) == 1:
            units = "scenarios" if pair.resampled == "scenario_id" else "tasks"
            yield f"Compared over the {pair.n_pairs} {units} that both have."
    known = comparison.provenance.get("runs", {})
    named = [
        f"{isolated(name)}: {one['run_id']}" for name, one in known.items() if one.get("run_id")
    ]
    if named:
        yield f"Run ids: {' · '.join(named)}"


def _sections(
    comparison: Comparison,
    report: Report,
    sources: ComparisonSources,
    split: Sequence[SplitTasks],
    data: ComparisonData,
) -> Iterator[Section]:
    """Yield key, title and content of each section; one without content is left out."""
    several = len(comparison.pairs) > 1
    if several:
        yield "overview", "All differences", list(titled_table(report.tables[0], (), closed=False))
    start = 0
    for number, (pair, tasks) in enumerate(zip(comparison.pairs, split, strict=True), start=1):
        where = f": {_versus(pair)}" if several else ""
        content = list(differences(comparison, pair, number, sources.options))
        yield f"differences-{number}", f"Differences{where}", content
        cards = list(task_cards(pair, number, tasks, start, sources.runs))
        yield f"solved-{number}", f"Tasks solved by one only{where}", cards
        start += len(tasks.every)
    yield "left-out", "Left out", list(_left_out(comparison, sources))
    reported = ReportSources(sources.runs, sources.options, sources.command)
    yield "origin", "Protocol, data set and commands", list(origin(reported))
    yield "notes", "Notes", list(bullets([*report.notes, *data.notes, *_how(comparison)]))


def _left_out(comparison: Comparison, sources: ComparisonSources) -> Iterator[str]:
    for number, pair in enumerate(comparison.pairs, start=1):
        for table in alone_tables(pair, number, most=None):
            yield from titled_table(table, table.notes, closed=False)
        if pair.solved_unknown:
            names = ", ".join(map(isolated, pair.solved_unknown))
            what = f"{pair.solved_by} is not known in {_versus(pair)}"
            yield from bullets([f"{what} of {len(pair.solved_unknown)} tasks: {names}."])
    for table in damaged_tables(sources, most=None):
        yield from titled_table(table, table.notes, closed=False)


def _how(comparison: Comparison) -> Iterator[str]:
    if any(pair.solved_by_both is not None for pair in comparison.pairs):
        metric = comparison.pairs[0].solved_by
        yield (
            f"A task counts as solved when {metric} is 1 in more than half of its attempts. Shown "
            "is the first attempt that went as the task counts."
        )
        yield f"Letters: {SIDES[0]} is the first run of a pair, {SIDES[1]} the second."
