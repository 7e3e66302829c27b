"""A small run with maps, paths, views and every way a task can end, made by hand."""

import shutil
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from abotn.evaluation.compare import compare
from abotn.records.files import record_folder, write_manifest, write_result, write_trajectory
from abotn.records.readers import read_records
from abotn.records.types import ResultRecord, Trajectory
from abotn.report import ReportOptions, build_report
from abotn.report.comparison_sources import ComparisonSources, compared_run
from abotn.report.page import write_page
from abotn.report.page_sources import ReportSources, RunSource
from abotn.results.types import EvaluationResult, GroupResult, MetricResult

VIEWS = {"left": (200, 30, 30), "front": (30, 200, 30), "right": (30, 30, 200)}
EMPTY = {"meta", "wbr", "input", "img", "line", "circle"}
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


def write_attempt(run, task, *, attempt=0, solved=True, scene="hall", path=None, **fields):
    """One attempt of a run, with a path unless ``path`` is False."""
    end = {"status": "stop"} if solved else {"status": "max_steps"}
    own = record_folder(run, scene, task, attempt)
    own.mkdir(parents=True)
    write_result(own, record(scene, task, attempt, **{**end, "success": solved, **fields}))
    if path is not False:
        identity = {"episode_id": scene, "task_id": task, "attempt": attempt}
        write_trajectory(own, path or trajectory(), identity)


def write_pair(folder, *, names=("planner", "straight"), scene="hall", task="t{}"):
    """Two runs: t0, t1 and t5 are solved by the first alone, t2 by the second, t3 by both.

    The second has no path at t1, three attempts at t5, a damaged record, and lacks t9.
    """
    first, second = folder / "first", folder / "second"
    low = trajectory(hits=(1, 2), start=(1.0, 0.5))
    tasks = [task.format(number) for number in range(10)]
    for number, (a, b) in enumerate([(1, 0), (1, 0), (0, 1), (1, 1), (0, 0)]):
        write_attempt(first, tasks[number], scene=scene, solved=bool(a))
        path = low if number != 1 else False
        error = {"stage": "agent", "type": "E", "message": "m"} if number == 1 else None
        end = {"error": error, "status": "error"} if error else {}
        write_attempt(second, tasks[number], scene=scene, solved=bool(b), path=path,
                      distance_to_goal=3.5, travel_length=1.25, **end)  # fmt: skip
    for attempt, (a, b) in enumerate([(0, 0), (1, 1), (1, 0)]):
        write_attempt(first, tasks[5], attempt=attempt, scene=scene, solved=bool(a))
        write_attempt(second, tasks[5], attempt=attempt, scene=scene, solved=bool(b), path=low)
    write_attempt(first, tasks[9], scene=scene)
    broken = record_folder(second, scene, tasks[8])
    broken.mkdir(parents=True)
    (broken / "result.json").write_text("{", encoding="utf-8")
    write_map(folder / "data" / scene / "map")
    for run, name in zip((first, second), names, strict=True):
        agent = {"name": name, "class": "pkg.mod:Agent", "config": {}}
        write_manifest(run, manifest(folder / "data", agent=agent, run_id=f"run of {name}"))
    return first, second


def compared(first, second, **options):
    """The comparison of two run folders, with what lies behind it."""
    found = [read_records(run) for run in (first, second)]
    names = [source.name for source in found]
    made = compare(*found, names=names, **{"metrics": ["success"], "n_resamples": 100, **options})
    runs = [compared_run(made, name, source) for name, source in zip(names, found, strict=True)]
    return made, ComparisonSources(tuple(runs))


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
    pair = staticmethod(write_pair)
    attempt = staticmethod(write_attempt)
    compared = staticmethod(compared)
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


CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("chrome")
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest.fixture(scope="package")
def browser():
    """Headless Chromium."""
    sync_api = pytest.importorskip("playwright.sync_api", reason="needs playwright")
    if CHROMIUM is None:
        pytest.skip("no Chromium is installed")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def visit(browser):
    """Opens an address; whatever is logged or asked of the network fails the test at its end."""
    contexts, heard = [], []

    def open_page(address, **settings):
        context = browser.new_context(**settings)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: heard.append(message.text))
        page.on("pageerror", lambda error: heard.append(str(error)))
        page.on("request", lambda request: heard.append(request.url) if foreign(request) else None)
        page.goto(address)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert heard == []


def foreign(request):
    return not request.url.startswith(("data:", "file:")) or request.resource_type not in (
        "document", "image",
    )  # fmt: skip


@pytest.fixture(scope="session")
def pair_folder(tmp_path_factory) -> Path:
    """A folder with the runs ``first`` and ``second``, and the data folder of both."""
    folder = tmp_path_factory.mktemp("pair")
    write_pair(folder)
    return folder


@pytest.fixture
def pair(pair_folder):
    """Their comparison, with what lies behind it."""
    return compared(pair_folder / "first", pair_folder / "second")
