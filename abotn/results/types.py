"""What an evaluation says: one result per metric, groups, counts and provenance."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from abotn.units import counted

if TYPE_CHECKING:
    import pandas as pd

SCHEMA_VERSION = "1"


@dataclass(frozen=True)
class ConfidenceInterval:
    """An interval and how it came about.

    Attributes:
        lower: Lower end, in the metric's unit.
        upper: Upper end.
        level: Nominal coverage, such as 0.95.
        method: ``percentile``, ``basic``, ``bca``, ``studentized``, ``wilson`` or ``t``.
        n_resamples: Bootstrap resamples; None for a method without them.
        seed: Seed of the resamples; None for a method without them.
        resampled: What was resampled: ``"records"``, ``"tasks"`` or the cluster column.
        n_units: How many of them there were.
        degenerate: The data carry no information on spread, as when all values are equal.
        note: What to know when reading it, such as a fallback to another method.
    """

    lower: float
    upper: float
    level: float
    method: str
    n_resamples: int | None = None
    seed: int | None = None
    resampled: str = "records"
    n_units: int = 0
    degenerate: bool = False
    note: str | None = None
    unknown: Mapping[str, Any] = field(default_factory=dict, repr=False, hash=False)

    def to_dict(self) -> dict[str, Any]:
        """Return the interval as plain values."""
        return {**{name: getattr(self, name) for name in _INTERVAL_KEYS}, **self.unknown}

    @classmethod
    def from_dict(cls, document: Mapping[str, Any]) -> ConfidenceInterval:
        """Build an interval from :meth:`to_dict`'s form, keeping fields of newer minor versions."""
        known, unknown = split_known(document, _INTERVAL_KEYS)
        return cls(**known, unknown=unknown)


@dataclass(frozen=True)
class MetricResult:
    """The value of one metric over a set of records.

    Attributes:
        name: The metric.
        value: Mean over records, or ratio of sums; NaN when undefined (null in JSON).
        unit: Unit symbol of the value.
        direction: ``"higher"`` or ``"lower"`` is better.
        passed: Whether it met ``threshold``; None without a threshold or without a value.
        threshold: Pass mark.
        ci: Its interval; None with the reason in ``ci_reason``.
        reason: Why the value is undefined.
        sample_count: Records the metric was asked about.
        finite_count: Records with a value, counted failures included.
        error_count: Error records that count with the metric's failure value.
        undefined_count: Records without a value.
        minimum: Least value of a record.
        maximum: Greatest value of a record.
        std: Standard deviation over records (n - 1 in the denominator).
        parameters: The metric's parameters as used.
        source: ``distribution``, ``version`` and, for a replaced built-in, ``overrides``.
        category: Family of metrics.
        metadata: ``error``, ``sample_errors``, ``raw_values`` and the like.
    """

    name: str
    value: float
    unit: str = ""
    direction: str = "higher"
    passed: bool | None = None
    threshold: float | None = None
    ci: ConfidenceInterval | None = None
    ci_reason: str | None = None
    reason: str | None = None
    sample_count: int = 0
    finite_count: int = 0
    error_count: int = 0
    undefined_count: int = 0
    minimum: float | None = None
    maximum: float | None = None
    std: float | None = None
    parameters: Mapping[str, Any] = field(default_factory=dict)
    source: Mapping[str, Any] = field(default_factory=lambda: {"distribution": "", "version": ""})
    category: str = ""
    metadata: Mapping[str, Any] = field(default_factory=dict)
    unknown: Mapping[str, Any] = field(default_factory=dict, repr=False)

    @property
    def is_error(self) -> bool:
        """Whether the metric itself failed to run."""
        return "error" in self.metadata

    def to_dict(self) -> dict[str, Any]:
        """Return plain values; a value that is not finite is null and named in the metadata."""
        document = {name: getattr(self, name) for name in _METRIC_KEYS}
        document["ci"] = None if self.ci is None else self.ci.to_dict()
        document["parameters"] = dict(self.parameters)
        document["source"] = dict(self.source)
        document["metadata"] = dict(self.metadata)
        if not math.isfinite(self.value):
            document["value"] = None
            document["metadata"]["value_serialization"] = _non_finite_name(self.value)
        return {**document, **self.unknown}

    @classmethod
    def from_dict(cls, document: Mapping[str, Any]) -> MetricResult:
        """Build a result from :meth:`to_dict`'s form, keeping fields of newer minor versions."""
        known = {key: document[key] for key in _METRIC_KEYS if key in document}
        metadata = dict(known.get("metadata", {}))
        if known.get("value") is None:
            known["value"] = float(metadata.pop("value_serialization", "nan"))
        ci = known.get("ci")
        known["ci"] = None if ci is None else ConfidenceInterval.from_dict(ci)
        known["metadata"] = metadata
        return cls(**known, unknown=split_known(document, _METRIC_KEYS)[1])


@dataclass(frozen=True)
class GroupResult:
    """The metrics over the records of one group.

    Attributes:
        label: The group's label, such as ``"short"``.
        count: Records in it.
        metrics: One result per metric.
    """

    label: str
    count: int
    metrics: tuple[MetricResult, ...]
    unknown: Mapping[str, Any] = field(default_factory=dict, repr=False)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""
        metrics = [metric.to_dict() for metric in self.metrics]
        return {"label": self.label, "count": self.count, "metrics": metrics, **self.unknown}

    @classmethod
    def from_dict(cls, document: Mapping[str, Any]) -> GroupResult:
        """Build a group from :meth:`to_dict`'s form, keeping fields of newer minor versions."""
        metrics = tuple(MetricResult.from_dict(one) for one in document["metrics"])
        _, unknown = split_known(document, ("label", "count", "metrics"))
        return cls(document["label"], document["count"], metrics, unknown)


@dataclass(frozen=True)
class EvaluationResult:
    """All metrics of one evaluation.

    Attributes:
        metrics: One result per metric, in the order of selection.
        groups: Per grouping, its groups in order.
        counts: ``found``, ``scored``, ``errors``, ``damaged``, ``missing``, ``excluded`` records.
        damaged: Path and reason of every record that could not be used.
        skipped: Metrics left out of an automatic selection, with the reason.
        provenance: ``protocol``, ``run``, ``dataset``, ``versions`` and ``statistics``.
        name: What was evaluated, such as the agent's name.
        schema_version: Version of the file layout.
    """

    metrics: tuple[MetricResult, ...]
    groups: Mapping[str, tuple[GroupResult, ...]] = field(default_factory=dict)
    counts: Mapping[str, int] = field(default_factory=dict)
    damaged: Sequence[Mapping[str, str]] = ()
    skipped: Mapping[str, str] = field(default_factory=dict)
    provenance: Mapping[str, Any] = field(default_factory=dict)
    name: str = ""
    schema_version: str = SCHEMA_VERSION
    unknown: Mapping[str, Any] = field(default_factory=dict, repr=False)

    def __repr__(self) -> str:
        metrics = counted(len(self.metrics), "metrics")
        records = counted(self.counts.get("scored", 0), "records")
        return f"<EvaluationResult {self.name!r}: {metrics}, {records}>"

    def __getitem__(self, name: str) -> MetricResult:
        for metric in self.metrics:
            if metric.name == name:
                return metric
        raise KeyError(name)

    def __contains__(self, name: object) -> bool:
        return any(metric.name == name for metric in self.metrics)

    @property
    def passed(self) -> bool | None:
        """Whether all metrics passed; None unless every metric has a verdict."""
        verdicts = [metric.passed for metric in self.metrics]
        return None if not verdicts or None in verdicts else all(verdicts)

    @property
    def strict_passed(self) -> bool:
        """Whether every metric that has a verdict passed, and at least one has."""
        verdicts = [metric.passed for metric in self.metrics if metric.passed is not None]
        return bool(verdicts) and all(verdicts)

    def summary(self) -> dict[str, Any]:
        """Return counts of metrics, passes and errors, and aggregates per unit.

        Aggregates over all metrics are None, with a warning, when units are mixed.
        """
        from abotn.results.summary import summarise

        return summarise(self)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values in the layout of ``evaluation.v1``."""
        return {
            "schema_version": self.schema_version,
            "name": self.name,
            "counts": dict(self.counts),
            "metrics": [metric.to_dict() for metric in self.metrics],
            "groups": {n: [g.to_dict() for g in groups] for n, groups in self.groups.items()},
            "damaged": [dict(one) for one in self.damaged],
            "skipped": dict(self.skipped),
            "provenance": dict(self.provenance),
            "summary": self.summary(),
            **self.unknown,
        }

    def to_json(self) -> str:
        """Return standard JSON, without NaN."""
        from abotn.json_files import dump_json

        return dump_json(self.to_dict()).decode()

    def to_markdown(self) -> str:
        """Return a table with a row per metric."""
        from abotn.results.export import markdown_table

        return markdown_table(self)

    def to_dataframe(self) -> pd.DataFrame:
        """Return a DataFrame with a row per metric and group; overall rows have group ``""``."""
        from abotn.results.export import dataframe

        return dataframe(self)

    def to_csv(self) -> str:
        """Return the rows of :meth:`to_dataframe` as CSV text."""
        return str(self.to_dataframe().to_csv(index=False, lineterminator="\n"))

    @classmethod
    def from_dict(cls, document: Mapping[str, Any]) -> EvaluationResult:
        """Build a result from :meth:`to_dict`'s form.

        Raises:
            SchemaError: it breaks the schema, or its major version is not 1.
        """
        from abotn.results.files import evaluation_from_dict

        return evaluation_from_dict(document)

    @classmethod
    def from_json(cls, text: str | bytes) -> EvaluationResult:
        """Build a result from :meth:`to_json`'s text.

        Raises:
            DataError: not a JSON object.
            SchemaError: it breaks the schema, or its major version is not 1.
        """
        from abotn.results.files import evaluation_from_json

        return evaluation_from_json(text)

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write ``evaluation.json``, checked against its schema, whole or not at all."""
        from abotn.results.files import write_evaluation

        write_evaluation(path, self)


def split_known(
    document: Mapping[str, Any], names: Sequence[str]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the fields of a document that this version knows, and the others."""
    known = {name: document[name] for name in names if name in document}
    return known, {key: value for key, value in document.items() if key not in known}


def field_names(kind: type[Any]) -> tuple[str, ...]:
    """Return the names of a result type's own fields."""
    return tuple(name for name in kind.__dataclass_fields__ if name != "unknown")


_INTERVAL_KEYS = field_names(ConfidenceInterval)
_METRIC_KEYS = field_names(MetricResult)


def _non_finite_name(value: float) -> str:
    return "nan" if math.isnan(value) else ("inf" if value > 0 else "-inf")
