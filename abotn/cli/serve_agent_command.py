"""``abotn serve-agent``: an agent for runs that happen elsewhere."""

from __future__ import annotations

import click


@click.command("serve-agent")
@click.option("--agent", required=True, metavar="MODULE:CLASS", help="The agent's class.")
@click.option("--agent-config", type=click.Path(), metavar="FILE", help="Its arguments, in YAML.")
@click.option("--port", default=7037, show_default=True, type=click.IntRange(0, 65535),
              help="TCP port; 0 takes a free one.")  # fmt: skip
@click.option("--host", default="127.0.0.1", show_default=True, metavar="ADDRESS",
              help="Address to listen at; 0.0.0.0 lets other machines in.")  # fmt: skip
@click.option("--max-sessions", default=8, show_default=True, type=click.IntRange(1), metavar="N",
              help="Agents at the same time; each worker of a run takes one.")  # fmt: skip
@click.option("--idle-seconds", default=300.0, show_default=True, metavar="S",
              type=click.FloatRange(0, min_open=True),
              help="When a session that nobody uses ends.")  # fmt: skip
@click.option("--parallel", is_flag=True,
              help="Call the agents of several sessions at the same time.")  # fmt: skip
def serve_agent(
    agent: str,
    agent_config: str | None,
    port: int,
    host: str,
    max_sessions: int,
    idle_seconds: float,
    parallel: bool,  # noqa: FBT001 - click passes options by name
) -> None:
    """Serve an agent over HTTP, for 'abotn run --agent URL'.

    The first line printed is the URL. Ctrl-C or SIGTERM stops the server. Whoever can reach it
    can use the agent; it listens to this machine alone unless told otherwise.
    """
    from abotn.agents.config import agent_config_from
    from abotn.agents.loader import load_agent_class
    from abotn.agents.server import AgentServer
    from abotn.cli.import_path import agents_beside_the_user
    from abotn.cli.serving import serve_until_stopped
    from abotn.cli.streams import prints_on_stderr

    agents_beside_the_user()
    with prints_on_stderr():
        server = AgentServer(
            load_agent_class(agent),
            agent_config_from(agent_config) or {},
            host=host,
            port=port,
            max_sessions=max_sessions,
            idle_seconds=idle_seconds,
            parallel=parallel,
        )
    with server:
        sessions = f"{max_sessions} session{'' if max_sessions == 1 else 's'}"
        told = f"serving {server.description.path} to at most {sessions}"
        serve_until_stopped(server, server.url, told)
