"""Synthetic parks and streets: buildings, hedges, trees, benches, cars, poles and fences."""

from __future__ import annotations

import math

import numpy as np

from abotn.scenes.blueprint import Blueprint
from abotn.scenes.canvas import Canvas
from abotn.scenes.terrain import rolling_ground

RESOLUTION = 0.1
CLEARANCE = 0.5

_EXTENT = (75.0, 100.0)
_STREET_CHANCE = 0.5
_STREET_WIDTH = 9.0
# Wide enough between any two things that no arrangement of them closes a way.
_GAP = 2.2
# kind: how many are tried per hectare, lengths, widths
_BUILDINGS = (26, (9.0, 20.0), (8.0, 14.0))
_HEDGES = (60, (6.0, 16.0), (1.4, 2.0))
_BENCHES = (30, (1.6, 2.0), (0.5, 0.7))
_FENCES = (30, (4.0, 12.0), (0.05, 0.1))
_TREES = (170, (0.6, 1.1))
_POLES = (60, (0.05, 0.1))
_PONDS = (2, (4.0, 7.0))
_CAR = (4.4, 1.9)


def outdoor_blueprint(rng: np.random.Generator) -> Blueprint:
    """Return a park or a street of 75 to 100 m a side at 0.1 m per pixel, on rolling ground.

    Args:
        rng: Where all choices come from.
    """
    width, height = np.round(rng.uniform(*_EXTENT, size=2))
    x, y = np.round(rng.uniform(-120, 40, size=2), 1)
    canvas = Canvas(float(x), float(y), float(width), float(height), RESOLUTION)
    if rng.random() < _STREET_CHANCE:
        _lay_street(canvas, rng)
    for kind in (_BUILDINGS, _HEDGES):
        _scatter_rectangles(canvas, kind, rng)
    for round_kind in (_PONDS, _TREES):
        _scatter_discs(canvas, round_kind, rng)
    for kind in (_BENCHES, _FENCES):
        _scatter_rectangles(canvas, kind, rng)
    _scatter_discs(canvas, _POLES, rng)
    ground = rolling_ground(canvas.blocked.shape, RESOLUTION, rng)
    return Blueprint(~canvas.blocked, canvas.geometry, ground, CLEARANCE)


def _lay_street(canvas: Canvas, rng: np.random.Generator) -> None:
    """A road from left to right with cars parked along it, its middle kept clear."""
    middle = canvas.y + canvas.height * rng.uniform(0.3, 0.7)
    x = canvas.x + 3.0
    while x < canvas.x + canvas.width - 3.0:
        for side in (-1, 1):
            if rng.random() < 0.4:
                centre = (x, middle + side * (_STREET_WIDTH / 2 - 1.0))
                canvas.place_rectangle(centre, _CAR, gap=0.0)
        x += _CAR[0] + rng.uniform(_GAP, 4.0)
    road = (canvas.x + canvas.width / 2, middle)
    canvas.fill_rectangle(canvas.kept_clear, road, (canvas.width, _STREET_WIDTH - 4.0))


def _scatter_rectangles(
    canvas: Canvas,
    kind: tuple[int, tuple[float, float], tuple[float, float]],
    rng: np.random.Generator,
) -> None:
    density, lengths, widths = kind
    for _ in range(_number(canvas, density)):
        size = float(rng.uniform(*lengths)), float(rng.uniform(*widths))
        angle = float(rng.choice([0.0, math.pi / 2]) + rng.normal(0.0, 0.12))
        canvas.place_rectangle(_somewhere(canvas, rng), size, angle, gap=_GAP)


def _scatter_discs(
    canvas: Canvas, kind: tuple[int, tuple[float, float]], rng: np.random.Generator
) -> None:
    density, radii = kind
    for _ in range(_number(canvas, density)):
        canvas.place_disc(_somewhere(canvas, rng), float(rng.uniform(*radii)), gap=_GAP)


def _number(canvas: Canvas, per_hectare: int) -> int:
    return max(1, round(per_hectare * canvas.width * canvas.height / 10_000))


def _somewhere(canvas: Canvas, rng: np.random.Generator) -> tuple[float, float]:
    x, y = rng.uniform(0, 1, size=2)
    return float(canvas.x + x * canvas.width), float(canvas.y + y * canvas.height)
