"""Agent configuration in YAML: inheritance by ``_base_`` and resolution of ``mode``."""

from __future__ import annotations

import copy
import math
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from abotn.agents.yaml_files import load_yaml as load_yaml
from abotn.errors import ConfigError

BASE_KEY = "_base_"
MODE_KEY = "mode"


def load_agent_config(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Read an agent configuration.

    The file that ``_base_`` names, relative to the file that names it, is read first, and the
    file's own values are merged over it, mapping by mapping. Then, when ``mode`` is a string and
    there is a mapping of that name, that mapping's values move to the top level and every mapping
    at the top level is dropped, the other modes with it.

    Args:
        path: A YAML file.

    Returns:
        The keyword arguments of the agent's class.

    Raises:
        FileNotFoundError: the file or a base does not exist.
        ValueError: a file is not a mapping, or a file is its own base.
    """
    return _with_mode(_with_bases(Path(path), ()))


def agent_config_from(
    given: str | os.PathLike[str] | Mapping[str, Any] | None,
) -> dict[str, Any] | None:
    """Return an agent's configuration, whichever way it was given; None stays None.

    A run records it as JSON, and a resumed run makes the agent of what was recorded, so only
    values that JSON can hold are accepted.

    Args:
        given: A YAML file, or the keyword arguments themselves.

    Raises:
        ConfigError: the file cannot be used, or JSON cannot hold a value; names its key.
    """
    if given is None:
        return None
    try:
        config = dict(given) if isinstance(given, Mapping) else load_agent_config(given)
        _check_json(config, ())
    except (OSError, ValueError) as error:
        raise ConfigError(str(error), where="agent config") from error
    except RecursionError:
        raise ConfigError(
            "it holds itself, or is nested too deeply", where="agent config"
        ) from None
    return config


def merge_cli_args(
    config: Mapping[str, Any], args: Any, override_keys: Iterable[str] | None = None
) -> dict[str, Any]:
    """Return a configuration with command-line values over it.

    Args:
        config: The configuration; it stays as it is.
        args: A namespace or a mapping; None values in it are left out.
        override_keys: The only keys of ``args`` to look at; None means all.

    Raises:
        TypeError: ``args`` is neither.

    Example:
        >>> merge_cli_args({"a": 1, "b": 2}, {"a": 3, "b": None})
        {'a': 3, 'b': 2}
    """
    if not isinstance(args, Mapping) and not hasattr(args, "__dict__"):
        raise TypeError(f"args must be a namespace or a mapping, got {type(args).__name__}")
    given = args if isinstance(args, Mapping) else vars(args)
    keys = list(given) if override_keys is None else list(override_keys)
    merged = copy.deepcopy(dict(config))
    merged.update({key: given[key] for key in keys if given.get(key) is not None})
    return merged


def _check_json(value: Any, at: tuple[str, ...]) -> None:
    if isinstance(value, Mapping):
        for key, item in value.items():
            if not isinstance(key, str):
                raise _not_json(at, f"the key {key!r}, a {type(key).__name__}", "write it as text")
            _check_json(item, (*at, key))
    elif isinstance(value, list | tuple):
        for index, item in enumerate(value):
            _check_json(item, (*at, str(index)))
    elif isinstance(value, float) and not math.isfinite(value):
        raise _not_json(at, f"{value!r}", "leave it out, or write null")
    elif isinstance(value, int) and not -(2**63) <= value < 2**64:
        raise _not_json(at, "a whole number of more than 64 bits", "write it as text")
    elif not (value is None or isinstance(value, str | int | float)):
        raise _not_json(at, f"a {type(value).__name__}", "write it as text in quotes, or as a list")


def _not_json(at: tuple[str, ...], got: str, way_out: str) -> ConfigError:
    return ConfigError(
        f"{'.'.join(at) or 'the mapping'}: expected a value that JSON can hold, got {got}",
        where="agent config",
        hint=way_out,
    )


def _with_bases(path: Path, seen: tuple[Path, ...]) -> dict[str, Any]:
    resolved = path.resolve()
    if resolved in seen:
        chain = " -> ".join(str(file) for file in (*seen, resolved))
        raise ValueError(f"{path}: {BASE_KEY} goes in a circle: {chain}")
    own = load_yaml(path)
    base = own.pop(BASE_KEY, None)
    if base is None:
        return own
    if not isinstance(base, str) or not base:
        raise ValueError(f"{path}: {BASE_KEY} must be the path of a YAML file, got {base!r}")
    return _merged(_with_bases(path.parent / base, (*seen, resolved)), own)


def _merged(base: dict[str, Any], over: dict[str, Any]) -> dict[str, Any]:
    merged = dict(base)
    for key, value in over.items():
        both = isinstance(value, dict) and isinstance(merged.get(key), dict)
        merged[key] = _merged(merged[key], value) if both else value
    return merged


def _with_mode(config: dict[str, Any]) -> dict[str, Any]:
    mode = config.get(MODE_KEY)
    if not isinstance(mode, str) or not isinstance(config.get(mode), dict):
        return config
    plain = {key: value for key, value in config.items() if not isinstance(value, dict)}
    return {**plain, **config[mode]}
