"""The evaluator: records in, values with honest intervals out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from abotn.errors import EvaluationInputError
from abotn.evaluation.aggregate import aggregate
from abotn.evaluation.grouping import resolve_groupings
from abotn.evaluation.infinite import groups_with_infinite, with_infinite
from abotn.evaluation.metric_options import (
    metric_parameters,
    metric_thresholds,
    require_evaluated,
)
from abotn.evaluation.options import EvaluationOptions, scene_tuple
from abotn.evaluation.provenance import protocol_entry, provenance
from abotn.evaluation.samples import (
    Samples,
    check_known,
    fit_to_samples,
    label_columns,
    own_parameters,
    sample_columns,
    sample_table,
    single_sample,
)
from abotn.evaluation.scene_names import require_scenes
from abotn.evaluation.scoring import Scored, error_rows, score
from abotn.evaluation.selection import MetricChoice, Selection, select
from abotn.metrics.registry import MetricRegistry
from abotn.plugins.manager import PluginManager, default_registry, plugin_manager
from abotn.records.readers import RecordReader, RecordSource, read_records
from abotn.records.table import RecordTable
from abotn.results.types import EvaluationResult
from abotn.units import counted


@dataclass(frozen=True)
class ScoredRecords:
    """Values of metrics over records, and what was left out on the way.

    Attributes:
        source: Where the records came from.
        protocol: The run's protocol values; empty without a manifest.
        table: The N records that were scored.
        scored: One entry per metric, with its (N,) values.
        skipped: Metrics left out of an automatic selection, with the reason.
        excluded: Records left out per excluded scene.
        error_count: Records that ended as errors.
    """

    source: RecordSource
    protocol: Mapping[str, Any]
    table: RecordTable
    scored: Sequence[Scored]
    skipped: Mapping[str, str]
    excluded: Mapping[str, int]
    error_count: int


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
        results: Any = None,
        *,
        predictions: Iterable[Any] | None = None,
        ground_truths: Iterable[Any] | None = None,
        sample_inputs: Mapping[str, Iterable[Any]] | None = None,
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
        **inputs: Any,
    ) -> EvaluationResult:
        """Score a set of records, or of predictions.

        Args:
            results: A run folder, a list of paths, a list of ``result.json`` contents, records,
                or a pandas DataFrame.
            predictions: Instead of records, one prediction per sample; see :meth:`evaluate`.
            ground_truths: One ground truth per sample.
            sample_inputs: Further inputs of metrics with one entry per sample, by name; also
                ``task_id``, ``episode_id`` and ``attempt``, which key the samples, and the column
                of ``cluster_by``.
            metrics: ``"all"`` applicable ones, or names. A named metric that cannot run is an
                error result; with ``"all"`` it is skipped and named in ``skipped``.
            categories: Restrict ``"all"`` to these categories, or add them to the names.
            thresholds: Pass mark per metric, in the metric's unit and within its bounds.
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
            keep_values: Keep each record's value in the metadata as ``raw_values``, in the order
                of ``record_keys`` in the provenance.
            inputs: With predictions, inputs that all samples share (``dt``, ...) and parameters
                of metrics by their own names.

        Returns:
            One result per metric, groups, counts and provenance.

        Raises:
            UnknownNameError: an unknown metric, parameter, category, grouping or method.
            EvaluationInputError: an argument or the records cannot be used; a threshold lies
                outside the metric's bounds; parameters are given for a metric that is not
                evaluated.
            DataError: a file cannot be read.
        """
        selection = select(self.registry, metrics, categories)
        options = EvaluationOptions(
            thresholds=metric_thresholds(thresholds, self.registry, selection),
            metric_kwargs=metric_parameters(metric_kwargs, self.registry, selection),
            bootstrap_ci=bootstrap_ci,
            bootstrap_seed=bootstrap_seed,
            ci_level=ci_level,
            ci_method=ci_method,
            cluster_by=cluster_by,
            on_error=on_error,
            exclude_scenes=scene_tuple(exclude_scenes),
            keep_values=keep_values,
        )
        by_sample = dict(sample_inputs or {})
        if predictions is None and ground_truths is None and not by_sample:
            _refuse_inputs(inputs)
            return self._evaluate(results, selection, options, groupings)
        if results is not None:
            raise EvaluationInputError("give either records or predictions", where="results")
        labels = label_columns(options.cluster_by)
        specs = (*self.registry, *selection.specs)
        check_known(inputs, specs)
        check_known(by_sample, specs, labels)
        samples = sample_columns(predictions, ground_truths, inputs, by_sample, labels)
        return self._evaluate_samples(samples, inputs, selection, options)

    def evaluate(
        self,
        *,
        prediction: Any = None,
        ground_truth: Any = None,
        metrics: MetricChoice = "all",
        categories: Sequence[str] | str | None = None,
        thresholds: Mapping[str, float] | None = None,
        metric_kwargs: Mapping[str, Mapping[str, Any]] | None = None,
        **inputs: Any,
    ) -> EvaluationResult:
        """Score one sample.

        Args:
            prediction: (T, 2), (T, 3) or, for several modes, (K, T, 2|3) array, nested list,
                trajectory or tensor-like. It serves metric arguments called ``pred``, ``traj``,
                ``trajectory`` and ``ego_traj`` too.
            ground_truth: (T, 2) or (T, 3); it serves ``gt``, ``ref`` and ``reference`` too.
            metrics: ``"all"`` that these inputs allow, or names.
            categories: Restrict ``"all"`` to these categories.
            thresholds: Pass mark per metric.
            metric_kwargs: Parameters per metric.
            inputs: Further inputs of metrics (``dt``, ``actor_trajs``, ...) and parameters of
                metrics by their own names (``threshold=0.5`` for ``miss_rate``).

        Returns:
            One result per metric. An array value is reduced, with the original in the metadata.

        Raises:
            UnknownMetricError: an unknown metric, before anything runs.
            EvaluationInputError: an input cannot be used, or no metric can run on the inputs.

        Example:
            >>> from abotn import Evaluator
            >>> path, truth = [[0.0, 0.0], [1.0, 0.0]], [[0.0, 0.0], [1.0, 1.0]]
            >>> result = Evaluator().evaluate(prediction=path, ground_truth=truth, metrics=["fde"])
            >>> result["fde"].value
            1.0
        """
        selection = select(self.registry, metrics, categories)
        options = EvaluationOptions(
            thresholds=metric_thresholds(thresholds, self.registry, selection),
            metric_kwargs=metric_parameters(metric_kwargs, self.registry, selection),
            cluster_by=None,
        )
        check_known(inputs, (*self.registry, *selection.specs))
        sample = single_sample(prediction, ground_truth, inputs)
        return self._evaluate_samples(sample, inputs, selection, options)

    def _evaluate_samples(
        self,
        samples: Samples,
        given: Mapping[str, Any],
        selection: Selection,
        options: EvaluationOptions,
    ) -> EvaluationResult:
        fitted = fit_to_samples(selection, samples)
        own = own_parameters(fitted.specs, given)
        kwargs = {
            name: {**own.get(name, {}), **options.metric_kwargs.get(name, {})}
            for name in {*own, *options.metric_kwargs}
        }
        chosen = replace(options, metric_kwargs=kwargs)
        found = self.score_records(sample_table(samples), fitted, chosen)
        require_evaluated(options.metric_kwargs, found)
        return self._result(found, chosen, None)

    def score_records(
        self, results: Any, selection: Selection, options: EvaluationOptions
    ) -> ScoredRecords:
        """Return the values of the selected metrics over the records, before aggregation.

        Args:
            results: What ``evaluate_dataset`` takes.
            selection: The metrics.
            options: Error policy, excluded scenes and metric parameters are followed.

        Raises:
            EvaluationInputError: the records cannot be used, or no metric can run on them.
            DataError: a file cannot be read.
        """
        source = read_records(results, readers=self._readers())
        entry = protocol_entry(source, self.plugins)
        protocol = dict((entry or {}).get("values", {}))
        table, excluded = _without_scenes(source.table, options.exclude_scenes, protocol)
        table = _with_arrive_threshold(table, protocol)
        errors = error_rows(table)
        _refuse_errors(table, errors, options)
        if options.on_error == "exclude":
            table = table.take(~errors)
        _require_records(table)
        scored, skipped = score(selection, table, options, protocol)
        return ScoredRecords(source, protocol, table, scored, skipped, excluded, int(errors.sum()))

    def _evaluate(
        self,
        results: Any,
        selection: Selection,
        options: EvaluationOptions,
        groupings: str | Iterable[Any] | None,
    ) -> EvaluationResult:
        found = self.score_records(results, selection, options)
        require_evaluated(options.metric_kwargs, found)
        require_scenes(options, found)
        return self._result(found, options, groupings)

    def _result(
        self,
        found: ScoredRecords,
        options: EvaluationOptions,
        groupings: str | Iterable[Any] | None,
    ) -> EvaluationResult:
        source, table = found.source, found.table
        chosen = resolve_groupings(groupings, table, self.plugins, found.protocol)
        overall, groups, resampled = aggregate(found.scored, table, chosen, options)
        if any(one.column.infinite is not None for one in found.scored):
            overall = with_infinite(overall, found.scored, np.arange(len(table)))
            groups = groups_with_infinite(groups, found.scored, table, chosen)
        damaged = sorted(source.all_damaged, key=lambda one: one.path)
        specs = [one.spec for one in found.scored]
        origin = provenance(source, specs, options, self.plugins, found.excluded, resampled)
        if options.keep_values and any(table.column("episode_id")):
            origin["record_keys"] = [table.label(row) for row in range(len(table))]
        unused = [name for name, parts in groups.items() if not parts]
        if unused and groupings != "auto":
            text = "no record belongs to a group of {!r}, so it is left out"
            origin["notes"] = [*origin.get("notes", ()), *map(text.format, unused)]
        return EvaluationResult(
            metrics=overall,
            groups={name: parts for name, parts in groups.items() if parts},
            counts={
                "found": len(source.table) + len(source.damaged),
                "scored": len(table),
                "errors": found.error_count,
                "damaged": len(damaged),
                "missing": source.missing.count,
                "excluded": sum(found.excluded.values()),
                "attempts": _most_attempts(table),
                "sample_errors": len({row for one in found.scored for row in one.column.errors}),
            },
            damaged=tuple({"path": one.path, "reason": one.reason} for one in damaged),
            skipped=found.skipped,
            provenance=origin,
            name=source.name,
        )

    def _readers(self) -> list[RecordReader]:
        offers = self.plugins.offers("abotn_record_readers")
        return [offer.value for offer in offers if offer.origin.distribution != "abotn"]


def _most_attempts(table: RecordTable) -> int:
    """Return how often the task tried most often was tried."""
    pairs = zip(table.column("episode_id"), table.column("task_id"), strict=True)
    return max(Counter(pairs).values())


def _refuse_inputs(inputs: Mapping[str, Any]) -> None:
    if inputs:
        raise EvaluationInputError(
            "records bring their own columns",
            where=", ".join(inputs),
            hint="use metric_kwargs for parameters, or give predictions",
        )


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
            f"{counted(int(errors.sum()), 'records')} ended in an error, the first is {first}",
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
