"""The manifest of a run, and whether another run may go on in its folder."""

from __future__ import annotations

import json
import platform
from collections.abc import Mapping
from datetime import datetime, timezone
from typing import Any

import numpy as np

from abotn.errors import ConfigError, ProtocolMismatchError
from abotn.records.files import SCHEMA_VERSION
from abotn.rendering.factory import described
from abotn.rollout.dataset import Dataset
from abotn.rollout.executor import Setup


def make_manifest(
    run_id: str,
    setup: Setup,
    dataset: Dataset,
    *,
    agent_name: str,
    attempts: int,
    versions: Mapping[str, str],
) -> dict[str, Any]:
    """Return the content of ``run.json``.

    Args:
        run_id: Name of the run's folder.
        setup: What is run.
        dataset: What it is run over.
        agent_name: Name for tables.
        attempts: Attempts per task.
        versions: Version of this package and of every plugin.
    """
    rules = setup.rules
    return {
        "schema_version": SCHEMA_VERSION,
        "run_id": run_id,
        "task_type": rules.task_type,
        "created": datetime.now(timezone.utc).isoformat(timespec="seconds"),
        "agent": {
            "name": agent_name,
            "class": class_path(setup.agent_class),
            "config": json_ready(setup.agent_config),
        },
        "protocol": rules.protocol.to_manifest(),
        "dataset": {
            "fingerprint": dataset.fingerprint,
            "scenes": dataset.scene_count,
            "tasks": len(dataset.tasks),
            "data_dir": dataset.data_dir,
            "map_dir": dataset.map_dir,
        },
        "renderer": dict(described(setup.factory, setup.render)),
        "provide": sorted(rules.provide),
        "max_steps": rules.max_steps,
        "attempts": attempts,
        "seed": rules.seed,
        "expose": None,
        "versions": {
            **versions,
            "python": platform.python_version(),
            "numpy": np.__version__,
        },
    }


def check_same_run(old: Mapping[str, Any], new: Mapping[str, Any], where: Any) -> None:
    """Check that a run may go on in the folder of another one.

    Args:
        old: Manifest in the folder.
        new: Manifest of what was asked for.
        where: The folder.

    Raises:
        ProtocolMismatchError: another protocol, or another value of it.
        ConfigError: another task type, agent, dataset, renderer, seed or number of steps.
    """
    _check_protocol(old["protocol"], new["protocol"], where)
    for key, shown in _IDENTITY.items():
        before, now = _value(old, key), _value(new, key)
        if before != now:
            raise ConfigError(
                f"the run was made with {shown} {_brief(before)}, asked for is {_brief(now)}",
                where=where,
                hint="leave the option out, or start a new run",
            )


def class_path(agent_class: type[Any]) -> str:
    """Return ``"package.module:ClassName"`` of a class."""
    return f"{agent_class.__module__}:{agent_class.__qualname__}"


def json_ready(config: Mapping[str, Any]) -> dict[str, Any]:
    """Return a configuration as JSON holds it; what JSON has no type for becomes text."""
    ready: dict[str, Any] = json.loads(json.dumps(config, default=str, allow_nan=True))
    return ready


_IDENTITY = {
    "task_type": "task type",
    "agent.class": "agent",
    "agent.config": "agent config",
    "agent.name": "agent name",
    "dataset.fingerprint": "dataset",
    "renderer.kind": "renderer",
    "provide": "optional observations",
    "max_steps": "max steps",
    "attempts": "attempts",
    "seed": "seed",
}


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
