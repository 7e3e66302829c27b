"""``abotn validate``: check files against their schemas, and lift older ones."""

from __future__ import annotations

import json
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import click

from abotn import schema_files
from abotn.errors import AbotnError, ConfigError, DataError
from abotn.json_files import read_json

_SCHEMA_OF = {
    "run.json": "run.v1",
    "result.json": "result.v1",
    "trajectory.json": "trajectory.v1",
    "evaluation.json": "evaluation.v1",
    "evaluation-*.json": "evaluation.v1",
    "comparison.json": "comparison.v1",
    "comparison-*.json": "comparison.v1",
}


@click.command()
@click.argument("files", nargs=-1, required=True, type=click.Path())
@click.option("--schema", help="Schema name, where the file's name does not tell.")
@click.option("--migrate", is_flag=True, help="Lift older files first, such as published results.")
@click.option(
    "--backup/--no-backup", default=True, show_default=True, help="Keep lifted files as FILE.bak."
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def validate(
    ctx: click.Context,
    /,
    files: tuple[str, ...],
    schema: str | None,
    *,
    migrate: bool,
    backup: bool,
    as_json: bool,
) -> None:
    """Check FILES, or every known file below a folder, against their schemas.

    Exits with 0 when all fit, with 1 when one does not, and with 2 when one of FILES cannot be
    checked at all; the others are checked all the same. With --migrate a file of an older layout
    is lifted to this one first, in place and whole or not at all.
    """
    if schema is not None and schema not in schema_files.schema_names():
        from abotn.errors import UnknownNameError

        raise UnknownNameError("schema", schema, schema_files.schema_names())
    paths, unusable = _expand_all(files)
    lifted, refused = _lift_all(paths, schema, keep_backup=backup) if migrate else ([], {})
    findings = {str(p): refused.get(str(p)) or _complaint(p, schema) for p in paths}
    wrong = {path: reason for path, reason in findings.items() if reason is not None}
    for reason in unusable:
        click.echo(f"error: {reason}", err=True)
    if not paths:
        ctx.exit(2)
    if as_json:
        shown = {"checked": len(findings), "lifted": lifted, "wrong": wrong}
        click.echo(json.dumps(shown, indent=2))
    else:
        for path in lifted:
            click.echo(f"{path}: lifted")
        for path, reason in wrong.items():
            click.echo(f"{path}: {reason}")
        click.echo(f"{len(findings)} checked, {len(wrong)} wrong")
    ctx.exit(2 if unusable else 1 if wrong else 0)


def _expand_all(names: tuple[str, ...]) -> tuple[list[Path], list[str]]:
    """Return the files to check, and why some of the names given stand for none."""
    paths: list[Path] = []
    unusable: list[str] = []
    for name in names:
        try:
            paths += _expand(Path(name))
        except ConfigError as error:
            unusable.append(str(error))
    return list(dict.fromkeys(paths)), unusable


def _expand(path: Path) -> list[Path]:
    if not path.exists():
        raise ConfigError("no such file or folder", where=path, hint="check the path")
    if not path.is_dir():
        return [path]
    found = sorted(one for one in path.rglob("*.json") if _schema_of(one))
    if not found:
        raise ConfigError("no file of a known kind below this folder", where=path, hint=_hint(path))
    return found


def _hint(folder: Path) -> str:
    from abotn.scenes.layout import TASK_PATTERN

    patterns = (TASK_PATTERN, f"*/{TASK_PATTERN}", "*/*/occ_map_meta.txt")
    if any(next(folder.glob(pattern), None) for pattern in patterns):
        return f"it holds scenes, which 'abotn scenes check {folder}' checks"
    return "give a run folder, or name a file and its kind by --schema"


def _lift_all(
    paths: list[Path], schema: str | None, *, keep_backup: bool
) -> tuple[list[str], dict[str, str]]:
    """Lift what needs it; return the files that were lifted, and why others could not be."""
    lifted: list[str] = []
    refused: dict[str, str] = {}
    for path in paths:
        try:
            if _lift(path, schema, keep_backup=keep_backup):
                lifted.append(str(path))
        except DataError as error:
            refused[str(path)] = error.message
    return lifted, refused


def _lift(path: Path, schema: str | None, *, keep_backup: bool) -> bool:
    from abotn.records.published import normalise
    from abotn.results.migrate import migrate_file

    name = _schema_name(path, schema, read_json(path))
    lift = normalise if name == "result.v1" else None
    return migrate_file(path, schema=name, lift=lift, keep_backup=keep_backup) is not None


def _complaint(path: Path, schema: str | None) -> str | None:
    try:
        document = read_json(path)
        name = _schema_name(path, schema, document)
        reason = schema_files.complaint(name, document) or _beyond_schema(name, document, path)
    except AbotnError as error:
        return error.message
    if reason is not None and name == "result.v1" and "schema_version" not in document:
        return f"{reason} (--migrate lifts the results of the published tools)"
    return reason


def _beyond_schema(name: str, document: dict[str, Any], path: Path) -> str | None:
    """Return what is wrong with a file of an attempt that a schema cannot say."""
    from abotn.records.files import length_complaint
    from abotn.records.places import misplaced, run_above

    if name == "trajectory.v1":
        return length_complaint(document) or _stranger(document, path)
    run = run_above(path) if path.name == "result.json" else None
    if run is None:
        return None
    key = document["episode_id"], document["task_id"], int(document.get("attempt", 0))
    reason = misplaced([str(path)], [key], run).get(0)
    alone = document["status"] != "error" and not path.with_name("trajectory.json").exists()
    return reason or ("has no trajectory.json beside it" if alone else None)


def _stranger(document: dict[str, Any], path: Path) -> str | None:
    """Return why a trajectory does not belong to the sound result beside it, if there is one."""
    from abotn.records.places import stranger

    beside = path.with_name("result.json")
    if path.name != "trajectory.json" or not beside.is_file():
        return None
    try:
        record = read_json(beside, schema="result.v1")
    except DataError:
        return None
    return stranger(document, len(document["waypoint"]), record)


def _schema_name(path: Path, schema: str | None, document: dict[str, object]) -> str:
    return schema or _schema_of(path) or _guess(document, path)


def _schema_of(path: Path) -> str | None:
    """Return the schema that a file's name tells."""
    known = (schema for name, schema in _SCHEMA_OF.items() if fnmatchcase(path.name, name))
    return next(known, None)


def _guess(document: dict[str, object], path: Path) -> str:
    marks = {
        "status": "result.v1",
        "pairs": "comparison.v1",
        "metrics": "evaluation.v1",
        "position": "trajectory.v1",
        "agent": "run.v1",
    }
    for key, name in marks.items():
        if key in document:
            return name
    if {"tables", "entries"} <= document.keys():
        raise DataError(
            "is a report, which has no schema; check the evaluations it was made of", where=path
        )
    raise DataError("cannot tell what kind of file this is", where=path, hint="use --schema")
