"""Where an evaluation's numbers come from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from abotn._version import __version__
from abotn.evaluation.options import EvaluationOptions
from abotn.metrics.spec import MetricSpec
from abotn.plugins.manager import PluginManager
from abotn.records.readers import RecordSource

_RUN_KEYS = ("run_id", "task_type", "agent", "renderer", "max_steps", "attempts", "seed", "expose")


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
    run = {key: manifest[key] for key in _RUN_KEYS if key in manifest}
    return {
        "protocol": protocol_entry(source, plugins),
        "run": run or None,
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
    note = missing.note()
    if note is None:
        return {}
    return {
        "missing": {"count": missing.count, "planned": missing.planned, "begun": [*missing.names]},
        "notes": [note],
    }


def _versions(specs: Sequence[MetricSpec], plugins: PluginManager) -> dict[str, str]:
    used = {spec.distribution: spec.version for spec in specs if spec.distribution}
    return {"abotn": __version__, **dict(sorted({**plugins.versions, **used}.items()))}
