"""``abotn gate``: pass or fail for continuous integration."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from abotn.cli.option_values import listed, metric_name
from abotn.errors import ConfigError

if TYPE_CHECKING:
    from abotn.evaluation.gate import Condition, GateResult, Verdict
    from abotn.results.types import EvaluationResult


@click.command()
@click.argument("evaluation", type=click.Path())
@click.option(
    "--threshold",
    "thresholds",
    multiple=True,
    metavar="CONDITION",
    help="NAME>=VALUE, NAME<=VALUE, or NAME=VALUE for the metric's direction. Quote it.",
)
@click.option("--baseline", type=click.Path(), help="Evaluation or run not to fall behind.")
@click.option(
    "--max-regression",
    "regressions",
    multiple=True,
    metavar="[METRIC=]VALUE",
    help="Allowed change for the worse, in the metric's unit.  [default: 0]",
)
@click.option(
    "--metrics",
    default="",
    help="Metrics to hold against the baseline, comma-separated; by default those of --threshold "
    "and --max-regression, else all.",
)
@click.option("--allow-errors", is_flag=True, help="Do not fail because a metric raised.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def gate(ctx: click.Context, /, evaluation: str, **options: Any) -> None:
    """Check EVALUATION, an evaluation file or a run folder, against conditions.

    Prints every condition with value and verdict. Exits with 0 when all hold, with 1 when one does
    not, and with 2 when the question cannot be asked. Without --threshold and --baseline the
    evaluation's own pass marks are checked.
    """
    from abotn.evaluation.gate import gate as check
    from abotn.results.files import read_evaluation

    if options["regressions"] and options["baseline"] is None:
        raise ConfigError("needs --baseline", where="--max-regression")
    result = read_evaluation(evaluation)
    baseline = None if options["baseline"] is None else read_evaluation(options["baseline"])
    found = check(
        result,
        _conditions(options["thresholds"], result),
        baseline=baseline,
        max_regression=_regressions(options["regressions"], result),
        metrics=[metric_name(n, result) for n in listed(options["metrics"])] or None,
        allow_errors=options["allow_errors"],
    )
    if baseline is not None:
        _warn(result, baseline, {verdict.metric for verdict in found.verdicts})
    click.echo(json.dumps(found.to_dict(), indent=2) if options["as_json"] else _shown(found))
    ctx.exit(0 if found.passed else 1)


def _conditions(texts: tuple[str, ...], result: EvaluationResult) -> list[Condition]:
    from dataclasses import replace

    from abotn.evaluation.gate import parse_condition

    parsed = [parse_condition(text) for text in texts]
    return [replace(one, metric=metric_name(one.metric, result)) for one in parsed]


def _regressions(texts: tuple[str, ...], result: EvaluationResult) -> float | dict[str, float]:
    """Return one number for all metrics, or a number per metric."""
    per_metric: dict[str, float] = {}
    general: list[float] = []
    for text in texts:
        name, mark, value = text.rpartition("=")
        number = _number(value, text)
        if mark:
            per_metric[metric_name(name.strip(), result)] = number
        else:
            general.append(number)
    if len(general) > 1 or (general and per_metric):
        raise ConfigError("expected one VALUE, or METRIC=VALUE each time", where="--max-regression")
    return general[0] if general else (per_metric or 0.0)


def _number(value: str, text: str) -> float:
    try:
        return float(value)
    except ValueError:
        raise ConfigError(
            f"expected VALUE or METRIC=VALUE, got {text!r}", where="--max-regression"
        ) from None


def _warn(result: EvaluationResult, baseline: EvaluationResult, metrics: set[str]) -> None:
    from abotn.report.comparability import difference_notes

    shared = sorted(name for name in metrics if name in result and name in baseline)
    for line in difference_notes([("evaluation", result), ("baseline", baseline)], shared):
        click.echo(f"warning: {line}", err=True)


def _shown(found: GateResult) -> str:
    width = max(len(verdict.condition) for verdict in found.verdicts)
    lines = [_line(verdict, width) for verdict in found.verdicts]
    failed = sum(not verdict.passed for verdict in found.verdicts)
    total = len(found.verdicts)
    end = f"passed, {total} of {total}" if found.passed else f"FAILED, {failed} of {total}"
    return "\n".join([*lines, f"gate {end} conditions"])


def _line(verdict: Verdict, width: int) -> str:
    mark = "pass" if verdict.passed else "FAIL"
    value = "undefined" if verdict.value is None else f"{verdict.value:.6g}"
    reason = f"  ({verdict.reason})" if verdict.reason else ""
    if verdict.limit is None and verdict.value is None:
        return f"{mark}  {verdict.condition.ljust(width)}{reason}"
    return f"{mark}  {verdict.condition.ljust(width)}  {value}{reason}"
