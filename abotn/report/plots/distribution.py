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
from abotn.report.plots.marks import legend, metric_label, notes
from abotn.report.plots.sheet import FAINT, SMALL, new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FloatArray = NDArray[np.float64]
_LETTERS = {1: 22, 2: 40}


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
    """

    run: str
    metric: str
    values: FloatArray
    unit: str = ""
    direction: str = "higher"
    mark: float | None = None
    mark_label: str = ""


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
    figure = new_figure(columns, 2.5 if columns == 1 else 3.2)
    fill_distribution(figure.subplots(), samples)
    names = readable_names([sample.run for sample in samples], _LETTERS[columns])
    legend(figure, names, looks(names), markevery=[])
    notes(figure, columns, [counts_note(samples, names)])
    return figure


def fill_distribution(axes: Axes, samples: Sequence[Sample]) -> None:
    """Draw the lines of samples of one metric into axes, with labels and marks."""
    first = samples[0]
    look = looks(sample.run for sample in samples)
    for sample in samples:
        x, share = steps(sample.values)
        style = look[sample.run]
        axes.step(x, share, where="post", color=style.colour, linestyle=style.line)
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
    parts = []
    for sample in samples:
        defined = int((~np.isnan(sample.values)).sum())
        of = f" of {len(sample.values)}" if defined < len(sample.values) else ""
        parts.append(f"{names[sample.run]} {defined}{of}")
    return f"Records with a value: {', '.join(parts)}."
