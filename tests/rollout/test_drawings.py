"""What agents say about their views, drawn and kept; and paths on maps."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any, ClassVar

import cv2
import numpy as np
import pytest

from abotn.cli.main import run_command_line
from abotn.plugins.hookspecs import hookimpl
from abotn.plugins.manager import Origin, PluginManager
from abotn.rendering.visualization import VisualizationHandler
from abotn.rollout import run

STRAIGHT = "abotn.agents:StraightLineAgent"


@pytest.fixture
def pointing(agents: str) -> Any:
    """A class of agents that say what they are told about their views."""
    module = importlib.import_module(agents)

    class Pointing(module.Script):  # type: ignore[name-defined, misc]
        extra: ClassVar[Any] = {"affordance_pixel": {"front": [360, 320]}}

        def predict(self, observation: Any) -> Any:
            answer = super().predict(observation)
            answer.extra = self.extra
            return answer

    return Pointing


def go(dataset: Path, folder: Path, agent: Any, **more: Any) -> Path:
    options = {"render": "embedded", "max_steps": 2, "scenes": ["hall"], "visualize": True, **more}
    outcome = run("point_goal", agent, data_dir=dataset, run_dir=folder, **options)
    assert outcome.errors == 0
    return outcome.folder / "hall/traj_0"


def test_views_with_marks_are_kept_and_the_others_are_not(
    dataset: Path, tmp_path: Path, pointing: Any
) -> None:
    attempt = go(dataset, tmp_path / "run", pointing, save_images=True)
    names = {path.name for path in (attempt / "visualization").iterdir()}
    assert names == {"0_front.jpg", "1_front.jpg"}
    drawn = cv2.imread(str(attempt / "visualization/0_front.jpg")).astype(int)
    plain = cv2.imread(str(attempt / "render_images/0_front.jpg")).astype(int)
    changed = np.argwhere(np.abs(drawn - plain).max(axis=2) > 60)
    assert len(changed) > 20
    assert np.abs(changed.mean(axis=0) - [320, 360]).max() < 3


@pytest.mark.parametrize("extra", [{}, {"thoughts": "none"}, None])
def test_nothing_to_draw_leaves_no_folder(
    dataset: Path, tmp_path: Path, pointing: Any, extra: Any
) -> None:
    pointing.extra = extra
    assert not (go(dataset, tmp_path / "run", pointing) / "visualization").exists()


def test_without_the_option_nothing_is_drawn(dataset: Path, tmp_path: Path, pointing: Any) -> None:
    attempt = go(dataset, tmp_path / "run", pointing, visualize=False)
    assert {path.name for path in attempt.iterdir()} == {"result.json", "trajectory.json"}


def test_what_cannot_be_drawn_is_told_and_costs_nothing(
    dataset: Path, tmp_path: Path, pointing: Any
) -> None:
    pointing.extra = {"affordance_pixel": {"behind": [1, 2]}}
    attempt = go(dataset, tmp_path / "run", pointing)
    told = (attempt / "visualization/problems.txt").read_text().splitlines()
    assert [line.partition(":")[0] for line in told] == ["step 0", "step 1"]
    assert "behind" in told[0]


def test_handlers_of_plugins_draw_too(
    dataset: Path, tmp_path: Path, pointing: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Plugin:
        @hookimpl
        def abotn_visualization_handlers(self) -> list[VisualizationHandler]:
            return [VisualizationHandler("dark", lambda images, entry, extra: {
                entry: np.zeros_like(images[entry])})]  # fmt: skip

    plugins = PluginManager(discover=False)
    plugins.register(Plugin(), Origin("dark-views", "1", "dark"))
    monkeypatch.setattr("abotn.rollout.drawings.plugin_manager", lambda: plugins)
    pointing.extra = {"dark": "left"}
    attempt = go(dataset, tmp_path / "run", pointing)
    assert cv2.imread(str(attempt / "visualization/0_left.jpg")).max() < 4


def test_drawings_of_an_earlier_attempt_are_removed(
    dataset: Path, tmp_path: Path, pointing: Any
) -> None:
    attempt = go(dataset, tmp_path / "run", pointing)
    (attempt / "result.json").unlink()
    (attempt / "visualization/7_front.jpg").write_bytes(b"old")
    run(None, pointing, resume_dir=tmp_path / "run", scenes=["hall"])
    assert not (attempt / "visualization").exists()


def test_maps_and_drawings_by_the_command(dataset: Path, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    code = run_command_line(
        ["run", "point-goal", "--agent", STRAIGHT, "--data-dir", str(dataset), "--render", "none",
         "--run-dir", str(folder), "--save-maps", "--enable-visualization", "--max-steps", "4"]
    )  # fmt: skip
    assert code == 0
    pictures = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*.png"))
    assert len(pictures) == 4
    assert pictures[0].startswith("hall/traj_0/")
