"""What every command asks of its options: finite numbers of at most 64 bits, texts not empty."""

from __future__ import annotations

import copy
import math
from typing import TYPE_CHECKING, Any

import click
from click.types import FloatParamType, IntParamType, StringParamType

from abotn.errors import text_of

if TYPE_CHECKING:
    _Kind = click.ParamType[Any]
else:
    _Kind = click.ParamType

LEAST_WHOLE, MOST_WHOLE = -(1 << 63), (1 << 63) - 1
_LONGEST_SHOWN = 40


def checked_options(command: click.Command) -> click.Command:
    """Return a command, and the commands in it, whose options refuse values that nothing can use.

    A whole number must fit 64 bits, another one must be finite, and a text or a path must not be
    empty, unless empty is the option's default.

    Args:
        command: The command; its options get other types, which stand for the same in the help.
    """
    for parameter in command.params:
        parameter.type = _checked(parameter.type)
    if isinstance(command, click.Group):
        for inner in command.commands.values():
            checked_options(inner)
    return command


def _checked(kind: _Kind) -> _Kind:
    if type(kind) not in _CHECKED:
        return kind
    strict = copy.copy(kind)
    strict.__class__ = _CHECKED[type(kind)]
    return strict


class _Whole(_Kind):
    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        number = super().convert(value, param, ctx)
        if not LEAST_WHOLE <= number <= MOST_WHOLE:
            self.fail(f"expected at most 64 bits, got {text_of(value, _LONGEST_SHOWN)}", param, ctx)
        return number


class _Finite(_Kind):
    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        number = super().convert(value, param, ctx)
        if not math.isfinite(number):
            shown = text_of(value, _LONGEST_SHOWN)
            self.fail(f"expected a finite number, got {shown}", param, ctx)
        return number


class _Filled(_Kind):
    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        usual = param is not None and value == param.default
        if isinstance(value, str) and not value.strip() and not usual:
            self.fail(f"expected a {self.name}, got an empty text", param, ctx)
        return super().convert(value, param, ctx)


class _WholeNumber(_Whole, IntParamType):
    pass


class _WholeRange(_Whole, click.IntRange):
    pass


class _Number(_Finite, FloatParamType):
    pass


class _NumberRange(_Finite, click.FloatRange):
    pass


class _Text(_Filled, StringParamType):
    pass


class _Path(_Filled, click.Path):
    pass


_CHECKED: dict[type[_Kind], type[_Kind]] = {
    IntParamType: _WholeNumber,
    click.IntRange: _WholeRange,
    FloatParamType: _Number,
    click.FloatRange: _NumberRange,
    StringParamType: _Text,
    click.Path: _Path,
}
