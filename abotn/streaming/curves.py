"""Ranking figures from counts of positives and negatives per level of the score.

A level is a histogram bin, or one distinct score where scores are kept. Levels rise along the
last axis. With one level per distinct score the figures are exact, ties included.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Counts = NDArray[Any]
Figures = dict[str, Any]

#: Names of the figures, in the order they are reported.
FIGURES = ("auroc", "aupr", "ap", "fpr95")

_TPR_WANTED = 0.95


def ranking_figures(positives: Counts, negatives: Counts) -> Figures:
    """Return AUROC, AUPR, AP and FPR95.

    With TP and FP the counts at or above a level, P and N the totals, precision
    TP / (TP + FP), recall TP / P:

    * ``auroc``: sum of pos (neg below + neg / 2) / (P N), ties counted half.
    * ``aupr``: area under precision over recall by the trapezoid rule, from (recall 0,
      precision 1).
    * ``ap``: sum of recall gained times precision there.
    * ``fpr95``: FP / N at the highest level whose recall is at least 0.95.

    Args:
        positives: Counts or weights of positives, shape (..., levels).
        negatives: The same of negatives.

    Returns:
        For each name an array of shape (...); NaN where a class is missing.

    Example:
        >>> figures = ranking_figures(np.array([0, 1, 1]), np.array([2, 1, 0]))
        >>> round(float(figures["auroc"]), 4), round(float(figures["ap"]), 4)
        (0.9167, 0.8333)

    Source:
        Fawcett 2006, https://doi.org/10.1016/j.patrec.2005.10.010 (ties, ROC area);
        Davis and Goadrich 2006, https://doi.org/10.1145/1143844.1143874 (precision and recall).
    """
    if positives.shape[-1] == 0:
        return {name: np.full(positives.shape[:-1], np.nan) for name in FIGURES}
    # From the highest level down.
    pos, neg = positives[..., ::-1], negatives[..., ::-1]
    hits = np.cumsum(pos, axis=-1, dtype=np.float64)
    alarms = np.cumsum(neg, axis=-1, dtype=np.float64)
    n_pos, n_neg = hits[..., -1], alarms[..., -1]
    with np.errstate(divide="ignore", invalid="ignore"):
        precision = hits / (hits + alarms)
        precision[np.isnan(precision)] = 1.0
        ap = (pos * precision).sum(axis=-1) / n_pos
        after = (pos[..., 1:] * precision[..., :-1]).sum(axis=-1) + pos[..., 0]
        beaten = n_neg[..., None] - alarms + neg / 2
        figures = {
            "auroc": (pos * beaten).sum(axis=-1) / (n_pos * n_neg),
            "aupr": (ap + after / n_pos) / 2,
            "ap": ap,
            "fpr95": _first_alarms(hits, alarms) / n_neg,
        }
    defined = (n_pos > 0) & (n_neg > 0)
    return {name: np.where(defined, value, np.nan) for name, value in figures.items()}


def undefined_reason(n_positive: int, n_negative: int) -> str | None:
    """Return why no figure can be given, or None where all can.

    Example:
        >>> undefined_reason(0, 12)
        'no positives among 12'
    """
    if n_positive and n_negative:
        return None
    if not n_positive and not n_negative:
        return "no scores"
    missing = "positives" if not n_positive else "negatives"
    return f"no {missing} among {n_positive + n_negative}"


def _first_alarms(hits: Counts, alarms: Counts) -> Counts:
    """Return the false positives at the highest level whose recall is high enough."""
    first = np.argmax(hits / hits[..., -1:] >= _TPR_WANTED, axis=-1)
    return np.take_along_axis(alarms, first[..., None], axis=-1)[..., 0]
