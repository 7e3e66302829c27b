"""The files of a run that may still be going on, each read again only when it changed."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from abotn.errors import ConfigError
from abotn.records.files import MANIFEST_NAME, RESULT_NAME, read_manifest
from abotn.records.readers import parse_results
from abotn.records.types import DamagedRecord

_Stamp = tuple[int, int, int, int]


class RunFiles:
    """Manifest and records of a run folder, which is only read.

    A file is read when it is new or when its times, its size or its place on the disk changed.
    A file that is on its way, under a temporary name, is not looked at.

    Args:
        folder: The run folder, also one that another process has just made.

    Attributes:
        folder: The run folder, as given.
        manifest: Content of ``run.json``; None while there is none.
        documents: Content of each sound ``result.json``, by path.
        damaged: Each unusable one, by path.
        times: When each ``result.json`` was written, seconds since 1970, by path.
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = os.fspath(folder)
        self.manifest: Mapping[str, Any] | None = None
        self.documents: dict[str, dict[str, Any]] = {}
        self.damaged: dict[str, DamagedRecord] = {}
        self.times: dict[str, float] = {}
        self._stamps: dict[str, _Stamp | str] = {}
        self._manifest_stamp: _Stamp | None = None

    def refresh(self) -> bool:
        """Read what is new, and return whether anything is.

        Raises:
            ConfigError: there is no such folder, it holds no run, or it was removed meanwhile.
            DataError: the manifest is damaged.
        """
        is_new = self._read_manifest()
        found = dict(_found(self.folder))
        known = self._stamps
        stale = [path for path, stamp in found.items() if known.get(path) != stamp]
        gone = known.keys() - found.keys()
        self._forget([*gone, *stale])
        self._read({path: found[path] for path in stale})
        return bool(is_new or stale or gone)

    def _read_manifest(self) -> bool:
        path = Path(self.folder) / MANIFEST_NAME
        try:
            stamp = _stamp(path.stat())
        except (FileNotFoundError, NotADirectoryError):
            self._check_waiting()
            return False
        if stamp == self._manifest_stamp:
            return False
        self.manifest, self._manifest_stamp = read_manifest(self.folder), stamp
        return True

    def _check_waiting(self) -> None:
        """Raise unless the folder is one whose ``run.json`` is still to come."""
        folder = Path(self.folder)
        if self.manifest is not None:
            raise ConfigError("the run was removed while it was watched", where=folder)
        if not folder.is_dir():
            what = "expected a run folder, got a file" if folder.exists() else "no such run folder"
            raise ConfigError(what, where=folder, hint="give the folder that 'abotn run' makes")
        inside = sorted(path for path in folder.iterdir() if path.name[0] != ".")
        if inside:
            runs = [path for path in inside if (path / MANIFEST_NAME).is_file()]
            one = runs[-1] if runs else "the folder that 'abotn run' makes"
            raise ConfigError(
                f"there is no {MANIFEST_NAME}, so there is no run to watch",
                where=folder,
                hint=f"give {one}",
            )

    def _forget(self, paths: Iterable[str]) -> None:
        for path in paths:
            for kept in (self.documents, self.damaged, self.times, self._stamps):
                kept.pop(path, None)

    def _read(self, stamps: Mapping[str, _Stamp | str]) -> None:
        contents: list[tuple[str, bytes | OSError]] = []
        for path, stamp in stamps.items():
            content = OSError(stamp) if isinstance(stamp, str) else _content(path)
            if content is None:
                continue
            self._stamps[path] = stamp
            if not isinstance(stamp, str):
                self.times[path] = stamp[0] / 1e9
            contents.append((path, content))
        documents, damaged = parse_results(contents)
        self.documents.update(documents)
        self.damaged.update((one.path, one) for one in damaged)


def _content(path: str) -> bytes | OSError | None:
    """Return what is in a file, why that cannot be read, or None when the file is gone."""
    try:
        return Path(path).read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        return error


def _found(root: str) -> Iterator[tuple[str, _Stamp | str]]:
    """Yield the path of each ``result.json`` with its stamp, or a place and what is wrong there.

    The same files as an evaluation reads: what lies below an attempt's folder, hidden or behind a
    link is left out.
    """
    waiting = [root]
    while waiting:
        place = waiting.pop()
        path = f"{place}{os.sep}{RESULT_NAME}"
        try:
            status = os.stat(path)  # noqa: PTH116 - half the time of a Path, for every record
        except (FileNotFoundError, NotADirectoryError):
            try:
                waiting.extend(_inside(place, root))
            except (FileNotFoundError, NotADirectoryError):
                continue
            except OSError as error:
                yield place, error.strerror or str(error)
        except OSError as error:
            yield path, error.strerror or str(error)
        else:
            yield path, _stamp(status) if stat.S_ISREG(status.st_mode) else "not a file"


def _inside(place: str, root: str) -> list[str]:
    if place != root and Path(place).is_symlink():
        return []
    with os.scandir(place) as entries:
        return [entry.path for entry in entries if entry.name[0] != "." and entry.is_dir()]


def _stamp(status: os.stat_result) -> _Stamp:
    return status.st_mtime_ns, status.st_ctime_ns, status.st_size, status.st_ino
