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
    # Rows are compared from the highest score down.
    hits = np.cumsum(positives[..., ::-1], axis=-1, dtype=np.float64)
    alarms = np.cumsum(negatives[..., ::-1], axis=-1, dtype=np.float64)
    n_pos, n_neg = hits[..., -1:], alarms[..., -1:]
    with np.errstate(divide="ignore", invalid="ignore"):
        recall, fallout = hits / n_pos, alarms / n_neg
        precision = np.where(hits + alarms > 0, hits / (hits + alarms), 1.0)
    gained = np.diff(recall, axis=-1, prepend=0.0)
    before = np.concatenate([np.ones_like(n_pos), precision[..., :-1]], axis=-1)
    figures = {
        "auroc": _area_above(positives, negatives, n_pos * n_neg),
        "aupr": (gained * (precision + before)).sum(axis=-1) / 2,
        "ap": (gained * precision).sum(axis=-1),
        "fpr95": _fallout_where(recall, fallout),
    }
    defined = (n_pos[..., 0] > 0) & (n_neg[..., 0] > 0)
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


def _area_above(positives: Counts, negatives: Counts, pairs: Counts) -> Counts:
    below = np.cumsum(negatives, axis=-1, dtype=np.float64) - negatives / 2
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray((positives * below).sum(axis=-1) / pairs[..., 0])


def _fallout_where(recall: Counts, fallout: Counts) -> Counts:
    first = np.argmax(recall >= _TPR_WANTED, axis=-1)
    return np.take_along_axis(fallout, first[..., None], axis=-1)[..., 0]
