"""Records as columns, so that evaluation is arithmetic on arrays."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from abotn.errors import DataError, EvaluationInputError
from abotn.json_files import NON_FINITE_TOKENS
from abotn.records.sealed import lent, sealed
from abotn.records.types import ResultRecord
from abotn.records.values import NUMBERS, is_missing, text_of_id

if TYPE_CHECKING:
    import pandas as pd

Column = NDArray[Any]
KEY_COLUMNS = ("episode_id", "task_id", "attempt")
TEXT_COLUMNS = frozenset({"episode_id", "task_id", "status", "task_type", "poi_name"})


class RecordTable:
    """N records as read-only columns of length N, sorted naturally by scene, task and attempt.

    A number, or a flag, is float64 with NaN where a record has no value; anything else is an
    object column with None there. Columns that must be read from further files, such as
    trajectories, are loaded on first use.

    Args:
        columns: Arrays of one length; ``episode_id``, ``task_id`` and ``attempt`` are filled in
            when absent.
        lazy: Functions from the table to a column, by name.

    Raises:
        EvaluationInputError: lengths differ, or two records have one key.
    """

    def __init__(
        self,
        columns: Mapping[str, Column],
        *,
        lazy: Mapping[str, Callable[[RecordTable], Column]] | None = None,
    ) -> None:
        filled = _with_keys(dict(columns))
        order = _natural_order(filled)
        self._columns = {name: sealed(column[order]) for name, column in filled.items()}
        self._lazy = dict(lazy or {})
        self._check_unique()

    @classmethod
    def from_dicts(
        cls,
        documents: Sequence[Mapping[str, Any]],
        *,
        columns: Mapping[str, Column] | None = None,
        lazy: Mapping[str, Callable[[RecordTable], Column]] | None = None,
    ) -> RecordTable:
        """Build a table from ``result.json`` documents; keys of ``metrics`` become columns too.

        A top-level key wins over a key of ``metrics`` with the same name. A column is made when
        it is first asked for, so the documents must not change meanwhile.

        Args:
            documents: One per record.
            columns: Further columns, in the documents' order.
            lazy: Further columns to be loaded on first use.
        """
        inner = [_metrics_of(document) for document in documents]
        loaders = {
            name: partial(_from_documents, place=_METRICS, key=name) for name in _keys(inner)
        }
        for name in _keys(documents):
            loaders[name] = partial(_from_documents, place=_DOCUMENT, key=name)
        loaders.pop("metrics", None)
        made = {_DOCUMENT: _objects(list(documents)), _METRICS: _objects(inner)}
        for name in KEY_COLUMNS:
            if loaders.pop(name, None) is not None:
                made[name] = as_column(name, _values_at(documents, name))
        return cls({**made, **(columns or {})}, lazy={**loaders, **(lazy or {})})

    @classmethod
    def from_records(cls, records: Iterable[ResultRecord]) -> RecordTable:
        """Build a table from :class:`ResultRecord` values."""
        return cls.from_dicts([record.to_dict() for record in records])

    @classmethod
    def from_dataframe(cls, frame: pd.DataFrame) -> RecordTable:
        """Build a table from a DataFrame with one row per record, in this layout or published.

        Metrics are columns ``metrics.NAME`` or ``NAME``, or dicts in a column ``metrics``.

        Raises:
            EvaluationInputError: columns cannot be used.
            DataError: a row breaks the layout; :func:`abotn.records.readers.read_records` leaves
                such rows out, named and counted.
        """
        from abotn.records.frames import read_frame

        table, damaged = read_frame(frame)
        if damaged:
            raise DataError(damaged[0].reason, where=damaged[0].path)
        return table

    def __len__(self) -> int:
        return len(self._columns["episode_id"])

    def __contains__(self, name: object) -> bool:
        return name not in _HIDDEN and (name in self._columns or name in self._lazy)

    @property
    def names(self) -> list[str]:
        """Names of all columns, loaded or not."""
        return sorted({*self._columns, *self._lazy} - _HIDDEN)

    def column(self, name: str) -> Column:
        """Return one column, read-only.

        Raises:
            EvaluationInputError: there is no such column.
        """
        if name not in self._columns:
            if name not in self._lazy:
                raise EvaluationInputError(
                    f"no column {name!r}", hint=f"columns: {', '.join(self.names)}"
                )
            self._columns[name] = sealed(self._lazy[name](self))
        return self._columns[name]

    def lent(self, name: str) -> Column:
        """Return one column for code that is not ours; whatever it does, the table stays."""
        return lent(self.column(name))

    def take(self, rows: NDArray[Any]) -> RecordTable:
        """Return the table of some rows, given as a mask or as indices."""
        taken = RecordTable.__new__(RecordTable)
        taken._columns = {name: sealed(column[rows]) for name, column in self._columns.items()}
        taken._lazy = self._lazy
        return taken

    def with_columns(self, columns: Mapping[str, Column]) -> RecordTable:
        """Return the table with further or replaced columns, given in this table's order."""
        changed = RecordTable.__new__(RecordTable)
        changed._columns = {**self._columns, **{n: sealed(c) for n, c in columns.items()}}
        changed._lazy = {n: load for n, load in self._lazy.items() if n not in columns}
        return changed

    def with_default(self, name: str, value: float) -> RecordTable:
        """Return the table with ``value`` wherever column ``name`` has none."""
        column = self.column(name) if name in self else np.full(len(self), np.nan)
        if column.dtype == object:
            column = np.array([_as_number(value) for value in column])
        missing = np.isnan(column.astype(np.float64))
        return self.with_columns({name: np.where(missing, value, column.astype(np.float64))})

    def label(self, row: int) -> str:
        """Return ``scene/task`` of a row, with ``@attempt`` when it is not the first.

        A row without a scene is just its task.
        """
        attempt = int(self._columns["attempt"][row])
        mark = f"@{attempt}" if attempt else ""
        scene, task = self._columns["episode_id"][row], self._columns["task_id"][row]
        return f"{scene}/{task}{mark}" if scene else f"{task}{mark}"

    def _files(self, row: int) -> str:
        """Name the files of a row and the next one, where they are known."""
        paths = self._columns.get("result_path", ())
        return f": {' and '.join(sorted(paths[row : row + 2]))}" if len(paths) else ""

    def _check_unique(self) -> None:
        same = np.ones(max(len(self) - 1, 0), dtype=bool)
        for name in KEY_COLUMNS:
            column = self._columns[name]
            same &= column[1:] == column[:-1]
        if same.any():
            row = int(np.flatnonzero(same)[0])
            raise EvaluationInputError(
                f"two records for {self.label(row)}{self._files(row)}",
                hint="give each rollout of a task its own 'attempt' number, "
                "and evaluate one run at a time",
            )


def as_column(name: str, values: list[Any]) -> Column:
    """Return values as float64 when all are numbers, flags, None or non-finite tokens.

    What is not finite, or a whole number too large for float64, is undefined: NaN.
    """
    kinds = set(map(type, values))
    if kinds == {str} and name in TEXT_COLUMNS:
        return _objects(values)
    if name in TEXT_COLUMNS:
        return _objects([None if is_missing(v) else text_of_id(v) for v in values])
    if kinds <= {int, float, bool, type(None)}:
        return _floats(values)
    if str in kinds:
        texts = {value for value in values if type(value) is str}
        if all(text.strip().lower() in NON_FINITE_TOKENS for text in texts):
            return _floats([_number(value) for value in values])
    if all(issubclass(kind, NUMBERS) for kind in kinds):
        return _floats([np.nan if v is None else v for v in values])
    return _objects([None if is_missing(v) else v for v in values])


def natural_key(text: str) -> tuple[tuple[int, int, str], ...]:
    """Return a sort key under which ``traj_2`` comes before ``traj_10``."""
    parts = re.split(r"([0-9]+)", text)
    return tuple((1, int(p), p) if i % 2 else (0, 0, p) for i, p in enumerate(parts))


_DOCUMENT, _METRICS = " document", " metrics"
_HIDDEN = frozenset({_DOCUMENT, _METRICS})


def _from_documents(table: RecordTable, *, place: str, key: str) -> Column:
    return as_column(key, _values_at(table.column(place), key))


def _keys(documents: Sequence[Mapping[str, Any]]) -> dict[str, None]:
    return dict.fromkeys(sorted(set().union(*documents)))


def _values_at(documents: Iterable[Mapping[str, Any]], key: str) -> list[Any]:
    try:
        return list(map(itemgetter(key), documents))
    except KeyError:
        return [document.get(key) for document in documents]


def _metrics_of(document: Mapping[str, Any]) -> Mapping[str, Any]:
    metrics = document.get("metrics")
    return metrics if type(metrics) is dict or isinstance(metrics, Mapping) else {}


def _number(value: Any) -> Any:
    return NON_FINITE_TOKENS[value.strip().lower()] if type(value) is str else value


def _floats(values: list[Any]) -> Column:
    try:
        numbers = np.array(values, dtype=np.float64)
    except OverflowError:
        numbers = np.array([_float_or_nan(value) for value in values], dtype=np.float64)
    numbers[np.isinf(numbers)] = np.nan
    return numbers


def _float_or_nan(value: Any) -> float:
    try:
        return np.nan if value is None else float(value)
    except OverflowError:
        return np.nan


def _as_number(value: Any) -> float:
    return float(value) if isinstance(value, int | float) else float("nan")


def _objects(values: list[Any]) -> Column:
    # Lists of one length must stay items of one column, not become a second axis.
    return np.fromiter(values, dtype=object, count=len(values))


def _with_keys(columns: dict[str, Column]) -> dict[str, Column]:
    lengths = {name: len(column) for name, column in columns.items()}
    if len(set(lengths.values())) > 1:
        raise EvaluationInputError(f"columns differ in length: {lengths}")
    count = next(iter(lengths.values()), 0)
    if "episode_id" not in columns:
        columns["episode_id"] = _objects([""] * count)
    if "task_id" not in columns:
        width = len(str(count))
        columns["task_id"] = _objects([f"record_{row:0{width}d}" for row in range(count)])
    for name in ("episode_id", "task_id"):
        if None in columns[name].tolist():
            columns[name] = _objects(["" if v is None else v for v in columns[name]])
    attempt = columns.get("attempt", np.zeros(count))
    columns["attempt"] = np.nan_to_num(attempt.astype(np.float64), nan=0.0)
    return columns


def _natural_order(columns: Mapping[str, Column]) -> NDArray[np.int64]:
    ranks = [_natural_ranks(columns[name]) for name in ("task_id", "episode_id")]
    order: NDArray[np.int64] = np.lexsort((columns["attempt"], *ranks))
    return order


def _natural_ranks(texts: Column) -> NDArray[np.int64]:
    names: list[str] = texts.tolist()
    distinct = list(set(names))
    if 2 * len(distinct) > len(names):
        numbers = _numbers_behind_one_head(names)
        if numbers is not None:
            return numbers
    numbers = _numbers_behind_one_head(distinct)
    if numbers is None:
        rank = {text: place for place, text in enumerate(sorted(distinct, key=natural_key))}
    else:
        rank = dict(zip(distinct, numbers.tolist(), strict=True))
    return np.fromiter(map(rank.__getitem__, names), dtype=np.int64, count=len(names))


def _numbers_behind_one_head(texts: Sequence[str]) -> NDArray[np.int64] | None:
    """Return the numbers of names like ``traj_7`` that differ in nothing else."""
    head = texts[0].rstrip("0123456789") if texts else ""
    tails = [text.removeprefix(head) for text in texts]
    digits = "".join(tails)
    if len(digits) != sum(map(len, texts)) - len(head) * len(texts):
        return None
    if not (digits.isascii() and digits.isdigit()):
        return None
    if any(letter.isdigit() for letter in head):
        return None
    if not all(0 < length < 18 for length in set(map(len, tails))):
        return None
    if any(tail[0] == "0" and tail != "0" for tail in tails):
        return None
    return np.array(list(map(int, tails)), dtype=np.int64)
