"""YAML files that are what they look like: no code, no doubled key, no circle, no flood."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

_MOST_BYTES = 10_000_000
_MOST_NODES = 1_000_000


def load_yaml(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Read a YAML file, safely: no tag in it can run code.

    Args:
        path: A regular file of up to 10 MB; an empty one is an empty mapping.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: it is not YAML, names a key twice, holds itself, is too large with its aliases
            written out, or is not a mapping at the top level.
    """
    file = Path(path)
    if not file.exists():
        raise FileNotFoundError(f"no such configuration file: {file}")
    try:
        loaded = parse_yaml(_content(file))
    except (OSError, ValueError) as error:
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


def parse_yaml(content: str | bytes) -> Any:
    """Return the value of a YAML document, None of an empty one.

    Args:
        content: The document.

    Raises:
        ValueError: it is not YAML, names a key twice, holds itself, or is too large with its
            aliases written out.

    Example:
        >>> parse_yaml("[1, true, dark]")
        [1, True, 'dark']
    """
    import yaml

    try:
        loader = yaml.SafeLoader(content)
        node = loader.get_single_node()
        if node is None:
            return None
        _size(node, {})
        return loader.construct_document(node)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    except (yaml.YAMLError, ValueError) as error:
        raise ValueError(str(error)) from error
    except (ArithmeticError, AttributeError, LookupError, TypeError) as error:
        # What the library's own readers of dates, numbers and truth values stumble over.
        raise ValueError(f"a value does not fit its tag: {error}") from error


def _content(file: Path) -> bytes:
    if not file.is_file():
        raise ValueError("expected a regular file")
    with file.open("rb") as stream:
        content = stream.read(_MOST_BYTES + 1)
    if len(content) > _MOST_BYTES:
        raise ValueError(f"expected at most {_MOST_BYTES} bytes, got more")
    return content


def _size(node: Any, sizes: dict[int, int | None]) -> int:
    """Return the number of nodes with aliases written out, after looking at each node once."""
    if id(node) in sizes:
        known = sizes[id(node)]
        if known is None:
            raise ValueError(f"a value holds itself, {_line(node)}")
        return known
    sizes[id(node)] = None
    total = 1 + sum(_size(child, sizes) for child in _children(node))
    if total > _MOST_NODES:
        raise ValueError(f"more than {_MOST_NODES} values once its aliases are written out")
    sizes[id(node)] = total
    return total


def _children(node: Any) -> list[Any]:
    if node.id == "mapping":
        _check_keys(node)
        return [part for pair in node.value for part in pair]
    return list(node.value) if node.id == "sequence" else []


def _check_keys(node: Any) -> None:
    seen: set[tuple[str, str]] = set()
    for key, _ in node.value:
        if key.id != "scalar":
            continue
        name = (key.tag, key.value)
        if name in seen:
            raise ValueError(f"the key {key.value!r} is there twice, {_line(key)}")
        seen.add(name)


def _line(node: Any) -> str:
    return f"line {node.start_mark.line + 1}"
