"""What a map's numbers may be."""

from __future__ import annotations

import pytest

from abotn.errors import DataError
from abotn.geometry.map_geometry import MapGeometry

HUGE = 10**400


def corners(**changed: object) -> MapGeometry:
    given = {"top_left": (0, 1), "top_right": (2, 1), "bottom_left": (0, 0)}
    return MapGeometry.from_corners(**{**given, "width": 20, "height": 10, **changed})


@pytest.mark.parametrize(
    "changed",
    [
        {"top_right": (HUGE, 1)},
        {"top_right": (1e308, 1)},
        {"top_right": (1.1e12, 1)},
        {"bottom_left": (0, -1e200)},
        {"bottom_left": (0, float("nan"))},
        {"bottom_left": (0, float("inf"))},
        {"width": HUGE},
        {"width": 10**5000},
        {"height": 2**31},
        {"height": 0},
        {"width": True},
        {"width": 20.0},
    ],
)
def test_a_number_that_is_no_place_or_size_is_named(changed: dict[str, object]) -> None:
    with pytest.raises(DataError) as caught:
        corners(**changed)
    assert caught.value.where in changed
    assert len(str(caught.value)) < 250


@pytest.mark.parametrize(
    "changed",
    [
        # A double near 1e12 has steps of 1.2e-4 m; these pixels are 1e-3 m.
        {"top_left": (1e11, 1), "top_right": (1e11 + 2, 1), "bottom_left": (1e11, 0)},
        {"top_right": (1e-9, 1), "bottom_left": (0, 1 - 1e-9)},
        {"top_right": (1e-200, 1)},
    ],
)
def test_pixels_that_numbers_cannot_tell_apart_are_refused(changed: dict[str, object]) -> None:
    with pytest.raises(DataError, match=r"told apart|collinear") as caught:
        corners(**changed, width=2000)
    assert caught.value.where == "map corners"


def test_a_map_of_no_area_is_refused() -> None:
    for changed in ({"top_right": (0, 1)}, {"bottom_left": (2, 1)}, {"bottom_left": (0, 1)}):
        with pytest.raises(DataError, match="span an area"):
            corners(**changed)


def test_maps_far_from_the_origin_are_maps() -> None:
    # A northing in metres, and a city in web Mercator.
    far = MapGeometry.from_corners((5e6, 2e7), (5e6 + 50, 2e7), (5e6, 2e7 - 50), 1000, 1000)
    assert far.cell_of((5e6 + 25.01, 2e7 - 0.01)).tolist() == [500, 0]
    assert corners(width=2**31 - 1, top_right=(1e9, 1)).width == 2**31 - 1
