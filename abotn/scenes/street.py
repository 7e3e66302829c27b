"""Synthetic shopping streets: two rows of named shops, and what stands before them."""

from __future__ import annotations

import numpy as np

from abotn.scenes.blueprint import Blueprint, PointOfInterest
from abotn.scenes.canvas import Canvas
from abotn.scenes.terrain import rolling_ground

RESOLUTION = 0.1
CLEARANCE = 0.5

_LENGTH = (60.0, 80.0)
_ROAD = (7.0, 9.0)
_PAVEMENT = 4.5
_SHOP_WIDTH = (5.0, 9.0)
_SHOP_DEPTH = (7.0, 9.0)
_ALLEY_CHANCE = 0.15
_ALLEY = 3.0
_BEHIND = 3.0
_NOOK = (1.4, 0.6)
_DOORSTEP = 1.4
_CAR_GAP = 1.8
_GAP = 1.2
_WALKWAY = 2.2
_CAR = (4.4, 1.9)
_KIOSK = (2.4, 1.6)
_BENCH = (1.8, 0.6)
_BARRIER = (3.0, 0.08)
_FIRST = (
    "Amber", "Birch", "Cedar", "Copper", "Corner", "Garden", "Golden", "Harbour", "Hilltop",
    "Juniper", "Lantern", "Linden", "Maple", "Market", "Meadow", "Orchard", "River", "Rosewood",
    "Silver", "Station", "Sunrise", "Willow",
)  # fmt: skip
_SECOND = (
    "Bakery", "Bank", "Barber", "Bistro", "Books", "Cafe", "Chemist", "Cinema", "Clinic",
    "Florist", "Grocer", "Hardware", "Hotel", "Library", "Noodles", "Opticians", "Pizzeria",
    "Post Office", "Shoes", "Stationers", "Tea House", "Toys",
)  # fmt: skip


def street_blueprint(rng: np.random.Generator) -> Blueprint:
    """Return a street of 60 to 80 m with shops on both sides at 0.1 m per pixel.

    Every shop is a point of interest: the spot before its door, 1.4 m from the front.

    Args:
        rng: Where all choices come from.
    """
    length, road = round(float(rng.uniform(*_LENGTH))), round(float(rng.uniform(*_ROAD)), 1)
    height = road + 2 * (_PAVEMENT + _SHOP_DEPTH[1] + _BEHIND)
    x, y = np.round(rng.uniform(-90, 30, size=2), 1)
    canvas = Canvas(float(x), float(y), length, height, RESOLUTION)
    middle = canvas.y + canvas.height / 2
    fronts = middle - road / 2 - _PAVEMENT, middle + road / 2 + _PAVEMENT
    shops = [
        *_build_row(canvas, fronts[0], -1, rng),
        *_build_row(canvas, fronts[1], +1, rng),
    ]
    _park_cars(canvas, middle, road, rng)
    _furnish_pavements(canvas, fronts, rng)
    ground = rolling_ground(canvas.blocked.shape, RESOLUTION, rng)
    named = _named(shops, rng)
    return Blueprint(~canvas.blocked, canvas.geometry, ground, CLEARANCE, named)


def _build_row(
    canvas: Canvas, front: float, side: int, rng: np.random.Generator
) -> list[tuple[float, float]]:
    """Build one row of shops and return the spot before each door."""
    doors = []
    left, end = canvas.x + _BEHIND, canvas.x + canvas.width - _BEHIND
    while left + _SHOP_WIDTH[0] <= end:
        width = min(float(rng.uniform(*_SHOP_WIDTH)), end - left)
        depth = float(rng.uniform(*_SHOP_DEPTH))
        centre = (left + width / 2, front + side * depth / 2)
        canvas.fill_rectangle(canvas.blocked, centre, (width, depth))
        door = left + float(rng.uniform(0.3, 0.7)) * width
        nook = (door, front + side * _NOOK[1] / 2)
        canvas.fill_rectangle(canvas.blocked, nook, _NOOK, value=False)
        doors.append((door, front - side * _DOORSTEP))
        left += width + (_ALLEY if rng.random() < _ALLEY_CHANCE else 0.0)
    walkway = (canvas.x + canvas.width / 2, front - side * _WALKWAY / 2)
    canvas.fill_rectangle(canvas.kept_clear, walkway, (canvas.width, _WALKWAY))
    return doors


def _park_cars(canvas: Canvas, middle: float, road: float, rng: np.random.Generator) -> None:
    for side in (-1, 1):
        x = canvas.x + _BEHIND + _CAR[0] / 2
        while x < canvas.x + canvas.width - _BEHIND - _CAR[0] / 2:
            if rng.random() < 0.45:
                centre = (x, middle + side * (road / 2 - _CAR[1] / 2 - 0.2))
                canvas.place_rectangle(centre, _CAR, gap=0.0)
            x += _CAR[0] + float(rng.uniform(_CAR_GAP, 3.0))


def _furnish_pavements(
    canvas: Canvas, fronts: tuple[float, float], rng: np.random.Generator
) -> None:
    for index, front in enumerate(fronts):
        towards_road = 1 if index == 0 else -1
        for size in (_KIOSK, *[_BENCH] * 20, *[_BARRIER] * 15):
            spot = _on_pavement(canvas, front, towards_road, rng)
            canvas.place_rectangle(spot, size, gap=_GAP)
        for radius in (*[0.5] * 40, *[0.08] * 30):
            spot = _on_pavement(canvas, front, towards_road, rng)
            canvas.place_disc(spot, radius, gap=_GAP)


def _on_pavement(
    canvas: Canvas, front: float, towards_road: int, rng: np.random.Generator
) -> tuple[float, float]:
    x = float(rng.uniform(canvas.x + 1.0, canvas.x + canvas.width - 1.0))
    return x, front + towards_road * float(rng.uniform(_WALKWAY, _PAVEMENT))


def _named(
    doors: list[tuple[float, float]], rng: np.random.Generator
) -> tuple[PointOfInterest, ...]:
    chosen = rng.permutation(len(_FIRST) * len(_SECOND))[: len(doors)]
    order = rng.permutation(len(doors))
    return tuple(
        PointOfInterest(f"{_FIRST[i // len(_SECOND)]} {_SECOND[i % len(_SECOND)]}", *doors[door])
        for i, door in zip(chosen, order, strict=True)
    )
