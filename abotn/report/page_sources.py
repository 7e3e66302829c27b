"""What lies behind a report: the records of its runs, their maps, and how it was asked for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from abotn.report.options import ReportOptions
from abotn.results.types import EvaluationResult

if TYPE_CHECKING:
    from abotn.records.readers import RecordSource


@dataclass(frozen=True)
class RunSource:
    """One run of a report.

    Attributes:
        name: Its name in the report.
        result: Its evaluation.
        records: Its records; None where only an evaluation is at hand.
        path: What was given for it, for the commands on the page.
        data_dir: Folder of the scenes; None takes the one the run's manifest names.
        map_dir: Folder of the maps, where they are kept apart; None as for the scenes.
    """

    name: str
    result: EvaluationResult
    records: RecordSource | None = None
    path: str = ""
    data_dir: str | None = None
    map_dir: str | None = None

    @property
    def manifest(self) -> Mapping[str, Any]:
        """The run's manifest, from its folder or else what the evaluation kept of it."""
        if self.records is not None and self.records.manifest:
            return self.records.manifest
        provenance = self.result.provenance
        kept = {"protocol": provenance.get("protocol"), "dataset": provenance.get("dataset")}
        versions = provenance.get("recorded_with")
        return {**(provenance.get("run") or {}), **kept, "versions": versions}

    @property
    def scene_folders(self) -> tuple[str | None, str | None]:
        """The folder of the scenes and the folder of the maps, each None where not known."""
        if self.data_dir is not None or self.map_dir is not None:
            return self.data_dir, self.map_dir
        dataset = self.manifest.get("dataset") or {}
        return dataset.get("data_dir"), dataset.get("map_dir")


@dataclass(frozen=True)
class ReportSources:
    """The runs of a report in its order, and how it was asked for.

    Attributes:
        runs: The runs.
        options: Options the report was built with.
        command: The words of the command that writes it, none where there is none.
    """

    runs: tuple[RunSource, ...] = ()
    options: ReportOptions = field(default_factory=ReportOptions)
    command: tuple[str, ...] = ()
