"""What ``abotn compare`` writes: bytes of every format, and the pictures beside them."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from abotn.errors import ConfigError

if TYPE_CHECKING:
    from abotn.report.comparison_pictures import TaskPicture
    from abotn.report.comparison_sources import ComparisonSources
    from abotn.results.comparison import Comparison

HTML = "html"
_SPARE = ("p",)
_NAMES_IN_LATEX = re.compile(r"[A-Za-z0-9._/ -]+")
_NOT_IN_LATEX = re.compile(r"[^A-Za-z0-9._-]+")


def content(
    found: Comparison, form: str, sources: ComparisonSources, notes: tuple[str, ...] = ()
) -> bytes:
    """Return the comparison as the bytes of a file of a format, without pictures.

    Args:
        found: The comparison.
        form: Name of the format.
        sources: Its runs.
        notes: Lines to add to the notes of tables.
    """
    from abotn.plugins.manager import plugin_manager
    from abotn.report.comparison_page import write_comparison_page
    from abotn.report.comparison_tables import comparison_report
    from abotn.report.formats import ReportFormat

    if form == "json":
        return found.to_json().encode()
    if form == HTML:
        return write_comparison_page(found, sources).encode()
    writer = plugin_manager().named("abotn_report_formats", "report format", form)
    assert isinstance(writer, ReportFormat)
    report = comparison_report(found, sources.options, sources)
    return writer.content(replace(report, notes=(*report.notes, *notes)))


def print_tables(
    found: Comparison, sources: ComparisonSources, notes: tuple[str, ...] = ()
) -> None:
    """Print the comparison on a terminal.

    Args:
        found: The comparison.
        sources: Its runs.
        notes: Lines to add to the notes of tables.
    """
    from abotn.cli.printing import print_report
    from abotn.report.comparison_tables import comparison_report

    report = comparison_report(found, sources.options, sources)
    print_report(replace(report, notes=(*report.notes, *notes)), spare=_SPARE)


def files_of(
    output: str, found: Comparison, form: str, sources: ComparisonSources, pictures: str | None
) -> dict[Path, bytes]:
    """Return the comparison and the pictures it shows beside it, by file, the document last.

    Args:
        output: The file.
        found: The comparison.
        form: Format of the file.
        sources: Its runs.
        pictures: Folder of the pictures; None for none, empty for ``NAME_paths`` beside the file.

    Raises:
        ConfigError: the folder's name cannot stand in a LaTeX document.
    """
    written = content(found, form, sources)
    files: dict[Path, bytes] = {}
    if pictures is not None and form in ("markdown", "latex"):
        from abotn.report.comparison_pictures import SUFFIXES, drawn_pictures, task_pictures

        shown = task_pictures(found, sources, SUFFIXES[form])
        if shown:
            folder = picture_folder(output, form, pictures)
            written += _document_part(output, form, folder, shown)
            drawn = drawn_pictures(shown, sources, SUFFIXES[form])
            files = {folder / name: picture for name, picture in drawn}
    return {**files, Path(output): written}


def write_files(files: Mapping[Path, bytes]) -> None:
    """Write all files, or leave none that was not there before.

    Raises:
        DataError: a file cannot be written, or its folder cannot be made.
    """
    from abotn.json_files import write_bytes

    made: list[Path] = []
    try:
        for path, written in files.items():
            made += _make_folder(path.parent)
            new = not path.exists()
            write_bytes(path, written)
            made += [path] if new else []
    except BaseException:
        for path in reversed(made):
            with suppress(OSError):
                path.rmdir() if path.is_dir() else path.unlink()
        raise


def picture_folder(output: str, form: str, given: str) -> Path:
    """Return the folder of the pictures of a file: the one given, or ``NAME_paths`` beside it."""
    if given:
        return Path(given)
    stem = Path(output).stem
    stem = _NOT_IN_LATEX.sub("-", stem) if form == "latex" else stem
    return Path(output).parent / f"{stem}_paths"


def picture_notes(
    found: Comparison, form: str, output: str | None, sources: ComparisonSources
) -> tuple[str, ...]:
    """Return the line that says how to get pictures, where tables are shown without them."""
    if output is not None or form not in ("markdown", "latex"):
        return ()
    from abotn.report.comparison_tables import pair_tasks

    lists = (pair_tasks(found, pair, sources).every for pair in found.pairs)
    if not any(task.has_path for tasks in lists for task in tasks):
        return ()
    file = "FILE.md" if form == "markdown" else "FILE.tex"
    return (f"For both paths of each task on one map: -o {file}, or -o FILE.html.",)


def _document_part(output: str, form: str, folder: Path, shown: list[TaskPicture]) -> bytes:
    from abotn.report.comparison_pictures import latex_pictures, markdown_pictures

    place = _relative(folder, Path(output).parent)
    if form == "markdown":
        return f"\n{markdown_pictures(shown, place)}".encode()
    if not _NAMES_IN_LATEX.fullmatch(place):
        raise ConfigError(
            "LaTeX cannot read pictures from a folder of this name",
            where=place,
            hint="give --pictures a folder of letters, digits, '.', '_' and '-'",
        )
    return f"\n{latex_pictures(shown, place)}".encode()


def _relative(folder: Path, start: Path) -> str:
    return Path(os.path.relpath(folder.absolute(), start.absolute())).as_posix()


def _make_folder(folder: Path) -> list[Path]:
    """Make a folder with those above it, and return the ones that were not there."""
    from abotn.errors import DataError

    missing = [one for one in (*reversed(folder.parents), folder) if not one.exists()]
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DataError(f"cannot be made: {error.strerror}", where=folder) from error
    return missing


def checked_folder(options: Mapping[str, Any], name: str) -> str | None:
    """Return the folder that an option names.

    Raises:
        ConfigError: there is no such folder.
    """
    folder: str | None = options[name]
    if folder is not None and not Path(folder).is_dir():
        raise ConfigError("no such folder", where=folder, hint=f"check --{name.replace('_', '-')}")
    return folder
