import doctest

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from abotn.errors import DataError, PluginError, UnknownNameError
from abotn.rendering import affordance, visualization
from abotn.rendering.affordance import (
    draw_affordances,
    mark_pixels,
    pixel_format,
    read_affordances,
    to_pixels,
    view_name,
)
from abotn.rendering.visualization import VisualizationHandler, register_handler, visualise

WIDTH, HEIGHT = 720, 640
SIZES = {"left": (WIDTH, HEIGHT), "front": (WIDTH, HEIGHT), "right": (WIDTH, HEIGHT)}


@pytest.fixture
def views():
    return {name: np.full((HEIGHT, WIDTH, 3), 90, np.uint8) for name in SIZES}


@pytest.fixture
def registry(monkeypatch):
    """A registry that the test may change."""
    handlers = dict(visualization._HANDLERS)
    monkeypatch.setattr(visualization, "_HANDLERS", handlers)
    return handlers


def pixels_of(entry, **options):
    found, problems = read_affordances(entry, SIZES, **options)
    return {view: points.tolist() for view, points in found.items()}, problems


@pytest.mark.parametrize(
    ("point", "pixel"),
    [
        ([360, 320], [360, 320]),
        ([719, 639], [719, 639]),
        ([720, 639], [round(720 / 1000 * 719), round(639 / 1000 * 639)]),
        ([0, 0], [0, 0]),
        ([1, 1], [719, 639]),
        ([0.5, 0.25], [360, 160]),
        ([1.0, 0.0], [719, 0]),
        ([900, 500], [647, 320]),
        ([1000, 1000], [719, 639]),
        ([360.5, 320], [round(360.5 / 1000 * 719), round(320 / 1000 * 639)]),
        ([2, 1], [2, 1]),
    ],
)
def test_without_a_format_it_is_guessed_from_the_numbers(point, pixel):
    assert pixels_of({"front": point}) == ({"front": [pixel]}, [])


@pytest.mark.parametrize(
    ("name", "point", "pixel"),
    [
        ("pixel", [1, 1], [1, 1]),
        ("normalized", [1, 1], [719, 639]),
        ("0-1000", [360, 320], [259, 204]),
        ("qwen", [0.5, 1000], [0, 639]),
        ("Absolute", [0.4, 0.6], [0, 1]),
    ],
)
def test_a_named_format_wins(name, point, pixel):
    assert pixels_of({"front": point, "pixel_format": name}) == ({"front": [pixel]}, [])
    assert pixels_of({"front": point}, pixel_format=name) == ({"front": [pixel]}, [])


def test_the_format_of_the_entry_wins_over_the_one_beside_it():
    entry = {"front": [1, 1], "pixel_format": "pixels"}
    assert pixels_of(entry, pixel_format="normalised")[0] == {"front": [[1, 1]]}


def test_all_points_of_an_entry_are_in_one_format():
    found, _ = pixels_of({"front": [[300, 200], [900, 800]], "left": [360, 320]})
    assert found["front"][0] == [216, 128]
    assert found["left"] == [[259, 204]]
    assert pixels_of({"front": [1, 1], "left": [360, 320]})[0]["front"] == [[1, 1]]


@pytest.mark.parametrize(
    ("name", "view"),
    [
        ("Front", "front"), ("LEFT", "left"), ("right", "right"), ("front_view", "front"),
        ("cam_left", "left"), ("CAM-RIGHT", "right"), ("Forward", "front"), ("centre", "front"),
        ("l", "left"), ("R", "right"), ("image_front", "front"), (" front ", "front"),
    ],
)  # fmt: skip
def test_views_have_aliases_in_any_case(name, view):
    assert view_name(name) == view
    assert list(pixels_of({name: [10, 10]})[0]) == [view]


def test_two_aliases_of_one_view_are_put_together():
    found, problems = pixels_of({"front": [[1, 2], [3, 4]], "FRONT_VIEW": [5, 6]})
    assert found == {"front": [[1, 2], [3, 4], [5, 6]]}
    assert not problems


@given(
    st.sampled_from(["normalised", "pixels", "thousandths"]),
    st.integers(1, 2000),
    st.integers(1, 2000),
    st.floats(0, 1),
    st.floats(0, 1),
)
def test_every_allowed_coordinate_is_a_pixel_of_the_image(style, width, height, x, y):
    most = {"normalised": (1, 1), "thousandths": (1000, 1000), "pixels": (width - 1, height - 1)}
    point = np.array([[x, y]]) * most[style]
    column, row = to_pixels(point, style, width, height)[0]
    assert 0 <= column < width
    assert 0 <= row < height
    assert abs(column - x * (width - 1)) <= 0.5 + 1e-6
    assert abs(row - y * (height - 1)) <= 0.5 + 1e-6


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ([360, 320], "expected points by view, got a list"),
        ({"back": [1, 2]}, "back: unknown view 'back'"),
        ({"front": [1, 2, 3]}, "front: expected [x, y] or [[x, y], ...]"),
        ({"front": "here"}, "got 'here'"),
        ({"front": None}, "got None"),
        ({"front": ["1", "2"]}, "got ['1', '2']"),
        ({"front": [[1, 2], [3]]}, "got [[1, 2], [3]]"),
        ({"front": [float("nan"), 2]}, "got [nan, 2]"),
        ({"front": [True, False]}, "got [True, False]"),
        ({"front": [-5, 2]}, "front: expected pixels from 0 to 719 and 639, got [-5.0, 2.0]"),
        ({"front": [1200, 2]}, "expected thousandths from 0 to 1000 and 1000, got [1200.0, 2.0]"),
        ({"front": [2, 2], "pixel_format": "normalised"}, "expected normalised from 0 to 1 and 1"),
        ({"front": [2, 2], "pixel_format": "pixles"}, "did you mean: pixels"),
    ],
)
def test_a_bad_entry_is_reported_in_one_line_and_draws_nothing(entry, said, views):
    drawn, problems = draw_affordances(views, entry)
    assert not drawn
    assert len(problems) == 1
    assert said in problems[0]
    assert "\n" not in problems[0]


def test_good_views_are_drawn_beside_bad_ones(views):
    entry = {"affordance_pixel": {"front": [100, 100], "left": [1, 2, 3], "top": [1, 1]}}
    shown = visualise(views, entry)
    assert (shown.images["front"] != views["front"]).any()
    assert (shown.images["left"] == views["left"]).all()
    assert [line.split(":")[:2] for line in shown.problems] == [
        ["affordance_pixel", " left"], ["affordance_pixel", " top"],
    ]  # fmt: skip


def test_a_view_that_was_not_rendered_is_reported(views):
    del views["left"]
    shown = visualise(views, {"affordance_pixel": {"left": [1, 2]}})
    assert shown.problems == ("affordance_pixel: left: there is no left image",)


def test_no_points_are_no_problem(views):
    shown = visualise(views, {"affordance_pixel": {"front": []}})
    assert not shown.problems
    assert shown.images["front"] is views["front"]


def test_each_point_is_marked_where_it_is_and_nowhere_else(views):
    points = np.array([[100, 200], [400, 500]])
    changed = (mark_pixels(views["front"], points) != views["front"]).any(axis=2)
    rows, columns = np.nonzero(changed)
    distances = np.hypot(columns[:, None] - points[:, 0], rows[:, None] - points[:, 1])
    assert distances.min(axis=1).max() < 25
    assert changed[points[:, 1], points[:, 0]].all()
    assert (distances.argmin(axis=1) == 0).sum() == (distances.argmin(axis=1) == 1).sum()


@pytest.mark.parametrize("colour", [0, 128, 255])
def test_a_mark_is_seen_on_any_ground(colour):
    ground = np.full((100, 100, 3), colour, np.uint8)
    difference = np.abs(mark_pixels(ground, np.array([[50, 50]])).astype(int) - ground).max()
    assert difference >= 120


def test_a_mark_at_the_corner_is_cut_off():
    image = np.zeros((10, 10, 3), np.uint8)
    assert mark_pixels(image, np.array([[0, 0], [9, 9]])).shape == image.shape


def test_the_given_images_stay_as_they_are_even_for_a_handler_that_writes(views):
    def scribble(images, entry, extra):
        images["front"][:] = 0
        return images

    before = views["front"].copy()
    shown = visualise(views, {"scribble": 1, "affordance_pixel": {"front": [5, 5]}},
                      [VisualizationHandler("scribble", scribble)])  # fmt: skip
    assert (views["front"] == before).all()
    assert len(shown.problems) == 1
    assert "scribble: ValueError" in shown.problems[0]
    assert (shown.images["front"] != before).any()


@pytest.mark.parametrize("extra", [None, {}, {"thoughts": "left at the tree"}])
def test_nothing_to_draw_draws_nothing(extra, views):
    shown = visualise(views, extra)
    assert not shown.problems
    assert all(shown.images[view] is views[view] for view in views)


def test_a_format_beside_the_entry_counts(views):
    shown = visualise(views, {"affordance_pixel": {"front": [1, 1]}, "pixel_format": "pixels"})
    changed = np.argwhere((shown.images["front"] != views["front"]).any(axis=2))
    assert changed.max() < 30
    assert not shown.problems


def test_a_handler_can_be_registered_and_draws_after_the_one_before(registry, views):
    def darken(images, entry, extra):
        return {view: images[view] // entry for view in images}

    register_handler("darken", darken)
    shown = visualise(views, {"affordance_pixel": {"front": [9, 9]}, "darken": 2})
    assert (shown.images["left"] == 45).all()
    assert shown.images["front"].max() == 127


def test_the_registry_is_a_dict_that_may_be_filled_directly(registry, views):
    registry["blank"] = lambda images, entry, extra: {"left": images["left"] * 0}
    assert not visualise(views, {"blank": 1}).images["left"].any()


def test_a_key_that_is_taken_must_be_replaced_on_purpose(registry):
    with pytest.raises(PluginError, match="already is a visualization handler 'affordance_pixel'"):
        register_handler("affordance_pixel", lambda images, entry, extra: {})
    register_handler("affordance_pixel", dict, replace=True)
    assert registry["affordance_pixel"] is dict
    with pytest.raises(PluginError, match="expected a function, got a str"):
        register_handler("x", "no function")


@pytest.mark.parametrize(
    ("returned", "said"),
    [
        (None, "TypeError"),
        ({"back": np.zeros((HEIGHT, WIDTH, 3), np.uint8)}, "a view 'back' that was not given"),
        ({"left": np.zeros((3, 3, 3), np.uint8)}, "no uint8 image of shape (640, 720, 3) for left"),
        ({"left": np.zeros((HEIGHT, WIDTH, 3))}, "no uint8 image of shape"),
        ({"left": "picture"}, "no uint8 image of shape"),
    ],
)
def test_what_is_no_image_is_reported_and_changes_nothing(returned, said, views):
    handler = VisualizationHandler("bad", lambda images, entry, extra: returned)
    shown = visualise(views, {"bad": 1}, [handler])
    assert len(shown.problems) == 1
    assert said in shown.problems[0]
    assert all(shown.images[view] is views[view] for view in views)


def test_a_plugin_handler_wins_over_a_registered_one(views):
    handler = VisualizationHandler("affordance_pixel", lambda images, entry, extra: {})
    shown = visualise(views, {"affordance_pixel": "not even points"}, [handler])
    assert not shown.problems


@pytest.mark.parametrize("module", [affordance, visualization])
def test_the_examples_of_docstrings_say_what_happens(module):
    tried = doctest.testmod(module)
    assert tried.attempted
    assert not tried.failed


def test_errors_of_single_functions():
    with pytest.raises(UnknownNameError, match="unknown view 'up'"):
        view_name("up")
    with pytest.raises(UnknownNameError, match="unknown pixel format 'metres'"):
        pixel_format("metres")
    with pytest.raises(DataError, match="expected pixels"):
        to_pixels(np.array([[5.0, 5.0]]), "pixels", 5, 6)
