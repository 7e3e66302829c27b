"""Marks for values that differ from a baseline's, corrected for all that stand in one table."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from abotn.report.document import Entry
from abotn.report.runs import isolated
from abotn.report.sampling_words import is_clustered, too_few_note, unit_words
from abotn.report.texts import with_ranges
from abotn.units import counted

MARK = "*"
_FLIPS = "sign_flip"
TEST_NAMES = {
    "mcnemar_exact": "exact McNemar test",
    "sign_flip_exact": "sign-flip test over all patterns",
    "sign_flip_monte_carlo": "sign-flip test over random patterns",
    "scenario_bootstrap": "share of paired resamples of scenarios on one side of zero",
    "none": "no test",
}


@dataclass(frozen=True)
class PairedTest:
    """What a comparison found for one metric of one run against the baseline.

    Attributes:
        p_value: Two-sided and not corrected; NaN where no test was made.
        test: Which test, one of :data:`TEST_NAMES`.
        pairs: ``"40 tasks"`` or so: what both runs have a value for.
        resampled: What a sign-flip test flips: ``"tasks"``, or a column whose groups are wholes.
        units: How many of them there are; None where not known.
    """

    p_value: float
    test: str = "none"
    pairs: str = ""
    resampled: str = "tasks"
    units: int | None = None


@dataclass(frozen=True)
class Significance:
    """How every run compares with a baseline.

    Attributes:
        baseline: Name of the run compared with.
        tests: Test by (run, metric).
        level: A value is marked when its corrected p value is below this.
        untested: Reason by metric that was not tested.
    """

    baseline: str
    tests: Mapping[tuple[str, str], PairedTest]
    level: float = 0.05
    untested: Mapping[str, str] = field(default_factory=dict)

    def over(self, runs: Sequence[str], metrics: Sequence[str]) -> TableMarks:
        """Return the marks of one table, corrected by Holm for every test shown in it.

        Args:
            runs: Names of the runs in the table.
            metrics: Metrics in the table.
        """
        from abotn.statistics.paired import holm

        shown = {
            (run, metric): self.tests[run, metric]
            for metric in metrics
            for run in runs
            if run != self.baseline and (run, metric) in self.tests
        }
        made = {key: test for key, test in shown.items() if not math.isnan(test.p_value)}
        adjusted = holm([test.p_value for test in made.values()]).tolist()
        untested = {name: why for name, why in self.untested.items() if name in metrics}
        return TableMarks(
            self.baseline, self.level, made, dict(zip(made, adjusted, strict=True)), untested
        )


@dataclass(frozen=True)
class TableMarks:
    """The marks of one table.

    Attributes:
        baseline: Name of the run compared with.
        level: A value is marked when its corrected p value is below this.
        tests: The tests made, by (run, metric).
        adjusted: Their p values, corrected for the number of them.
        untested: Reason by metric that was not tested.
    """

    baseline: str
    level: float
    tests: Mapping[tuple[str, str], PairedTest]
    adjusted: Mapping[tuple[str, str], float]
    untested: Mapping[str, str]

    def mark(self, run: str, metric: str) -> str:
        """Return ``"*"`` for a significant difference, else nothing."""
        return MARK if self.adjusted.get((run, metric), 1.0) < self.level else ""

    @property
    def caption(self) -> str:
        """What a mark means, as a sentence."""
        name = isolated(self.baseline)
        if not self.tests:
            return f"Nothing could be tested against {name}."
        count = len(self.tests)
        tests = "1 paired test" if count == 1 else f"{count} paired tests"
        return (
            f"{MARK} differs from {name}: p below {self.level:g} "
            f"after Holm's correction for the {tests} of this table."
        )

    def notes(self, shown_name: Mapping[str, str]) -> Iterator[str]:
        """Yield lines on which tests were made, over how many pairs, and what was not tested.

        Args:
            shown_name: Name to show by metric, where it is not the metric's own.
        """
        ranged = with_ranges(_described(test) for test in self.tests.values())
        names: dict[str, dict[str, None]] = {}
        for (_, metric), test in self.tests.items():
            names.setdefault(ranged[_described(test)], {})[metric] = None
        everything = dict.fromkeys(metric for _, metric in self.tests)
        for text, metrics in names.items():
            which = _which(list(metrics), list(everything), shown_name)
            yield f"Tests against {isolated(self.baseline)}{which}: {text}."
        few = self._too_few()
        if few is not None:
            yield few
        for metric, reason in self.untested.items():
            yield f"Not tested, {_listed([metric], shown_name)}: {reason.rstrip('.')}."

    def _too_few(self) -> str | None:
        """Return the line that no test could be significant, where that is so."""
        flips = [test for test in self.tests.values() if test.test.startswith(_FLIPS)]
        known = [test for test in flips if test.units is not None]
        if not known or len(flips) < len(self.tests):
            return None
        most = max(known, key=lambda test: test.units or 0)
        made = len(self.tests)
        return too_few_note(most.units or 0, most.resampled, made, self.level, what="tests")


def with_tests(entries: Iterable[Entry], marks: Sequence[TableMarks]) -> Iterator[Entry]:
    """Yield entries, those over all records with the p values of their tests.

    Args:
        entries: Entries of a report.
        marks: Marks of its tables; no test stands in two.
    """
    for entry in entries:
        key = (entry.run, entry.metric)
        found = next((one for one in marks if key in one.tests), None)
        if found is None or entry.grouping or entry.source:
            yield entry
            continue
        yield replace(
            entry,
            baseline=found.baseline,
            p_value=found.tests[key].p_value,
            p_adjusted=found.adjusted[key],
        )


def _described(test: PairedTest) -> str:
    name = TEST_NAMES.get(test.test, test.test)
    if test.test.startswith(_FLIPS) and is_clustered(test.resampled):
        words = unit_words(test.resampled)
        name += f" of {words if test.units is None else counted(test.units, words)}"
    return f"{name}, {test.pairs} that both have" if test.pairs else name


def _which(metrics: Sequence[str], everything: Sequence[str], shown_name: Mapping[str, str]) -> str:
    others = [metric for metric in everything if metric not in metrics]
    if not others:
        return ""
    if len(others) < len(metrics):
        return f" of all but {_listed(others, shown_name)}"
    return f" of {_listed(metrics, shown_name)}"


def _listed(metrics: Iterable[str], shown_name: Mapping[str, str]) -> str:
    return ", ".join(isolated(shown_name.get(metric, metric)) for metric in metrics)
