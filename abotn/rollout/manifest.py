"""The manifest of a run, and whether another run may go on in its folder."""

from __future__ import annotations

import json
import platform
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from datetime import datetime, timezone
from typing import Any

import numpy as np

from abotn.agents.description import class_path, json_ready
from abotn.errors import ConfigError, ProtocolMismatchError
from abotn.json_files import dump_json, parse_json
from abotn.records.files import SCHEMA_VERSION
from abotn.rollout.dataset import Dataset
from abotn.rollout.rules import RunRules


def make_manifest(
    run_id: str,
    rules: RunRules,
    dataset: Dataset,
    *,
    agent: Mapping[str, Any],
    renderer: Mapping[str, str],
    versions: Mapping[str, str],
    attempts: int = 1,
    planned: int | None = None,
    command: Sequence[str] = (),
) -> dict[str, Any]:
    """Return the content of ``run.json``.

    Args:
        run_id: Name of the run's folder.
        rules: The rules of the run.
        dataset: What it is run over.
        agent: Name for tables, class path and configuration, see :func:`agent_entry`.
        renderer: Kind of renderer, and its URL where it has one.
        versions: Version of this package and of every plugin.
        attempts: Attempts per task.
        planned: Attempts that the run was started for, in all; None means every task's.
        command: Words of the command line that started the run; kept without logins and secrets.
    """
    typed = {"command": without_secrets(command)} if command else {}
    return {
        "schema_version": SCHEMA_VERSION,
        "run_id": run_id,
        "task_type": rules.task_type,
        "created": datetime.now(timezone.utc).isoformat(timespec="seconds"),
        **typed,
        "agent": dict(agent),
        "protocol": rules.protocol.to_manifest(),
        "dataset": {
            "fingerprint": dataset.fingerprint,
            "scenes": dataset.scene_count,
            "tasks": len(dataset.tasks),
            "data_dir": dataset.data_dir,
            "map_dir": dataset.map_dir,
        },
        "renderer": dict(renderer),
        "camera": asdict(rules.camera),
        "provide": sorted(rules.provide),
        "history": {
            "max_frames": rules.max_history_frames,
            "resize_ratio": rules.history_resize_ratio,
        },
        "max_steps": rules.max_steps,
        "attempts": attempts,
        "planned_attempts": len(dataset.tasks) * attempts if planned is None else planned,
        "seed": rules.seed,
        "expose": None if rules.expose is None else list(rules.expose),
        "versions": {
            **versions,
            "python": platform.python_version(),
            "numpy": np.__version__,
        },
    }


def without_secrets(words: Iterable[str]) -> list[str]:
    """Return words of a command line with logins in addresses and values of secrets as ``***``.

    Example:
        >>> without_secrets(["--render", "http://me:pw@host/r?api_key=42&size=2"])
        ['--render', 'http://***@host/r?api_key=***&size=2']
    """
    return [_SECRET.sub(r"\1***", _LOGIN.sub("://***@", word)) for word in words]


_LOGIN = re.compile(r"://[^/@\s]+@")
_SECRET = re.compile(
    r"((?:token|key|secret|passw(?:or)?d|auth|credentials?|signature)=)[^&\s]+", re.IGNORECASE
)


def agent_entry(name: str, agent_class: type[Any], config: Mapping[str, Any]) -> dict[str, Any]:
    """Return the ``agent`` entry of a manifest."""
    return {"name": name, "class": class_path(agent_class), "config": json_ready(config)}


def as_written(manifest: Mapping[str, Any]) -> dict[str, Any]:
    """Return a manifest as it is read back."""
    return parse_json(dump_json(manifest), "run.json")


def check_same_run(old: Mapping[str, Any], new: Mapping[str, Any], where: Any) -> None:
    """Check that a run may go on in the folder of another one.

    Args:
        old: Manifest in the folder.
        new: Manifest of what was asked for.
        where: The folder.

    Raises:
        ProtocolMismatchError: another protocol, or another value of it.
        ConfigError: another task type, agent, dataset, renderer, seed or number of steps, or
            another view of the world for the agent.
    """
    _check_protocol(old["protocol"], new["protocol"], where)
    for key, shown in _IDENTITY.items():
        before, now = _value(old, key), _value(new, key)
        unknown = key in _NEWER and before is None
        if before != now and not unknown:
            raise ConfigError(
                f"the run was made with {shown} {_brief(before)}, asked for is {_brief(now)}",
                where=where,
                hint="leave the option out, or start a new run",
            )


_IDENTITY = {
    "task_type": "task type",
    "agent.class": "agent",
    "agent.config": "agent config",
    "agent.name": "agent name",
    "agent.images": "images for the agent",
    "dataset.fingerprint": "dataset",
    "renderer.kind": "renderer",
    "camera": "camera",
    "provide": "optional observations",
    "history": "history",
    "expose": "exposed observations",
    "max_steps": "max steps",
    "attempts": "attempts",
    "seed": "seed",
}

# Runs made before these were recorded can still be resumed.
_NEWER = ("camera", "history")


def _check_protocol(old: Mapping[str, Any], new: Mapping[str, Any], where: Any) -> None:
    hint = "leave the protocol options out, or start a new run"
    if old["name"] != new["name"]:
        raise ProtocolMismatchError(
            f"the run was made under protocol {old['name']!r}, asked for is {new['name']!r}",
            where=where,
            hint=hint,
        )
    for name in sorted({*old["values"], *new["values"]}):
        before, now = old["values"].get(name), new["values"].get(name)
        if before != now:
            raise ProtocolMismatchError(
                f"the run was made with {name} {before!r}, asked for is {now!r}",
                where=where,
                hint=hint,
            )


def _value(manifest: Mapping[str, Any], key: str) -> Any:
    value: Any = manifest
    for part in key.split("."):
        value = value.get(part) if isinstance(value, Mapping) else None
    return value


def _brief(value: Any) -> str:
    text = json.dumps(value, default=str)
    return text if len(text) <= 80 else f"{text[:77]}..."
