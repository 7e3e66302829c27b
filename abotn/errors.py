"""The errors a caller can meet. The command line prints each as one line and exits with 2."""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

LONGEST_TEXT = 1000
_LONGEST_NAME = 100


class AbotnError(Exception):
    """Base of every error this package raises on purpose.

    Args:
        message: What was expected and what was got, in one line.
        where: The file, key, record or argument it concerns.
        hint: What to do about it.
    """

    def __init__(
        self, message: str, *, where: str | os.PathLike[str] | None = None, hint: str | None = None
    ) -> None:
        super().__init__(message)
        self.message = message
        self.where = None if where is None else os.fspath(where)
        self.hint = hint

    def __str__(self) -> str:
        place = f"{self.where}: " if self.where else ""
        way_out = f" ({self.hint})" if self.hint else ""
        return " ".join(f"{place}{self.message}{way_out}".split())

    def __reduce__(self) -> tuple[object, ...]:
        # Keyword-only fields do not survive the default pickling, which workers rely on.
        return _rebuild, (type(self), self.args, self.__dict__.copy())


class DataError(AbotnError):
    """A file or folder does not hold what its format promises."""


class SchemaError(DataError):
    """A file breaks its JSON Schema or has a schema version this reader refuses."""


class ConfigError(AbotnError):
    """An option, argument or configuration value cannot be used."""


class ProtocolMismatchError(ConfigError):
    """A run folder was made under another protocol than the one asked for."""


class EvaluationInputError(AbotnError, ValueError):
    """The inputs of an evaluation are missing or have a shape or value it cannot use."""


class PluginError(AbotnError):
    """A plugin breaks the hook contract, or two plugins claim one name."""


class AgentError(AbotnError):
    """An agent raised, or returned something that is not a usable prediction."""


class RenderFailureError(AbotnError, RuntimeError):
    """A renderer gave no whole image after all its tries."""


class UnknownNameError(AbotnError, KeyError):
    """A name is not in the set it was looked up in.

    Args:
        kind: What was looked up, such as ``"metric"`` or ``"protocol"``.
        name: The name that was not found.
        known: All names that would have been found.
    """

    def __init__(self, kind: str, name: object, known: Iterable[str]) -> None:
        choices = sorted(known)
        nearest = difflib.get_close_matches(str(name), choices, n=3, cutoff=0.4)
        shown = ", ".join(nearest or choices[:12]) or "none"
        label = "did you mean" if nearest else "known"
        super().__init__(f"unknown {kind} {str(name)!r}", hint=f"{label}: {shown}")
        self.kind = kind
        self.name = name
        self.nearest = nearest


class UnknownMetricError(UnknownNameError):
    """No registered metric has that name or alias."""

    def __init__(self, name: object, known: Iterable[str]) -> None:
        super().__init__("metric", name, known)


@contextmanager
def hinted(hint: str) -> Iterator[None]:
    """Give errors of this package that say no way out this one; also a decorator.

    Args:
        hint: What to do about any error that the code inside raises.

    Example:
        >>> with hinted("write it again"):
        ...     raise DataError("the file is empty", where="map.png")
        Traceback (most recent call last):
        abotn.errors.DataError: map.png: the file is empty (write it again)
    """
    try:
        yield
    except AbotnError as error:
        error.hint = error.hint or hint
        raise


def text_of(value: object, longest: int = LONGEST_TEXT) -> str:
    """Return ``str(value)`` as one line that any file, pipe or terminal can hold.

    Runs of white space become a blank, control characters and halves of characters a question
    mark, and what is longer than ``longest`` characters is cut. An object that has no text, because
    its ``__str__`` raises, gives the name of its class in words.

    Args:
        value: Anything, such as an exception of code that is not ours.
        longest: Largest number of characters returned.

    Example:
        >>> text_of(ValueError("two\\nlines"))
        'two lines'
    """
    try:
        # Far more than is shown, so that white space can go, but never all of a huge text.
        text = str.__getitem__(str(value), slice(8 * longest))
    except KeyboardInterrupt:
        raise
    except BaseException:
        return f"a {name_of(value)} without a text"
    text = " ".join(text.split())
    shown = "".join(character if character.isprintable() else "?" for character in text)
    return shown if len(shown) <= longest else f"{shown[: longest - 3]}..."


def repr_of(value: object, longest: int) -> str:
    """Return ``repr(value)``; of a longer one three quarters of ``longest``, and its length.

    Example:
        >>> repr_of("x" * 50, 8)
        "'xxxxx... (52 characters)"
    """
    try:
        text = repr(value)
    except ValueError:
        return "a number of thousands of digits"
    if len(text) <= longest:
        return text
    return f"{text[: longest * 3 // 4]}... ({len(text)} characters)"


def name_of(value: object) -> str:
    """Return the name of a value's class, whatever its metaclass says."""
    name: str = _CLASS_NAME.__get__(type(value))
    return text_of(name, _LONGEST_NAME)


def error_text(error: BaseException, longest: int = LONGEST_TEXT) -> str:
    """Return an exception as ``Name: text``, fit for one line; the name alone without a text."""
    text = text_of(error, longest)
    return f"{name_of(error)}: {text}" if text else name_of(error)


_CLASS_NAME = type.__dict__["__name__"]


def _rebuild(
    cls: type[AbotnError], args: tuple[object, ...], state: dict[str, object]
) -> AbotnError:
    error = cls.__new__(cls)
    Exception.__init__(error, *args)
    error.__dict__.update(state)
    return error
