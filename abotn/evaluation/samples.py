"""Single samples, and datasets of them: predictions and ground truths instead of records."""

from __future__ import annotations

import inspect
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abotn.errors import EvaluationInputError, UnknownNameError
from abotn.evaluation.selection import Selection
from abotn.metrics.arrays import plain_array
from abotn.metrics.spec import MetricSpec
from abotn.records.sealed import shown
from abotn.records.table import KEY_COLUMNS, RecordTable, as_column

SERVED_BY = {
    **dict.fromkeys(("pred", "predictions", "traj", "trajectory", "ego_traj"), "prediction"),
    **dict.fromkeys(("gt", "ref", "reference"), "ground_truth"),
}
Samples = Mapping[str, Sequence[Any]]

_MODES = ("T D", "K T D")
_PATHS = {
    "prediction": _MODES,
    "predictions": _MODES,
    "ground_truth": ("T D",),
    "ground_truths": ("T D",),
}


def single_sample(
    prediction: Any, ground_truth: Any, inputs: Mapping[str, Any]
) -> dict[str, list[Any]]:
    """Return the inputs of one sample as lists of one entry, arrays checked.

    Raises:
        EvaluationInputError: nothing is given, or an array cannot be used; the message names the
            argument.
    """
    common = {"prediction": prediction, "ground_truth": ground_truth}
    given = {name: value for name, value in {**common, **inputs}.items() if value is not None}
    given = _served(given)
    if not given:
        raise EvaluationInputError("no input is given", where="prediction")
    return {name: [_checked(value, name)] for name, value in given.items()}


def sample_columns(
    predictions: Iterable[Any] | None,
    ground_truths: Iterable[Any] | None,
    shared: Mapping[str, Any],
    per_sample: Mapping[str, Iterable[Any]],
    labels: Container[str] = (),
) -> dict[str, list[Any]]:
    """Return each input as a list with one entry per sample, arrays checked.

    Args:
        predictions: One prediction per sample: array, nested list, trajectory or tensor-like.
        ground_truths: One ground truth per sample.
        shared: Inputs that are the same for every sample, such as ``dt``.
        per_sample: Further inputs with one entry per sample, such as ``actor_trajs``.
        labels: Names of those that say which sample it is, such as ``task_id``, and are kept as
            they are.

    Raises:
        EvaluationInputError: lengths differ, nothing is given, or an array has entries that are
            not finite; the message names the argument.
    """
    listed = {"predictions": predictions, "ground_truths": ground_truths, **per_sample}
    columns = {n: _listed(values, n) for n, values in listed.items() if values is not None}
    lengths = {name: len(values) for name, values in columns.items()}
    if len(set(lengths.values())) > 1:
        shown = ", ".join(f"{name} has {length}" for name, length in lengths.items())
        raise EvaluationInputError(f"different numbers of samples: {shown}", where="predictions")
    count = next(iter(lengths.values()), 1 if shared else 0)
    if count == 0:
        raise EvaluationInputError("no samples", where="predictions")
    singular = {"predictions": "prediction", "ground_truths": "ground_truth"}
    checked = {
        singular.get(name, name): values if name in labels else _all_checked(values, name)
        for name, values in columns.items()
    }
    given = {name: _checked(v, name) for name, v in shared.items() if v is not None}
    return _served({**checked, **{name: [value] * count for name, value in given.items()}})


def sample_table(inputs: Samples) -> RecordTable:
    """Return a table with a row per sample, sorted by the keys that are given.

    Without ``task_id`` samples are keyed by position, as ``sample_0`` and so on.

    Raises:
        EvaluationInputError: two samples have one key.
    """
    columns = {
        name: as_column(name, list(values)) if name in KEY_COLUMNS else _column(values)
        for name, values in inputs.items()
    }
    count = len(next(iter(inputs.values())))
    width = len(str(count - 1))
    if "task_id" not in columns:
        columns["task_id"] = _column([f"sample_{row:0{width}d}" for row in range(count)])
    return RecordTable(columns)


def fit_to_samples(selection: Selection, inputs: Samples) -> Selection:
    """Return the selection in the forms that score samples, with inputs under the given names.

    An input ``prediction`` also serves arguments called ``pred``, ``predictions``, ``traj``,
    ``trajectory`` and ``ego_traj``; ``ground_truth`` serves ``gt``, ``ref`` and ``reference``. In
    an automatic selection a metric that cannot take these inputs is skipped with the reason.
    """
    first = {name: values[0] for name, values in inputs.items() if name not in KEY_COLUMNS}
    specs, skipped = [], dict(selection.skipped)
    for spec in selection.specs:
        forms = [form for form in (spec, *spec.variants) if form.sample] or [spec]
        fitted = [_renamed(form, first) for form in forms]
        usable = next((form for form in fitted if form.misfit(first) is None), fitted[0])
        reason = usable.misfit(first)
        if reason is None or not selection.automatic:
            specs.append(_with_own_mark(usable, first))
        elif usable.sample or usable.distribution != "abotn":
            skipped[spec.name] = reason
    return replace(selection, specs=tuple(specs), skipped=skipped)


def own_parameters(
    specs: Iterable[MetricSpec], given: Mapping[str, Any]
) -> dict[str, dict[str, Any]]:
    """Return the keywords that are parameters of a metric, per metric."""
    found = {s.name: {n: given[n] for n in s.parameters if n in given} for s in specs}
    return {name: parameters for name, parameters in found.items() if parameters}


def label_columns(cluster_by: str | None) -> set[str]:
    """Return the inputs that say which sample it is: its key, and its cluster."""
    named = {cluster_by} if cluster_by not in (None, "auto") else set()
    return {*KEY_COLUMNS, *filter(None, named)}


def check_known(
    names: Iterable[str], specs: Iterable[MetricSpec], labels: Iterable[str] = ()
) -> None:
    """Refuse an input that no metric takes and that is no label.

    Raises:
        UnknownNameError: gives the nearest names.
    """
    forms = [form for spec in specs for form in (spec, *spec.variants)]
    known = {name for form in forms for name in (*form.inputs, *form.parameters)}
    known |= {*SERVED_BY, *SERVED_BY.values(), *labels}
    for name in names:
        if name not in known:
            raise UnknownNameError("input", name, known)


def _served(given: dict[str, Any]) -> dict[str, Any]:
    """Return inputs with the first of another name as the prediction, or ground truth, lacking."""
    found = dict(given)
    for other, name in SERVED_BY.items():
        if other in found and name not in found:
            found[name] = found.pop(other)
    return found


def _renamed(form: MetricSpec, available: Mapping[str, Any]) -> MetricSpec:
    recorded = _recorded_inputs(form)
    names = tuple(
        name
        if name in available or name in recorded or SERVED_BY.get(name) not in available
        else SERVED_BY[name]
        for name in form.inputs
    )
    changed = dict(zip(form.inputs, names, strict=True))
    shapes = {changed.get(name, name): axes for name, axes in form.shapes.items()}
    return replace(form, inputs=names, shapes=shapes, variants=())


def _recorded_inputs(form: MetricSpec) -> set[str]:
    """Return the arguments that want a recorded trajectory rather than an array."""
    arguments = inspect.signature(form.function).parameters.values()
    return {one.name for one in arguments if str(one.annotation).endswith("Trajectory")}


def _with_own_mark(form: MetricSpec, first: Mapping[str, Any]) -> MetricSpec:
    if form.threshold is not None or form.threshold_from not in first:
        return form
    return replace(form, threshold=float(first[str(form.threshold_from)]))


def _all_checked(values: list[Any], name: str) -> list[Any]:
    """Return the values of one argument, checked together where they are plain paths."""
    plain = all(type(value) is np.ndarray and value.dtype == np.float64 for value in values)
    if plain and all(value.ndim == 2 and len(value) for value in values):
        widths = {value.shape[1] for value in values}
        if widths in ({2}, {3}) and np.isfinite(np.concatenate(values)).all():
            return [_read_only(value) for value in values]
    return [_checked(value, f"{name}[{row}]") for row, value in enumerate(values)]


def _checked(value: Any, where: str) -> Any:
    plain = _plain(value, where)
    wanted = _PATHS.get(where.partition("[")[0])
    if plain is None or (isinstance(plain, str | bytes | bool) and wanted is None):
        return plain
    try:
        array = np.asarray(plain, dtype=np.float64)
    except (TypeError, ValueError):
        if _holds_complex(plain):
            raise _complex_error(where) from None
        if wanted is not None:
            raise EvaluationInputError(
                f"expected an array of numbers, got {_kind(value)}", where=where
            ) from None
        return _read_only(plain)
    if not np.isfinite(array).all():
        raise EvaluationInputError("expected finite numbers, got NaN or infinity", where=where)
    if wanted is not None:
        _check_path(array, wanted, where)
    return _read_only(array) if array.ndim else plain


def _plain(value: Any, where: str) -> Any:
    """Return what numpy can read, refusing complex numbers."""
    try:
        plain = plain_array(value)
    except Exception as error:
        raise EvaluationInputError(
            f"cannot be read as an array: {type(error).__name__}: {error}", where=where
        ) from error
    if isinstance(plain, complex | np.ndarray) and np.iscomplexobj(plain):
        raise _complex_error(where)
    return plain


def _holds_complex(plain: Any) -> bool:
    try:
        return bool(np.iscomplexobj(np.asarray(plain)))
    except (TypeError, ValueError):
        return False


def _complex_error(where: str) -> EvaluationInputError:
    return EvaluationInputError("expected real numbers, got complex ones", where=where)


def _read_only(value: Any) -> Any:
    """Return a value whose arrays no metric can write to; lists and mappings are new ones."""
    if isinstance(value, np.ndarray):
        return shown(value)
    if isinstance(value, list | tuple):
        return [_read_only(one) for one in value]
    if isinstance(value, dict):
        return {key: _read_only(one) for key, one in value.items()}
    return value


def _listed(values: Any, name: str) -> list[Any]:
    try:
        return list(values)
    except TypeError:
        raise EvaluationInputError(
            f"expected one entry per sample, got {_kind(values)}", where=name
        ) from None


def _check_path(array: NDArray[np.float64], wanted: Sequence[str], where: str) -> None:
    axes = [shape.split() for shape in wanted]
    fits = array.ndim in map(len, axes) and array.shape[-1] in (2, 3) and array.size
    if not fits:
        shown = " or ".join(f"({', '.join(names)})" for names in axes)
        raise EvaluationInputError(
            f"expected shape {shown} with D = 2 or 3 and T at least 1, got {array.shape}",
            where=where,
        )


def _kind(value: Any) -> str:
    return "an irregular list" if isinstance(value, list | tuple) else type(value).__name__


def _column(values: Sequence[Any]) -> NDArray[Any]:
    if all(type(value) in (int, float) for value in values):
        return np.array(values, dtype=np.float64)
    column = np.empty(len(values), dtype=object)
    for row, value in enumerate(values):
        column[row] = value
    return column
