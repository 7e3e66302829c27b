"""Pictures that the embedded renderer paints with, made from a seed."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float32]
Picture = NDArray[np.uint8]

FLOOR_TEXELS = 1024
FLOOR_TEXEL_METRES = 0.02
WALL_TEXELS = 128
WALL_TEXEL_METRES = 0.02
WALL_LEVELS = 6
SKY_COLUMNS = 1024
SKY_ROWS = 256

# Up to the first depth nothing is lost in the haze; as much again as the second, and half is.
CLEAR_METRES = 3.0
FADING_METRES = 45.0

# What distant things fade into; the sky has this colour at the horizon.
HAZE = np.array([201, 210, 220], dtype=np.float32)

WALL_COLOURS = np.array(
    [
        [186, 110, 84], [206, 178, 140], [150, 160, 168], [122, 146, 118],
        [222, 206, 178], [112, 132, 164], [196, 148, 72], [166, 92, 96],
        [128, 110, 96], [184, 190, 160], [148, 176, 178], [214, 160, 130],
        [108, 112, 124], [232, 224, 210], [140, 122, 152], [92, 128, 120],
    ],
    dtype=np.float32,
)  # fmt: skip

_FLOOR_BASE = np.array([134, 128, 119], dtype=np.float32)
_FLOOR_PATCHES = np.array([[22, 6, -14], [-18, 8, -6]], dtype=np.float32)
_SKY_TOP = np.array([88, 132, 196], dtype=np.float32)
_CLOUD = np.array([244, 246, 250], dtype=np.float32)


@dataclass(frozen=True)
class Textures:
    """Everything that is painted from, for one seed.

    Pictures have a fourth channel that means nothing: four bytes a pixel are sampled in half the
    time that three are.

    Args:
        floor: Pyramid of square uint8 RGB pictures that repeat in both directions; level k has
            ``FLOOR_TEXELS >> k`` texels a side.
        walls: (variants, WALL_LEVELS, columns, WALL_TEXELS) float32 brightness about 1; level k
            is blurred over ``2**k`` texels; the last axis runs from the ground to the top.
        sky: (SKY_ROWS, 2 * SKY_COLUMNS, 4) uint8 RGB, two turns of a panorama from straight up
            (row 0) to the horizon; columns run clockwise.
    """

    floor: tuple[Picture, ...]
    walls: FloatArray
    sky: Picture


def make_textures(seed: int) -> Textures:
    """The pictures of one seed; the same seed gives the same bytes."""
    floor, walls, sky = np.random.default_rng(seed).spawn(3)
    return Textures(_floor_pyramid(floor), _wall_stack(walls), _sky_panorama(sky))


def clearness(depth: NDArray[np.floating]) -> FloatArray:
    """The share of a thing's own colour that is left at a depth, metres; the rest is haze."""
    beyond = np.maximum(depth - CLEAR_METRES, 0.0)
    return np.asarray(FADING_METRES / (FADING_METRES + beyond), dtype=np.float32)


def _floor_pyramid(rng: np.random.Generator) -> tuple[Picture, ...]:
    size = FLOOR_TEXELS
    slabs = _noise(rng, (size, size), (32, 32), cv2.INTER_NEAREST)
    shade = 1.0 + 0.07 * slabs + 0.05 * _noise(rng, (size, size), (256, 256))
    shade += 0.05 * _noise(rng, (size, size), (size, size))
    patches = [_noise(rng, (size, size), cells) for cells in ((5, 5), (9, 9))]
    colour = _FLOOR_BASE + sum(
        p[..., None] * c for p, c in zip(patches, _FLOOR_PATCHES, strict=True)
    )
    colour *= (shade * _joints(size, 32, 32, 0.78))[..., None]
    levels = [_as_picture(colour)]
    while levels[-1].shape[0] > 32:
        half = levels[-1].shape[0] // 2
        smaller = cv2.resize(levels[-1], (half, half), interpolation=cv2.INTER_AREA)
        levels.append(np.asarray(smaller, dtype=np.uint8))
    return tuple(levels)


def _wall_stack(rng: np.random.Generator) -> FloatArray:
    makers = (_bricks, _plaster, _planks, _windows)
    trim = _trim(WALL_TEXELS)
    plain = [maker(rng, WALL_TEXELS) * trim for maker in makers]
    stack = [[_blurred(wall, level) for level in range(WALL_LEVELS)] for wall in plain]
    return np.array(stack, dtype=np.float32)


def _bricks(rng: np.random.Generator, size: int) -> FloatArray:
    joints = _joints(size, 16, 8, 0.72)
    for course in range(8, size, 16):
        joints[:, course : course + 8] = np.roll(joints[:, course : course + 8], 8, axis=0)
    tone = _noise(rng, (size, size), (8, 16), cv2.INTER_NEAREST)
    return joints * (1.0 + 0.10 * tone + 0.04 * _noise(rng, (size, size), (size, size)))


def _plaster(rng: np.random.Generator, size: int) -> FloatArray:
    grain = 0.05 * _noise(rng, (size, size), (6, 6)) + 0.03 * _noise(rng, (size, size), (64, 64))
    return np.asarray((1.05 + grain) * _joints(size, size // 2, size, 0.85), dtype=np.float32)


def _planks(rng: np.random.Generator, size: int) -> FloatArray:
    tone = _noise(rng, (size, size), (16, 1), cv2.INTER_NEAREST)
    grain = _noise(rng, (size, size), (size, 8))
    return (0.95 + 0.10 * tone + 0.05 * grain) * _joints(size, 8, size, 0.70)


def _windows(rng: np.random.Generator, size: int) -> FloatArray:
    wall = _plaster(rng, size)
    for left in (size // 8, size * 5 // 8):
        right, sill, lintel = left + size // 4, size * 3 // 8, size * 13 // 16
        wall[left - 3 : right + 3, sill - 3 : lintel + 3] = 1.22
        glass = np.linspace(0.38, 0.62, lintel - sill, dtype=np.float32)
        wall[left:right, sill:lintel] = glass
        wall[(left + right) // 2 - 1 : (left + right) // 2 + 1, sill:lintel] = 1.15
    return wall


def _trim(size: int) -> FloatArray:
    """A dark skirting and its shadow at the ground, a light coping at the top."""
    profile = np.ones(size, dtype=np.float32)
    profile[: size // 10] = np.linspace(0.70, 0.95, size // 10)
    profile[: size // 24] = 0.55
    profile[-size // 24 :] = 1.18
    return profile


def _joints(size: int, width: int, height: int, depth: float) -> FloatArray:
    """Ones with lines of ``depth`` every ``width`` by ``height`` texels."""
    lines = np.ones((size, size), dtype=np.float32)
    lines[::width] = depth
    lines[:, ::height] = depth
    return lines


def _blurred(wall: FloatArray, level: int) -> FloatArray:
    if level == 0:
        return wall
    around = np.pad(wall, ((wall.shape[0] // 2,) * 2, (0, 0)), mode="wrap")
    sigma = 0.5 * 2.0**level
    soft = cv2.GaussianBlur(around, (0, 0), sigma, borderType=cv2.BORDER_REPLICATE)
    return np.asarray(soft[wall.shape[0] // 2 :][: wall.shape[0]], dtype=np.float32)


def _sky_panorama(rng: np.random.Generator) -> Picture:
    shape = (SKY_ROWS, SKY_COLUMNS)
    cloud = _noise(rng, shape, (6, 10)) + 0.6 * _noise(rng, shape, (14, 32))
    cloud += 0.3 * _noise(rng, shape, (40, 96))
    down = np.linspace(0.0, 1.0, SKY_ROWS, dtype=np.float32)[:, None]
    cover = np.clip(0.9 * cloud - 0.25, 0.0, 0.85) * np.minimum(1.0, 3.0 * (1.0 - down))
    clear = (_SKY_TOP + (HAZE - _SKY_TOP) * (down**2)[..., None]) * np.ones((1, shape[1], 1))
    turn = _as_picture(clear + (_CLOUD - clear) * cover[..., None])
    return np.ascontiguousarray(np.tile(turn, (1, 2, 1)))


def _noise(
    rng: np.random.Generator,
    shape: tuple[int, int],
    cells: tuple[int, int],
    interpolation: int = cv2.INTER_CUBIC,
) -> FloatArray:
    """Noise in about [-1, 1] with ``cells`` random values a side, which repeats without a seam."""
    grid = rng.uniform(-1.0, 1.0, cells).astype(np.float32)
    if cells == shape:
        return grid
    around = np.pad(grid, 2, mode="wrap")
    rows, columns = shape[0] // cells[0] + 1, shape[1] // cells[1] + 1
    size = (around.shape[1] * columns, around.shape[0] * rows)
    large = cv2.resize(around, size, interpolation=interpolation)
    inner = large[2 * rows : -2 * rows, 2 * columns : -2 * columns]
    exact = inner if inner.shape == shape else cv2.resize(inner, (shape[1], shape[0]))
    return np.asarray(exact, dtype=np.float32)


def _as_picture(colour: NDArray[np.floating]) -> Picture:
    return with_filler(np.clip(np.rint(colour), 0, 255).astype(np.uint8))


def with_filler(rgb: Picture) -> Picture:
    """RGB with a fourth channel that means nothing."""
    return np.asarray(cv2.cvtColor(rgb, cv2.COLOR_RGB2RGBA), dtype=np.uint8)
