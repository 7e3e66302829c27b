"""Power of exact McNemar's test: what it takes to show a difference of two success rates.

Of N tasks, n ~ B(N, d) are solved by one run only, and of these X ~ B(n, u / d) by the first;
d = u + v with u and v the chances that only the first, or only the second, solves a task. The
test counts its two-sided p value from n and X alone, so its power is a sum over n.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

_REACH = 7.0


class Discordance(NamedTuple):
    """How often one run alone solves a task.

    Attributes:
        first: Chance u that only the first run does.
        second: Chance v that only the second does.
    """

    first: float
    second: float

    @property
    def difference(self) -> float:
        """u - v, the difference of the two success rates."""
        return self.first - self.second

    @property
    def variance(self) -> float:
        """u + v - (u - v)^2, of one task's paired difference."""
        return self.first + self.second - self.difference**2


def discordance_of_rates(first: float, second: float, correlation: float = 0.0) -> Discordance:
    """How often one run alone solves a task, from both runs' success rates p and q.

    P(both) = p q + r sqrt(p (1 - p) q (1 - q)), cut at what two rates allow.

    Args:
        first: Success rate p, 0 to 1.
        second: Success rate q, 0 to 1.
        correlation: r between the runs' values on one task.

    Example:
        >>> found = discordance_of_rates(0.9, 0.8)
        >>> round(found.first, 2), round(found.second, 2)
        (0.18, 0.08)
    """
    shared = math.sqrt(first * (1.0 - first) * second * (1.0 - second))
    both = first * second + correlation * shared
    both = min(max(both, first + second - 1.0, 0.0), first, second)
    return Discordance(first - both, second - both)


def discordance_at(total: float, delta: float) -> Discordance:
    """The chances for a true difference of delta where d is the share of tasks only one solves.

    A share below |delta| cannot be, and is raised to it.
    """
    share = max(total, abs(delta))
    return Discordance((share + delta) / 2.0, (share - delta) / 2.0)


def mcnemar_power_at(rates: Discordance, *, units: int, alpha: float = 0.05) -> float:
    """Chance that exact McNemar's test over independent tasks has p < alpha.

    Args:
        rates: How often one run alone solves a task.
        units: Number N of tasks.
        alpha: Two-sided level of the test.

    Example:
        >>> round(mcnemar_power_at(Discordance(0.18, 0.08), units=144), 2)
        0.6
    """
    from scipy.stats import binom

    total = rates.first + rates.second
    if total <= 0.0:
        return 0.0
    middle, spread = units * total, math.sqrt(units * total * max(1.0 - total, 0.0))
    reach = _REACH * spread + _REACH**2
    low, high = max(math.floor(middle - reach), 0), min(math.ceil(middle + reach), units)
    discordant = np.arange(low, high + 1)
    # The largest count of the rarer side whose two-sided p value, 2 P(X <= limit), is below alpha.
    limit = binom.ppf(alpha / 2.0, discordant, 0.5) - 1.0
    share = rates.first / total
    shown = binom.cdf(limit, discordant, share) + binom.sf(
        discordant - limit - 1, discordant, share
    )
    chances = binom.pmf(discordant, units, min(total, 1.0))
    return float(min(np.sum(chances * np.where(limit >= 0, shown, 0.0)), 1.0))
