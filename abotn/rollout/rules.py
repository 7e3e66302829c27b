"""What every attempt of a run has in common, and the seed that each of them gets."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import NamedTuple

from abotn.rendering.camera import CameraConfig
from abotn.rollout.protocol import Protocol


class Unit(NamedTuple):
    """One attempt to be made: scene, task, and which attempt it is."""

    scene_id: str
    task_id: str
    attempt: int = 0


@dataclass(frozen=True)
class RunRules:
    """The rules of a run.

    Attributes:
        task_type: ``"point_goal"`` or ``"poi_goal"``.
        protocol: The protocol, with its overrides.
        max_steps: Largest number of steps of an attempt.
        seed: Seed of the run.
        provide: Optional observation fields that the agent gets.
        camera: The camera; its height stands above the ground.
        save_images: Whether the views are kept in the record.
        visualize: Whether what the agent says about its views is drawn on them and kept.
        expose: The only observation fields that the agent sees; None shows all.
        max_history_frames: Largest number of earlier frames in an observation.
        history_resize_ratio: Size of an earlier frame's image as a share of its original size.
    """

    task_type: str
    protocol: Protocol
    max_steps: int
    seed: int = 0
    provide: frozenset[str] = frozenset()
    camera: CameraConfig = field(default_factory=CameraConfig)
    save_images: bool = False
    visualize: bool = False
    expose: tuple[str, ...] | None = None
    max_history_frames: int = 20
    history_resize_ratio: float = 0.25


def attempt_seed(run_seed: int, unit: Unit) -> int:
    """Return the seed an agent gets for one attempt, from 0 to 2**32 - 1.

    The first four bytes of the SHA-256 of run seed, scene, task and attempt, so that it does not
    depend on which attempts were made before or by whom.

    Example:
        >>> attempt_seed(0, Unit("a", "traj_0")) == attempt_seed(0, Unit("a", "traj_0"))
        True
        >>> attempt_seed(0, Unit("a", "traj_0")) == attempt_seed(1, Unit("a", "traj_0"))
        False
    """
    text = f"{run_seed}\0{unit.scene_id}\0{unit.task_id}\0{unit.attempt}"
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "big")
