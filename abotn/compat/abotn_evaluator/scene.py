"""Scenes under their published name."""

from abotn.scenes.episode import Episode
from abotn.scenes.gaussian_scene import GaussianScene
from abotn.scenes.task import Task

__all__ = ["Episode", "GaussianScene", "Task"]
