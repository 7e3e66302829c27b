"""What a run's agents are made from: a class, here or in an agent server."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from abotn.agents.agent_connection import checked_url, is_agent_url
from abotn.agents.config import agent_config_from
from abotn.agents.description import AgentDescription, describe, json_ready
from abotn.agents.loader import checked_agent_class, load_agent_class
from abotn.agents.remote import RemoteAgent, remote_settings, served_agent
from abotn.errors import ConfigError

AgentConfig = str | os.PathLike[str] | Mapping[str, Any] | None


@dataclass(frozen=True)
class ChosenAgent:
    """The agent of a run.

    Attributes:
        agent_class: What each worker makes an agent of.
        config: Its keyword arguments.
        description: The agent itself, wherever it lives.
    """

    agent_class: type[Any]
    config: dict[str, Any]
    description: AgentDescription

    def entry(self, name: str) -> dict[str, Any]:
        """Return the ``agent`` entry of a run's manifest.

        The class and the configuration are the agent's own, also when it lives in a server; then
        ``url`` says where, and the settings of the connection follow.

        Args:
            name: Name for tables.
        """
        known = self.description
        entry = {"name": name, "class": known.path, "config": json_ready(known.config)}
        return {**entry, **self.config} if self.agent_class is RemoteAgent else entry


def choose_agent(
    agent: Any,
    agent_config: AgentConfig,
    old: Mapping[str, Any] | None,
) -> ChosenAgent:
    """Return the agent of a run.

    Args:
        agent: ``"package.module:ClassName"``, a class, or the URL of an agent server; None takes
            that of the run that is resumed.
        agent_config: A YAML file or the keyword arguments; for a server, the settings of the
            connection.
        old: The ``agent`` entry of the manifest of the run that is resumed, or None.

    Raises:
        ConfigError: there is none, it cannot be loaded, or no server answers.
    """
    if agent is None and old is not None:
        agent = old.get("url") or old["class"]
    if agent is None:
        raise ConfigError(
            "no agent was given",
            where="agent",
            hint="package.module:ClassName, or the URL of an agent server",
        )
    given = agent_config_from(agent_config)
    if is_agent_url(agent):
        return _remote(agent, given, old or {})
    return _local(agent, given, old or {})


def _local(agent: Any, given: dict[str, Any] | None, old: Mapping[str, Any]) -> ChosenAgent:
    if isinstance(agent, str):
        agent_class = load_agent_class(agent)
    else:
        agent_class = checked_agent_class(agent, "agent")
    config = dict(old.get("config", {})) if given is None else given
    return ChosenAgent(agent_class, config, describe(agent_class, config))


def _remote(url: str, given: dict[str, Any] | None, old: Mapping[str, Any]) -> ChosenAgent:
    before = {name: old[name] for name in ("images", "timeout", "start_timeout") if name in old}
    settings = remote_settings(before if given is None else given)
    return ChosenAgent(RemoteAgent, {"url": checked_url(url), **settings}, served_agent(url))
