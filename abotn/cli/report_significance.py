"""Tests against a baseline for ``abotn report --baseline``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from abotn.cli.baselines import chosen_baseline
from abotn.cli.report_sources import run_folder, run_records
from abotn.errors import ConfigError
from abotn.report.significance import PairedTest, Significance
from abotn.units import counted

if TYPE_CHECKING:
    from abotn.records.readers import RecordSource
    from abotn.report.runs import Run
    from abotn.results.comparison import Comparison

_RESAMPLES = 10_000
_OTHER_PARAMETERS = "its parameters are not the same in all runs"
_NOT_REGISTERED = "no installed distribution has it"


def significance(
    given: str, paths: Sequence[str], runs: Sequence[Run], metrics: Sequence[str]
) -> Significance:
    """Return how every run compares with a baseline, tested as the runs were evaluated.

    Args:
        given: Name or path of the baseline.
        paths: A run folder or an evaluation file per run.
        runs: The runs by name, in the same order.
        metrics: Metrics to test; all that any run has when empty.

    Raises:
        UnknownNameError: no run is called so.
        ConfigError: there is no other run, or the records of a run are not at hand.
        EvaluationInputError: a run has no task in common with the baseline.
    """
    from abotn.evaluation.compare import compare

    baseline = _baseline(given, paths, runs)
    if len(runs) < 2:
        raise ConfigError("needs another run to compare with the baseline", where="--baseline")
    sources = [_records(path, name) for path, (name, _) in zip(paths, runs, strict=True)]
    parameters, untested = _parameters(runs, metrics)
    if not parameters:
        return Significance(baseline, {}, untested=untested)
    found = compare(
        *sources,
        names=[name for name, _ in runs],
        baseline=baseline,
        metrics=list(parameters),
        metric_kwargs=parameters,
        **_as_evaluated(runs, baseline),
    )
    return Significance(baseline, _tests(found), untested={**untested, **_failed(found)})


def _baseline(given: str, paths: Sequence[str], runs: Sequence[Run]) -> str:
    names = [name for name, _ in runs]
    if given not in names and run_folder(given) in list(map(run_folder, paths)):
        return names[list(map(run_folder, paths)).index(run_folder(given))]
    return chosen_baseline(given, names, list(map(run_folder, paths)))


def _records(path: str, name: str) -> RecordSource:
    source = run_records(path)
    if source is None:
        raise ConfigError(
            f"--baseline tests task by task, and the records of {name} are not beside its "
            "evaluation",
            where=path,
            hint="give the run folder, or leave --baseline out",
        )
    return source


def _parameters(
    runs: Sequence[Run], metrics: Sequence[str]
) -> tuple[dict[str, dict[str, Any]], dict[str, str]]:
    """Return the parameters of each metric to test, and why the others are not."""
    from abotn.plugins.manager import default_registry

    used: dict[str, list[Mapping[str, Any]]] = {}
    for _, result in runs:
        for metric in result.metrics:
            if not metrics or metric.name in metrics:
                used.setdefault(metric.name, []).append(dict(metric.parameters))
    registered = {spec.name for spec in default_registry()}
    untested = {name: _NOT_REGISTERED for name in used if name not in registered}
    for name, found in used.items():
        if any(one != found[0] for one in found):
            untested[name] = _OTHER_PARAMETERS
    return {name: dict(f[0]) for name, f in used.items() if name not in untested}, untested


def _as_evaluated(runs: Sequence[Run], baseline: str) -> dict[str, Any]:
    """Return the options of the tests: those of the baseline's evaluation."""
    provenance = dict(runs)[baseline].provenance
    used = provenance.get("statistics") or {}
    excluded = {
        scene for _, result in runs for scene in result.provenance.get("excluded_scenes") or ()
    }
    return {
        "n_resamples": used.get("bootstrap_ci") or _RESAMPLES,
        "seed": used.get("bootstrap_seed") or 0,
        "cluster_by": used.get("cluster_by", "auto"),
        "on_error": provenance.get("on_error") or "failure",
        "exclude_scenes": sorted(excluded) or None,
    }


def _tests(found: Comparison) -> dict[tuple[str, str], PairedTest]:
    return {
        (pair.run_a, metric.name): PairedTest(
            metric.p_value,
            metric.test,
            counted(metric.n_pairs, "tasks"),
            pair.resampled,
            None if metric.ci is None else metric.ci.n_units,
        )
        for pair in found.pairs
        for metric in pair.metrics
    }


def _failed(found: Comparison) -> dict[str, str]:
    """Return the metrics that could not be tested for some run, with the reason."""
    left_out: Mapping[str, Mapping[str, str]] = found.provenance.get("left_out", {})
    return {metric: why for reasons in left_out.values() for metric, why in reasons.items()}
