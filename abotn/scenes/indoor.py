"""Synthetic flats and offices: rooms with doors, and furniture in them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from abotn.scenes.blueprint import Blueprint
from abotn.scenes.canvas import Canvas

RESOLUTION = 0.05
CLEARANCE = 0.3

_EXTENT = (16.0, 24.0)
_MARGIN = 1.0
_SMALLEST_ROOM = 3.2
_LARGEST_ROOM = 7.5
_WALL = (0.45, 0.6)
_DOOR = (1.0, 1.4)
_GAP = 0.75
_SECOND_DOOR_CHANCE = 0.35
_FLOOR_PER_PIECE = 1.2
# (length along the wall, depth, stands against a wall)
_PIECES = (
    (2.0, 0.9, True),
    (1.4, 0.5, True),
    (2.0, 1.6, True),
    (1.0, 0.6, True),
    (1.6, 0.9, False),
    (1.0, 1.0, False),
    (2.4, 1.0, False),
)
_ROUND_RADII = (0.05, 0.25, 0.4)


@dataclass
class _Room:
    left: float
    right: float
    low: float
    high: float

    @property
    def width(self) -> float:
        return self.right - self.left

    @property
    def height(self) -> float:
        return self.high - self.low


@dataclass
class _Wall:
    """A dividing wall; ``near`` and ``far`` are the rooms of the two parts that it divides."""

    vertical: bool
    near: list[_Room]
    far: list[_Room]


def indoor_blueprint(rng: np.random.Generator) -> Blueprint:
    """Return one storey of 16 to 24 m a side at 0.05 m per pixel, on flat ground.

    Everything outside the outer walls is an obstacle. Walls are as thick as scanned occupancy
    maps show them (0.45 to 0.6 m), so that they outlast the usual dilations.

    Args:
        rng: Where all choices come from.
    """
    width, height = np.round(rng.uniform(*_EXTENT, size=2), 1)
    x, y = np.round(rng.uniform(-30, 10, size=2), 1)
    canvas = Canvas(float(x), float(y), float(width), float(height), RESOLUTION)
    canvas.blocked[:] = True
    whole = _Room(x + _MARGIN, x + width - _MARGIN, y + _MARGIN, y + height - _MARGIN)
    walls: list[_Wall] = []
    rooms = _divide(whole, walls, rng)
    for room in rooms:
        centre = (room.left + room.right) / 2, (room.low + room.high) / 2
        canvas.fill_rectangle(canvas.blocked, centre, (room.width, room.height), value=False)
    for wall in walls:
        _cut_doors(canvas, wall, rng)
    for room in rooms:
        _furnish(canvas, room, rng)
    flat = np.zeros(canvas.blocked.shape, dtype=np.float32)
    return Blueprint(~canvas.blocked, canvas.geometry, flat, CLEARANCE)


def _divide(room: _Room, walls: list[_Wall], rng: np.random.Generator) -> list[_Room]:
    vertical = room.width >= room.height
    length = room.width if vertical else room.height
    thickness = rng.uniform(*_WALL)
    spare = length - 2 * _SMALLEST_ROOM - thickness
    if spare <= 0 or (length < _LARGEST_ROOM and rng.random() < 0.4):
        return [room]
    cut = _SMALLEST_ROOM + spare * rng.uniform(0.15, 0.85)
    near, far = _halves(room, cut, thickness, vertical=vertical)
    sides = _divide(near, walls, rng), _divide(far, walls, rng)
    walls.append(_Wall(vertical, *sides))
    return [*sides[0], *sides[1]]


def _halves(room: _Room, cut: float, thickness: float, *, vertical: bool) -> tuple[_Room, _Room]:
    if vertical:
        wall = room.left + cut
        near = _Room(room.left, wall, room.low, room.high)
        return near, _Room(wall + thickness, room.right, room.low, room.high)
    wall = room.low + cut
    near = _Room(room.left, room.right, room.low, wall)
    return near, _Room(room.left, room.right, wall + thickness, room.high)


def _cut_doors(canvas: Canvas, wall: _Wall, rng: np.random.Generator) -> None:
    """Cut a door into the longest stretch, and by chance into others."""
    shared = sorted(_shared_stretches(wall), key=lambda item: item[0] - item[1])
    for index, (low, high, face, depth) in enumerate(shared):
        if index and (rng.random() > _SECOND_DOOR_CHANCE or high - low < _DOOR[1]):
            continue
        width = min(rng.uniform(*_DOOR), high - low)
        middle = rng.uniform(low + width / 2, high - width / 2)
        centre, size = (face + depth / 2, middle), (depth + 2 * RESOLUTION, width)
        approach = (depth + 1.8, width + 0.2)
        if not wall.vertical:
            centre, size, approach = centre[::-1], size[::-1], approach[::-1]
        canvas.fill_rectangle(canvas.blocked, centre, size, value=False)
        canvas.fill_rectangle(canvas.kept_clear, centre, approach)


def _shared_stretches(wall: _Wall) -> list[tuple[float, float, float, float]]:
    """(low, high) along the wall, its near face and its depth, per pair of rooms across it."""
    found = []
    face = max(_faces(room, wall)[1] for room in wall.near)
    other = min(_faces(room, wall)[0] for room in wall.far)
    for a in wall.near:
        for b in wall.far:
            low = max(_sides(a, wall)[0], _sides(b, wall)[0])
            high = min(_sides(a, wall)[1], _sides(b, wall)[1])
            if _faces(a, wall)[1] == face and _faces(b, wall)[0] == other and high > low:
                found.append((low, high, face, other - face))
    return found


def _faces(room: _Room, wall: _Wall) -> tuple[float, float]:
    return (room.left, room.right) if wall.vertical else (room.low, room.high)


def _sides(room: _Room, wall: _Wall) -> tuple[float, float]:
    return (room.low, room.high) if wall.vertical else (room.left, room.right)


def _furnish(canvas: Canvas, room: _Room, rng: np.random.Generator) -> None:
    for _ in range(int(room.width * room.height / _FLOOR_PER_PIECE)):
        length, depth, at_wall = _PIECES[rng.integers(len(_PIECES))]
        if at_wall:
            _stand_at_wall(canvas, room, (length, depth), rng)
        else:
            size = (length, depth) if rng.random() < 0.5 else (depth, length)
            canvas.place_rectangle(_somewhere(room, rng), size, gap=_GAP)
    for radius in _ROUND_RADII:
        canvas.place_disc(_somewhere(room, rng), radius, gap=_GAP)


def _stand_at_wall(
    canvas: Canvas, room: _Room, piece: tuple[float, float], rng: np.random.Generator
) -> None:
    length, depth = piece
    side = rng.integers(4)
    along_x = side < 2
    start, end = (room.left, room.right) if along_x else (room.low, room.high)
    along = rng.uniform(start + length / 2, max(end - length / 2, start + length / 2))
    face = (room.low, room.high, room.left, room.right)[side]
    inward = 1 if side % 2 == 0 else -1
    # The probe begins where the gap to the wall's own cells ends.
    probe = (length + 2 * _GAP, depth + _GAP - 2 * RESOLUTION)
    probe_at = face + inward * (2 * RESOLUTION + probe[1] / 2)
    body_at = face + inward * depth / 2
    if along_x:
        centre, size = (along, body_at), (length, depth)
        probe_centre, probe_size = (along, probe_at), probe
    else:
        centre, size = (body_at, along), (depth, length)
        probe_centre, probe_size = (probe_at, along), probe[::-1]
    near_something = canvas.touches(canvas.blocked, probe_centre, probe_size)
    if not near_something and not canvas.touches(canvas.kept_clear, centre, size):
        canvas.fill_rectangle(canvas.blocked, centre, size)


def _somewhere(room: _Room, rng: np.random.Generator) -> tuple[float, float]:
    x = rng.uniform(room.left, room.right)
    return float(x), float(rng.uniform(room.low, room.high))
