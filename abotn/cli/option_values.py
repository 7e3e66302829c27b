"""What several commands read from their options: names, parameters, and ``none``."""

from __future__ import annotations

import math
from collections.abc import Container, Mapping, Sequence
from pathlib import Path
from typing import Any

from abotn.cli.option_types import LEAST_WHOLE, MOST_WHOLE
from abotn.errors import ConfigError, text_of


def metric_choice(text: str) -> str | list[str]:
    """Return ``"all"``, or the names of a comma-separated list."""
    return text if text == "all" else listed(text)


def listed(text: str) -> list[str]:
    """Return the names of a comma-separated list."""
    return [name.strip() for name in text.split(",") if name.strip()]


def none_or(text: str) -> str | None:
    """Return the text, or None for ``none``."""
    return None if text == "none" else text


def scene_choice(scenes: Sequence[str]) -> list[str] | None:
    """Return the scenes of ``--exclude-scene``: None where not given, empty for ``none``."""
    return [scene for scene in scenes if scene != "none"] if scenes else None


def metric_parameters(texts: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Return ``METRIC.PARAMETER=VALUE`` texts as parameters per metric.

    Raises:
        ConfigError: a text of another form, or a number that is not finite or beyond 64 bits.

    Example:
        >>> metric_parameters(["success_new.collision_threshold=1"])
        {'success_new': {'collision_threshold': 1}}
    """
    parameters: dict[str, dict[str, Any]] = {}
    for text in texts:
        name, mark, value = text.partition("=")
        metric, dot, parameter = name.rpartition(".")
        if not (mark and dot and metric and parameter):
            raise ConfigError(f"expected METRIC.PARAMETER=VALUE, got {text!r}", where="--set")
        parameters.setdefault(metric, {})[parameter] = _value(value, f"--set {metric}.{parameter}")
    return parameters


def protocol_overrides(texts: Sequence[str], options: Mapping[str, Any]) -> dict[str, Any]:
    """Return protocol parameters from ``NAME=VALUE`` texts and from options of their own.

    Args:
        texts: The texts; a value is read as YAML, and a dash in a name as an underscore.
        options: Parameters by name, None where not given.

    Raises:
        ConfigError: a text of another form, or a parameter that is given twice.

    Example:
        >>> protocol_overrides(["require-stop=true"], {"arrive_threshold": 1.0})
        {'arrive_threshold': 1.0, 'require_stop': True}
    """
    from abotn.agents.yaml_files import parse_yaml

    found = dict(options)
    for text in texts:
        name, mark, value = text.partition("=")
        name = name.strip().replace("-", "_")
        if not (mark and name and value.strip()):
            raise ConfigError(f"expected NAME=VALUE, got {text!r}", where="--override")
        if found.get(name) is not None:
            raise ConfigError(f"{name} is given twice", where="--override")
        try:
            # YAML 1.1 takes the collision mode "off" for a truth value.
            found[name] = value.strip() if value.strip() == "off" else parse_yaml(value)
        except ValueError as error:
            raise ConfigError(
                f"{name}: cannot be read as YAML: {error}", where="--override"
            ) from error
    return found


def format_name(given: str | None, output: str | None) -> str:
    """Return the name of the format asked for, or of the one whose files end as ``output`` does.

    Args:
        given: What ``--format`` says, or None.
        output: Where to, or None; a name without an ending means markdown, as does None.

    Raises:
        ConfigError: no format has files that end so.
    """
    suffix = "" if output is None else Path(output).suffix.lower()
    if given is not None or not suffix:
        return given or "markdown"
    from abotn.plugins.manager import plugin_manager

    offers = [offer.value for offer in plugin_manager().offers("abotn_report_formats")]
    known = {str(offer.suffix): str(offer.name) for offer in reversed(offers)}
    if suffix not in known:
        raise ConfigError(
            f"no format has files that end in {suffix!r} ({', '.join(sorted(known))})",
            where=output,
            hint="name one by --format",
        )
    return known[suffix]


def metric_name(name: str, present: Container[str]) -> str:
    """Return the name behind an alias; a name that is present, or nobody knows, stays as it is."""
    if name in present:
        return name
    from abotn.errors import UnknownMetricError
    from abotn.plugins.manager import default_registry

    try:
        return default_registry().get(name).name
    except UnknownMetricError:
        return name


def number(text: str, where: str) -> float | int:
    """Return the number a text says, whole where it can be.

    Args:
        text: The text.
        where: The option it was given to.

    Raises:
        ConfigError: it is no number, not finite, or a whole number beyond 64 bits.

    Example:
        >>> number("3", "--digits"), number("0.5", "--threshold")
        (3, 0.5)
    """
    found = _number(text)
    if found is None:
        raise ConfigError(f"expected a number, got {text_of(text, 40)!r}", where=where)
    if isinstance(found, float) and not math.isfinite(found):
        raise ConfigError(f"expected a finite number, got {text_of(text, 40)!r}", where=where)
    if isinstance(found, int) and not LEAST_WHOLE <= found <= MOST_WHOLE:
        raise ConfigError(f"expected at most 64 bits, got {text_of(text, 40)}", where=where)
    return found


def _number(text: str) -> float | int | None:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return None


def _value(text: str, where: str) -> Any:
    words = {"true": True, "false": False, "none": None}
    if text.strip().lower() in words:
        return words[text.strip().lower()]
    return text if _number(text) is None else number(text, where)
