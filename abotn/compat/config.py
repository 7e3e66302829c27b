"""The configurations of the published evaluators, and the rules they stand for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, ClassVar

from abotn.agents.exposure import chosen_fields, provided_fields
from abotn.agents.interface import OPTIONAL_FIELDS
from abotn.errors import ConfigError, UnknownNameError
from abotn.rendering.camera import CameraConfig
from abotn.rollout.memory import check_history
from abotn.rollout.protocol import POIBENCH, POINTBENCH_INDOOR, POINTBENCH_OUTDOOR, Protocol
from abotn.rollout.rules import RunRules

POINT_GOAL_MODES: Mapping[str, Protocol] = MappingProxyType(
    {"outdoor": POINTBENCH_OUTDOOR, "indoor": POINTBENCH_INDOOR}
)
_SET_BY_MODE = ("arrive_threshold", "collision_threshold", "occ_dilation_meters")
POINT_GOAL_PROTOCOL: dict[str, dict[str, Any]] = {
    mode: {name: getattr(protocol, name) for name in _SET_BY_MODE}
    for mode, protocol in POINT_GOAL_MODES.items()
}
DEFAULT_RENDER_URL = "http://127.0.0.1:7001/render_gs"


@dataclass
class EvalConfig:
    """How the point-goal evaluator evaluates.

    Attributes:
        render_url: The render server.
        max_steps: Largest number of steps per task.
        arrive_threshold: Arrival radius, metres.
        camera_config: The camera; None for the default one.
        collision_threshold: First count of path collisions that spoils ``success_new``.
        provide_history: Whether observations hold earlier views and poses.
        provide_occ_map: Whether they hold the occupancy map.
        provide_height_map: Whether they hold the height map.
        max_history_frames: Largest number of earlier frames.
        history_resize_ratio: Size of an earlier frame's image as a share of its original size.
        save_render_images: Whether the views are kept.
        occ_dilation_meters: How far free space is widened, metres; the scene's map stays as it is.
        enable_visualization: Whether ``WaypointPrediction.extra`` is drawn.
        mode: ``"outdoor"`` or ``"indoor"``: which protocol the values above are compared with.
        waypoint_frame: ``"front_left"`` or ``"right_front"``; None for the agent's own.
        expose: The only observation fields that the agent sees; None shows all.
        seed: Seed of the run.
    """

    task_type: ClassVar[str] = "point_goal"

    render_url: str = DEFAULT_RENDER_URL
    max_steps: int = 100
    arrive_threshold: float = 0.5
    camera_config: CameraConfig | None = None
    collision_threshold: int = 3
    provide_history: bool = False
    provide_occ_map: bool = False
    provide_height_map: bool = False
    max_history_frames: int = 20
    history_resize_ratio: float = 0.25
    save_render_images: bool = True
    occ_dilation_meters: float = 0.5
    enable_visualization: bool = False
    mode: str = "outdoor"
    waypoint_frame: str | None = None
    expose: tuple[str, ...] | str | None = None
    seed: int = 0

    def protocol(self) -> Protocol:
        """Return the named protocol, with what differs from it marked as modified.

        Raises:
            AbotnError: a value cannot be used.
        """
        if self.mode not in POINT_GOAL_MODES:
            raise UnknownNameError("mode", self.mode, POINT_GOAL_MODES)
        return self._applied_to(POINT_GOAL_MODES[self.mode])

    def rules(self, needs: tuple[str, ...] = (), waypoint_frame: str | None = None) -> RunRules:
        """Return the rules of a run.

        Args:
            needs: Optional observation fields that the agent declares to need.
            waypoint_frame: The frame that it declares.

        Raises:
            AbotnError: a value cannot be used.
        """
        if isinstance(self.max_steps, bool) or not isinstance(self.max_steps, int):
            raise ConfigError(f"expected a whole number, got {self.max_steps!r}", where="max_steps")
        if self.max_steps < 1:
            raise ConfigError(f"expected at least 1, got {self.max_steps}", where="max_steps")
        check_history(self.max_history_frames, self.history_resize_ratio)
        expose = None if self.expose is None else chosen_fields(self.expose, self.task_type, needs)
        shown = [name for name in expose or () if name in OPTIONAL_FIELDS]
        return RunRules(
            task_type=self.task_type,
            protocol=self.protocol().read_as(self.waypoint_frame or waypoint_frame),
            max_steps=self.max_steps,
            seed=self.seed,
            provide=frozenset([*provided_fields(vars(self)), *needs, *shown]),
            camera=self.camera_config or CameraConfig(),
            save_images=self.save_render_images,
            visualize=self.enable_visualization,
            expose=expose,
            max_history_frames=self.max_history_frames,
            history_resize_ratio=self.history_resize_ratio,
        )

    def _applied_to(self, protocol: Protocol) -> Protocol:
        return protocol.override(**{name: getattr(self, name) for name in _SET_BY_MODE})


@dataclass
class PoiGoalEvalConfig(EvalConfig):
    """How the POI-goal evaluator evaluates; the further fields are those of :class:`EvalConfig`.

    Attributes:
        arrive_threshold: Arrival radius, metres.
        collision_mode: ``"off"``, ``"soft"`` or ``"hard"``.
        occ_dilation_meters: How far free space is widened, metres.
        robot_radius: Radius of the robot, metres.
        occ_obstacle_polarity: ``"dark"`` or ``"light"`` pixels are obstacles.
        occ_dark_threshold: Grey value up to which (from which, for light) a pixel is one.
    """

    task_type: ClassVar[str] = "poi_goal"

    arrive_threshold: float = 2.0
    occ_dilation_meters: float = 0.5
    mode: str = "indoor"
    collision_mode: str = "hard"
    robot_radius: float = 0.0
    occ_obstacle_polarity: str = "dark"
    occ_dark_threshold: int = 64

    def protocol(self) -> Protocol:
        """Return ``poibench``, with what differs from it marked as modified.

        Raises:
            AbotnError: a value cannot be used.
        """
        return self._applied_to(POIBENCH).override(
            collision_mode=self.collision_mode,
            robot_radius=self.robot_radius,
            occ_obstacle_polarity=self.occ_obstacle_polarity,
            occ_dark_threshold=self.occ_dark_threshold,
        )


def make_eval_config(mode: str, render_url: str = DEFAULT_RENDER_URL, **kwargs: Any) -> EvalConfig:
    """Return the configuration of a mode's protocol.

    Args:
        mode: ``"outdoor"`` or ``"indoor"``.
        render_url: The render server.
        kwargs: Further fields of :class:`EvalConfig`; a parameter of the protocol given here
            replaces the mode's, and the run then counts as made under a modified protocol.

    Raises:
        UnknownNameError: no such mode.
        ConfigError: no such field, or no URL.

    Example:
        >>> config = make_eval_config(mode="indoor", render_url="http://localhost:7036/render_gs")
        >>> config.collision_threshold, config.occ_dilation_meters, config.max_steps
        (1, 0.2, 100)
    """
    if mode not in POINT_GOAL_PROTOCOL:
        raise UnknownNameError("mode", mode, POINT_GOAL_PROTOCOL)
    if not render_url:
        raise ConfigError("expected the URL of a render server, got none", where="render_url")
    for name in kwargs:
        if name not in EvalConfig.__dataclass_fields__:
            raise UnknownNameError("configuration field", name, EvalConfig.__dataclass_fields__)
    return EvalConfig(render_url=render_url, mode=mode, **{**POINT_GOAL_PROTOCOL[mode], **kwargs})
