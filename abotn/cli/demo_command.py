"""``abotn demo``: the whole way from a map to a table, on generated scenes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from abotn.results.types import EvaluationResult

AGENTS = ("PlannerAgent", "StraightLineAgent", "RandomAgent")
PICTURES = (
    "intervals", "groups", "cdf", "success-vs-length", "paths", "collisions", "pareto",
)  # fmt: skip
# An agent that wanders until its steps run out would leave hundreds of views.
SEEN_AGENTS, SEEN_SCENES, SEEN_TASKS = ("PlannerAgent", "StraightLineAgent"), 3, ("traj_0",)
METRICS = ("success", "success_new", "spl_new", "tcr_new", "dcr_new", "collision_length")


@click.command()
@click.option("--output-dir", default="demo-runs", show_default=True, type=click.Path())
@click.option("--scenes", "scene_count", default=6, show_default=True, help="Scenes to generate.")
@click.option("--tasks", default=5, show_default=True, help="Tasks per scene.")
@click.option("--max-steps", default=100, show_default=True, help="Steps per task.")
@click.option("--render", default="embedded", show_default=True, help="embedded or none.")
@click.option("--bootstrap", default=10_000, show_default=True, help="Resamples.")
@click.option("--seed", default=0, show_default=True, help="Seed of everything.")
@click.option("--workers", default=2, show_default=True, help="Processes.")
def demo(
    output_dir: str,
    scene_count: int,
    tasks: int,
    max_steps: int,
    render: str,
    bootstrap: int,
    seed: int,
    workers: int,
) -> None:
    """Roll three agents out on generated indoor scenes, score them and write a report.

    Prints the report's main table, the folder with evaluation.json, report.md, a picture of every
    kind, the scenes and one run per agent, and, last, the path of the report to look at,
    report.html in that folder. The views of a few attempts are kept and shown there.
    """
    from abotn.evaluation.combine import combine
    from abotn.evaluation.evaluator import Evaluator
    from abotn.rollout.folders import new_run_folder

    folder = new_run_folder(output_dir, "demo")
    with _half_a_folder_is_named(folder):
        scenes = _make_scenes(folder / "scenes", scene_count, tasks, seed)
        results: dict[str, EvaluationResult] = {}
        for agent in AGENTS:
            run = folder / agent
            _roll_out(agent, scenes, run, render, max_steps, seed, workers)
            click.echo(f"scoring {agent} ...", err=True)
            result = Evaluator().evaluate_dataset(run, bootstrap_ci=bootstrap, bootstrap_seed=seed)
            result.write(run / "evaluation.json")
            results[agent] = result
        combine(results, name="demo").write(folder / "evaluation.json")
        _draw_pictures(folder)
        click.echo(_write_report(results, folder))
    click.echo(f"everything behind it: {folder}")
    click.echo(str(folder / "report.html"))


@contextmanager
def _half_a_folder_is_named(folder: Path) -> Iterator[None]:
    """Say where the folder is when something fails, as it then stays as far as it is made."""
    try:
        yield
    except BaseException:
        click.echo(f"the demo did not get to its end; what it made is in {folder}", err=True)
        raise


def _make_scenes(out: Path, count: int, tasks: int, seed: int) -> Path:
    from rich.console import Console
    from rich.progress import Progress

    from abotn.scenes.synthetic import generate

    console = Console(stderr=True)
    with Progress(console=console, disable=not console.is_terminal) as bars:
        bar = bars.add_task("generating scenes", total=count)
        return generate(
            "indoor",
            scenes=count,
            tasks=tasks,
            seed=seed,
            out=out,
            progress=lambda: bars.advance(bar),
        )


def _roll_out(
    agent: str, scenes: Path, run: Path, render: str, max_steps: int, seed: int, workers: int
) -> None:
    """Roll an agent out, and keep the views of its first attempts where there are any."""
    from abotn.rollout.progress import progress_bar
    from abotn.rollout.runner import run as run_agent

    asked: dict[str, Any] = {
        "data_dir": scenes,
        "protocol": "pointbench-indoor",
        "render": render,
        "max_steps": max_steps,
        "seed": seed,
    }
    place: dict[str, Any] = {"run_dir": run}
    with progress_bar(agent) as listen:
        if agent in SEEN_AGENTS and render != "none":
            first = sorted(path.name for path in scenes.iterdir() if path.is_dir())[:SEEN_SCENES]
            chosen: dict[str, Any] = {"scenes": first, "tasks": SEEN_TASKS, "save_images": True}
            run_agent("point_goal", f"abotn.agents:{agent}", **asked, **chosen, **place)
            place = {"resume_dir": run}
        run_agent(
            "point_goal", f"abotn.agents:{agent}", **asked, **place,
            workers=workers, progress=listen,
        )  # fmt: skip


def _draw_pictures(folder: Path) -> None:
    from abotn.cli.plot_figures import PlotRequest, draw_bytes
    from abotn.json_files import write_bytes

    runs = tuple(str(folder / agent) for agent in AGENTS)
    for kind in PICTURES:
        click.echo(f"drawing {kind} ...", err=True)
        picture = draw_bytes(PlotRequest(kind, runs, columns=2), ".png")
        write_bytes(folder / f"{kind}.png", picture)


def _write_report(results: dict[str, EvaluationResult], folder: Path) -> str:
    from abotn.json_files import write_bytes
    from abotn.records.readers import read_records
    from abotn.report.build import build_report
    from abotn.report.markdown import write_markdown
    from abotn.report.options import ReportOptions
    from abotn.report.page import write_page
    from abotn.report.page_sources import ReportSources, RunSource

    runs = list(results.items())
    title = "Three agents on generated indoor scenes"
    options = ReportOptions(title=title)
    full = build_report(runs, options)
    write_bytes(folder / "report.md", write_markdown(full).encode())
    sources = [
        RunSource(agent, result, read_records(folder / agent), str(folder / agent))
        for agent, result in runs
    ]
    page = write_page(full, ReportSources(tuple(sources), options))
    write_bytes(folder / "report.html", page.encode())
    main = build_report(runs, ReportOptions(metrics=METRICS, title=title, groups="none"))
    return write_markdown(replace(main, tables=main.tables[:1], notes=()))
