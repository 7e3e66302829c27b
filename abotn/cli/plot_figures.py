"""From runs on disk to the figure of each kind of plot."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from abotn.cli.plot_sources import RESAMPLES, PlotSource, own_names, shown_names
from abotn.errors import ConfigError

if TYPE_CHECKING:
    import numpy as np
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from abotn.evaluation.evaluator import ScoredRecords
    from abotn.metrics.spec import MetricSpec
    from abotn.report.plots.distribution import Sample
    from abotn.report.runs import Run


@dataclass(frozen=True)
class PlotRequest:
    """What a plot is to show.

    Attributes:
        kind: Kind of plot, such as ``"intervals"``.
        paths: Run folders or evaluation files.
        names: Name of each run; their own when empty.
        metrics: Metrics, aliases allowed; the kind's own choice when empty.
        grouping: Grouping, for kind ``groups``.
        tasks: Tasks, for kind ``paths``.
        columns: Text columns the figure is wide, 1 or 2.
        data_dir: Folder of the scenes, for kind ``paths``; the run's when None.
        map_dir: Folder of the maps.

    Raises:
        UnknownNameError: no such kind.
        ConfigError: an option that the kind does not take, or more metrics than it shows.
    """

    kind: str
    paths: tuple[str, ...]
    names: tuple[str, ...] = ()
    metrics: tuple[str, ...] = ()
    grouping: str | None = None
    tasks: tuple[str, ...] = ()
    columns: int = 1
    data_dir: str | None = None
    map_dir: str | None = None

    def __post_init__(self) -> None:
        from abotn.report.plots.kinds import plot_kind
        from abotn.report.plots.sheet import check_columns

        most = plot_kind(self.kind).metrics
        check_columns(self.columns)
        if len(self.metrics) > most:
            shown = f"at most {most}" if most > 1 else "one" if most else "no"
            raise ConfigError(
                f"kind {self.kind} takes {shown} metric{'s' if most > 1 else ''}, "
                f"got {len(self.metrics)}",
                where="--metric",
            )
        for option, value, kind in (
            ("--by", self.grouping, "groups"),
            ("--task", self.tasks, "paths"),
            ("--data-dir", self.data_dir, "paths"),
            ("--map-dir", self.map_dir, "paths"),
        ):
            if value and self.kind != kind:
                raise ConfigError(f"is for kind {kind}, not {self.kind}", where=option)

    @cached_property
    def sources(self) -> tuple[PlotSource, ...]:
        """The runs."""
        metrics = own_names(self.metrics)
        return tuple(PlotSource(path, metrics, self.grouping) for path in self.paths)

    @cached_property
    def run_names(self) -> list[str]:
        """The runs' names."""
        from abotn.report.plots.kinds import plot_kind

        if plot_kind(self.kind).needs == "evaluations":
            own = [source.evaluation.name for source in self.sources]
        else:
            own = [source.records.name for source in self.sources]
        return shown_names(self.sources, own, self.names)


def draw(request: PlotRequest) -> Figure:
    """Return the figure that a request asks for.

    Raises:
        AbotnError: the runs cannot be read, or do not hold what the kind needs.
    """
    return _FIGURES[request.kind](request)


def draw_bytes(request: PlotRequest, suffix: str) -> bytes:
    """Return the picture that a request asks for, as the bytes of a file.

    Args:
        request: What to show.
        suffix: ``".png"``, ``".svg"`` or ``".pdf"``.
    """
    from abotn.report.plots.sheet import picture

    return picture(lambda: draw(request), suffix)


def _runs(request: PlotRequest) -> list[Run]:
    results = [source.evaluation for source in request.sources]
    return list(zip(request.run_names, results, strict=True))


def _intervals(request: PlotRequest) -> Figure:
    from abotn.report.plots.intervals import draw_intervals

    return draw_intervals(_runs(request), own_names(request.metrics), columns=request.columns)


def _groups(request: PlotRequest) -> Figure:
    from abotn.report.plots.groups import draw_groups

    metric = next(iter(own_names(request.metrics)), None)
    return draw_groups(_runs(request), metric, grouping=request.grouping, columns=request.columns)


def _pareto(request: PlotRequest) -> Figure:
    from abotn.report.plots.pareto import draw_pareto

    return draw_pareto(_runs(request), own_names(request.metrics), columns=request.columns)


def _cdf(request: PlotRequest) -> Figure:
    from abotn.report.plots.distribution import draw_distribution

    metric = next(iter(own_names(request.metrics)), "distance_to_goal")
    return draw_distribution(_samples(request, metric), columns=request.columns)


def _success_length(request: PlotRequest) -> Figure:
    import numpy as np

    from abotn.report.plots.success_length import draw_success_length, length_edges

    metric = next(iter(own_names(request.metrics)), None) or _success_metric(request)
    scored = [_scored(source, [metric]) for source in request.sources]
    edges = length_edges(np.concatenate([_column(one, "shortest_path_length") for one in scored]))
    runs = [
        (name, _by_length(source, metric, edges))
        for name, source in zip(request.run_names, request.sources, strict=True)
    ]
    return draw_success_length(runs, edges, metric, columns=request.columns)


def _collisions(request: PlotRequest) -> Figure:
    from abotn.evaluation.evaluator import Evaluator
    from abotn.report.plots.collisions import draw_collisions

    lengths = _samples(request, "collision_length")
    counts = _count_metrics(request)
    results = [
        Evaluator().evaluate_dataset(
            source.records, metrics=counts, groupings=None, bootstrap_ci=RESAMPLES
        )
        for source in request.sources
    ]
    runs = list(zip(request.run_names, results, strict=True))
    thresholds = {
        name: int(source.protocol["collision_threshold"])
        for name, source in zip(request.run_names, request.sources, strict=True)
        if source.protocol.get("collision_threshold")
    }
    return draw_collisions(runs, lengths, thresholds=thresholds, columns=request.columns)


def _paths(request: PlotRequest) -> Figure:
    from abotn.report.plots.paths import draw_paths
    from abotn.report.task_maps import TaskMaps

    folders = {"data_dir": request.data_dir, "map_dir": request.map_dir}
    maps = [TaskMaps(source.records, **folders) for source in request.sources]
    runs = dict(zip(request.run_names, maps, strict=True))
    return draw_paths(runs, request.tasks, columns=request.columns)


def _samples(request: PlotRequest, metric: str) -> list[Sample]:
    from abotn.report.plots.distribution import Sample

    samples = []
    for name, source in zip(request.run_names, request.sources, strict=True):
        one = _scored(source, [metric]).scored[0]
        parameter, label = _MARKS.get(metric, ("", ""))
        unit, direction = one.spec.unit.value, one.spec.direction.value
        mark, values = source.protocol.get(parameter), one.column.values
        samples.append(
            Sample(name, metric, values, unit, direction, mark, label, source.is_modified)
        )
    return samples


def _scored(source: PlotSource, metrics: Sequence[Any]) -> ScoredRecords:
    from abotn.evaluation.evaluator import Evaluator
    from abotn.evaluation.options import EvaluationOptions
    from abotn.evaluation.selection import select

    evaluator = Evaluator()
    chosen = select(evaluator.registry, metrics, None)
    return evaluator.score_records(source.records, chosen, EvaluationOptions())


def _by_length(source: PlotSource, metric: str, edges: NDArray[np.float64]) -> Any:
    from abotn.evaluation.evaluator import Evaluator
    from abotn.evaluation.grouping import Grouping
    from abotn.report.plots.success_length import GROUPING, length_bins

    grouping = Grouping(
        GROUPING, lambda lengths: length_bins(lengths, edges), ("shortest_path_length",)
    )
    return Evaluator().evaluate_dataset(
        source.records, metrics=[metric], groupings=[grouping], bootstrap_ci=RESAMPLES
    )


def _success_metric(request: PlotRequest) -> str:
    counted = all("path_collision_count" in source.records.table for source in request.sources)
    return "success_new" if counted else "success"


def _column(scored: ScoredRecords, name: str) -> Any:
    import numpy as np

    table = scored.table
    return table.column(name) if name in table else np.full(len(table), np.nan)


def _count_metrics(request: PlotRequest) -> list[MetricSpec]:
    """Return the metrics "at least k collisions", k from 1 to the most that occur."""
    import numpy as np

    from abotn.report.plots.collisions import MOST_COUNT

    scored = [_scored(source, ["path_collision_count"]) for source in request.sources]
    counts = np.concatenate([one.scored[0].column.values for one in scored])
    finite = counts[np.isfinite(counts)]
    most = int(np.clip(finite.max(initial=1.0), 1, MOST_COUNT))
    return [_at_least(count) for count in range(1, most + 1)]


def _at_least(least: int) -> MetricSpec:
    from abotn.metrics.spec import metric
    from abotn.report.plots.collisions import count_name

    @metric(unit="", better="lower", bounds=(0, 1), name=count_name(least), category="collision")
    def at_least(path_collision_count: NDArray[np.float64]) -> NDArray[np.float64]:
        """Whether a record has at least so many collisions."""
        return (path_collision_count >= least).astype(float)

    return at_least


_MARKS = {
    "distance_to_goal": ("arrive_threshold", "arrival"),
    "min_distance_to_goal": ("arrive_threshold", "arrival"),
    "path_collision_count": ("collision_threshold", "spoils a success"),
}
_FIGURES: dict[str, Callable[[PlotRequest], Figure]] = {
    "intervals": _intervals,
    "groups": _groups,
    "cdf": _cdf,
    "success-vs-length": _success_length,
    "paths": _paths,
    "collisions": _collisions,
    "pareto": _pareto,
}
