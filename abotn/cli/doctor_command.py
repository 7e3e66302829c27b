"""``abotn doctor``: say in words whether an agent or a render server does what a run expects."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from abotn.agents.description import AgentDescription
    from abotn.rollout.rules import RunRules


@click.group()
def doctor() -> None:
    """Check the parts of a run before the run."""


@doctor.command()
@click.option("--render-url", required=True, metavar="URL",
              help="The server's endpoint, such as http://localhost:7036/render_gs.")  # fmt: skip
@click.option("--scene-id", metavar="ID",
              help="A scene that the server knows; without it no image is looked at.")  # fmt: skip
@click.option("--pose", default="0,0,0.55,0", show_default=True, metavar="X,Y,Z,YAW",
              help="Where to look from: the camera's metres, and radians.")  # fmt: skip
@click.option("--timeout", default=30.0, show_default=True, metavar="S", help="Seconds per image.")
@click.pass_context
def render(
    context: click.Context, render_url: str, scene_id: str | None, pose: str, timeout: float
) -> None:
    """Render four headings at one place and check what comes.

    Exits with 0 when all is well, with 1 when there is a problem.
    """
    from abotn.rendering.http import GaussianRenderer
    from abotn.rendering.render_check import check_presence, check_renderer

    place = _pose(pose)
    problems = 0
    with GaussianRenderer(render_url, timeout=timeout, max_retries=0) as renderer:
        found = (
            check_presence(renderer)
            if scene_id is None
            else check_renderer(renderer, scene_id, place)
        )
        for finding in found:
            click.echo(str(finding))
            problems += finding.verdict == "problem"
    click.echo(f"{problems or 'no'} problem{'' if problems == 1 else 's'}: {render_url}")
    context.exit(1 if problems else 0)


@doctor.command("agent")
@click.option("--agent", required=True, metavar="MODULE:CLASS",
              help="The agent's class, or the URL of an agent server.")  # fmt: skip
@click.option("--agent-config", type=click.Path(), metavar="FILE",
              help="Its arguments, in YAML; for a URL, the connection's settings.")  # fmt: skip
@click.option("--task-type", type=click.Choice(["point-goal", "poi-goal"]),
              help="[default: the one its class is for, else point-goal]")  # fmt: skip
@click.option("--steps", default=30, show_default=True, type=click.IntRange(1), metavar="N",
              help="Steps of each of four walks.")  # fmt: skip
@click.option("--waypoint-frame", metavar="FRAME",
              help="front_left or right_front. [default: what it declares]")  # fmt: skip
@click.option("--render", "renderer", type=click.Choice(["embedded", "none"]), default="embedded",
              show_default=True, help="What it sees.")  # fmt: skip
@click.option("--seed", default=0, show_default=True, metavar="N", help="Seed of the walks.")
@click.option("--provide-history", is_flag=True, help="Show the agent its earlier views and poses.")
@click.option("--provide-occ-map", is_flag=True, help="Show the agent the occupancy map.")
@click.option("--provide-height-map", is_flag=True, help="Show the agent the height map.")
@click.pass_context
def check_an_agent(context: click.Context, /, agent: str, **options: Any) -> None:
    """Let an agent walk to four goals on an empty map and say what it does wrong.

    Exits with 0 when all is well, with 1 when there is a problem.
    """
    from abotn.cli.import_path import agents_beside_the_user
    from abotn.rollout.agent_check import check_agent
    from abotn.rollout.agent_choice import choose_agent

    agents_beside_the_user()
    chosen = choose_agent(agent, options["agent_config"], None)
    problems = 0
    for finding in check_agent(chosen, _rules(chosen.description, options), options["renderer"]):
        click.echo(str(finding))
        problems += finding.verdict == "problem"
    click.echo(f"{problems or 'no'} problem{'' if problems == 1 else 's'}: {agent}")
    context.exit(1 if problems else 0)


def _rules(agent: AgentDescription, options: Mapping[str, Any]) -> RunRules:
    from abotn.agents.exposure import provided_fields
    from abotn.rollout.agent_check import doctor_rules

    asked = options["task_type"] or ("poi-goal" if agent.poi_only else "point-goal")
    return doctor_rules(
        agent,
        asked.replace("-", "_"),
        steps=options["steps"],
        seed=options["seed"],
        waypoint_frame=options["waypoint_frame"],
        provide=provided_fields(options),
    )


def _pose(text: str) -> Any:
    import numpy as np

    from abotn.errors import ConfigError
    from abotn.geometry.frames import pose_from_xyz_rpy

    try:
        x, y, z, yaw = (float(part) for part in text.split(","))
        if not np.isfinite([x, y, z, yaw]).all():
            raise ValueError
    except ValueError:
        raise ConfigError(
            f"expected four numbers x,y,z,yaw, got {text!r}", where="--pose"
        ) from None
    return pose_from_xyz_rpy(x, y, z, yaw=yaw)
