"""The evaluator: records in, values with honest intervals out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from abotn.errors import EvaluationInputError
from abotn.evaluation.aggregate import aggregate
from abotn.evaluation.grouping import resolve_groupings
from abotn.evaluation.options import EvaluationOptions, scene_tuple
from abotn.evaluation.provenance import provenance
from abotn.evaluation.scoring import error_rows, score
from abotn.evaluation.selection import MetricChoice, Selection, select
from abotn.metrics.registry import MetricRegistry
from abotn.plugins.manager import PluginManager, default_registry, plugin_manager
from abotn.records.readers import RecordReader, RecordSource, read_records
from abotn.records.table import RecordTable
from abotn.results.types import EvaluationResult


class Evaluator:
    """Scores records with registered metrics.

    Args:
        metric_registry: The metrics to choose from; those of this package and of every
            installed plugin by default.
        plugins: Where groupings and record readers come from.

    Example:
        >>> from abotn import Evaluator
        >>> records = [
        ...     {"episode_id": "s", "task_id": "t0", "status": "stop", "success": True},
        ...     {"episode_id": "s", "task_id": "t1", "status": "stop", "success": False},
        ... ]
        >>> Evaluator().evaluate_dataset(records, metrics=["success"])["success"].value
        0.5
    """

    def __init__(
        self,
        metric_registry: MetricRegistry | None = None,
        *,
        plugins: PluginManager | None = None,
    ) -> None:
        self.plugins = plugins if plugins is not None else plugin_manager()
        if metric_registry is None:
            metric_registry = (
                default_registry() if plugins is None else self.plugins.metric_registry()
            )
        self.registry = metric_registry

    def evaluate_dataset(
        self,
        results: Any,
        *,
        metrics: MetricChoice = "all",
        categories: Sequence[str] | str | None = None,
        thresholds: Mapping[str, float] | None = None,
        groupings: str | Iterable[Any] | None = "auto",
        metric_kwargs: Mapping[str, Mapping[str, Any]] | None = None,
        bootstrap_ci: int | None = None,
        bootstrap_seed: int = 0,
        ci_level: float = 0.95,
        ci_method: str = "auto",
        cluster_by: str | None = "auto",
        on_error: str = "failure",
        exclude_scenes: Iterable[str] | str | None = None,
        keep_values: bool = False,
    ) -> EvaluationResult:
        """Score a set of records.

        Args:
            results: A run folder, a list of paths, a list of ``result.json`` contents, records,
                or a pandas DataFrame.
            metrics: ``"all"`` applicable ones, or names. A named metric that cannot run is an
                error result; with ``"all"`` it is skipped and named in ``skipped``.
            categories: Restrict ``"all"`` to these categories, or add them to the names.
            thresholds: Pass mark per metric, in the metric's unit.
            groupings: ``"auto"`` (the protocol's, and those plugins bring), None, or names,
                columns, ``quantiles:COLUMN:K`` and functions.
            metric_kwargs: Parameters per metric; they win over the run's protocol.
            bootstrap_ci: Number of resamples for intervals, at least 100; None for no intervals.
            bootstrap_seed: Seed of the resamples.
            ci_level: Nominal coverage of the intervals, between 0 and 1.
            ci_method: ``auto``, ``percentile``, ``basic``, ``bca``, ``studentized``, ``wilson``
                or ``t``.
            cluster_by: Column whose groups are resampled as wholes; ``"auto"`` takes scenes
                when at least five hold several tasks; None resamples records.
            on_error: What an error record counts: ``"failure"``, ``"exclude"`` or ``"raise"``.
            exclude_scenes: Scenes to leave out; None takes the protocol's.
            keep_values: Keep each record's value in the metadata as ``raw_values``.

        Returns:
            One result per metric, groups, counts and provenance.

        Raises:
            UnknownNameError: an unknown metric, category, grouping or method.
            EvaluationInputError: an argument or the records cannot be used.
            DataError: a file cannot be read.
        """
        options = EvaluationOptions(
            thresholds=self._canonical(thresholds),
            metric_kwargs=self._canonical(metric_kwargs),
            bootstrap_ci=bootstrap_ci,
            bootstrap_seed=bootstrap_seed,
            ci_level=ci_level,
            ci_method=ci_method,
            cluster_by=cluster_by,
            on_error=on_error,
            exclude_scenes=scene_tuple(exclude_scenes),
            keep_values=keep_values,
        )
        selection = select(self.registry, metrics, categories)
        source = read_records(results, readers=self._readers())
        return self._evaluate(source, selection, options, groupings)

    def _evaluate(
        self,
        source: RecordSource,
        selection: Selection,
        options: EvaluationOptions,
        groupings: str | Iterable[Any] | None,
    ) -> EvaluationResult:
        protocol = dict((source.manifest or {}).get("protocol", {}).get("values", {}))
        table, excluded = _without_scenes(source.table, options.exclude_scenes, protocol)
        table = _with_arrive_threshold(table, protocol)
        errors = error_rows(table)
        _refuse_errors(table, errors, options)
        if options.on_error == "exclude":
            table = table.take(~errors)
        _require_records(table)
        chosen = resolve_groupings(groupings, table, self.plugins, protocol)
        scored, skipped = score(selection, table, options, protocol)
        overall, groups, resampled = aggregate(scored, table, chosen, options)
        damaged = sorted(source.all_damaged, key=lambda one: one.path)
        return EvaluationResult(
            metrics=overall,
            groups=groups,
            counts={
                "found": len(source.table) + len(source.damaged),
                "scored": len(table),
                "errors": int(errors.sum()),
                "damaged": len(damaged),
                "excluded": sum(excluded.values()),
                "attempts": int(np.max(table.column("attempt"))) + 1,
            },
            damaged=tuple({"path": one.path, "reason": one.reason} for one in damaged),
            skipped=skipped,
            provenance=provenance(
                source, [one.spec for one in scored], options, self.plugins, excluded, resampled
            ),
            name=source.name,
        )

    def _readers(self) -> list[RecordReader]:
        offers = self.plugins.offers("abotn_record_readers")
        return [offer.value for offer in offers if offer.origin.distribution != "abotn"]

    def _canonical(self, by_metric: Mapping[str, Any] | None) -> dict[str, Any]:
        return {self.registry.get(name).name: value for name, value in (by_metric or {}).items()}


def _without_scenes(
    table: RecordTable, asked: tuple[str, ...] | None, protocol: Mapping[str, Any]
) -> tuple[RecordTable, dict[str, int]]:
    scenes = asked if asked is not None else tuple(protocol.get("exclude_scenes", ()))
    names = table.column("episode_id")
    counts = {scene: int((names == scene).sum()) for scene in scenes}
    if not any(counts.values()):
        return table, {}
    keep = ~np.isin(names.astype(str), scenes)
    return table.take(keep), {scene: count for scene, count in counts.items() if count}


def _with_arrive_threshold(table: RecordTable, protocol: Mapping[str, Any]) -> RecordTable:
    threshold = protocol.get("arrive_threshold")
    if threshold is None:
        return table
    return table.with_default("pointgoal_arrive_threshold", float(threshold))


def _refuse_errors(table: RecordTable, errors: Any, options: EvaluationOptions) -> None:
    if options.on_error == "raise" and errors.any():
        first = table.label(int(np.flatnonzero(errors)[0]))
        raise EvaluationInputError(
            f"{int(errors.sum())} records ended as errors, the first is {first}",
            where="on_error",
            hint='use "failure" or "exclude" to go on',
        )


def _require_records(table: RecordTable) -> None:
    if len(table) == 0:
        raise EvaluationInputError(
            "no record is left to score",
            where="results",
            hint="check exclude_scenes and on_error",
        )
