"""What a comparison of runs says."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from abotn import schema_files
from abotn.errors import SchemaError
from abotn.json_files import dump_json, parse_json, read_json, write_json
from abotn.results.files import check_version
from abotn.results.types import SCHEMA_VERSION, ConfidenceInterval, field_names, split_known

NO_DIFFERENCE = "no difference shown"


@dataclass(frozen=True)
class MetricComparison:
    """One metric of two runs over the tasks both have.

    Attributes:
        name: The metric.
        unit: Unit of values and difference.
        direction: ``"higher"`` or ``"lower"`` is better.
        value_a: Value of run A over the pairs; NaN when undefined.
        value_b: Value of run B over the pairs.
        difference: ``value_a - value_b``.
        ci: Interval of the difference, or None with the reason in ``ci_reason``.
        ci_reason: Why there is no interval.
        p_value: Two-sided p value for no difference.
        p_adjusted: The same, corrected by Holm over the metrics compared.
        test: ``mcnemar_exact``, ``sign_flip_exact``, ``sign_flip_monte_carlo`` or ``none``.
        n_pairs: Pairs with both values.
        n_undefined: Pairs where a value is undefined.
        winner: The better run, or ``"no difference shown"``.
    """

    name: str
    unit: str
    direction: str
    value_a: float
    value_b: float
    difference: float
    ci: ConfidenceInterval | None
    ci_reason: str | None
    p_value: float
    p_adjusted: float
    test: str
    n_pairs: int
    n_undefined: int
    winner: str
    unknown: Mapping[str, Any] = field(default_factory=dict, repr=False)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""
        plain = {name: getattr(self, name) for name in field_names(MetricComparison)}
        return {**plain, "ci": None if self.ci is None else self.ci.to_dict(), **self.unknown}

    @classmethod
    def from_dict(cls, document: Mapping[str, Any]) -> MetricComparison:
        """Build it from :meth:`to_dict`'s form; null numbers become NaN."""
        names = field_names(cls)
        values = {name: document.get(name) for name in names}
        for name in ("value_a", "value_b", "difference", "p_value", "p_adjusted"):
            values[name] = math.nan if values[name] is None else values[name]
        ci = values["ci"]
        values["ci"] = None if ci is None else ConfidenceInterval.from_dict(ci)
        return cls(**values, unknown=split_known(document, names)[1])  # type: ignore[arg-type]


@dataclass(frozen=True)
class PairComparison:
    """Two runs, metric by metric.

    Attributes:
        run_a: Name of the first run.
        run_b: Name of the second run.
        metrics: One entry per metric.
        n_pairs: Tasks that both runs have.
        only_a: ``scene/task`` of tasks that only run A has; they are not compared.
        only_b: The same of run B.
        solved_only_by_a: Tasks that A solves and B does not.
        solved_only_by_b: Tasks that B solves and A does not.
        resampled: ``"tasks"`` or the cluster column.
        solved_by: The 0/1 metric that says which tasks are solved.
        solved_by_both: How many tasks both solve; None where it is not known.
        solved_by_neither: How many tasks neither solves; None where it is not known.
        solved_unknown: Tasks that ``solved_by`` is undefined for, in one run or both.
    """

    run_a: str
    run_b: str
    metrics: tuple[MetricComparison, ...]
    n_pairs: int
    only_a: tuple[str, ...] = ()
    only_b: tuple[str, ...] = ()
    solved_only_by_a: tuple[str, ...] = ()
    solved_only_by_b: tuple[str, ...] = ()
    resampled: str = "tasks"
    solved_by: str = "success"
    solved_by_both: int | None = None
    solved_by_neither: int | None = None
    solved_unknown: tuple[str, ...] = ()
    unknown: Mapping[str, Any] = field(default_factory=dict, repr=False)

    def __getitem__(self, name: str) -> MetricComparison:
        for metric in self.metrics:
            if metric.name == name:
                return metric
        raise KeyError(name)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""
        given = ((name, getattr(self, name)) for name in field_names(PairComparison))
        plain = {name: list(v) if isinstance(v, tuple) else v for name, v in given}
        return {**plain, "metrics": [metric.to_dict() for metric in self.metrics], **self.unknown}

    @classmethod
    def from_dict(cls, document: Mapping[str, Any]) -> PairComparison:
        """Build it from :meth:`to_dict`'s form, keeping fields of newer minor versions."""
        known, unknown = split_known(document, field_names(cls))
        values: dict[str, Any] = {
            name: tuple(v) if isinstance(v, list) else v for name, v in known.items()
        }
        values["metrics"] = tuple(MetricComparison.from_dict(m) for m in document["metrics"])
        return cls(**values, unknown=unknown)


@dataclass(frozen=True)
class Comparison:
    """Runs compared in pairs.

    Attributes:
        pairs: The pairs, in order.
        baseline: Name of the run all others were compared with; None when every pair was.
        provenance: Statistics options, versions and what was compared.
        schema_version: Version of the file layout.
    """

    pairs: tuple[PairComparison, ...]
    baseline: str | None = None
    provenance: Mapping[str, Any] = field(default_factory=dict)
    schema_version: str = SCHEMA_VERSION
    unknown: Mapping[str, Any] = field(default_factory=dict, repr=False)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values in the layout of ``comparison.v1``."""
        return {
            "schema_version": self.schema_version,
            "baseline": self.baseline,
            "pairs": [pair.to_dict() for pair in self.pairs],
            "provenance": dict(self.provenance),
            **self.unknown,
        }

    def to_json(self) -> str:
        """Return standard JSON, without NaN."""
        return dump_json(self.to_dict()).decode()

    @classmethod
    def from_json(cls, text: str | bytes) -> Comparison:
        """Build a comparison from :meth:`to_json`'s text."""
        content = text.encode() if isinstance(text, str) else text
        return _from_dict(parse_json(content, "comparison"), "comparison")

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Comparison:
        """Read a comparison file.

        Raises:
            DataError: unreadable.
            SchemaError: it breaks the schema, or its major version is unknown.
        """
        return _from_dict(read_json(path), path)

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the comparison, checked against its schema, whole or not at all."""
        write_json(Path(path), self.to_dict(), schema="comparison.v1")


def _from_dict(document: Mapping[str, Any], where: str | os.PathLike[str]) -> Comparison:
    check_version(document, where)
    reason = schema_files.complaint("comparison.v1", document)
    if reason is not None:
        raise SchemaError(f"breaks comparison.v1: {reason}", where=where)
    return Comparison(
        tuple(PairComparison.from_dict(pair) for pair in document["pairs"]),
        document.get("baseline"),
        document["provenance"],
        document["schema_version"],
        split_known(document, field_names(Comparison))[1],
    )
