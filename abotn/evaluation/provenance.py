"""Where an evaluation's numbers come from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from abotn._version import __version__
from abotn.evaluation.options import EvaluationOptions
from abotn.metrics.spec import MetricSpec
from abotn.plugins.manager import PluginManager
from abotn.records.files import TRAJECTORY_NAME
from abotn.records.readers import RecordSource
from abotn.records.table import natural_key
from abotn.units import counted

_RUN_KEYS = ("run_id", "task_type", "agent", "renderer", "max_steps", "attempts", "seed", "expose")
_SHOWN = 10


def provenance(
    source: RecordSource,
    specs: Sequence[MetricSpec],
    options: EvaluationOptions,
    plugins: PluginManager,
    excluded: Mapping[str, int],
    resampled: str,
) -> dict[str, Any]:
    """Return protocol, run, dataset, versions, error policy and statistics of an evaluation.

    ``missing`` and ``notes`` are there when a run has no result for some of its tasks.

    Nothing in it depends on when or where the evaluation ran.
    """
    manifest = source.manifest or {}
    return {
        "protocol": protocol_entry(source, plugins),
        "run": run_entry(manifest) or None,
        "dataset": manifest.get("dataset"),
        "versions": _versions(specs, plugins),
        "recorded_with": manifest.get("versions"),
        "on_error": options.on_error,
        "excluded_scenes": dict(excluded),
        "statistics": {
            "bootstrap_ci": options.bootstrap_ci,
            "bootstrap_seed": options.bootstrap_seed,
            "ci_level": options.ci_level,
            "ci_method": options.ci_method,
            "cluster_by": options.cluster_by,
            "resampled": resampled,
        },
        **_missing(source),
    }


def run_entry(manifest: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a manifest says of the run itself: agent, renderer, steps, attempts, seed."""
    return {key: manifest[key] for key in _RUN_KEYS if key in manifest}


def protocol_entry(source: RecordSource, plugins: PluginManager) -> Mapping[str, Any] | None:
    """Return the protocol that records were made under: name, values and what was modified.

    A run's manifest says so. Without one, records that all name one known protocol were made
    under it, apart from overrides, which records do not tell (``modified`` is then null).
    """
    if source.manifest is not None and "protocol" in source.manifest:
        entry: Mapping[str, Any] = source.manifest["protocol"]
        return entry
    if "protocol" not in source.table:
        return None
    names = set(source.table.column("protocol").tolist())
    known = {offer.value.name: offer.value for offer in plugins.offers("abotn_protocols")}
    (name,) = names if len(names) == 1 else (None,)
    if name not in known:
        return None
    return {"name": name, "values": known[name].to_values(), "modified": None}


def _missing(source: RecordSource) -> dict[str, Any]:
    """Return what a run lacks, so that one that was interrupted does not look complete."""
    missing = source.missing
    notes = [note for note in (missing.note(), _pathless(source)) if note is not None]
    found: dict[str, Any] = {"notes": notes} if notes else {}
    if missing.count:
        begun = [*missing.names]
        found["missing"] = {"count": missing.count, "planned": missing.planned, "begun": begun}
    return dict(sorted(found.items()))


def _pathless(source: RecordSource) -> str | None:
    """Return which records lack the file of their path, so that its metrics leave them out."""
    names = sorted(source.pathless, key=natural_key)
    if not names:
        return None
    shown = ", ".join(names[:_SHOWN]) + (", ..." if len(names) > _SHOWN else "")
    verb = "has" if len(names) == 1 else "have"
    return f"{counted(len(names), 'records')} {verb} no {TRAJECTORY_NAME}: {shown}"


def _versions(specs: Sequence[MetricSpec], plugins: PluginManager) -> dict[str, str]:
    used = {spec.distribution: spec.version for spec in specs if spec.distribution}
    return {"abotn": __version__, **dict(sorted({**plugins.versions, **used}.items()))}
