"""Lifting files of an older layout to the one written here."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from abotn import schema_files
from abotn.errors import DataError, SchemaError
from abotn.json_files import read_json, write_bytes, write_json

UNVERSIONED = "0"
BACKUP_SUFFIX = ".bak"
Lift = Callable[[Mapping[str, Any]], dict[str, Any]]


@dataclass(frozen=True)
class Lifted:
    """A file that was lifted.

    Attributes:
        path: The file.
        before: Its version before; ``"0"`` for a file without one.
        after: Its version now.
        backup: The file as it was; None where none was asked for.
    """

    path: str
    before: str
    after: str
    backup: str | None


def migrate_file(
    path: str | os.PathLike[str], *, schema: str, lift: Lift | None, keep_backup: bool = True
) -> Lifted | None:
    """Lift one file to the major version of its schema, whole or not at all.

    The file as it was is kept beside it, with ``.bak`` appended; a backup that is already there
    is not replaced, so it stays the original.

    Args:
        path: The file.
        schema: Name of its schema, such as ``"result.v1"``.
        lift: Makes a document of this layout from one without a version; None where there is no
            such older layout.
        keep_backup: Whether to keep the file as it was.

    Returns:
        What was done; None when the file has the right version already.

    Raises:
        DataError: unreadable.
        SchemaError: a version that cannot be lifted, or content that does not fit even then. The
            file is then as it was.
    """
    document = read_json(path)
    after = schema.rpartition(".v")[2]
    before = str(document.get("schema_version", UNVERSIONED))
    if before.partition(".")[0] == after:
        return None
    if before == UNVERSIONED and lift is None:
        raise SchemaError(
            f"has no schema_version, and no older layout than {schema} is known",
            where=path,
            hint="make the file anew",
        )
    if before != UNVERSIONED or lift is None:
        raise SchemaError(
            f"cannot lift version {before!r} to {after!r}", where=path, hint="use a newer abotn"
        )
    lifted = {**lift(document), "schema_version": after}
    reason = schema_files.complaint(schema, lifted)
    if reason is not None:
        raise SchemaError(f"breaks {schema} also when lifted: {reason}", where=path)
    backup = _keep(Path(path)) if keep_backup else None
    write_json(path, lifted, schema=schema)
    return Lifted(os.fspath(path), before, after, None if backup is None else str(backup))


def _keep(path: Path) -> Path:
    backup = path.with_name(path.name + BACKUP_SUFFIX)
    if not backup.exists():
        try:
            content = path.read_bytes()
        except OSError as error:
            raise DataError(f"cannot read: {error.strerror or error}", where=path) from error
        write_bytes(backup, content)
    return backup
