"""``abotn validate``: check files against their schemas."""

from __future__ import annotations

import json
from pathlib import Path

import click

from abotn import schema_files
from abotn.errors import AbotnError, ConfigError, DataError
from abotn.json_files import read_json

_SCHEMA_OF = {
    "run.json": "run.v1",
    "result.json": "result.v1",
    "trajectory.json": "trajectory.v1",
    "evaluation.json": "evaluation.v1",
}


@click.command()
@click.argument("files", nargs=-1, required=True, type=click.Path())
@click.option("--schema", help="Schema name, where the file's name does not tell.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def validate(
    ctx: click.Context, files: tuple[str, ...], schema: str | None, *, as_json: bool
) -> None:
    """Check FILES, or every known file below a folder, against their schemas.

    Exits with 0 when all fit, with 1 when one does not.
    """
    if schema is not None and schema not in schema_files.schema_names():
        from abotn.errors import UnknownNameError

        raise UnknownNameError("schema", schema, schema_files.schema_names())
    paths = [path for name in files for path in _expand(Path(name))]
    findings = {str(path): _complaint(path, schema) for path in paths}
    wrong = {path: reason for path, reason in findings.items() if reason is not None}
    if as_json:
        click.echo(json.dumps({"checked": len(findings), "wrong": wrong}, indent=2))
    else:
        for path, reason in wrong.items():
            click.echo(f"{path}: {reason}")
        click.echo(f"{len(findings)} checked, {len(wrong)} wrong")
    ctx.exit(1 if wrong else 0)


def _expand(path: Path) -> list[Path]:
    if not path.exists():
        raise ConfigError("no such file or folder", where=path)
    if not path.is_dir():
        return [path]
    found = sorted(one for one in path.rglob("*.json") if one.name in _SCHEMA_OF)
    if not found:
        raise ConfigError("no file of a known kind below this folder", where=path)
    return found


def _complaint(path: Path, schema: str | None) -> str | None:
    try:
        document = read_json(path)
        name = schema or _SCHEMA_OF.get(path.name) or _guess(document, path)
        return schema_files.complaint(name, document)
    except AbotnError as error:
        return error.message


def _guess(document: dict[str, object], path: Path) -> str:
    marks = {"metrics": "evaluation.v1", "position": "trajectory.v1", "agent": "run.v1"}
    if "status" in document:
        return "result.v1"
    for key, name in marks.items():
        if key in document:
            return name
    raise DataError("cannot tell what kind of file this is", where=path, hint="use --schema")
