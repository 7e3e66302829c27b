"""The sheet a picture is drawn on: its size, its style and its bytes."""

from __future__ import annotations

import io
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from abotn.errors import ConfigError
from abotn.report.plots.lettering import FAMILY, families

if TYPE_CHECKING:
    from matplotlib.figure import Figure

WIDTHS = {1: 3.35, 2: 7.0}
SUFFIXES = (".png", ".svg", ".pdf")
SMALL = 6.0
GRID = "#dddddd"
FAINT = "#666666"

_STYLE: dict[str, Any] = {
    "font.size": 7.5,
    "axes.labelsize": 7.5,
    "axes.titlesize": 8.0,
    "xtick.labelsize": 7.0,
    "ytick.labelsize": 7.0,
    "legend.fontsize": 7.0,
    "legend.frameon": False,
    "legend.handlelength": 1.8,
    "legend.columnspacing": 1.2,
    "axes.linewidth": 0.6,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "grid.color": GRID,
    "grid.linewidth": 0.5,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "xtick.major.size": 2.5,
    "ytick.major.size": 2.5,
    "lines.linewidth": 1.2,
    "lines.markersize": 4.0,
    "savefig.dpi": 300,
    "savefig.facecolor": "white",
    "pdf.fonttype": 42,
    "svg.fonttype": "path",
    "svg.hashsalt": "abotn",
    "text.parse_math": False,
    "text.usetex": False,
}
_METADATA: dict[str, dict[str, None]] = {
    ".png": {"Software": None},
    ".svg": {"Date": None, "Creator": None},
    ".pdf": {"CreationDate": None, "Creator": None, "Producer": None},
}
# A layout made for one resolution and saved at another loses the tops of titles.
_DOTS_PER_INCH = {".png": 300, ".svg": 72, ".pdf": 72}
# The style lives in matplotlib's global settings, so two threads must not draw at once.
_DRAWING = threading.RLock()


def check_columns(columns: int) -> int:
    """Return the number of text columns a picture is wide.

    Raises:
        ConfigError: not 1 or 2.
    """
    if columns not in WIDTHS:
        raise ConfigError(f"must be 1 or 2, got {columns}", where="columns")
    return columns


def suffix_of(file: str | PurePath) -> str:
    """Return the ending of a picture's file.

    Raises:
        ConfigError: not one a picture can have.

    Example:
        >>> suffix_of("paths.PNG")
        '.png'
    """
    suffix = PurePath(file).suffix.lower()
    if suffix not in SUFFIXES:
        raise ConfigError(
            f"expected a file that ends in {', '.join(SUFFIXES)}, got {suffix or 'no ending'}",
            where=str(file),
        )
    return suffix


def new_figure(columns: int, height: float, *, by_hand: bool = False) -> Figure:
    """Return an empty figure as wide as one or two text columns.

    Args:
        columns: 1 or 2.
        height: Inches.
        by_hand: The caller places everything; else axes make room for their labels.

    Raises:
        ConfigError: ``columns`` is not 1 or 2.
    """
    from matplotlib.figure import Figure

    width = WIDTHS[check_columns(columns)]
    if by_hand:
        return Figure(figsize=(width, height))
    figure = Figure(figsize=(width, height), layout="constrained")
    figure.get_layout_engine().set(w_pad=0.03, h_pad=0.03, wspace=0.02, hspace=0.02)  # type: ignore[union-attr, call-arg]
    return figure


@contextmanager
def drawing_style(suffix: str = ".png", fonts: Sequence[str] = (FAMILY,)) -> Iterator[None]:
    """Put the pictures' style in place of the caller's matplotlib settings for a while.

    Args:
        suffix: What the figure will be saved as.
        fonts: Font families, the first one for every letter it has.
    """
    from matplotlib import style

    own = {**_STYLE, "font.family": list(fonts), "figure.dpi": _DOTS_PER_INCH[suffix]}
    with _DRAWING, style.context(["default", own]):
        yield


def picture(draw: Callable[[], Figure], suffix: str) -> bytes:
    """Return the bytes of a picture; the same drawing gives the same bytes.

    The caller's matplotlib settings are neither used nor changed. Fonts are embedded in PDF,
    and letters are outlines in SVG.

    Args:
        draw: Makes the figure; called again when a name needs a further font.
        suffix: ``".png"``, ``".svg"`` or ``".pdf"``.

    Raises:
        ConfigError: another suffix.
    """
    suffix = suffix_of(f"picture{suffix}")
    with drawing_style(suffix):
        figure = draw()
        needed = families(_texts(figure))
        if needed == [FAMILY]:
            return _saved(figure, suffix)
    with drawing_style(suffix, needed):
        return _saved(draw(), suffix)


def _saved(figure: Figure, suffix: str) -> bytes:
    content = io.BytesIO()
    figure.savefig(content, format=suffix[1:], metadata=_METADATA[suffix])
    return content.getvalue()


def _texts(figure: Figure) -> list[str]:
    from matplotlib.text import Text

    ticks = [
        label
        for axes in figure.axes
        for label in (*axes.get_xticklabels(), *axes.get_yticklabels())
    ]
    artists = (*figure.findobj(Text), *ticks)
    return [artist.get_text() for artist in artists if isinstance(artist, Text)]
