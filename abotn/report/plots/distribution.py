"""Kind ``cdf``: how a metric is spread over the records."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from abotn.errors import EvaluationInputError
from abotn.report.plots.lettering import readable_names
from abotn.report.plots.looks import looks
from abotn.report.plots.marks import MODIFIED_NOTE, framed_figure, metric_label
from abotn.report.plots.sheet import FAINT, SMALL
from abotn.report.runs import MODIFIED_MARK

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FloatArray = NDArray[np.float64]
_BODY = {1: 2.0, 2: 2.7}
_LETTERS = {1: 22, 2: 40}
_DECADES, _LEAST_PART = 30.0, 1000.0


@dataclass(frozen=True)
class Sample:
    """The values of one metric over the records of one run.

    Attributes:
        run: Name of the run.
        metric: Name of the metric.
        values: (N,) a value per record, NaN where it has none.
        unit: Unit of the values.
        direction: ``"higher"`` or ``"lower"`` is better.
        mark: A value to mark with a line, such as the arrival radius; None for none.
        mark_label: What the line means.
        modified: Whether the run's protocol was modified.
    """

    run: str
    metric: str
    values: FloatArray
    unit: str = ""
    direction: str = "higher"
    mark: float | None = None
    mark_label: str = ""
    modified: bool = False


def draw_distribution(samples: Sequence[Sample], *, columns: int = 1) -> Figure:
    """Return a figure with the share of records up to each value, a line per run.

    Args:
        samples: One per run, all of one metric.
        columns: Text columns the figure is wide, 1 or 2.

    Raises:
        EvaluationInputError: no sample, two of one run, or none has a value.
        ConfigError: ``columns`` is neither 1 nor 2.
    """
    check_samples(samples)
    plain = readable_names([sample.run for sample in samples], _LETTERS[columns])
    names = {s.run: plain[s.run] + (MODIFIED_MARK if s.modified else "") for s in samples}
    lines = [*scale_note(samples), counts_note(samples, names)]
    lines += [MODIFIED_NOTE] * any(sample.modified for sample in samples)
    figure = framed_figure(columns, _BODY[columns], lines, names)
    fill_distribution(figure.subplots(), samples)
    return figure


def fill_distribution(axes: Axes, samples: Sequence[Sample]) -> None:
    """Draw the lines of samples of one metric into axes, with labels and marks."""
    first = samples[0]
    look = looks(sample.run for sample in samples)
    last = max(float(x[-1]) for x, _ in map(_steps_of, samples) if len(x))
    for sample in samples:
        x, share = _steps_of(sample)
        style = look[sample.run]
        # The line goes on to the right edge at the share it has reached.
        axes.step(
            [*x, last][: len(x) + 1 if len(x) else 0],
            [*share, *share[-1:]],
            where="post",
            color=style.colour,
            linestyle=style.line,
        )
    linear = linear_part(samples)
    if linear is not None:
        axes.set_xscale("symlog", linthresh=linear)
        axes.set_xlim(left=-0.05 * linear)
        axes.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
    axes.set_xlabel(metric_label(first.metric, first.unit, first.direction))
    axes.set_ylabel("share of records ≤ value")
    axes.set_ylim(-0.03, 1.03)
    axes.grid()
    marks = dict.fromkeys((s.mark, s.mark_label) for s in samples if s.mark is not None)
    for mark, label in marks:
        axes.axvline(mark, color=FAINT, linewidth=0.8, linestyle="--", zorder=1)
        axes.annotate(
            f" {label}", (mark, 0.0), xycoords=axes.get_xaxis_transform(), xytext=(0, 2),
            textcoords="offset points", fontsize=SMALL, color=FAINT, va="bottom",
        )  # fmt: skip


def linear_part(samples: Sequence[Sample]) -> float | None:
    """Return up to where the axis is linear when values span decades; None for all of it.

    Up to the marked value, or else up to where a tenth of the positive values lie, the axis is
    linear and beyond it logarithmic, when the greatest value is thirty times that and no value is
    negative.
    """
    values = np.concatenate([sample.values for sample in samples])
    finite = values[np.isfinite(values)]
    positive = finite[finite > 0]
    if not positive.size or (finite < 0).any():
        return None
    most = float(positive.max())
    marks = [sample.mark for sample in samples if sample.mark]
    base = max(marks) if marks else max(float(np.quantile(positive, 0.1)), most / _LEAST_PART)
    return base if most > _DECADES * base else None


def scale_note(samples: Sequence[Sample]) -> list[str]:
    """Return the line that says where an axis changes from linear to logarithmic."""
    linear = linear_part(samples)
    if linear is None:
        return []
    unit = f" {samples[0].unit}" if samples[0].unit else ""
    return [f"{samples[0].metric}: linear up to {linear:.2g}{unit}, logarithmic beyond."]


def steps(values: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the corners of a distribution's line: values, and the share of records up to each.

    NaN counts for nothing. An infinite value counts as a record that the line never reaches.

    Args:
        values: (N,) values.

    Returns:
        Two arrays of one length: the finite values in order, the least one twice, and shares
        from 0 to at most 1.

    Example:
        >>> x, share = steps(np.array([3.0, 1.0, 1.0, np.inf]))
        >>> x.tolist(), share.tolist()
        ([1.0, 1.0, 1.0, 3.0], [0.0, 0.25, 0.5, 0.75])
    """
    defined = np.sort(values[~np.isnan(values)])
    finite = defined[np.isfinite(defined)]
    below = int(np.isneginf(defined).sum())
    share = (np.arange(len(finite) + 1) + below) / max(len(defined), 1)
    return np.concatenate([finite[:1], finite]), share[: len(finite) + 1] if len(finite) else share[
        :0
    ]


def _steps_of(sample: Sample) -> tuple[FloatArray, FloatArray]:
    return steps(sample.values)


def check_samples(samples: Sequence[Sample]) -> None:
    """Refuse samples that one picture cannot show.

    Raises:
        EvaluationInputError: there is none, two are of one run, or none has a finite value.
    """
    if not samples:
        raise EvaluationInputError("a plot needs at least one run", where="runs")
    doubled = [name for name, count in Counter(s.run for s in samples).items() if count > 1]
    if doubled:
        raise EvaluationInputError(f"two runs are named {doubled[0]!r}", where="runs")
    if not any(np.isfinite(sample.values).any() for sample in samples):
        raise EvaluationInputError("no record has a value", where=samples[0].metric)


def counts_note(samples: Sequence[Sample], names: dict[str, str]) -> str:
    """Return the line that says how many records each line stands for."""
    counts = {}
    for sample in samples:
        defined = int((~np.isnan(sample.values)).sum())
        of = f" of {len(sample.values)}" if defined < len(sample.values) else ""
        counts[names[sample.run]] = f"{defined}{of}"
    if len(set(counts.values())) == 1:
        return f"Records with a value: {next(iter(counts.values()))}."
    return f"Records with a value: {', '.join(f'{name} {n}' for name, n in counts.items())}."
