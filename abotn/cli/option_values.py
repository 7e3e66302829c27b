"""What several commands read from their options: names, parameters, and ``none``."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from typing import Any

from abotn.errors import ConfigError


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
        ConfigError: a text of another form.

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
        parameters.setdefault(metric, {})[parameter] = _value(value)
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


def _value(text: str) -> Any:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return {"true": True, "false": False, "none": None}.get(text.lower(), text)
