"""Agent configuration in YAML: inheritance by ``_base_`` and resolution of ``mode``."""

from __future__ import annotations

import copy
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

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

    Args:
        given: A YAML file, or the keyword arguments themselves.

    Raises:
        ConfigError: the file cannot be used.
    """
    if given is None or isinstance(given, Mapping):
        return None if given is None else dict(given)
    try:
        return load_agent_config(given)
    except (OSError, ValueError) as error:
        raise ConfigError(str(error), where="agent config") from error


def load_yaml(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Read a YAML file, safely: no tag in it can run code.

    Args:
        path: The file; an empty one is an empty mapping.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: it is not YAML, or not a mapping at the top level.
    """
    import yaml

    file = Path(path)
    if not file.exists():
        raise FileNotFoundError(f"no such configuration file: {file}")
    try:
        loaded = yaml.safe_load(file.read_bytes())
    except (yaml.YAMLError, OSError, RecursionError) as error:
        raise ValueError(
            f"{file}: cannot be read as YAML: {' '.join(str(error).split())}"
        ) from error
    if loaded is None:
        return {}
    if not isinstance(loaded, dict) or not all(isinstance(key, str) for key in loaded):
        raise ValueError(
            f"{file}: expected a mapping with text keys at the top level, "
            f"got {type(loaded).__name__}"
        )
    return loaded


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
