"""What lies behind a comparison: the records of its runs, their maps, and how it was asked for."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from abotn.report.options import ReportOptions
from abotn.report.page_sources import RunSource
from abotn.results.comparison import Comparison
from abotn.results.types import EvaluationResult

if TYPE_CHECKING:
    from abotn.records.readers import RecordSource


@dataclass(frozen=True)
class ComparisonSources:
    """The runs of a comparison, and how it was asked for.

    Attributes:
        runs: The runs by name, in the order they were given.
        options: Options of its tables.
        command: The words of the command that writes it, none where there is none.
        known_tasks: What was read of the tasks of each pair, kept so that it is read once.
    """

    runs: tuple[RunSource, ...] = ()
    options: ReportOptions = field(default_factory=ReportOptions)
    command: tuple[str, ...] = ()
    known_tasks: dict[Any, Any] = field(default_factory=dict, repr=False, compare=False)

    def run(self, name: str) -> RunSource | None:
        """Return the run of a name, None where only the comparison is known."""
        return next((run for run in self.runs if run.name == name), None)

    def damaged(self) -> Iterator[tuple[str, str, str]]:
        """Yield run, file and reason of everything that could not be read.

        A file inside its run folder is named by its place in there.
        """
        for run in self.runs:
            if run.records is not None:
                for one in run.records.all_damaged:
                    yield run.name, _inside(one.path, run.records.folder), one.reason


def compared_run(
    comparison: Comparison,
    name: str,
    records: RecordSource | None,
    *,
    data_dir: str | None = None,
    map_dir: str | None = None,
) -> RunSource:
    """Return one run of a comparison with its records.

    Args:
        comparison: The comparison.
        name: Name of the run in it.
        records: Its records; None where only its evaluation is at hand.
        data_dir: Folder of the scenes; None takes the one the run's manifest names.
        map_dir: Folder of the maps, where they are kept apart; None as for the scenes.
    """
    known = comparison.provenance.get("runs", {}).get(name) or {}
    counts = {} if records is None else {"scored": len(records.table)}
    result = EvaluationResult((), provenance=dict(known), counts=counts)
    return RunSource(name, result, records, "", data_dir, map_dir)


def run_names(comparison: Comparison) -> list[str]:
    """Return the names of all runs of a comparison, in the order they were given."""
    known = list(comparison.provenance.get("runs", {}))
    pairs = comparison.pairs
    met = list(dict.fromkeys(name for pair in pairs for name in (pair.run_a, pair.run_b)))
    return known if set(known) == set(met) else met


def _inside(path: str, folder: str | None) -> str:
    if folder is None:
        return path
    shown = os.path.relpath(path, folder)
    return path if shown.startswith(os.pardir) else shown
