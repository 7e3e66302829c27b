"""The embedded renderer: what it shows stands where the maps say."""

from __future__ import annotations

import math

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from abotn.errors import ConfigError, DataError, RenderFailureError, UnknownNameError
from abotn.geometry.map_geometry import MapGeometry
from abotn.rendering import CameraConfig, EmbeddedRenderer, view_pose
from abotn.rendering.embedded import EmbeddedRenderer as Direct
from abotn.rendering.textures import HAZE

CAMERA = CameraConfig()
WALL_HEIGHT = 2.5
GROUND = -0.1

# 20 x 20 m; columns run east, rows run south.
SIZE, METRES = 200, 0.1
GEOMETRY = MapGeometry.from_corners((0, 20), (20, 20), (0, 0), SIZE, SIZE)


def pose_at(
    x: float, y: float, yaw: float, z: float = GROUND + 0.65, pitch: float = 0.0, roll: float = 0.0
) -> NDArray[np.float64]:
    cy, sy, cp, sp = math.cos(yaw), math.sin(yaw), math.cos(pitch), math.sin(pitch)
    cr, sr = math.cos(roll), math.sin(roll)
    about_z = np.array([[cy, -sy, 0], [sy, cy, 0], [0, 0, 1]])
    about_y = np.array([[cp, 0, sp], [0, 1, 0], [-sp, 0, cp]])
    about_x = np.array([[1, 0, 0], [0, cr, -sr], [0, sr, cr]])
    pose = np.eye(4)
    pose[:3, :3] = about_z @ about_y @ about_x
    pose[:3, 3] = x, y, z
    return pose


def free_but(*boxes: tuple[float, float, float, float]) -> NDArray[np.bool_]:
    """A free map with obstacles, each ``x0, y0, x1, y1`` in metres."""
    free = np.ones((SIZE, SIZE), dtype=bool)
    for x0, y0, x1, y1 in boxes:
        rows = slice(round(SIZE - y1 / METRES), round(SIZE - y0 / METRES))
        free[rows, round(x0 / METRES) : round(x1 / METRES)] = False
    return free


def renderer_with(
    free: NDArray[np.bool_], height: NDArray | None = None, **options: object
) -> Direct:
    renderer = EmbeddedRenderer(**options)  # type: ignore[arg-type]
    renderer.add_scene("place", free, GEOMETRY, height)
    return renderer


def points_of(pose: NDArray, depth: NDArray) -> NDArray[np.float64]:
    """World points of all pixels, by the pinhole model; NaN where only sky is seen."""
    depth = np.where(np.isfinite(depth), depth, np.nan)
    columns, rows = np.meshgrid(np.arange(depth.shape[1]) + 0.5, np.arange(depth.shape[0]) + 0.5)
    local = np.stack(
        [
            depth,
            depth * (CAMERA.cx - columns) / CAMERA.fx,
            depth * (CAMERA.cy - rows) / CAMERA.fy,
        ],
        axis=-1,
    )
    return np.asarray(pose[:3, 3] + local @ pose[:3, :3].T)


def pixel_of(pose: NDArray, point: NDArray) -> tuple[float, float]:
    """Image column and row, pixels from the top left edge, of a world point."""
    forward, left, up = (point - pose[:3, 3]) @ pose[:3, :3]
    return CAMERA.cx - CAMERA.fx * left / forward, CAMERA.cy - CAMERA.fy * up / forward


def test_images_are_plain_rgb_arrays() -> None:
    images = renderer_with(free_but((12, 5, 13, 15))).render(pose_at(10, 10, 0.3), "place")
    assert list(images) == ["left", "right", "front"]
    for image in images.values():
        assert image.shape == (640, 720, 3)
        assert image.dtype == np.uint8
        assert image.flags.c_contiguous
        assert image.flags.writeable
        assert image.std() > 10.0


def test_channels_are_red_green_blue() -> None:
    image = renderer_with(free_but()).render(pose_at(10, 10, 0.3), "place")["front"]
    sky = image[:60].reshape(-1, 3).mean(axis=0)
    assert sky[2] > sky[1] > sky[0]
    assert HAZE[2] > HAZE[1] > HAZE[0]


@pytest.mark.parametrize("distance", [0.4, 1.0, 3.0, 7.5])
def test_a_wall_ahead_has_the_rows_that_the_pinhole_gives(distance: float) -> None:
    x = 12.0 - distance
    depth = renderer_with(free_but((12, 0, 13, 20))).render_depth(pose_at(x, 10, 0), "place")
    foot = CAMERA.cy + CAMERA.fy * 0.65 / distance
    top = CAMERA.cy - CAMERA.fy * (WALL_HEIGHT - 0.65) / distance
    rows = np.arange(640) + 0.5
    on_wall = (rows > top) & (rows < foot)
    middle = depth["front"][:, 300:420]
    np.testing.assert_allclose(middle[on_wall], distance, rtol=1e-6)
    below = np.broadcast_to((CAMERA.fy * 0.65 / (rows - CAMERA.cy))[:, None], middle.shape)
    np.testing.assert_allclose(middle[rows > foot], below[rows > foot], rtol=1e-5)
    assert np.isinf(middle[rows < top]).all()


@pytest.mark.parametrize("distance", [0.4, 1.0, 3.0, 7.5])
def test_the_picture_shows_the_wall_where_the_depth_says(distance: float) -> None:
    """The pixels that change when the wall is taken away are those of the wall."""
    pose = pose_at(12.0 - distance, 10.0, 0.0)
    box = (12.0, 9.0, 12.5, 11.0)
    with_wall = renderer_with(free_but(box))
    image = with_wall.render(pose, "place")["front"].astype(int)
    bare = renderer_with(free_but()).render(pose, "place")["front"].astype(int)
    depth = with_wall.render_depth(pose, "place")["front"]
    open_depth = renderer_with(free_but()).render_depth(pose, "place")["front"]
    wall = depth != open_depth
    changed = np.abs(image - bare).max(axis=-1) > 0
    assert wall.any()
    in_its_columns = np.broadcast_to(wall.any(axis=0), wall.shape)
    assert not (changed & ~wall & in_its_columns).any()
    assert changed[wall].mean() > 0.95
    for column in (340, 360, 380):
        shown = np.flatnonzero(changed[:, column])
        expected = np.flatnonzero(wall[:, column])
        assert abs(shown[0] - expected[0]) <= 1
        assert abs(shown[-1] - expected[-1]) <= 1


@pytest.mark.parametrize("yaw_degrees", [0, 30, 90, 180, 251, 270])
def test_every_pixel_lies_on_ground_or_wall(yaw_degrees: int) -> None:
    rng = np.random.default_rng(yaw_degrees)
    boxes = [(x, y, x + 0.7, y + 0.4) for x, y in rng.uniform(1, 18, (30, 2)).round(1)]
    free = free_but(*boxes, (0, 19, 20, 20))
    free[95:105, 95:105] = True
    pose = pose_at(10.0, 10.0, math.radians(yaw_degrees))
    depths = renderer_with(free).render_depth(pose, "place")
    padded = np.pad(free, 2)
    for name, depth in depths.items():
        turned = view_pose(pose, {"left": 90.0, "right": -90.0, "front": 0.0}[name])
        points = points_of(turned, depth)[np.isfinite(depth)]
        on_ground = np.abs(points[:, 2] - GROUND) < 1e-4
        walls = points[~on_ground]
        assert len(walls) > 1000
        assert walls[:, 2].min() > GROUND - 1e-4
        assert walls[:, 2].max() < GROUND + WALL_HEIGHT + 1e-4
        ahead = (walls[:, :2] - pose[:2, 3]) / np.hypot(*(walls[:, :2] - pose[:2, 3]).T)[:, None]
        sides = []
        for step in (-2e-4, 2e-4):
            cells = np.floor(GEOMETRY.to_map(walls[:, :2] + step * ahead)).astype(int) + 2
            sides.append(padded[cells[:, 1], cells[:, 0]])
        assert sides[0].mean() > 0.999
        assert sides[1].mean() < 0.001
        ground = GEOMETRY.to_map(points[on_ground][:, :2])
        cells = np.floor(ground).astype(int) + 2
        known = (cells >= 0).all(axis=1) & (cells < padded.shape[0]).all(axis=1)
        assert padded[cells[known, 1], cells[known, 0]].mean() > 0.995


@pytest.mark.parametrize(
    ("box", "view"),
    [
        ((11, 9, 12, 11), "front"),
        ((9, 11, 11, 12), "left"),
        ((9, 8, 11, 9), "right"),
    ],
)
def test_walls_stand_in_the_right_view(box: tuple[float, float, float, float], view: str) -> None:
    depths = renderer_with(free_but(box)).render_depth(pose_at(10, 10, 0), "place")
    ahead = {name: float(depth[320, 360]) for name, depth in depths.items()}
    assert ahead.pop(view) == pytest.approx(1.0)
    assert all(distance == pytest.approx(10.0) for distance in ahead.values())


def test_left_is_left_within_a_view() -> None:
    """A post one metre to the left and three ahead is left of the middle, by the pinhole."""
    free = free_but((13.0, 10.9, 13.1, 11.1))
    depth = renderer_with(free).render_depth(pose_at(10, 10, 0), "place")["front"]
    columns = np.flatnonzero(np.abs(depth[320] - 3.0) < 1e-4) + 0.5
    assert columns.min() == pytest.approx(CAMERA.cx - CAMERA.fx * 1.1 / 3.0, abs=1.0)
    assert columns.max() == pytest.approx(CAMERA.cx - CAMERA.fx * 0.9 / 3.0, abs=1.0)


def test_maps_drawn_the_other_way_give_the_same_picture_of_depth() -> None:
    free = free_but((12, 5, 13, 9), (3, 12, 7, 12.5), (9, 15, 9.1, 16))
    pose = pose_at(10.03, 10.07, 0.7)
    plain = renderer_with(free).render_depth(pose, "place")
    turned = EmbeddedRenderer()
    turned.add_scene("flipped", free[::-1], MapGeometry((0, 0), (0.1, 0), (0, 0.1), SIZE, SIZE))
    turned.add_scene("turned", free.T, MapGeometry((0, 20), (0, -0.1), (0.1, 0), SIZE, SIZE))
    for scene in ("flipped", "turned"):
        for name, depth in turned.render_depth(pose, scene).items():
            same = np.isclose(depth, plain[name], rtol=1e-5)
            assert same.mean() > 0.9995


def test_uneven_and_rotated_cells_keep_distances() -> None:
    """A map turned by 30 degrees with cells of 0.1 by 0.2 m; the wall is 2 m ahead."""
    c, s = math.cos(math.radians(30)), math.sin(math.radians(30))
    geometry = MapGeometry((0, 0), (0.1 * c, 0.1 * s), (-0.2 * s, 0.2 * c), 100, 50)
    free = np.ones((50, 100), dtype=bool)
    free[:, 70:] = False
    renderer = EmbeddedRenderer()
    renderer.add_scene("turned", free, geometry)
    x, y = geometry.to_world([50.0, 25.0])
    depths = renderer.render_depth(pose_at(x, y, math.radians(30)), "turned")
    np.testing.assert_allclose(depths["front"][320, 250:470], 2.0, rtol=1e-5)
    assert depths["left"][320, 360] == pytest.approx(5.0, rel=1e-5)


@pytest.mark.parametrize(("dx", "dy", "turn"), [(0.3, 0.0, 0.0), (0.1, -0.2, 0.2), (0, 0, 0.6)])
def test_the_ground_stays_put_when_the_camera_moves(dx: float, dy: float, turn: float) -> None:
    renderer = renderer_with(free_but())
    poses = [pose_at(10, 10, 0.4), pose_at(10 + dx, 10 + dy, 0.4 + turn)]
    images = [renderer.render(pose, "place")["front"].astype(np.float32) for pose in poses]
    rng = np.random.default_rng(0)
    pairs = []
    for ahead, left in rng.uniform((0.9, -0.5), (1.8, 0.5), (400, 2)):
        point = (poses[0] @ np.array([ahead, left, -0.65, 1.0]))[:3]
        spots = [np.array(pixel_of(pose, point)) - 0.5 for pose in poses]
        if all(5 < u < 714 and 5 < v < 634 for u, v in spots):
            pairs.append([_colour(i, spot) for i, spot in zip(images, spots, strict=True)])
    seen = np.array(pairs)
    assert len(seen) > 100
    same = np.abs(seen[:, 0] - seen[:, 1]).mean()
    other = np.abs(seen[:, 0] - np.roll(seen[:, 1], 1, axis=0)).mean()
    assert same < 3.0
    assert other > 2.0 * same


def _colour(image: NDArray, spot: NDArray) -> NDArray:
    return np.asarray(cv2.getRectSubPix(image, (1, 1), (float(spot[0]), float(spot[1])))[0, 0])


def test_neighbouring_views_meet() -> None:
    """What stands 45 degrees to the left looks alike in the front and in the left view."""
    renderer = renderer_with(free_but((8, 14, 18, 14.4), (13, 4, 13.4, 14)))
    pose = pose_at(10, 10, 0.0)
    images, depths = renderer.render(pose, "place"), renderer.render_depth(pose, "place")
    turned = {name: view_pose(pose, yaw) for name, yaw in (("front", 0.0), ("left", 90.0))}
    differences = []
    for column in range(60, 110):
        for row in (260, 300, 330):
            point = points_of(turned["front"], depths["front"])[row, column]
            u, v = pixel_of(turned["left"], point)
            i, j = int(u), int(v)
            if 0 <= i < 720:
                assert depths["left"][j, i] == pytest.approx(
                    ((point - pose[:3, 3]) @ turned["left"][:3, :3])[0], rel=0.03
                )
                here, there = images["front"][row, column], images["left"][j, i]
                differences.append(np.abs(here.astype(int) - there.astype(int)).mean())
    assert len(differences) > 100
    assert np.median(differences) < 8.0


def test_same_pose_same_bytes_and_other_seeds_places_headings_and_scenes_differ() -> None:
    free = free_but((12, 5, 13, 15), (4, 4, 6, 6))
    pose = pose_at(10, 10, 0.3)
    first, again = (renderer_with(free).render(pose, "place") for _ in range(2))
    assert all(np.array_equal(first[name], again[name]) for name in first)
    renderer = renderer_with(free)
    renderer.add_scene("elsewhere", free, GEOMETRY)
    others = [
        renderer_with(free, seed=1).render(pose, "place"),
        renderer.render(pose, "elsewhere"),
        renderer.render(pose_at(10.5, 10, 0.3), "place"),
        renderer.render(pose_at(10, 10, 0.4), "place"),
    ]
    for other in others:
        for name in first:
            assert (first[name] != other[name]).any(axis=-1).mean() > 0.2
    assert (first["left"] != first["front"]).any(axis=-1).mean() > 0.5


def test_ground_follows_the_height_map() -> None:
    """Every ground pixel of a hilly map lies on the interpolated height map, and hides nothing."""
    centres = (np.arange(SIZE) + 0.5) * METRES
    x, y = np.meshgrid(centres, centres[::-1])
    height = 0.5 * np.sin(x / 2.5) + 0.4 * np.cos(y / 3.0)
    renderer = renderer_with(free_but(), height)
    here = 0.5 * math.sin(10 / 2.5) + 0.4 * math.cos(10 / 3.0)
    pose = pose_at(10, 10, 0.3, z=here + 0.65)
    for name, depth in renderer.render_depth(pose, "place").items():
        turned = view_pose(pose, {"left": 90.0, "right": -90.0, "front": 0.0}[name])
        points = points_of(turned, depth)
        level = 0.5 * np.sin(points[..., 0] / 2.5) + 0.4 * np.cos(points[..., 1] / 3.0)
        near = (depth < 8.0) & (np.abs(points[..., :2] - 10.0).max(axis=-1) < 9.9)
        error = np.abs(points[..., 2] - level)[near]
        assert near[500:].all()
        assert np.quantile(error, 0.99) < 0.03
        # No ground stands between the camera and what is seen.
        for share in (0.3, 0.6, 0.9):
            between = turned[:3, 3] + share * (points[near] - turned[:3, 3])
            ground = 0.5 * np.sin(between[:, 0] / 2.5) + 0.4 * np.cos(between[:, 1] / 3.0)
            assert np.quantile(ground - between[:, 2], 0.99) < 0.03


def test_walls_on_a_slope_start_at_their_own_ground() -> None:
    x = (np.arange(SIZE) + 0.5) * METRES
    height = np.broadcast_to(0.08 * x, (SIZE, SIZE))
    renderer = renderer_with(free_but((14, 0, 15, 20)), height)
    depth = renderer.render_depth(pose_at(10, 10, 0, z=0.8 + 0.65), "place")["front"][:, 360]
    rows = np.flatnonzero(np.abs(depth - 4.0) < 1e-3) + 0.5
    foot = 0.08 * 14.0
    assert rows.min() == pytest.approx(CAMERA.cy - CAMERA.fy * (foot + 2.5 - 1.45) / 4, abs=1.5)
    assert rows.max() == pytest.approx(CAMERA.cy - CAMERA.fy * (foot - 1.45) / 4, abs=1.5)


def test_a_hill_hides_the_wall_behind_it() -> None:
    x = (np.arange(SIZE) + 0.5) * METRES
    height = np.broadcast_to(np.where((x > 12) & (x < 13), 4.0, 0.0), (SIZE, SIZE))
    renderer = renderer_with(free_but((15, 0, 16, 20)), height)
    pose = pose_at(10, 10, 0, z=0.65)
    depth = renderer.render_depth(pose, "place")["front"][:, 360]
    assert not (np.abs(depth - 5.0) < 0.01).any()
    hill = depth[np.isfinite(depth) & (np.arange(640) < 320)]
    assert len(hill) > 100
    assert ((hill > 1.8) & (hill < 3.1)).all()
    image = renderer.render(pose, "place")["front"]
    bare = renderer_with(free_but(), height).render(pose, "place")["front"]
    assert np.array_equal(image[:, 360], bare[:, 360])


@pytest.mark.parametrize(
    ("values", "expected"), [(7.0, 0.0), (np.nan, 0.0), (np.inf, 0.0), (1.5, 1.5), (-2.0, -2.0)]
)
def test_heights_that_are_no_ground_count_as_zero(values: float, expected: float) -> None:
    renderer = renderer_with(free_but(), np.full((SIZE, SIZE), values))
    depth = renderer.render_depth(pose_at(10, 10, 0, z=expected + 1.0), "place")["front"]
    assert depth[500, 360] == pytest.approx(CAMERA.fy * 1.0 / (500.5 - CAMERA.cy), rel=1e-5)


def test_the_roof_of_an_obstacle_is_not_ground() -> None:
    free = free_but((14, 0, 15, 20))
    height = np.where(free, 0.0, 3.0)
    depth = renderer_with(free, height).render_depth(pose_at(10, 10, 0, z=0.65), "place")["front"]
    rows = np.flatnonzero(np.abs(depth[:, 360] - 4.0) < 1e-3) + 0.5
    assert rows.max() == pytest.approx(CAMERA.cy + CAMERA.fy * 0.65 / 4, abs=1.0)


@pytest.mark.parametrize(
    ("free", "xyz"),
    [
        (free_but((9, 9, 11, 11)), (10, 10, 0.55)),
        (free_but(), (-5, 10, 0.55)),
        (free_but(), (1e6, -1e6, 0.55)),
        (np.zeros((SIZE, SIZE), dtype=bool), (10, 10, 0.55)),
        (free_but(), (10, 10, -3.0)),
        (free_but((11, 0, 12, 20)), (10, 10, 30.0)),
        (free_but((10, 0, 11, 20)), (10, 10, 0.55)),
    ],
    ids=["in an obstacle", "outside", "far outside", "all solid", "below", "above", "touching"],
)
def test_odd_places_give_a_defined_image(
    free: NDArray[np.bool_], xyz: tuple[float, float, float]
) -> None:
    slope = np.broadcast_to(np.linspace(0, 1, SIZE), (SIZE, SIZE))
    for height in (None, slope):
        pictures = [
            renderer_with(free, height).render(pose_at(xyz[0], xyz[1], 0.2, z=xyz[2]), "place")
            for _ in range(2)
        ]
        for name in pictures[0]:
            np.testing.assert_array_equal(pictures[0][name], pictures[1][name])
        depths = renderer_with(free, height).render_depth(
            pose_at(xyz[0], xyz[1], 0.2, z=xyz[2]), "place"
        )
        for depth in depths.values():
            assert depth.dtype == np.float32
            assert (depth > 0.0).all()


def test_a_camera_in_an_obstacle_sees_what_is_beyond() -> None:
    free = free_but((9, 9, 11, 11), (14, 0, 15, 20))
    depth = renderer_with(free).render_depth(pose_at(10, 10, 0), "place")["front"]
    assert depth[320, 360] == pytest.approx(4.0)


@pytest.mark.parametrize(("pitch", "roll"), [(0.1, 0.0), (-0.15, 0.0), (0.0, 0.2), (0.1, -0.1)])
def test_tilted_cameras_see_the_same_place(pitch: float, roll: float) -> None:
    renderer = renderer_with(free_but((13, 8, 14, 12)))
    pose = pose_at(10, 10, 0.1, pitch=pitch, roll=roll)
    depths, images = renderer.render_depth(pose, "place"), renderer.render(pose, "place")
    assert images["front"].shape == (640, 720, 3)
    for name, yaw in (("left", 90.0), ("right", -90.0), ("front", 0.0)):
        points = points_of(view_pose(pose, yaw), depths[name])
        ground = np.abs(points[..., 2] - GROUND) < 0.02 * depths[name]
        height = points[..., 2] - GROUND
        walls = np.isfinite(depths[name]) & ~ground
        assert ground.mean() > 0.2
        assert (height[walls] < WALL_HEIGHT + 0.2).all()
    points = points_of(pose, depths["front"])
    # The face of the box at x = 13 m, away from its edges.
    face = (np.abs(points[..., 1] - 10.0) < 1.5) & (points[..., 2] > 0.3) & (points[..., 2] < 2.0)
    assert face.sum() > 1000
    assert np.quantile(np.abs(points[face][:, 0] - 13.0), 0.9) < 0.03


def test_a_tiny_tilt_changes_the_picture_little() -> None:
    renderer = renderer_with(free_but((13, 8, 14, 12)))
    level, tilted = (
        renderer.render(pose_at(10, 10, 0.1, pitch=pitch), "place")["front"].astype(int)
        for pitch in (0.0, 1e-5)
    )
    assert np.abs(level - tilted).mean() < 2.0


@pytest.mark.parametrize(("pitch", "roll"), [(0.6, 0.0), (-1.5, 0.0), (0.0, 1.0), (0.4, 0.8)])
def test_cameras_tilted_too_far_are_refused(pitch: float, roll: float) -> None:
    with pytest.raises(RenderFailureError, match="pitch and roll"):
        renderer_with(free_but()).render(pose_at(10, 10, 0, pitch=pitch, roll=roll), "place")


def test_a_camera_upside_down_turns_the_picture() -> None:
    renderer = renderer_with(free_but((13, 8, 14, 12)))
    level, turned = (
        renderer.render(pose_at(10, 10, 0.1, roll=roll), "place")["front"].astype(int)
        for roll in (0.0, math.pi)
    )
    assert np.abs(level[::-1, ::-1] - turned).mean() < 1.0


@pytest.mark.parametrize(("width", "height"), [(1, 1), (7, 5), (121, 33), (720, 640)])
def test_any_camera_size(width: int, height: int) -> None:
    camera = CameraConfig(width, height, width / 3, width / 3, width / 2 + 0.3, height / 3)
    slope = np.broadcast_to(np.linspace(0, 1, SIZE), (SIZE, SIZE))
    for heights in (None, slope):
        renderer = renderer_with(free_but((12, 5, 13, 15)), heights, camera=camera)
        images = renderer.render(pose_at(10, 10, 0, z=1.2), "place")
        assert {image.shape for image in images.values()} == {(height, width, 3)}
        depths = renderer.render_depth(pose_at(10, 10, 0, z=1.2), "place")
        assert {depth.shape for depth in depths.values()} == {(height, width)}


def test_one_view_is_the_front_one() -> None:
    free = free_but((12, 5, 13, 15))
    one = renderer_with(free, num_views=1).render(pose_at(10, 10, 0.3), "place")
    three = renderer_with(free).render(pose_at(10, 10, 0.3), "place")
    assert list(one) == ["front"]
    np.testing.assert_array_equal(one["front"], three["front"])


def test_the_caller_keeps_its_arrays() -> None:
    free, height = free_but((12, 5, 13, 15)), np.zeros((SIZE, SIZE))
    height[50:, :] = 0.3
    pose = pose_at(10, 10, 0.3)
    kept = free.copy(), height.copy(), pose.copy()
    renderer = renderer_with(free, height)
    before = renderer.render(pose, "place")["front"]
    for now, then in zip((free, height, pose), kept, strict=True):
        np.testing.assert_array_equal(now, then)
    free[:], height[:] = False, 9.0
    np.testing.assert_array_equal(renderer.render(pose, "place")["front"], before)


def test_scenes_come_from_the_source_once() -> None:
    asked: list[str] = []

    def source(scene_id: str) -> tuple[NDArray[np.bool_], MapGeometry, None]:
        asked.append(scene_id)
        return free_but((12, 5, 13, 15)), GEOMETRY, None

    with EmbeddedRenderer(num_views=1, scene_source=source) as renderer:
        for scene_id in ("a", "b", "a", "a"):
            renderer.render(pose_at(10, 10, 0), scene_id)
        assert asked == ["a", "b"]
        for scene_id in "cdefghi":
            renderer.render(pose_at(10, 10, 0), scene_id)
        renderer.render(pose_at(10, 10, 0), "a")
        renderer.render(pose_at(10, 10, 0), "b")
    assert asked == [*"abcdefghi", "b"]


def test_close_forgets_scenes() -> None:
    renderer = renderer_with(free_but())
    renderer.close()
    with pytest.raises(UnknownNameError, match="scene 'place'"):
        renderer.render(pose_at(10, 10, 0), "place")


def test_an_unknown_scene_is_named_with_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match="did you mean: place"):
        renderer_with(free_but()).render(pose_at(10, 10, 0), "plaec")


@pytest.mark.parametrize(
    "options",
    [
        {"wall_height": 0.0},
        {"wall_height": math.nan},
        {"num_views": 2},
        {"seed": -1},
        {"seed": 1.5},
    ],
)
def test_unusable_options_are_refused(options: dict[str, object]) -> None:
    with pytest.raises(ConfigError, match=next(iter(options))):
        EmbeddedRenderer(**options)  # type: ignore[arg-type]


def test_unusable_scenes_and_poses_are_refused() -> None:
    renderer = EmbeddedRenderer()
    with pytest.raises(DataError, match=r"free.*\(200, 200\).*\(3, 4\)"):
        renderer.add_scene("place", np.ones((3, 4), dtype=bool), GEOMETRY)
    with pytest.raises(DataError, match="height"):
        renderer.add_scene("place", free_but(), GEOMETRY, np.zeros((2, 2)))
    renderer.add_scene("place", free_but(), GEOMETRY)
    for pose in (np.eye(3), np.full((4, 4), np.nan)):
        with pytest.raises(RenderFailureError, match="pose"):
            renderer.render(pose, "place")


def test_the_thread_setting_is_left_alone() -> None:
    threads = cv2.getNumThreads()
    renderer_with(free_but()).render(pose_at(10, 10, 0), "place")
    assert cv2.getNumThreads() == threads


def test_the_room_offers_the_renderer() -> None:
    import abotn.rendering

    assert abotn.rendering.EmbeddedRenderer is Direct
    with pytest.raises(AttributeError, match="Nothing"):
        abotn.rendering.Nothing  # noqa: B018
