"""Groupings: one label per record, by difficulty, scene, any column, or what a plugin brings."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abotn.errors import EvaluationInputError, PluginError, UnknownNameError, text_of
from abotn.foreign_code import foreign_code
from abotn.plugins.manager import Origin, PluginManager
from abotn.records.table import RecordTable, natural_key

QUANTILE_PREFIX = "quantiles:"
_ADDRESS = re.compile(r"\bat 0x[0-9a-fA-F]+")
_DIGITS = re.compile("[0-9]{1,3}")


@dataclass(frozen=True)
class Grouping:
    """A named way to split records.

    Attributes:
        name: Its name.
        function: From record columns, shape (N,), to N labels; None leaves a record out.
        inputs: The columns it needs, which are its arguments' names.
        order: Labels in their order; others follow in natural order.
        rest: Label of the records that belong to no group of their own; empty where there is none.
        description: One line.
        distribution: Where it came from.
        version: Version of that distribution.
        plugin: Name of the plugin in it.
    """

    name: str
    function: Callable[..., Any]
    inputs: tuple[str, ...]
    order: tuple[str, ...] = ()
    rest: str = ""
    description: str = ""
    distribution: str = "abotn"
    version: str = ""
    plugin: str = ""

    def missing(self, table: RecordTable) -> list[str]:
        """Return the columns it needs and ``table`` lacks."""
        return [name for name in self.inputs if name not in table]

    def split(self, table: RecordTable) -> dict[str, NDArray[np.int64]]:
        """Return the rows of each group, by label, in order.

        Raises:
            EvaluationInputError: a column is missing, the function raised, or the labels are not
                one per record.
        """
        missing = self.missing(table)
        if missing:
            raise EvaluationInputError(
                f"needs column {', '.join(missing)}", where=f"grouping {self.name}"
            )
        try:
            with foreign_code():
                labels = [
                    label if label is None else _label_text(label)
                    for label in self.function(*(table.lent(name) for name in self.inputs))
                ]
        except (Exception, SystemExit) as error:
            raise EvaluationInputError(
                f"raised {type(error).__name__}: {error}", where=f"grouping {self.name}"
            ) from error
        if len(labels) != len(table):
            raise EvaluationInputError(
                f"returned {len(labels)} labels for {len(table)} records",
                where=f"grouping {self.name}",
            )
        return _rows_by_label(labels, self.order)


def as_grouping(value: Any, *, order: Sequence[str] = ()) -> Grouping:
    """Return a grouping made of a function, or the grouping given.

    Raises:
        PluginError: neither a function with named arguments nor a grouping.
    """
    if isinstance(value, Grouping):
        return value
    if not callable(value):
        raise PluginError(f"expected a grouping function, got {type(value).__name__}")
    name = getattr(value, "__name__", "")
    try:
        inputs = tuple(inspect.signature(value).parameters)
    except (TypeError, ValueError):
        inputs = ()
    if not inputs or not isinstance(name, str) or not name.isidentifier():
        raise PluginError(f"grouping {name!r} needs a name and at least one column as argument")
    description = (inspect.getdoc(value) or "").partition("\n")[0]
    return Grouping(name, value, inputs, tuple(order), description)


def known_groupings(plugins: PluginManager) -> dict[str, Grouping]:
    """Return every grouping that plugins and this package offer, by name.

    One that is no grouping, or takes a name that is there already, costs a warning that names its
    distribution and is left out.
    """
    known: dict[str, Grouping] = {}
    for offer in plugins.offers("abotn_groupings"):
        origin = offer.origin
        try:
            made = as_grouping(offer.value)
        except PluginError as error:
            plugins.warn(origin, error.message)
            continue
        if made.name in known:
            plugins.warn(
                origin, f"grouping {made.name!r} is there from {known[made.name].distribution}"
            )
            continue
        known[made.name] = replace(
            made,
            distribution=origin.distribution,
            version=origin.version,
            plugin=origin.plugin,
        )
    return known


def resolve_groupings(
    asked: str | Iterable[Any] | None,
    table: RecordTable,
    plugins: PluginManager,
    protocol: Mapping[str, Any],
) -> list[Grouping]:
    """Return the groupings asked for.

    Args:
        asked: ``"auto"`` for the protocol's own and every applicable one that a plugin brings;
            None for none; else names, functions or groupings. A name is a known grouping,
            a column, or ``quantiles:COLUMN:K``.
        table: The records.
        plugins: Where groupings come from.
        protocol: The protocol's values; its ``groupings`` are the defaults.

    Raises:
        UnknownNameError: a name is none of these.
    """
    if asked is None:
        return []
    if asked == "auto":
        return _automatic(table, plugins, protocol)
    items = [asked] if isinstance(asked, str) or callable(asked) else list(asked)
    known = known_groupings(plugins) if any(isinstance(item, str) for item in items) else {}
    return [_resolve(item, table, known) for item in items]


def _automatic(
    table: RecordTable, plugins: PluginManager, protocol: Mapping[str, Any]
) -> list[Grouping]:
    known = known_groupings(plugins)
    names = [name for name in protocol.get("groupings", ()) if name in known]
    names += [n for n, one in known.items() if one.distribution != "abotn" and n not in names]
    usable = [known[name] for name in names if not known[name].missing(table)]
    return [one for one in usable if _tells(one, table, plugins)]


def _tells(grouping: Grouping, table: RecordTable, plugins: PluginManager) -> bool:
    """Whether a grouping that was not asked for works and has a group beside the rest."""
    try:
        labels = grouping.split(table).keys()
    except EvaluationInputError as error:
        plugins.warn(Origin(grouping.distribution, grouping.version, grouping.plugin), str(error))
        return False
    return bool(labels - {grouping.rest})


def _resolve(item: Any, table: RecordTable, known: Mapping[str, Grouping]) -> Grouping:
    if not isinstance(item, str):
        return as_grouping(item)
    if item in known:
        return known[item]
    if item.startswith(QUANTILE_PREFIX):
        return _quantiles(item, table)
    if item in table:
        return Grouping(item, _column_labels, (item,), description=f"by column {item}")
    raise UnknownNameError("grouping", item, [*known, *table.names, "quantiles:COLUMN:4"])


def _column_labels(column: NDArray[Any]) -> list[str | None]:
    return [None if value is None or value != value else _text(value) for value in column]


def _text(value: Any) -> str:
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


def _quantiles(item: str, table: RecordTable) -> Grouping:
    _, column, *rest = item.split(":")
    if column not in table or table.column(column).dtype == object:
        raise UnknownNameError("numeric column", column, table.names)
    if len(rest) > 1 or not all(_DIGITS.fullmatch(part) and 2 <= int(part) <= 100 for part in rest):
        raise EvaluationInputError(
            "the number of quantile groups must be 2 to 100",
            where=f"grouping {text_of(item, 80)}",
        )
    count = int(rest[0]) if rest else 4

    def labels(values: NDArray[Any]) -> list[str | None]:
        finite = values[np.isfinite(values)]
        if not finite.size:
            return [None] * len(values)
        edges = np.quantile(finite, np.linspace(0, 1, count + 1))
        bins = np.clip(np.searchsorted(edges[1:-1], values, side="right"), 0, count - 1)
        names = [f"q{i + 1} [{edges[i]:.4g}, {edges[i + 1]:.4g}]" for i in range(count)]
        return [names[b] if np.isfinite(v) else None for b, v in zip(bins, values, strict=True)]

    return Grouping(item, labels, (column,), description=f"by quantiles of {column}")


def _label_text(label: Any) -> str:
    """Return a label as text, which must be the same in every process."""
    if type(label) is str:
        return label
    text = str(label)
    if isinstance(label, set | frozenset) or _ADDRESS.search(text):
        raise TypeError(f"the label {text_of(text, 80)} differs from run to run; return texts")
    return text


def _rows_by_label(labels: list[Any], order: tuple[str, ...]) -> dict[str, NDArray[np.int64]]:
    rows: dict[str, list[int]] = {}
    for row, label in enumerate(labels):
        if label is not None:
            rows.setdefault(label, []).append(row)
    first = [label for label in order if label in rows]
    rest = sorted((label for label in rows if label not in order), key=natural_key)
    return {label: np.array(rows[label], dtype=np.int64) for label in (*first, *rest)}
