"""The colours of agents: told apart by everybody, seen on both backgrounds, the same everywhere."""

import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from skimage.color import deltaE_ciede2000, rgb2lab

from abotn.report import build_report
from abotn.report.page import write_page
from abotn.report.page_embed import styles
from abotn.report.page_plots import run_style
from abotn.report.palette import DARK, LIGHT, palette_style, places, preferred_place
from abotn.report.plots.looks import looks

PAGE_CSS = Path(styles.__code__.co_filename).parent / "page_assets" / "page.css"

# Machado, Oliveira and Fernandes 2009, severity 1.0, on linear RGB.
BLINDNESS = {
    "none": np.eye(3),
    "protan": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216],
               [-0.003882, -0.048116, 1.051998]],
    "deutan": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413],
               [-0.011820, 0.042940, 0.968881]],
    "tritan": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602],
               [0.004733, 0.691367, 0.303900]],
}  # fmt: skip


def seen_with(blindness, colours):
    """The colours (N, 3) in Lab as somebody with a colour blindness sees them."""
    rgb = np.array([[int(c[i : i + 2], 16) / 255 for i in (1, 3, 5)] for c in colours])
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    seen = np.clip(linear @ np.transpose(BLINDNESS[blindness]), 0, 1)
    return rgb2lab(np.where(seen <= 0.0031308, 12.92 * seen, 1.055 * seen ** (1 / 2.4) - 0.055))


def channels(colours):
    """(N, 3) red, green and blue, linear, from 0 to 1."""
    rgb = np.array([[int(c[i : i + 2], 16) / 255 for i in (1, 3, 5)] for c in colours])
    return np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)


def contrast(colours, background):
    """WCAG 2 contrast ratio of each colour with the background."""
    first, second = (channels(c) @ [0.2126, 0.7152, 0.0722] for c in (colours, [background]))
    return (np.maximum(first, second) + 0.05) / (np.minimum(first, second) + 0.05)


def backgrounds(dark):
    """Colours of the page and of its panels, from the style sheet."""
    light, night = PAGE_CSS.read_text(encoding="utf-8").split("prefers-color-scheme: dark")[:2]
    return re.findall(r"--(?:page|panel): (#[0-9a-f]{6});", night if dark else light)


@pytest.mark.parametrize("blindness", BLINDNESS)
@pytest.mark.parametrize(("palette", "ground"), [(LIGHT, "#ffffff"), (DARK, "#12161b")])
def test_colours_can_be_told_apart_from_each_other_and_from_the_ground(palette, ground, blindness):
    seen = seen_with(blindness, [*palette, ground])
    apart = deltaE_ciede2000(seen[:, None], seen[None]) + 100 * np.eye(len(seen))
    assert apart.min() > 14


@pytest.mark.parametrize(("palette", "dark"), [(LIGHT, False), (DARK, True)])
def test_every_colour_stands_out_on_page_and_panel(palette, dark):
    grounds = backgrounds(dark)
    assert len(grounds) == 2
    for ground in grounds:
        assert contrast(palette, ground).min() >= 3


def test_the_dark_set_has_the_hues_of_the_light_one():
    def hues(palette):
        lab = seen_with("none", palette)
        return np.degrees(np.arctan2(lab[:, 2], lab[:, 1])), np.hypot(lab[:, 1], lab[:, 2])

    (light, light_chroma), (dark, dark_chroma) = hues(LIGHT[:-1]), hues(DARK[:-1])
    turned = np.abs((light - dark + 180) % 360 - 180)
    assert turned.max() < 45
    assert min(light_chroma.min(), dark_chroma.min()) > 20


def test_an_agent_has_one_colour_in_plots_and_on_the_page(three_runs):
    names = [name for name, _ in three_runs]
    style = palette_style()
    for order in (names, names[::-1]):
        for name in order:
            number = int(run_style(name, order).removeprefix("run-"))
            assert looks(order)[name].colour == LIGHT[number]
            assert f"--run-{number}: {LIGHT[number]};" in style
            assert f"--run-{number}: {DARK[number]};" in style
    assert style in write_page(build_report(three_runs))


def test_colours_come_round_again_after_the_last():
    runs = [f"run {number:02}" for number in range(len(LIGHT) + 1)]
    found = places(runs)
    (last,) = [run for run in runs if found[run] >= len(LIGHT)]
    assert run_style(last, runs) == f"run-{found[last] - len(LIGHT)}"
    assert sorted(found.values())[:-1] == list(range(len(LIGHT)))


names = st.lists(st.text(max_size=12), min_size=1, max_size=12, unique=True)


@given(names, st.randoms(use_true_random=False))
def test_a_place_is_the_names_own_unless_another_prefers_it(shown, random):
    found = places(shown)
    assert len(set(found.values())) == len(shown)
    mixed = random.sample(shown, len(shown))
    assert places(mixed) == found
    part = places(mixed[: len(shown) // 2])
    for name in part:
        if [preferred_place(one) for one in shown].count(preferred_place(name)) == 1:
            assert part[name] == found[name] == preferred_place(name)
    assert all(place < len(LIGHT) for place in found.values()) or len(shown) > len(LIGHT)


def test_of_two_that_prefer_one_place_the_second_moves_to_one_that_nobody_wants():
    by_place = {}
    for number in range(200):
        by_place.setdefault(preferred_place(f"agent {number:03}"), []).append(f"agent {number:03}")
    first, second = by_place[2][:2]
    neighbour = by_place[3][0]
    assert places([first, second]) == {first: 2, second: 3}
    assert places([second, neighbour, first]) == {first: 2, second: 4, neighbour: 3}
    assert places([second, neighbour]) == {second: 2, neighbour: 3}


def test_preferred_places_are_those_of_the_checksum():
    """CRC-32 of "123456789" is the check value of its definition, 0xCBF43926."""
    assert preferred_place("123456789") == 0xCBF43926 % 7
    assert 0 <= preferred_place("\ud800") < 7
