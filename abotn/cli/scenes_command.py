"""``abotn scenes``: generate, convert and check datasets."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import click

KINDS = ("indoor", "outdoor", "poi", "anomaly")

_COUNT = click.IntRange(1, 1_000_000)
_SEED = click.IntRange(0, 2**63 - 1)


@click.group()
def scenes() -> None:
    """Generate, convert and check scenes."""


@scenes.command()
@click.option("--kind", required=True, type=click.Choice(KINDS), help="What to build.")
@click.option("--scenes", "scene_count", default=4, show_default=True, type=_COUNT)
@click.option("--tasks", default=10, show_default=True, type=_COUNT, help="Per scene.")
@click.option("--seed", default=0, show_default=True, type=_SEED)
@click.option("--out", required=True, type=click.Path(), help="Folder of the new dataset.")
@click.option("--overwrite", is_flag=True, help="Replace the dataset in that folder.")
def generate(
    kind: str,
    scene_count: int,
    tasks: int,
    seed: int,
    out: str,
    overwrite: bool,  # noqa: FBT001
) -> None:
    """Write synthetic scenes with maps, height maps, reference paths and names of goals.

    The kind anomaly is a dataset in the CarlAnomaly layout: --scenes of each kind in each of two
    towns, --tasks timesteps in each, example scores and their known answers.
    """
    if kind == "anomaly":
        _generate_anomaly(scene_count, tasks, seed, out, overwrite=overwrite)
        return
    from abotn.scenes.synthetic import generate as write_scenes

    with _progress("generating scenes", scene_count) as advance:
        write_scenes(
            kind,
            scenes=scene_count,
            tasks=tasks,
            seed=seed,
            out=out,
            overwrite=overwrite,
            progress=advance,
        )
    click.echo(f"{_count(scene_count, 'scene')}, {_count(scene_count * tasks, 'task')}: {out}")


@scenes.command("from-ros")
@click.argument("map_yaml", metavar="MAP.yaml", type=click.Path())
@click.option("--tasks", default=20, show_default=True, type=_COUNT)
@click.option("--seed", default=0, show_default=True, type=_SEED)
@click.option(
    "--min-length", default=2.0, show_default=True, help="Least length of a path, metres."
)
@click.option(
    "--max-length", default=40.0, show_default=True, help="Greatest length of a path, metres."
)
@click.option(
    "--clearance", default=0.3, show_default=True, help="Least distance to obstacles, metres."
)
@click.option(
    "--unknown",
    default="obstacle",
    show_default=True,
    type=click.Choice(("obstacle", "free")),
    help="What unknown cells count as.",
)
@click.option("--scene-id", default=None, help="Name of the scene; the map's name by default.")
@click.option("--out", required=True, type=click.Path(), help="Folder of the dataset, new or not.")
@click.option("--overwrite", is_flag=True, help="Replace all scenes in that folder by this one.")
def from_ros(
    map_yaml: str,
    tasks: int,
    seed: int,
    min_length: float,
    max_length: float,
    clearance: float,
    unknown: str,
    scene_id: str | None,
    out: str,
    overwrite: bool,  # noqa: FBT001
) -> None:
    """Turn a ROS map_server map into a scene with tasks.

    A dataset that is there already gets the scene added, unless it has one of that name.
    """
    from abotn.scenes.ros_scene import scene_from_ros

    with _progress("sampling tasks", tasks) as advance:
        scene_from_ros(
            map_yaml,
            tasks=tasks,
            seed=seed,
            out=out,
            min_length=min_length,
            max_length=max_length,
            clearance=clearance,
            unknown_is_obstacle=unknown == "obstacle",
            scene_id=scene_id,
            overwrite=overwrite,
            progress=advance,
        )
    click.echo(f"1 scene, {_count(tasks, 'task')}: {out}")


@scenes.command()
@click.argument("data_dir", metavar="DIR", type=click.Path())
@click.option("--map-dir", default=None, type=click.Path(), help="Folder of the maps, if apart.")
@click.pass_context
def check(context: click.Context, data_dir: str, map_dir: str | None) -> None:
    """Say what is wrong with a dataset, file by file; exit 1 if anything is an error."""
    from abotn.scenes.check import check_dataset
    from abotn.scenes.layout import list_scene_folders, task_files

    folders = list_scene_folders(data_dir)
    with _progress("checking scenes", len(folders)) as advance:
        findings = check_dataset(data_dir, map_dir, progress=advance)
    for finding in findings:
        click.echo(str(finding))
    tasks = sum(len(task_files(folder)) for folder in folders)
    errors = sum(finding.severity == "error" for finding in findings)
    found = f"{_count(errors, 'error')}, {_count(len(findings) - errors, 'warning')}"
    click.echo(f"{found} in {_count(len(folders), 'scene')}, {_count(tasks, 'task')}: {data_dir}")
    context.exit(1 if errors else 0)


def _generate_anomaly(count: int, timesteps: int, seed: int, out: str, *, overwrite: bool) -> None:
    from abotn.streaming.generate import ANOMALY_TYPES, TOWNS, generate_anomaly_dataset

    total = len(TOWNS) * (len(ANOMALY_TYPES) + 1) * count
    with _progress("generating scenarios", total) as advance:
        generate_anomaly_dataset(
            out,
            seed=seed,
            scenarios=count,
            timesteps=timesteps,
            overwrite=overwrite,
            progress=advance,
        )
    found = f"{_count(total, 'scenario')}, {_count(total * timesteps, 'timestep')}"
    click.echo(f"{found}: {out}")


@contextmanager
def _progress(label: str, total: int) -> Iterator[Callable[[], None]]:
    """A progress bar on stderr, gone when it is done; yields what advances it by one."""
    from rich.console import Console
    from rich.progress import Progress

    console = Console(stderr=True)
    with Progress(console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(label, total=total)
        yield lambda: bar.advance(task)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
