"""A pandas DataFrame of records, column by column, by the rules of documents.

Columns of numbers and texts stay columns. A frame with anything else in its cells, such as a dict
of metrics, is taken row by row as documents.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from abotn import schema_files
from abotn.errors import EvaluationInputError
from abotn.records.in_memory import (
    complaint,
    lenient_schema,
    metric_schemas,
    place_of,
    plain_document,
    sound_documents,
)
from abotn.records.published import FLAG_KEYS, NAME_KEYS, POI_KEYS, error_entry, poi_entry
from abotn.records.table import KEY_COLUMNS, TEXT_COLUMNS, Column, RecordTable, as_column
from abotn.records.types import DamagedRecord, nothing_usable
from abotn.records.values import as_flag, is_missing, is_token, plain_value, text_of_id

if TYPE_CHECKING:
    import pandas as pd

Cells = NDArray[np.float64] | list[Any]

_NESTED = ("metrics", "error", "value_serialization")
_PREFIXES = tuple(f"{name}." for name in _NESTED)
_ERROR_KEYS = ("status", "error", "error_message", "render_error")


def read_frame(frame: pd.DataFrame) -> tuple[RecordTable, list[DamagedRecord]]:
    """Return the records of a DataFrame with one row per record, and the damaged ones.

    Args:
        frame: Columns as the keys of ``result.json``. Metrics are dicts in a column ``metrics``,
            columns ``metrics.NAME``, or columns ``NAME``. Ids may stand in the index.

    Raises:
        EvaluationInputError: two columns have one name, columns have several levels, or nothing
            says how a record ended.
        DataError: every record is damaged.
    """
    cells = {name: _cells(series, name) for name, series in _columns(frame).items()}
    _check_outcome(cells, len(frame))
    if not all(_is_plain(name, column) for name, column in cells.items()):
        documents, damaged = sound_documents(_documents(cells, len(frame)))
        _refuse_nothing(documents, damaged)
        return RecordTable.from_dicts(documents), damaged
    inner, top = _split(cells)
    _normalise(top, inner, len(frame))
    reasons = _reasons(top, inner, len(frame))
    damaged = [DamagedRecord(place_of(row), reason) for row, reason in reasons.items()]
    keep = np.ones(len(frame), dtype=bool)
    keep[list(reasons)] = False
    _refuse_nothing(np.flatnonzero(keep), damaged)
    columns = _finished({**inner, **top}, keep)
    made_empty = [n for n, c in columns.items() if n not in cells and n in top and _is_empty(c)]
    return RecordTable({n: c for n, c in columns.items() if n not in made_empty}), damaged


def _columns(frame: pd.DataFrame) -> dict[str, pd.Series[Any]]:
    if frame.columns.nlevels > 1:
        raise EvaluationInputError(
            f"the columns have {frame.columns.nlevels} levels, expected one",
            where="results",
            hint="join the levels to names such as metrics.NAME",
        )
    names = [str(name) for name in frame.columns]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise EvaluationInputError(
            f"two columns are called {twice!r}", where="results", hint="rename or drop one"
        )
    found = {name: frame.iloc[:, position] for position, name in enumerate(names)}
    for level, name in enumerate(frame.index.names):
        if name in KEY_COLUMNS and name not in found:
            found[str(name)] = frame.index.get_level_values(level).to_series()
    return found


def _cells(series: pd.Series[Any], name: str) -> Cells:
    """Return numbers as float64, and anything else as a list with None where there is nothing."""
    dtype: Any = series.dtype
    if hasattr(dtype, "categories"):
        series = series.astype(object)
        dtype = series.dtype
    kind = getattr(dtype, "kind", "O")
    if kind in "iuf" or (kind == "b" and not _is_number(name)):
        return series.to_numpy(dtype=np.float64, na_value=np.nan)
    values = series.astype(object).tolist()
    kinds = set(map(type, values))
    if kinds <= {str}:
        return values
    if any(issubclass(kind, np.generic | Decimal) for kind in kinds):
        return [plain_value(value) for value in values]
    return [None if is_missing(value) else value for value in values]


def _check_outcome(cells: Mapping[str, Cells], count: int) -> None:
    if not count:
        raise EvaluationInputError("no records", where="results", hint="the frame has no rows")
    if "status" not in cells and "success" not in cells:
        raise EvaluationInputError(
            "no column 'status' or 'success'",
            where="results",
            hint=f"columns: {', '.join(sorted(cells)[:12])}",
        )


def _is_plain(name: str, column: Cells) -> bool:
    """Whether a column can be judged without the others of its row."""
    if name == "error":
        return isinstance(column, list) and set(map(type, column)) <= {str, type(None)}
    if name in _NESTED or name.startswith(("error.", "value_serialization.")):
        return False
    kinds = set() if isinstance(column, np.ndarray) else set(map(type, column))
    return not any(issubclass(kind, Mapping | list | tuple | np.ndarray) for kind in kinds)


def _documents(cells: Mapping[str, Cells], count: int) -> list[dict[str, Any]]:
    """Return a document per row."""
    documents: list[dict[str, Any]] = [{} for _ in range(count)]
    for name in sorted(cells, key=_inner_last):
        place, _, key = name.partition(".") if name.startswith(_PREFIXES) else ("", "", name)
        for document, value in zip(documents, _listed(cells[name]), strict=True):
            _put(document, place, key, value)
    return [_unversioned(plain_document(document)) for document in documents]


def _inner_last(name: str) -> bool:
    return name.startswith(_PREFIXES)


def _put(document: dict[str, Any], place: str, key: str, value: Any) -> None:
    if not place:
        document[key] = value
        return
    inside = document.get(place) or {}
    if isinstance(inside, Mapping) and (value is not None or place == "metrics"):
        document[place] = {**inside, key: value}


def _unversioned(document: dict[str, Any]) -> dict[str, Any]:
    """Return a document that is normalised too, whichever types its frame had to give it."""
    if str(document.get("schema_version") or "1").partition(".")[0] == "1":
        document.pop("schema_version", None)
    return document


def _split(cells: Mapping[str, Cells]) -> tuple[dict[str, Cells], dict[str, Cells]]:
    """Return the columns of ``metrics`` and the other ones."""
    prefix = "metrics."
    inner = {n.removeprefix(prefix): c for n, c in cells.items() if n.startswith(prefix)}
    return inner, {n: c for n, c in cells.items() if not n.startswith(prefix)}


def _normalise(top: dict[str, Cells], inner: dict[str, Cells], count: int) -> None:
    """Bring columns into this layout, in place; see :func:`abotn.records.published.normalise`."""
    for columns in (top, inner):
        for name, column in columns.items():
            columns[name] = _without_tokens(name, column)
    for name in ("episode_id", "task_id", "schema_version"):
        if name in top:
            top[name] = [v if v is None else text_of_id(v) for v in _listed(top[name])]
    for name in FLAG_KEYS & top.keys():
        top[name] = [as_flag(value) for value in _listed(top[name])]
    if "poi_name" in inner or any(key in top for key in POI_KEYS):
        _name_pois(top, inner, count)
    _name_errors(top, inner, count)


def _without_tokens(name: str, column: Cells) -> Cells:
    if isinstance(column, np.ndarray):
        return np.where(np.isfinite(column), column, np.nan)
    texts = set() if name in NAME_KEYS else {value for value in column if type(value) is str}
    lost = {text for text in texts if is_token(text)}
    return [None if (v in lost if type(v) is str else _is_infinite(v)) else v for v in column]


def _is_infinite(value: Any) -> bool:
    return type(value) is float and value - value != 0


def _name_pois(top: dict[str, Cells], inner: dict[str, Cells], count: int) -> None:
    rows = _rows(top, ("poi_name", *POI_KEYS), count)
    metrics = _rows(inner, ("poi_name",), count)
    found = [{**row, **poi_entry(row, m)} for row, m in zip(rows, metrics, strict=True)]
    top["poi_name"] = [row.get("poi_name") for row in found]


def _name_errors(top: dict[str, Cells], inner: dict[str, Cells], count: int) -> None:
    flagged = [c["render_error"] for c in (top, inner) if "render_error" in c]
    statuses = set(_listed(top["status"])) if "status" in top else set()
    if not flagged and not statuses & {"error", "render_error"}:
        return
    rows = _rows(top, _ERROR_KEYS, count)
    metrics = _rows(inner, ("render_error",), count)
    found = [{**row, **error_entry(row, m)} for row, m in zip(rows, metrics, strict=True)]
    for name in ("status", "error"):
        top[name] = [row.get(name) for row in found]


def _rows(columns: Mapping[str, Cells], names: Sequence[str], count: int) -> list[dict[str, Any]]:
    present = [name for name in names if name in columns]
    if not present:
        return [{}] * count
    lists = [_listed(columns[name]) for name in present]
    return [dict(zip(present, values, strict=True)) for values in zip(*lists, strict=True)]


def _listed(column: Cells) -> list[Any]:
    if isinstance(column, list):
        return column
    return [None if value != value else value for value in column.tolist()]


def _reasons(top: Mapping[str, Cells], inner: Mapping[str, Cells], count: int) -> dict[int, str]:
    """Return why rows break this layout, by row, in order."""
    doubtful = np.zeros(count, dtype=bool)
    known = lenient_schema()["properties"]
    for columns, schemas in ((top, known), (inner, metric_schemas())):
        for name in columns.keys() & schemas.keys():
            doubtful |= _doubtful(columns[name], schemas[name])
    reasons = {}
    for row in np.flatnonzero(doubtful).tolist():
        document = {**_row(top, row), "metrics": _row(inner, row)}
        reason = complaint(document)
        if reason is not None:
            reasons[row] = reason
    return reasons


def _row(columns: Mapping[str, Cells], row: int) -> dict[str, Any]:
    values = {name: column[row] for name, column in columns.items()}
    return plain_document(values)


def _doubtful(column: Cells, schema: Mapping[str, Any]) -> NDArray[np.bool_]:
    """Return which values may break a schema; a missing one never does."""
    if isinstance(column, list):
        if schema_files.accepts_all(dict(schema), column):
            return np.zeros(len(column), dtype=bool)
        return np.array([not schema_files.accepts_all(dict(schema), [v]) for v in column])
    types = set(schema["type"])
    if types <= {"boolean", "null"}:
        return np.zeros(len(column), dtype=bool)
    wrong = np.zeros(len(column), dtype=bool)
    if "minimum" in schema:
        wrong |= column < schema["minimum"]
    if "maximum" in schema:
        wrong |= column > schema["maximum"]
    if "number" not in types:
        wrong |= column != np.floor(column) if "integer" in types else np.ones_like(wrong)
    return wrong & ~np.isnan(column)


def _finished(columns: Mapping[str, Cells], keep: NDArray[np.bool_]) -> dict[str, Column]:
    rows = None if keep.all() else np.flatnonzero(keep).tolist()
    return {name: _column(name, cells, rows) for name, cells in columns.items()}


def _is_empty(column: Column) -> bool:
    return all(is_missing(value) for value in column.tolist())


def _column(name: str, cells: Cells, rows: list[int] | None) -> Column:
    if isinstance(cells, np.ndarray) and name not in TEXT_COLUMNS:
        return cells if rows is None else cells[rows]
    values = _listed(cells)
    return as_column(name, values if rows is None else [values[row] for row in rows])


def _refuse_nothing(kept: Any, damaged: Sequence[DamagedRecord]) -> None:
    if not len(kept):
        raise nothing_usable(damaged)


def _is_number(name: str) -> bool:
    """Whether a column holds numbers by this layout, so that a flag in it is an error."""
    schema = lenient_schema()["properties"].get(name.removeprefix("metrics."))
    return schema is not None and "boolean" not in schema["type"]
