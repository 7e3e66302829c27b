"""``abotn run``: roll an agent out over a dataset."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from abotn.agents.interface import TASK_TYPES

_OVERRIDES = (
    "arrive_threshold", "collision_threshold", "collision_mode", "occ_dilation_meters",
    "collision_sampling", "execute_waypoint", "waypoint_frame", "reference",
)  # fmt: skip
_PROVIDE_FLAGS = ("provide_history", "provide_occ_map", "provide_height_map")


@click.command()
@click.argument("task_type", type=click.Choice([name.replace("_", "-") for name in TASK_TYPES]))
@click.option("--agent", metavar="MODULE:CLASS",
              help="The agent's class, or the URL of an agent server.")  # fmt: skip
@click.option("--agent-config", type=click.Path(), metavar="FILE",
              help="Its arguments, in YAML; for a URL, the connection's settings.")  # fmt: skip
@click.option("--agent-name", metavar="NAME", help="Name for tables. [default: the class's name]")
@click.option("--data-dir", type=click.Path(), metavar="DIR", help="Folder of the scenes.")
@click.option("--map-dir", type=click.Path(), metavar="DIR", help="Folder of the maps, if apart.")
@click.option("--output-dir", type=click.Path(), metavar="DIR",
              help="The run gets a new folder in it. [default: runs]")  # fmt: skip
@click.option("--run-dir", type=click.Path(), metavar="DIR", help="The run's folder itself, new.")
@click.option("--resume-dir", type=click.Path(), metavar="DIR",
              help="Go on with the run in DIR; what is not given is as it was.")  # fmt: skip
@click.option("--protocol", metavar="NAME",
              help="[default: pointbench-outdoor, for poi-goal poibench]")  # fmt: skip
@click.option("--render", metavar="KIND", help="embedded, none or a URL. [default: embedded]")
@click.option("--max-steps", type=int, metavar="N", help="Steps per attempt. [default: 100]")
@click.option("--attempts", type=int, metavar="N", help="Attempts per task. [default: 1]")
@click.option("--seed", type=int, metavar="N", help="Seed of the run. [default: 0]")
@click.option("--workers", type=int, default=1, show_default=True, metavar="N", help="Processes.")
@click.option("--scenes", multiple=True, metavar="NAME", help="Only scenes like NAME, repeatable.")
@click.option("--tasks", multiple=True, metavar="NAME", help="Only tasks like NAME, repeatable.")
@click.option("--fail-fast", is_flag=True, help="Stop at the first error.")
@click.option("--save-render-images", is_flag=True, help="Keep the views of every step.")
@click.option("--enable-visualization", is_flag=True,
              help="Keep the views with what the agent says about them drawn on.")  # fmt: skip
@click.option("--save-maps", is_flag=True, help="Draw every path on its map, as map.png.")
@click.option("--provide-history", is_flag=True, help="Show the agent its earlier views and poses.")
@click.option("--provide-occ-map", is_flag=True, help="Show the agent the occupancy map.")
@click.option("--provide-height-map", is_flag=True, help="Show the agent the height map.")
@click.option("--expose", metavar="FIELD,...",
              help="Show the agent these observation fields only.")  # fmt: skip
@click.option("--arrive-threshold", type=float, metavar="M", help="Arrival radius.")
@click.option("--collision-threshold", type=int, metavar="N", help="Count that spoils a success.")
@click.option("--collision-mode", metavar="MODE", help="path, off, soft or hard.")
@click.option("--collision-sampling", metavar="RULE", help="exact or published.")
@click.option("--occ-dilation-meters", type=float, metavar="M", help="Widening of free space.")
@click.option("--execute-waypoint", type=int, metavar="I", help="Index of the executed waypoint.")
@click.option("--waypoint-frame", metavar="FRAME", help="front_left or right_front.")
@click.option("--reference", metavar="KIND", help="task or geodesic.")
@click.option("--override", "further", multiple=True, metavar="NAME=VALUE",
              help="Any parameter of the protocol, its value as in YAML; repeatable.")  # fmt: skip
def run(
    task_type: str,
    resume_dir: str | None,
    agent: str | None,
    agent_name: str | None,
    fail_fast: bool,  # noqa: FBT001 - click passes options by name
    save_render_images: bool,  # noqa: FBT001
    enable_visualization: bool,  # noqa: FBT001
    save_maps: bool,  # noqa: FBT001
    further: tuple[str, ...],
    **options: Any,
) -> None:
    """Roll an agent out over a dataset: TASK_TYPE is point-goal or poi-goal.

    The records go into a folder of their own, whose path is the last line printed. Options of the
    protocol override the named protocol's values, which the run records.
    """
    from abotn.agents.exposure import provided_fields
    from abotn.cli.import_path import agents_beside_the_user
    from abotn.cli.option_values import protocol_overrides
    from abotn.cli.streams import prints_on_stderr
    from abotn.cli.typed_command import typed_command
    from abotn.rollout.progress import progress_bar
    from abotn.rollout.runner import run as run_agent
    from abotn.rollout.summary import summary_lines

    agents_beside_the_user()
    overrides = protocol_overrides(further, {name: options.pop(name) for name in _OVERRIDES})
    provide = provided_fields({name: options.pop(name) for name in _PROVIDE_FLAGS})
    reached: list[Path] = []
    try:
        with progress_bar(agent_name or agent or "resuming") as listen, prints_on_stderr():
            outcome = run_agent(
                task_type,
                agent,
                agent_name=agent_name,
                resume_dir=resume_dir,
                overrides=overrides,
                provide=provide,
                save_images=save_render_images,
                visualize=enable_visualization,
                fail_fast=fail_fast,
                isolated=True,
                command=typed_command(),
                progress=listen,
                started=reached.append,
                **options,
            )
    except KeyboardInterrupt:
        if reached:
            click.echo(f"stopped; go on with --resume-dir {reached[0]}", err=True)
        raise
    if save_maps:
        from abotn.report.task_maps import write_run_maps

        write_run_maps(outcome.folder, data_dir=options["data_dir"], map_dir=options["map_dir"])
    for line in summary_lines(outcome):
        click.echo(line, err=True)
    click.echo(str(outcome.folder))
