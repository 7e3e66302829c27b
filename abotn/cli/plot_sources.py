"""The runs that a plot is made of, read as far as its kind needs them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from abotn.errors import ConfigError
from abotn.units import counted

if TYPE_CHECKING:
    from abotn.records.readers import RecordSource
    from abotn.results.types import EvaluationResult

RESAMPLES = 10_000
_EVALUATION_NAME = "evaluation.json"


@dataclass(frozen=True)
class PlotSource:
    """One run folder, or one evaluation file.

    Attributes:
        path: As given.
        metrics: Metrics asked for; a folder without an evaluation is evaluated for these only.
        grouping: Grouping asked for, in the same case.
    """

    path: str
    metrics: tuple[str, ...] = ()
    grouping: str | None = None

    @property
    def folder(self) -> Path:
        """The run's folder; an evaluation file that lies elsewhere itself. Absolute."""
        target = Path(os.path.normpath(Path(self.path).absolute()))
        return target.parent if target.name == _EVALUATION_NAME else target

    @cached_property
    def evaluation(self) -> EvaluationResult:
        """The run's evaluation, with intervals; made on the fly for a folder without one.

        Raises:
            ConfigError: there is no such run.
            DataError: a file is damaged.
        """
        from abotn.results.files import read_evaluation

        target = Path(self.path)
        if not target.exists():
            raise ConfigError("no such run folder or evaluation file", where=self.path)
        if target.is_dir() and not (target / _EVALUATION_NAME).exists():
            return self._evaluated()
        return read_evaluation(target)

    @cached_property
    def records(self) -> RecordSource:
        """The run's records.

        Raises:
            ConfigError: there is no such run, or the path is an evaluation file elsewhere.
            DataError: a file is damaged.
        """
        from abotn.plugins.manager import plugin_manager
        from abotn.records.readers import read_records

        if not self.folder.exists():
            raise ConfigError("no such run folder", where=self.path)
        readers = [offer.value for offer in plugin_manager().offers("abotn_record_readers")]
        return read_records(self.folder, readers=readers)

    @property
    def protocol(self) -> dict[str, Any]:
        """Values of the protocol the run was made under; empty where none is known."""
        manifest = self.records.manifest or {}
        return dict(manifest.get("protocol", {}).get("values", {}))

    @property
    def is_modified(self) -> bool:
        """Whether a parameter of the protocol was overridden."""
        manifest = self.records.manifest or {}
        return bool(manifest.get("protocol", {}).get("modified"))

    def _evaluated(self) -> EvaluationResult:
        from abotn.evaluation.evaluator import Evaluator

        return Evaluator().evaluate_dataset(
            self.records,
            metrics=list(self.metrics) or "all",
            groupings="auto" if self.grouping is None else [self.grouping],
            bootstrap_ci=RESAMPLES,
        )


def own_names(metrics: Sequence[str]) -> tuple[str, ...]:
    """Return the names behind aliases; a name that no registered metric has stays as it is."""
    from abotn.errors import UnknownMetricError
    from abotn.plugins.manager import default_registry

    found = []
    for name in metrics:
        try:
            found.append(default_registry().get(name).name)
        except UnknownMetricError:
            found.append(name)
    return tuple(found)


def shown_names(
    sources: Sequence[PlotSource], own: Sequence[str], given: Sequence[str]
) -> list[str]:
    """Return a name per run: those given, or the runs' own, told apart by their paths.

    Raises:
        ConfigError: not one name per run.
        EvaluationInputError: one run is given twice.
    """
    from abotn.report.runs import unique_names

    if given and len(given) != len(sources):
        raise ConfigError(
            f"{counted(len(given), 'names')} for {counted(len(sources), 'runs')}",
            where="--name",
            hint="give one per run",
        )
    folders = [source.folder for source in sources]
    names = [name or folder.name for name, folder in zip(own, folders, strict=True)]
    return unique_names(list(given) or names, folders)
