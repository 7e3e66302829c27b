"""The whole plugin contract on one page.

A plugin is a module with functions decorated with ``hookimpl``, named by an entry point::

    [project.entry-points.abotn]
    my_plugin = "my_package.abotn_plugin"

The built-in metrics, groupings, readers, renderers, protocols and formats arrive through these
same hooks.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pluggy

PROJECT = "abotn"
hookspec = pluggy.HookspecMarker(PROJECT)
hookimpl = pluggy.HookimplMarker(PROJECT)


@hookspec
def abotn_metrics() -> list[Any]:  # type: ignore[empty-body]
    """Return metrics: functions decorated with ``abotn.metric``."""


@hookspec
def abotn_groupings() -> list[Any]:  # type: ignore[empty-body]
    """Return groupings: functions from record columns to one label per record.

    The arguments name the columns, the function's name is the grouping's name. A label of None
    leaves the record out of every group.
    """


@hookspec
def abotn_record_readers() -> list[Any]:  # type: ignore[empty-body]
    """Return record readers: objects like :class:`abotn.records.readers.RecordReader`."""


@hookspec
def abotn_renderers() -> list[Any]:  # type: ignore[empty-body]
    """Return renderer factories: objects like :class:`abotn.rendering.factory.RendererFactory`."""


@hookspec
def abotn_visualization_handlers() -> list[Any]:  # type: ignore[empty-body]
    """Return handlers of what agents say about their views:
    :class:`abotn.rendering.visualization.VisualizationHandler` values."""


@hookspec
def abotn_protocols() -> list[Any]:  # type: ignore[empty-body]
    """Return protocols: :class:`abotn.rollout.protocol.Protocol` values."""


@hookspec
def abotn_report_formats() -> list[Any]:  # type: ignore[empty-body]
    """Return report formats: :class:`abotn.report.formats.ReportFormat` values."""


@hookspec
def abotn_run_started(manifest: Mapping[str, Any]) -> None:
    """A run starts or is resumed; ``manifest`` is the content of its ``run.json``."""


@hookspec
def abotn_episode_finished(record: Any) -> None:
    """An attempt ended; ``record`` is its :class:`abotn.records.types.ResultRecord`."""


@hookspec
def abotn_run_finished(run: Any) -> None:
    """A run ended; ``run`` is the path of its folder."""
