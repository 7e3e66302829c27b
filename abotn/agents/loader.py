"""From ``"package.module:ClassName"`` to the class."""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Collection
from importlib import import_module
from types import ModuleType
from typing import Any

from abotn.agents.interface import OPTIONAL_FIELDS
from abotn.errors import AgentError, ConfigError, UnknownNameError, error_text
from abotn.geometry.frames import WAYPOINT_FRAMES


def load_class(module_path: str) -> type[Any]:
    """Return the class that a path names.

    Args:
        module_path: ``"package.module:ClassName"``, with exactly one colon.

    Raises:
        ValueError: there is not exactly one colon, or a side of it is empty.
        ImportError: the module cannot be imported; the message holds the original error.
        AttributeError: the module has no such name; the message lists its classes.
        TypeError: the name is not a class.

    Example:
        >>> load_class("collections:OrderedDict").__name__
        'OrderedDict'
    """
    module_name, class_name = _split(module_path)
    module = _import(module_name)
    if not hasattr(module, class_name):
        classes = _classes(module)
        nearest = difflib.get_close_matches(class_name, classes, n=1)
        raise AttributeError(
            f"module {module_name!r} has no class {class_name!r}"
            f"{f', did you mean {nearest[0]}' if nearest else ''}; "
            f"its classes: {', '.join(classes) or 'none'}"
        )
    found = getattr(module, class_name)
    if not inspect.isclass(found):
        raise TypeError(f"{module_path!r} is a {type(found).__name__}, expected a class")
    return found


def load_agent_class(module_path: str) -> type[Any]:
    """Return an agent class, after checking that it can be one.

    Raises:
        ConfigError: :func:`load_class` fails, the class lacks ``reset`` or ``predict``, or what
            it declares is not known.
    """
    try:
        found = load_class(module_path)
    except (ValueError, ImportError, AttributeError, TypeError) as error:
        raise ConfigError(
            str(error),
            where=f"agent {module_path}",
            hint="check the name, and that its package is installed here"
            if isinstance(error, ImportError)
            else "name it as in abotn.agents:PlannerAgent",
        ) from error
    return checked_agent_class(found, f"agent {module_path}")


def checked_agent_class(found: Any, where: str) -> type[Any]:
    """Return ``found`` when it is a class that can be run as an agent.

    Raises:
        ConfigError: it is no class, lacks ``reset`` or ``predict``, or declares a
            ``waypoint_frame`` or a name in ``needs`` that is not known.
    """
    if not inspect.isclass(found):
        raise ConfigError(f"expected an agent class, got a {type(found).__name__}", where=where)
    missing = [name for name in ("reset", "predict") if not callable(getattr(found, name, None))]
    if missing:
        raise ConfigError(f"the class has no method {' or '.join(missing)}", where=where)
    unfinished = sorted(getattr(found, "__abstractmethods__", ()))
    if unfinished:
        raise ConfigError(f"the class leaves {', '.join(unfinished)} abstract", where=where)
    _check_declared(found, where)
    return found


def make_agent(agent_class: type[Any], config: dict[str, Any]) -> Any:
    """Return an agent made with ``agent_class(**config)``.

    Raises:
        AgentError: its constructor raised.
    """
    try:
        return agent_class(**config)
    except (AgentError, KeyboardInterrupt):
        # The one says itself what it is about, the other is the user's.
        raise
    except BaseException as error:
        raise AgentError(
            f"could not be made: {error_text(error)}",
            where=f"agent {agent_class.__module__}:{agent_class.__qualname__}",
            hint="the keys of the agent config are its arguments",
        ) from error


def needs_of(agent_class: type[Any]) -> tuple[str, ...]:
    """Return the optional observation fields that an agent class declares to need."""
    return tuple(getattr(agent_class, "needs", None) or ())


def _split(module_path: str) -> tuple[str, str]:
    parts = module_path.split(":") if isinstance(module_path, str) else []
    if len(parts) != 2 or not all(part.strip() for part in parts):
        raise ValueError(f"expected 'package.module:ClassName' with one colon, got {module_path!r}")
    return parts[0].strip(), parts[1].strip()


def _import(module_name: str) -> ModuleType:
    try:
        return import_module(module_name)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise ImportError(f"cannot import module {module_name!r}: {error_text(error)}") from error


def _classes(module: ModuleType) -> list[str]:
    # Names of __all__ count too, since a module may make them on first use.
    names = {*vars(module), *getattr(module, "__all__", ())}
    found = {name: getattr(module, name, None) for name in names if not name.startswith("_")}
    return sorted(n for n, v in found.items() if inspect.isclass(v) and v.__module__ != "typing")


def _check_declared(agent_class: type[Any], where: str) -> None:
    needs = getattr(agent_class, "needs", None) or ()
    if isinstance(needs, str):
        raise ConfigError(f"needs must be a tuple of names, got {needs!r}", where=where)
    for name in needs:
        _check_known("field in needs", name, OPTIONAL_FIELDS, where)
    frame = getattr(agent_class, "waypoint_frame", None)
    if frame is not None:
        _check_known("waypoint frame", frame, WAYPOINT_FRAMES, where)


def _check_known(kind: str, name: Any, known: Collection[str], where: str) -> None:
    if name not in known:
        raise ConfigError(str(UnknownNameError(kind, name, known)), where=where)
