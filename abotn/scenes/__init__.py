"""Scenes: a map, tasks on it, and the published layout they are stored in."""

from abotn.scenes.check import Finding, check_dataset
from abotn.scenes.episode import Episode
from abotn.scenes.fingerprint import dataset_fingerprint
from abotn.scenes.gaussian_scene import GaussianScene
from abotn.scenes.ground import ground_height
from abotn.scenes.ros_map import RosMap, load_ros_map
from abotn.scenes.synthetic import KINDS, generate, synthetic_scene
from abotn.scenes.task import Task
from abotn.scenes.tasks import reference_task, sample_tasks
from abotn.scenes.writer import new_dataset, new_scene, write_scene

__all__ = [
    "KINDS",
    "Episode",
    "Finding",
    "GaussianScene",
    "RosMap",
    "Task",
    "check_dataset",
    "dataset_fingerprint",
    "generate",
    "ground_height",
    "load_ros_map",
    "new_dataset",
    "new_scene",
    "reference_task",
    "sample_tasks",
    "synthetic_scene",
    "write_scene",
]
