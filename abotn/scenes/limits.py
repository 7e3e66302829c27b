"""The numbers a dataset can be asked for."""

from __future__ import annotations

import numbers

from abotn.errors import ConfigError, repr_of

# What fits a signed 64-bit number, as JSON readers and databases expect.
MOST = 2**63 - 1


def check_whole(value: object, name: str, *, least: int) -> None:
    """Refuse what is no whole number from ``least`` to ``2**63 - 1``.

    Args:
        value: The number.
        name: How it is called; ``--{name}`` on the command line.
        least: Smallest number that will do.

    Raises:
        ConfigError: it is another kind of value, or out of range.

    Example:
        >>> check_whole(3, "tasks", least=1)
    """
    whole = isinstance(value, numbers.Integral) and not isinstance(value, bool)
    if whole and least <= value <= MOST:  # type: ignore[operator]
        return
    wanted = f"a whole number from {least} to {MOST}" if not whole else f"from {least} to {MOST}"
    raise ConfigError(f"{name} must be {wanted}, got {repr_of(value, 40)}", where=f"--{name}")
