"""Words for how numbers were sampled, as a paper may print them."""

from __future__ import annotations

from abotn.units import counted

METHODS = {
    "wilson": "Wilson score",
    "bca": "BCa bootstrap",
    "percentile": "percentile bootstrap",
    "basic": "basic bootstrap",
    "studentized": "studentized bootstrap",
    "t": "Student's t",
}
_UNITS = {"episode_id": "scenes", "scenario_id": "scenarios", "records": "records"}
_TASKS = ("tasks", "")


def method_words(method: str) -> str:
    """Return the name of a method of intervals; a plugin's as it is."""
    return METHODS.get(method, method)


def unit_words(resampled: str) -> str:
    """Return what was resampled, in the plural.

    Example:
        >>> unit_words("episode_id"), unit_words("tasks"), unit_words("weather")
        ('scenes', 'tasks', 'groups by weather')
    """
    if resampled in _TASKS:
        return "tasks"
    return _UNITS.get(resampled, f"groups by {resampled}")


def is_clustered(resampled: str) -> bool:
    """Whether units of several tasks or records were resampled as wholes."""
    return resampled not in (*_TASKS, "records")


def too_few_note(units: int, resampled: str, made: int, alpha: float, *, what: str) -> str | None:
    """Return the line on units too few for any corrected p value below ``alpha``; None if enough.

    A sign-flip test of n units has 2^n patterns, so no p value is below 2 / 2^n.

    Args:
        units: Number of them.
        resampled: What they are, see :func:`unit_words`.
        made: Number of tests corrected for.
        alpha: Level.
        what: What is tested, in the plural: ``"metrics"`` or ``"tests"``.
    """
    least = 2.0 ** (1 - units)
    if not made or least * made < alpha:
        return None
    words = unit_words(resampled)
    fewer = "fewer metrics, or " if made > 1 else ""
    return (
        f"{counted(units, words)} allow no p below {least:.2g}, so nothing can stand out among "
        f"{counted(made, what)}: compare {fewer}more {words}."
    )
