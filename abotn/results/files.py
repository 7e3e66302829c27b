"""Reading and writing evaluations."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from abotn import schema_files
from abotn.errors import DataError, SchemaError, hinted
from abotn.json_files import parse_json, read_json, write_json
from abotn.results.types import SCHEMA_VERSION, EvaluationResult, GroupResult, MetricResult

_KEYS = (
    "schema_version",
    "name",
    "counts",
    "metrics",
    "groups",
    "damaged",
    "skipped",
    "provenance",
    "summary",
)


def write_evaluation(path: str | os.PathLike[str], result: EvaluationResult) -> None:
    """Write an evaluation, checked against ``evaluation.v1``, whole or not at all."""
    write_json(path, result.to_dict(), schema="evaluation.v1")


@hinted("make it again with abotn evaluate RUN")
def read_evaluation(path: str | os.PathLike[str]) -> EvaluationResult:
    """Read an evaluation file, or ``evaluation.json`` of a run folder.

    Raises:
        DataError: unreadable or not a JSON object.
        SchemaError: it breaks the schema, or its major version is unknown.
    """
    target = Path(path)
    if target.is_dir():
        target /= "evaluation.json"
    return evaluation_from_dict(read_json(target), where=target)


def evaluation_from_json(text: str | bytes) -> EvaluationResult:
    """Build an evaluation from JSON text."""
    content = text.encode() if isinstance(text, str) else text
    return evaluation_from_dict(parse_json(content, "evaluation"))


def evaluation_from_dict(
    document: Mapping[str, Any], *, where: str | os.PathLike[str] | None = None
) -> EvaluationResult:
    """Build an evaluation from its plain form, keeping fields of newer minor versions."""
    check_version(document, where)
    reason = schema_files.complaint("evaluation.v1", document)
    if reason is not None:
        raise SchemaError(f"breaks evaluation.v1: {reason}", where=where)
    groups = {
        name: tuple(GroupResult.from_dict(group) for group in members)
        for name, members in document["groups"].items()
    }
    return EvaluationResult(
        metrics=tuple(MetricResult.from_dict(one) for one in document["metrics"]),
        groups=groups,
        counts=document["counts"],
        damaged=tuple(document.get("damaged", ())),
        skipped=document.get("skipped", {}),
        provenance=document["provenance"],
        name=document.get("name", ""),
        schema_version=document["schema_version"],
        unknown={key: value for key, value in document.items() if key not in _KEYS},
    )


def check_version(document: Mapping[str, Any], where: str | os.PathLike[str] | None = None) -> None:
    """Refuse a document whose major version this package does not know.

    Raises:
        DataError: there is no version.
        SchemaError: the major version is not the one written here.
    """
    version = document.get("schema_version")
    if version is None:
        raise DataError("no schema_version, so not a file of this project", where=where)
    if str(version).partition(".")[0] != SCHEMA_VERSION:
        raise SchemaError(
            f"schema_version is {version!r}, this reader knows {SCHEMA_VERSION!r}",
            where=where,
            hint="use a newer abotn",
        )
