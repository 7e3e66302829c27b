"""Exact ranking figures by fractions, for data whose answers must be known."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from fractions import Fraction

Answer = dict[str, "float | int | None"]


def exact_answer(scored: Iterable[tuple[float, bool]]) -> Answer:
    """Return the figures of scores and labels, worked out in whole numbers and fractions.

    Args:
        scored: Pairs of a score and whether it is a positive.

    Returns:
        ``auroc``, ``aupr``, ``ap``, ``fpr95``, each rounded once, at the end; None where a class is
        missing; ``n_positive`` and ``n_negative``.

    Example:
        >>> exact_answer([(1.0, False), (2.0, True), (2.0, False)])["auroc"]
        0.75
    """
    counts = {True: Counter[float](), False: Counter[float]()}
    for score, label in scored:
        counts[bool(label)][score] += 1
    n_pos, n_neg = counts[True].total(), counts[False].total()
    answer: Answer = {"n_positive": n_pos, "n_negative": n_neg}
    if not n_pos or not n_neg:
        return {**dict.fromkeys(("auroc", "aupr", "ap", "fpr95")), **answer}
    levels = sorted(counts[True] | counts[False], reverse=True)
    steps = [(counts[True][level], counts[False][level]) for level in levels]
    return {**_figures(steps, n_pos, n_neg), **answer}


def _figures(steps: list[tuple[int, int]], n_pos: int, n_neg: int) -> Answer:
    hits = alarms = 0
    wins, step_area, trapezoid = Fraction(0), Fraction(0), Fraction(0)
    precision, fpr95 = Fraction(1), None
    for pos, neg in steps:
        # Each positive beats the negatives below it and half of those beside it.
        wins += pos * (n_neg - alarms - neg + Fraction(neg, 2))
        hits, alarms, before = hits + pos, alarms + neg, precision
        precision = Fraction(hits, hits + alarms)
        step_area += Fraction(pos, n_pos) * precision
        trapezoid += Fraction(pos, n_pos) * (precision + before) / 2
        if fpr95 is None and 20 * hits >= 19 * n_pos:
            fpr95 = Fraction(alarms, n_neg)
    return {
        "auroc": float(wins / (n_pos * n_neg)),
        "aupr": float(trapezoid),
        "ap": float(step_area),
        "fpr95": None if fpr95 is None else float(fpr95),
    }
