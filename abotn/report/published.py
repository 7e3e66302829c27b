"""Figures others have published, to stand beside one's own runs.

They are copied from their source and were not measured here: other scenes, other code.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from abotn.errors import ConfigError, UnknownNameError
from abotn.report.document import Entry
from abotn.report.notes import listed
from abotn.report.options import ReportOptions
from abotn.report.runs import Run, is_modified, isolated, protocol_of

_REPORT = "ABot-N1 technical report, arXiv 2607.10383"


@dataclass(frozen=True)
class PublishedFigures:
    """One published table.

    Attributes:
        name: Name of the protocol it was made under.
        source: Where it was printed.
        dataset: What it was measured on.
        metrics: The metrics its columns stand for, in order.
        parameters: Parameters of those metrics that its head names.
        percentages: Per agent, a figure per metric in percent, with the one decimal printed.
    """

    name: str
    source: str
    dataset: str
    metrics: tuple[str, ...]
    parameters: Mapping[str, object]
    percentages: Mapping[str, tuple[float, ...]]

    def values(self, agent: str) -> dict[str, float]:
        """Return an agent's figures as fractions, by metric."""
        figures = self.percentages[agent]
        return {
            metric: round(figure / 100, 6)
            for metric, figure in zip(self.metrics, figures, strict=True)
        }

    def entries(self, metrics: Sequence[str]) -> list[Entry]:
        """Return an entry per agent and metric among ``metrics``."""
        return [
            Entry(
                run=agent,
                grouping="",
                group="",
                records=None,
                metric=metric,
                value=value,
                unit="",
                direction="higher",
                source=self.source,
            )
            for agent in self.percentages
            for metric, value in self.values(agent).items()
            if metric in metrics
        ]


def published_names() -> list[str]:
    """Return the names of all published tables."""
    return sorted(_TABLES)


def published_figures(name: str) -> PublishedFigures:
    """Return the published table called ``name``.

    Raises:
        UnknownNameError: there is none; the nearest names are given.
    """
    if name not in _TABLES:
        raise UnknownNameError("table of published figures", name, _TABLES)
    return _TABLES[name]


def chosen_figures(metrics: Sequence[str], options: ReportOptions) -> PublishedFigures | None:
    """Return the published table that ``options`` ask for, or None.

    Raises:
        ConfigError: none of its metrics is among those shown.
    """
    if options.published is None:
        return None
    figures = published_figures(options.published)
    if not set(figures.metrics) & set(metrics):
        raise ConfigError(
            f"the figures of {figures.name} are of {', '.join(figures.metrics)}, "
            "and the table shows none of these",
            where="published",
            hint="choose the table of the runs' task, or add one of these to the metrics",
        )
    return figures


def published_notes(figures: PublishedFigures, runs: Sequence[Run]) -> list[str]:
    """Return where the figures come from, and which runs they can hardly be compared with."""
    head = ", ".join(f"{name} = {value}" for name, value in figures.parameters.items())
    notes = [
        f"Rows marked (published) are copied from the {figures.source} "
        f"({figures.dataset}; {head}). "
        "They were not measured here and take no part in the marking of the best.",
    ]
    others = [name for name, result in runs if protocol_of(result).get("name") != figures.name]
    modified = [name for name, result in runs if name not in others and is_modified(result)]
    if others:
        notes.append(f"Not made under {figures.name}: {listed(others)}.")
    if modified:
        notes.append(f"Made under {figures.name} with modifications: {listed(modified)}.")
    return [*notes, *_other_parameters(figures, runs)]


def _other_parameters(figures: PublishedFigures, runs: Sequence[Run]) -> Iterator[str]:
    """Yield a line per run and parameter in which its metrics differ from the published ones.

    A parameter is the metric's own, or else the protocol's.
    """
    for name, result in runs:
        values = protocol_of(result).get("values") or {}
        for key, published in figures.parameters.items():
            own = {m: result[m].parameters.get(key) for m in figures.metrics if m in result}
            used = {m: values.get(key) if v is None else v for m, v in own.items()}
            for value in dict.fromkeys(used.values()):
                if value is not None and value != published:
                    metrics = listed(metric for metric, one in used.items() if one == value)
                    yield (
                        f"Compare with care, {metrics} of {isolated(name)} and the published "
                        f"figures have different values of {key}: {value}; {published} (published)."
                    )


_OUTDOOR = PublishedFigures(
    name="pointbench-outdoor",
    source=_REPORT,
    dataset="PointBench, 15 outdoor scenes",
    metrics=("success_new", "spl_new"),
    parameters={"collision_threshold": 3},
    percentages={
        "GNM": (39.1, 36.7),
        "ViNT": (62.2, 62.2),
        "NoMaD": (56.0, 55.7),
        "CityWalker": (48.9, 48.3),
        "SocialNav": (72.0, 71.9),
        "ABot-N1": (92.9, 91.4),
    },
)
_INDOOR = PublishedFigures(
    name="pointbench-indoor",
    source=_REPORT,
    dataset="PointBench, 16 indoor scenes",
    metrics=("success_new", "spl_new"),
    parameters={"collision_threshold": 1},
    percentages={
        "GNM": (26.7, 26.6),
        "ViNT": (27.9, 27.9),
        "NoMaD": (20.0, 19.6),
        "CityWalker": (21.7, 21.6),
        "SocialNav": (42.5, 42.5),
        "ABot-N1": (95.4, 93.7),
    },
)
_POI = PublishedFigures(
    name="poibench",
    source=_REPORT,
    dataset="POIBench, 11 scenes, 163 POIs",
    metrics=("success", "poi_spl"),
    parameters={"arrive_threshold": 2.0},
    percentages={
        "ViNT": (19.0, 18.2),
        "OmniNav (vanilla)": (23.9, 22.4),
        "OmniNav (BridgeNav)": (34.4, 31.5),
        "POINav": (42.3, 40.3),
        "ABot-N1": (77.3, 72.6),
    },
)
_TABLES = {figures.name: figures for figures in (_OUTDOOR, _INDOOR, _POI)}
