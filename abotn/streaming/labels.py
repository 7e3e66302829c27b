"""Read the label files of a scenario: PNG masks and feather columns."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abotn.errors import DataError

Labels = NDArray[np.bool_]


def read_mask(path: Path) -> Labels | None:
    """Return a camera mask: True where any colour of the pixel is not zero.

    An alpha channel is no label and is not looked at.

    Args:
        path: A PNG file.

    Returns:
        The mask, shape (rows, columns); None when there is no such file.

    Raises:
        DataError: the file is not a whole image.
    """
    from PIL import Image

    try:
        with Image.open(path) as image:
            pixels = np.asarray(_without_palette(image))
    except FileNotFoundError:
        return None
    except (OSError, SyntaxError, ValueError) as error:
        raise DataError(f"expected a PNG mask, cannot read it: {error}", where=path) from error
    if pixels.ndim == 2:
        return pixels if pixels.dtype == np.bool_ else pixels != 0
    alpha = pixels.shape[2] in (2, 4)
    return np.asarray((pixels[..., : pixels.shape[2] - alpha] != 0).any(axis=2))


def read_anomaly_column(path: Path) -> Labels | None:
    """Return the ``anomaly`` column of a feather file: True where it is not zero.

    Args:
        path: A feather file with one row per point, reading or timestep.

    Returns:
        The labels, shape (rows,); None when there is no such file.

    Raises:
        DataError: it is no feather file, lacks the column, or the column has gaps or no truth
            values.
    """
    from pyarrow import ArrowException, feather

    try:
        table = feather.read_table(path, memory_map=False)
    except FileNotFoundError:
        return None
    except (ArrowException, OSError, ValueError) as error:
        raise DataError(f"expected a feather file, cannot read it: {error}", where=path) from error
    if "anomaly" not in table.column_names:
        names = ", ".join(table.column_names) or "none"
        raise DataError(f"expected a column 'anomaly', found {names}", where=path)
    return _truth_values(table.column("anomaly"), path)


def _without_palette(image: Any) -> Any:
    return image.convert("RGB") if image.mode in ("P", "PA") else image


def _truth_values(column: Any, path: Path) -> Labels:
    from pyarrow import types

    if column.null_count:
        raise DataError(f"column 'anomaly' has {column.null_count} empty rows", where=path)
    kind = column.type
    if not (types.is_boolean(kind) or types.is_integer(kind) or types.is_floating(kind)):
        raise DataError(f"column 'anomaly' must hold truth values, holds {kind}", where=path)
    values = column.to_numpy()
    if np.isnan(values).any() if types.is_floating(kind) else False:
        raise DataError("column 'anomaly' has NaN rows", where=path)
    return np.asarray(values != 0)
