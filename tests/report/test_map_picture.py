"""Pictures of tasks: what is drawn where, on maps of any orientation."""

import math

import matplotlib as mpl
import numpy as np
import pytest

from abotn.collision import OccupancyGrid, dilate_free
from abotn.errors import ConfigError, DataError, EvaluationInputError
from abotn.geometry.map_geometry import MapGeometry
from abotn.json_files import write_json
from abotn.records.files import read_trajectory, write_result, write_trajectory
from abotn.records.readers import read_records
from abotn.records.types import ResultRecord, Trajectory
from abotn.report.map_picture import Panel, draw_maps, map_picture, write_map_picture
from abotn.report.plots.map_backdrop import FREE, OBSTACLE, OUTSIDE, WIDENED, Window
from abotn.report.plots.map_drawing import TaskMap
from abotn.report.plots.paths import choose_tasks, draw_paths
from abotn.report.plots.sheet import drawing_style
from abotn.report.task_maps import TaskMaps, write_run_maps
from abotn.scenes.task import Task
from abotn.scenes.writer import write_scene

TURN = math.radians(25)
GEOMETRIES = {
    "north up": MapGeometry((0.0, 8.0), (0.25, 0.0), (0.0, -0.25), 40, 32),
    "south up": MapGeometry((10.0, 0.0), (-0.25, 0.0), (0.0, 0.25), 40, 32),
    "turned": MapGeometry(
        (-1.0, 6.0),
        (0.25 * math.cos(TURN), 0.25 * math.sin(TURN)),
        (-0.3 * math.sin(TURN), 0.3 * math.cos(TURN)),
        40,
        32,
    ),
}


def trajectory(path, *, goal=(7.0, 4.0), collided=None, reference=((1.0, 4.0), (7.0, 4.0))):
    path = np.asarray(path, dtype=float).reshape(-1, 2)
    steps = len(path) - 1
    hit = np.zeros(steps, bool) if collided is None else np.asarray(collided, bool)
    return Trajectory(
        position=np.column_stack([path, np.zeros(len(path))]),
        yaw=np.zeros(steps + 1),
        waypoint=np.zeros((steps, 2)),
        executed_index=np.zeros(steps, np.int64),
        distance_to_goal=np.zeros(steps + 1),
        collided=hit,
        collision_length=np.zeros(steps),
        agent_seconds=np.zeros(steps),
        render_seconds=np.zeros(steps),
        reference=np.asarray(reference, dtype=float).reshape(-1, 2),
        goal=np.asarray(goal, dtype=float),
    )


def rendered(task, window=None):
    """The axes of a task's map, and its pixels as (rows, columns, 3), row 0 at the top."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    with drawing_style():
        figure = draw_maps([Panel(task, task.title, window)], 1)
        canvas = FigureCanvasAgg(figure)
        canvas.draw()
        return figure.axes[0], np.asarray(canvas.buffer_rgba())[..., :3].astype(int)


def colour_at(axes, pixels, xy):
    x, y = axes.transData.transform(xy)
    return pixels[round(pixels.shape[0] - 1 - y), round(x)]


def rgb(colour):
    return [int(colour[i : i + 2], 16) for i in (1, 3, 5)]


@pytest.mark.parametrize("geometry", GEOMETRIES.values(), ids=GEOMETRIES)
def test_every_cell_is_drawn_where_it_lies_in_the_world(geometry):
    rng = np.random.default_rng(1)
    free = rng.random(geometry.shape) < 0.3
    grid = OccupancyGrid(free, geometry)
    centre = geometry.to_world((20.0, 16.0))
    # Everything else is drawn in a corner of the window, far from the points looked at.
    window = Window(centre[0] - 6.0, centre[1] - 6.0, 12.0)
    far = centre + 5.7
    task = TaskMap(trajectory([far], goal=far, reference=[far]), grid, widened=0.3)
    axes, pixels = rendered(task, window)
    counted = dilate_free(grid, 0.3)
    seen = set()
    for point in rng.uniform(centre - 5.0, centre + 4.5, (400, 2)):
        if point[1] < centre[1] - 4.5 and point[0] < centre[0] - 1.0:
            continue  # the scale bar
        column, row = geometry.to_map(point)
        if min(column % 1, row % 1) < 0.15 or max(column % 1, row % 1) > 0.85:
            continue  # on an edge between cells
        inside = 0 <= column < 40 and 0 <= row < 32
        if not inside:
            expected = OUTSIDE
        elif free[int(row), int(column)]:
            expected = FREE
        else:
            expected = WIDENED if counted.free[int(row), int(column)] else OBSTACLE
        assert colour_at(axes, pixels, point).tolist() == rgb(expected)
        seen.add(expected)
    assert len(seen) == 4


@pytest.mark.parametrize("geometry", GEOMETRIES.values(), ids=GEOMETRIES)
def test_a_small_window_shows_what_the_whole_map_would(geometry):
    grid = OccupancyGrid(np.random.default_rng(2).random(geometry.shape) < 0.05, geometry)
    centre = geometry.to_world((20.0, 16.0))
    window = Window(centre[0] - 1.5, centre[1] - 1.5, 3.0)
    task = TaskMap(trajectory([centre], goal=centre, reference=[centre]), grid, widened=1.0)
    axes, _ = rendered(task, window)
    (image,) = axes.images
    shades = np.asarray(image.get_array())
    counted = dilate_free(grid, 1.0)
    rows, columns = np.indices(shades.shape[:2])
    corners = np.column_stack([columns.ravel(), rows.ravel()]) + 0.5
    world = (image.get_transform() - axes.transData).transform(corners)
    inside = (np.abs(world - centre) < 1.5).all(axis=1)
    cells = geometry.cell_of(world[inside])
    expected = np.where(
        counted.free[cells[:, 1], cells[:, 0], None],
        np.where(grid.free[cells[:, 1], cells[:, 0], None], rgb(FREE), rgb(WIDENED)),
        rgb(OBSTACLE),
    )
    assert inside.sum() > 100
    assert (shades.reshape(-1, 3)[inside] == expected).all()
    assert len(shades) < 32


def test_the_path_is_coloured_by_step_and_the_reference_lies_on_it():
    path = [[1.0, 3.0], [3.0, 3.0], [5.0, 3.0], [7.0, 3.0]]
    axes, pixels = rendered(TaskMap(trajectory(path)))
    shades = mpl.colormaps["viridis"](np.linspace(0, 0.85, 256))[:, :3] * 255
    for step, x in enumerate((2.0, 4.0, 6.0), start=1):
        expected = shades[min(int(step / 3 * 256), 255)]
        assert np.abs(colour_at(axes, pixels, (x, 3.0)) - expected).max() < 12
    dashes = [colour_at(axes, pixels, (x, 4.0)).sum() for x in np.linspace(1.5, 6.0, 300)]
    assert min(dashes) < 200
    assert max(dashes) == 765


def test_marks_stand_at_start_goal_and_the_steps_that_collided():
    path = [[1.0, 3.0], [3.0, 3.0], [5.0, 3.0], [7.0, 3.0]]
    task = TaskMap(trajectory(path, collided=[False, True, False]), arrive_threshold=1.5)
    axes, pixels = rendered(task)
    assert colour_at(axes, pixels, (4.0, 3.0)).tolist() == rgb("#D55E00")
    assert colour_at(axes, pixels, (1.0, 3.0)).tolist() == [255, 255, 255]
    assert colour_at(axes, pixels, (7.0, 4.0)).tolist() == rgb("#009E73")
    assert colour_at(axes, pixels, (2.0, 3.0)).tolist() != rgb("#D55E00")
    (ring,) = (line for line in axes.lines if len(line.get_xdata()) > 9)
    radii = np.hypot(*(ring.get_xydata() - [7.0, 4.0]).T)
    assert radii == pytest.approx(np.full(len(radii), 1.5))


def test_a_scale_bar_is_as_long_as_it_says():
    axes, _ = rendered(TaskMap(trajectory([[0.0, 0.0], [8.0, 0.0]])))
    (text,) = (text.get_text() for text in axes.texts)
    bar = [line.get_xdata() for line in axes.lines if line.get_linewidth() == 1.5][-1]
    assert bar[1] - bar[0] == pytest.approx(float(text.removesuffix(" m")))
    assert axes.get_aspect() == 1.0


def test_the_heading_says_how_it_ended():
    task = TaskMap(trajectory([[0, 0]]), title="a/b", outcome=("wrong stop", "3.20 m to goal"))
    axes, _ = rendered(task)
    assert axes.get_title() == "a/b\nwrong stop\n3.20 m to goal"


@pytest.mark.parametrize(
    "odd",
    [
        trajectory([[1.0, 1.0]]),
        trajectory([[1.0, 1.0], [1.0, 1.0]], reference=()),
        trajectory([[1.0, 1.0], [math.nan, 2.0], [3.0, 3.0]], collided=[True, False]),
        trajectory([[1.0, 1.0], [2.0, 2.0]], goal=(math.nan, math.nan)),
        trajectory([[1e6, 1e6], [1e6 + 1, 1e6]], goal=(1e6, 1e6 + 2), reference=()),
    ],
)
def test_odd_paths_are_drawn_without_a_warning(odd):
    grid = OccupancyGrid(np.ones((32, 40), bool), GEOMETRIES["north up"])
    assert map_picture(TaskMap(odd, grid, 0.5, 0.5), ".png")[:4] == b"\x89PNG"


def test_a_path_without_any_finite_point_is_an_error():
    lost = trajectory([[math.nan, math.nan]], goal=(math.nan, 0.0), reference=())
    with pytest.raises(EvaluationInputError, match="neither path, reference nor goal"):
        map_picture(TaskMap(lost))


@pytest.mark.parametrize("suffix", [".png", ".svg", ".pdf"])
def test_the_same_task_gives_the_same_bytes(suffix):
    grid = OccupancyGrid(np.eye(32, 40, dtype=bool), GEOMETRIES["turned"])
    task = TaskMap(trajectory([[1.0, 3.0], [7.0, 3.0]]), grid, title="导航/$x_1$ <b>")
    assert map_picture(task, suffix) == map_picture(task, suffix)


def test_a_picture_is_written_by_its_ending(tmp_path):
    task = TaskMap(trajectory([[1.0, 3.0], [7.0, 3.0]]))
    write_map_picture(tmp_path / "map.svg", task)
    assert (tmp_path / "map.svg").read_bytes() == map_picture(task, ".svg")
    with pytest.raises(ConfigError, match=r"got \.gif"):
        write_map_picture(tmp_path / "map.gif", task)
    assert [path.name for path in tmp_path.iterdir()] == ["map.svg"]


@pytest.fixture
def run(tmp_path):
    """A run of three tasks in two scenes; one solved, one failed, one without a trajectory."""
    for scene, task, success in (("a", "t0", True), ("a", "t1", False), ("b", "t0", False)):
        folder = tmp_path / "run" / scene / task
        folder.mkdir(parents=True)
        status = "stop" if scene == "a" else "error"
        error = None if scene == "a" else {"stage": "scene", "type": "X", "message": "no"}
        distance = 0.25 if success else 12.3456
        write_result(folder, ResultRecord(scene, task, success=success, status=status, error=error,
                                          steps=1 if scene == "a" else 0,
                                          distance_to_goal=distance))  # fmt: skip
        if scene == "a":
            path = trajectory([[1.0, 3.0], [7.0, 3.0]], collided=[not success])
            identity = {"episode_id": scene, "task_id": task, "attempt": 0}
            write_trajectory(folder, path, identity)
    return tmp_path / "run"


def manifest(run, scenes, **values):
    write_json(run / "run.json", {
        "schema_version": "1", "run_id": "r", "task_type": "point_goal",
        "agent": {"name": "walker", "class": "m:C"},
        "protocol": {"name": "p", "values": values, "modified": []},
        "dataset": {"fingerprint": "", "scenes": 2, "tasks": 3, "data_dir": str(scenes)},
        "renderer": {"kind": "none"}, "seed": 0, "versions": {},
    }, schema="run.v1")  # fmt: skip


def test_a_run_knows_its_maps_protocol_and_outcomes(run, tmp_path):
    free = np.random.default_rng(0).random((32, 40)) < 0.5
    task = Task("traj_0", [{"x": 1.0, "y": 1.0, "z": 0.0, "roll": 0.0, "pitch": 0.0, "yaw": 0.0}])
    write_scene(tmp_path / "scenes/a", tasks=[task], free=free, geometry=GEOMETRIES["north up"])
    manifest(run, tmp_path / "scenes", arrive_threshold=0.5, occ_dilation_meters=0.2)
    maps = TaskMaps(read_records(run))
    assert maps.labels == ["a/t0", "a/t1", "b/t0"]
    solved, failed = maps.task_map(0), maps.task_map(1)
    assert solved.outcome == ("solved", "0.25 m to goal, 0 collisions")
    assert failed.outcome == ("wrong stop", "12.3 m to goal, 1 collision")
    assert (solved.arrive_threshold, solved.widened, solved.title) == (0.5, 0.2, "a/t0")
    assert (solved.grid.free == free).all()
    assert np.array_equal(
        solved.trajectory.position, read_trajectory(run / "a/t0/trajectory.json").position
    )
    with pytest.raises(EvaluationInputError, match="b/t0: the record has no trajectory"):
        maps.task_map(2)


def test_maps_are_written_beside_every_path_of_a_run(run):
    written = write_run_maps(run)
    assert written == [run / "a/t0/map.png", run / "a/t1/map.png"]
    assert written[0].read_bytes() == map_picture(TaskMaps(read_records(run)).task_map(0))
    assert TaskMaps(read_records(run)).task_map(0).grid is None
    with pytest.raises(DataError, match="the data folder does not exist"):
        write_run_maps(run, data_dir=run / "nowhere")


def test_paths_show_failures_first_and_one_window_per_task(run):
    maps = TaskMaps(read_records(run))
    assert choose_tasks({"x": maps}) == ["a/t1", "a/t0"]
    assert choose_tasks({"x": maps}, 1) == ["a/t1"]
    figure = draw_paths({"x": maps, "y": maps}, columns=2)
    titles = [axes.get_title().splitlines()[:2] for axes in figure.axes[:4]]
    assert titles == [
        ["x", "wrong stop"], ["y", "wrong stop"], ["x", "solved"], ["y", "solved"],
    ]  # fmt: skip
    assert [axes.get_ylabel() for axes in figure.axes[:4]] == ["a/t1", "", "a/t0", ""]
    assert figure.axes[0].get_xlim() == figure.axes[1].get_xlim()
    single = draw_paths({"x": maps}, ["a/t0", "a/t1", "a/t0"])
    assert [axes.get_title().splitlines()[0] for axes in single.axes[:-1]] == ["a/t0", "a/t1"]


def test_a_run_without_a_path_of_a_task_leaves_its_place_empty(run, tmp_path):
    import shutil

    shutil.copytree(run, tmp_path / "other")
    (tmp_path / "other/a/t0/trajectory.json").unlink()
    pair = {"x": TaskMaps(read_records(run)), "y": TaskMaps(read_records(tmp_path / "other"))}
    assert choose_tasks(pair) == ["a/t1"]
    figure = draw_paths(pair, ["a/t0"])
    assert [text.get_text() for text in figure.axes[1].texts] == ["no path"]


def test_impossible_requests_for_paths_say_what_is_wrong(run):
    maps = TaskMaps(read_records(run))
    with pytest.raises(EvaluationInputError, match=r"3 runs, but 2 maps .*or --columns 2"):
        draw_paths(dict.fromkeys("xyz", maps))
    with pytest.raises(EvaluationInputError, match=r"5 runs, but 4 maps .*give fewer runs\)"):
        draw_paths(dict.fromkeys("vwxyz", maps), columns=2)
    with pytest.raises(EvaluationInputError, match="at least one run"):
        draw_paths({})
    with pytest.raises(KeyError, match=r"unknown task 'a/t2' .*did you mean: a/t"):
        draw_paths({"x": maps}, ["a/t2"])
    with pytest.raises(EvaluationInputError, match="b/t0: the record has no trajectory"):
        draw_paths({"x": maps}, ["b/t0"])
    with pytest.raises(EvaluationInputError, match="b/t0: the record has no trajectory"):
        draw_paths({"x": maps, "y": maps}, ["b/t0"])
    with pytest.raises(EvaluationInputError, match="13 tasks, a picture holds 12"):
        draw_paths({"x": maps}, [f"a/t{number}" for number in range(13)])
    for path in run.rglob("trajectory.json"):
        path.unlink()
    with pytest.raises(EvaluationInputError, match="x: no run has a trajectory"):
        draw_paths({"x": TaskMaps(read_records(run))})
