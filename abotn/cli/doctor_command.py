"""``abotn doctor``: say in words whether an agent or a render server does what a run expects."""

from __future__ import annotations

from typing import Any

import click


@click.group()
def doctor() -> None:
    """Check the parts of a run before the run."""


@doctor.command()
@click.option("--render-url", required=True, metavar="URL",
              help="The server's endpoint, such as http://localhost:7036/render_gs.")  # fmt: skip
@click.option("--scene-id", required=True, metavar="ID", help="A scene that the server knows.")
@click.option("--pose", default="0,0,0.55,0", show_default=True, metavar="X,Y,Z,YAW",
              help="Where to look from: the camera's metres, and radians.")  # fmt: skip
@click.option("--timeout", default=30.0, show_default=True, metavar="S", help="Seconds per image.")
@click.pass_context
def render(
    context: click.Context, render_url: str, scene_id: str, pose: str, timeout: float
) -> None:
    """Render four headings at one place and check what comes.

    Exits with 0 when all is well, with 1 when there is a problem.
    """
    from abotn.rendering.http import GaussianRenderer
    from abotn.rendering.render_check import check_renderer

    place = _pose(pose)
    problems = 0
    with GaussianRenderer(render_url, timeout=timeout, max_retries=0) as renderer:
        for finding in check_renderer(renderer, scene_id, place):
            click.echo(str(finding))
            problems += finding.verdict == "problem"
    click.echo(f"{problems or 'no'} problem{'' if problems == 1 else 's'}: {render_url}")
    context.exit(1 if problems else 0)


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
