"""A small run with maps, paths, views and every way a task can end, made by hand."""

from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from abotn.records.files import record_folder, write_manifest, write_result, write_trajectory
from abotn.records.readers import read_records
from abotn.records.types import ResultRecord, Trajectory
from abotn.report import ReportOptions, build_report
from abotn.report.page import write_page
from abotn.report.page_sources import ReportSources, RunSource
from abotn.results.types import EvaluationResult, GroupResult, MetricResult

VIEWS = {"left": (200, 30, 30), "front": (30, 200, 30), "right": (30, 30, 200)}
EMPTY = {"meta", "input", "img", "line", "circle"}
ENDS = (
    {"status": "error", "success": False, "error": {"stage": "agent", "type": "E", "message": "m"}},
    {"status": "collision", "success": False},
    {"status": "stop", "success": False},
    {"status": "max_steps", "success": False},
    {"status": "stop", "success": True, "metrics": {"success_new": False}},
    {"status": "stop", "success": True, "metrics": {"success_new": True}},
)


def trajectory(steps=4, *, hits=(), start=(1.0, 1.0), goal=(3.0, 1.0)):
    """A straight path of half-metre steps along x, with a reference twice as fine."""
    x = start[0] + 0.5 * np.arange(steps + 1)
    position = np.column_stack([x, np.full_like(x, start[1]), np.full_like(x, 0.5)])
    collided = np.isin(np.arange(steps), hits)
    return Trajectory(
        position=position,
        yaw=np.zeros(steps + 1),
        waypoint=np.tile([0.5, 0.0], (steps, 1)),
        executed_index=np.zeros(steps, np.int64),
        distance_to_goal=np.hypot(x - goal[0], start[1] - goal[1]),
        collided=collided,
        collision_length=np.where(collided, 0.25, 0.0),
        agent_seconds=np.zeros(steps),
        render_seconds=np.zeros(steps),
        reference=np.linspace(start, goal, 9),
        goal=np.array(goal),
    )


def record(scene, task, attempt=0, **fields):
    """A record of four steps."""
    given = {
        "steps": 4, "travel_length": 2.0, "shortest_path_length": 2.0, "distance_to_goal": 0.25,
        "metrics": {}, **fields,
    }  # fmt: skip
    own = {"path_collision_count": 1, "pointgoal_arrive_threshold": 0.5, **given.pop("metrics")}
    return ResultRecord(scene, task, attempt, metrics=own, **given)


def write_map(folder, *, size=(60, 40), corners=((0, 4), (6, 4), (0, 0), (6, 0))):
    """A free room with a wall in the third quarter of its width, 10 pixels per metre."""
    folder.mkdir(parents=True)
    grey = np.full(size[::-1], 255, np.uint8)
    grey[: size[1] // 2, size[0] // 2 : size[0] // 2 + 3] = 0
    Image.fromarray(grey).save(folder / "occ_map.png")
    names = ("Top Left", "Top Right", "Bottom Left", "Bottom Right")
    lines = [f"{name}: ({x}, {y})" for name, (x, y) in zip(names, corners, strict=True)]
    (folder / "occ_map_meta.txt").write_text(
        "\n".join([*lines, f"Image size in pixels: {size[0]}, {size[1]}"])
    )
    return grey


def write_views(folder, steps):
    """One plain colour per view, told apart by it."""
    folder.mkdir(parents=True)
    for step in steps:
        for view, colour in VIEWS.items():
            Image.new("RGB", (48, 64), colour).save(folder / f"{step}_{view}.jpg", quality=95)


def manifest(data_dir, **fields):
    """A manifest of a point goal run under a modified protocol."""
    values = {"arrive_threshold": 0.5, "collision_threshold": 2, "require_stop": False}
    return {
        "schema_version": "1",
        "run_id": "run",
        "task_type": "point_goal",
        "agent": {"name": "agent", "class": "pkg.mod:Agent", "config": {}},
        "protocol": {"name": "pointbench-indoor", "values": values,
                     "modified": ["collision_threshold"]},
        "dataset": {"fingerprint": "f" * 64, "scenes": 1, "tasks": 6, "data_dir": str(data_dir),
                    "map_dir": None},
        "renderer": {"kind": "embedded"},
        "max_steps": 4,
        "attempts": 1,
        "seed": 7,
        "versions": {"abotn": "1.0"},
        **fields,
    }  # fmt: skip


def write_run(folder, data_dir, *, scene="hall"):
    """A run of six tasks, one per way to end, the first without a path."""
    for number, end in enumerate(ENDS):
        task = f"traj_{number}"
        own = record_folder(folder, scene, task)
        own.mkdir(parents=True)
        write_result(own, record(scene, task, **end))
        if number:
            identity = {"episode_id": scene, "task_id": task, "attempt": 0}
            write_trajectory(own, trajectory(hits=(1, 2)), identity)
            write_views(own / "render_images", range(5))
    write_manifest(folder, manifest(data_dir))


def evaluation(**fields):
    """Two metrics over the six records, and over one group of them."""
    source = {"distribution": "abotn", "version": "1.0"}
    counts = {"sample_count": 6, "finite_count": 6, "source": source}
    metrics = (
        MetricResult("success", 2 / 6, "", "higher", **counts),
        MetricResult("collision_length", 1.5, "m", "lower", **counts),
    )
    return EvaluationResult(
        **{
            "metrics": metrics,
            "groups": {"scene": (GroupResult("hall", 6, metrics),)},
            "counts": {"scored": 6},
            **fields,
        }
    )


def sources_of(*runs, options=None):
    """What lies behind a report of (name, records) pairs."""
    made = tuple(RunSource(name, evaluation(), read_records(records)) for name, records in runs)
    return ReportSources(made, options or ReportOptions())


def page_of(sources):
    """The page of some sources."""
    report = build_report([(run.name, run.result) for run in sources.runs], sources.options)
    return write_page(report, sources)


class Markup(HTMLParser):
    """Checks nesting; collects tags, attributes, ids and the texts of chosen elements."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.open, self.tags, self.attributes, self.texts = [], [], [], []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.attributes += attributes
        self.texts.append((tag, dict(attributes), []))
        if tag not in EMPTY:
            self.open.append(len(self.texts) - 1)

    def handle_startendtag(self, tag, attributes):
        self.tags.append(tag)
        self.attributes += attributes

    def handle_endtag(self, tag):
        assert self.texts[self.open.pop()][0] == tag

    def handle_data(self, data):
        for place in self.open:
            self.texts[place][2].append(data)

    def of(self, tag, **attributes):
        """Return the texts of the elements with this tag and these attributes."""
        return [
            "".join(text)
            for name, own, text in self.texts
            if name == tag and attributes.items() <= own.items()
        ]


class Make:
    """The functions of this file, for tests."""

    ends = ENDS
    views = VIEWS
    trajectory = staticmethod(trajectory)
    record = staticmethod(record)
    map = staticmethod(write_map)
    view_files = staticmethod(write_views)
    manifest = staticmethod(manifest)
    run = staticmethod(write_run)
    evaluation = staticmethod(evaluation)
    sources = staticmethod(sources_of)
    page = staticmethod(page_of)
    markup = Markup


@pytest.fixture(scope="session")
def parts():
    """Builders of runs, maps and pages."""
    return Make


@pytest.fixture(scope="session")
def run_folder(tmp_path_factory) -> Path:
    """A run folder with views, beside the data folder with its map."""
    folder = tmp_path_factory.mktemp("page")
    write_map(folder / "data" / "hall" / "map")
    write_run(folder / "run", folder / "data")
    return folder / "run"
