"""From what a caller asked for, and what an earlier run says, to the setup of a run."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from abotn.agents.description import AgentDescription
from abotn.agents.exposure import chosen_fields
from abotn.agents.interface import OPTIONAL_FIELDS, TASK_TYPES
from abotn.errors import ConfigError, UnknownNameError, text_of
from abotn.plugins.manager import plugin_manager
from abotn.rendering.camera import CameraConfig
from abotn.rendering.factory import choose_factory
from abotn.rollout.agent_choice import choose_agent
from abotn.rollout.executor import Setup
from abotn.rollout.memory import check_history
from abotn.rollout.protocol import DEFAULT_PROTOCOLS, MOST_WHOLE, Protocol
from abotn.rollout.rules import RunRules

PathLike = str | os.PathLike[str]

_MOST_ATTEMPTS = 100_000


@dataclass(frozen=True)
class RunOptions:
    """What a caller asked for; None means the default, or the value of the run that is resumed.

    Attributes:
        task_type: ``"point_goal"`` or ``"poi_goal"``.
        agent: ``"package.module:ClassName"``, a class, or the URL of an agent server.
        agent_config: A YAML file, or the keyword arguments; for a server, the connection's
            settings.
        agent_name: Name for tables; the class's name by default.
        data_dir: Folder of the scenes.
        map_dir: Folder of the maps, when they are kept apart.
        protocol: A protocol or its name.
        overrides: Other values for parameters of the protocol.
        render: ``"embedded"``, ``"none"``, or a URL.
        max_steps: Largest number of steps of an attempt.
        seed: Seed of the run.
        attempts: Attempts per task.
        provide: Optional observation fields that the agent gets beside those it needs.
        expose: The only observation fields that the agent sees, also as one text with commas; an
            optional field named here is provided too. None shows all.
        max_history_frames: Largest number of earlier frames in an observation.
        history_resize_ratio: Size of an earlier frame's image as a share of its original size.
        camera: The camera.
        save_images: Whether the views are kept.
        visualize: Whether what the agent says about its views is drawn on them and kept.
        command: Words of the command line that started the run, for its manifest.
    """

    task_type: str | None = None
    agent: Any = None
    agent_config: PathLike | Mapping[str, Any] | None = None
    agent_name: str | None = None
    data_dir: PathLike | None = None
    map_dir: PathLike | None = None
    protocol: str | Protocol | None = None
    overrides: Mapping[str, Any] = field(default_factory=dict)
    render: str | None = None
    max_steps: int | None = None
    seed: int | None = None
    attempts: int | None = None
    provide: Iterable[str] = ()
    expose: Iterable[str] | str | None = None
    max_history_frames: int | None = None
    history_resize_ratio: float | None = None
    camera: CameraConfig | None = None
    save_images: bool = False
    visualize: bool = False
    command: Sequence[str] = ()


def resolve(options: RunOptions, old: Mapping[str, Any] | None) -> Setup:
    """Return the setup of a run.

    Args:
        options: What was asked for.
        old: Manifest of the run that is resumed, or None.

    Raises:
        ConfigError: something is missing or cannot be used.
        UnknownNameError: a name is not known.
    """
    chosen = choose_agent(options.agent, options.agent_config, old and old["agent"])
    agent = chosen.description
    task_type = _task_type(options, old)
    protocol = _read_as(_protocol(options, old, task_type), options, old, agent)
    spec = options.render or _old_render(old) or "embedded"
    expose = _exposed(options, old, task_type, agent)
    frames, ratio = _history(options, old)
    return Setup(
        rules=RunRules(
            task_type=task_type,
            protocol=protocol,
            max_steps=_count(options, old, "max_steps", protocol.default_max_steps, MOST_WHOLE),
            seed=_seed(options, old),
            provide=_provided(options, old, agent, expose),
            camera=options.camera or _old_camera(old),
            save_images=options.save_images,
            visualize=options.visualize,
            expose=expose,
            max_history_frames=frames,
            history_resize_ratio=ratio,
        ),
        agent=chosen,
        factory=choose_factory(
            spec, [offer.value for offer in plugin_manager().offers("abotn_renderers")]
        ),
        render=spec,
        data_dir=_data_dir(options, old),
        map_dir=_map_dir(options, old),
    )


def whole_number(value: Any, where: str, least: int, most: int) -> int:
    """Return ``value`` when it is a whole number from ``least`` to ``most``.

    Raises:
        ConfigError: it is something else.
    """
    whole = isinstance(value, int) and not isinstance(value, bool)
    if not whole or not least <= value <= most:
        bound = f"at most {most}" if whole and value > most else f"at least {least}"
        got = text_of(value, 40) if whole else repr(text_of(value, 40))
        raise ConfigError(f"expected a whole number of {bound}, got {got}", where=where)
    return int(value)


def attempts_of(options: RunOptions, old: Mapping[str, Any] | None) -> int:
    """Return the number of attempts per task."""
    return _count(options, old, "attempts", 1, _MOST_ATTEMPTS)


def agent_name_of(options: RunOptions, old: Mapping[str, Any] | None, setup: Setup) -> str:
    """Return the agent's name for tables."""
    if options.agent_name is not None and not options.agent_name.strip():
        raise ConfigError("expected a name, got an empty one", where="agent name")
    if options.agent_name is None and old is not None:
        return str(old["agent"]["name"])
    return options.agent_name or setup.agent.description.name


def _task_type(options: RunOptions, old: Mapping[str, Any] | None) -> str:
    value = options.task_type or (old or {}).get("task_type")
    normal = value.replace("-", "_") if isinstance(value, str) else value
    if normal not in TASK_TYPES:
        raise UnknownNameError("task type", value, TASK_TYPES)
    return str(normal)


def _protocol(options: RunOptions, old: Mapping[str, Any] | None, task_type: str) -> Protocol:
    protocol = _named_protocol(options, old, task_type).override(**options.overrides)
    if protocol.task_type not in (None, task_type):
        raise ConfigError(
            f"protocol {protocol.name!r} is for {protocol.task_type}, the run is {task_type}",
            where="protocol",
            hint=f"try {DEFAULT_PROTOCOLS[task_type]!r} or 'strict'",
        )
    return protocol


def _named_protocol(options: RunOptions, old: Mapping[str, Any] | None, task_type: str) -> Protocol:
    if isinstance(options.protocol, Protocol):
        return options.protocol
    if options.protocol is None and old is not None:
        return Protocol.from_manifest(old["protocol"])
    name = options.protocol or DEFAULT_PROTOCOLS[task_type]
    found = plugin_manager().named("abotn_protocols", "protocol", name)
    if not isinstance(found, Protocol):
        raise ConfigError(f"a plugin's protocol {name!r} is a {type(found).__name__}")
    return found


def _read_as(
    protocol: Protocol, options: RunOptions, old: Mapping[str, Any] | None, agent: AgentDescription
) -> Protocol:
    """The agent's own frame, unless the caller chose one or the resumed run already has."""
    chosen = options.overrides.get("waypoint_frame") is not None
    inherited = options.protocol is None and old is not None
    if chosen or inherited or "waypoint_frame" in protocol.modified:
        return protocol
    return protocol.read_as(agent.waypoint_frame)


def _old_render(old: Mapping[str, Any] | None) -> str | None:
    if old is None:
        return None
    renderer = old["renderer"]
    return str(renderer.get("url") or renderer["kind"])


def _count(
    options: RunOptions, old: Mapping[str, Any] | None, name: str, default: int, most: int
) -> int:
    value = getattr(options, name)
    if value is None:
        value = default if old is None else old.get(name, default)
    return whole_number(value, name.replace("_", " "), 1, most)


def _seed(options: RunOptions, old: Mapping[str, Any] | None) -> int:
    if options.seed is None:
        return int((old or {}).get("seed", 0))
    return whole_number(options.seed, "seed", 0, MOST_WHOLE)


def _provided(
    options: RunOptions,
    old: Mapping[str, Any] | None,
    agent: AgentDescription,
    expose: tuple[str, ...] | None,
) -> frozenset[str]:
    wanted = list(options.provide)
    for name in wanted:
        if name not in OPTIONAL_FIELDS:
            raise UnknownNameError("observation field", name, OPTIONAL_FIELDS)
    inherited = (old or {}).get("provide", []) if not wanted else []
    shown = [name for name in expose or () if name in OPTIONAL_FIELDS]
    return frozenset([*wanted, *inherited, *agent.needs, *shown])


def _exposed(
    options: RunOptions, old: Mapping[str, Any] | None, task_type: str, agent: AgentDescription
) -> tuple[str, ...] | None:
    given = options.expose
    if given is None:
        given = (old or {}).get("expose")
    return None if given is None else chosen_fields(given, task_type, agent.needs)


def _history(options: RunOptions, old: Mapping[str, Any] | None) -> tuple[int, float]:
    before = (old or {}).get("history", {})
    frames, ratio = options.max_history_frames, options.history_resize_ratio
    frames = before.get("max_frames", RunRules.max_history_frames) if frames is None else frames
    ratio = before.get("resize_ratio", RunRules.history_resize_ratio) if ratio is None else ratio
    check_history(frames, ratio)
    return frames, float(ratio)


def _old_camera(old: Mapping[str, Any] | None) -> CameraConfig:
    return CameraConfig(**(old or {}).get("camera", {}))


def _data_dir(options: RunOptions, old: Mapping[str, Any] | None) -> str:
    given = options.data_dir
    if given is None and old is not None:
        given = old["dataset"].get("data_dir")
    if given is None:
        raise ConfigError("no data folder was given", where="data dir", hint="give --data-dir")
    return str(Path(given).resolve())


def _map_dir(options: RunOptions, old: Mapping[str, Any] | None) -> str | None:
    given = options.map_dir
    if given is None and options.data_dir is None and old is not None:
        given = old["dataset"].get("map_dir")
    return None if given is None else str(Path(given).resolve())
