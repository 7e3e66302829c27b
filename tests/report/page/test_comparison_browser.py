"""The page of a comparison in headless Chromium: silent, lazy, by keyboard, printed, accessible."""

import shutil

import pytest

from abotn.report.comparison_page import write_comparison_page
from abotn.report.comparison_sources import ComparisonSources
from abotn.report.page_plots import run_style

sync_api = pytest.importorskip("playwright.sync_api", reason="needs playwright")


@pytest.fixture(scope="module")
def address(parts, pair_folder, tmp_path_factory):
    """The page of two runs, of which each solves something that the other does not."""
    target = tmp_path_factory.mktemp("browser") / "comparison.html"
    made = parts.compared(pair_folder / "first", pair_folder / "second")
    target.write_text(write_comparison_page(*made), encoding="utf-8")
    return target.as_uri()


def drawn(page):
    return page.locator("[data-thumb] .path").count()


def show(page, number):
    """Scroll to a card and wait until its map is drawn."""
    page.locator(f'[data-pair="{number}"]').scroll_into_view_if_needed()
    page.locator(f'[data-thumb="{number}"] .path').first.wait_for(state="attached", timeout=5000)


def letters(page):
    """Where the letters of both runs stand on the large map."""
    return [
        [float(one.get_attribute(name)) for name in ("x", "y")]
        for one in page.locator("#map .letter").all()
    ]


def test_it_loads_in_silence_and_draws_both_paths(visit, address):
    page = visit(address)
    show(page, 0)
    first = page.locator('[data-thumb="0"]')
    names = ["planner", "straight"]
    for side, name in enumerate(names):
        assert first.locator(f".path.{run_style(name, names)}.side-{side}").count() == 1
    assert first.locator(".letter").all_text_contents() == ["A", "B"]
    assert first.locator(".hit.side-1").count() == 2
    assert first.locator("image.floor").count() == 1
    assert first.locator(".goal").count() == 1
    dashes = [
        first.locator(f".side-{side}.path").evaluate("e => getComputedStyle(e).strokeDasharray")
        for side in (0, 1)
    ]
    assert dashes[0] == "none"
    assert dashes[1] != "none"
    legend = page.locator(".legend.paths").first
    assert legend.locator("svg.map").count() == 7
    assert "planner: path, ends at A" in legend.inner_text()


def test_it_fits_its_width_in_both_schemes(visit, address):
    page = visit(address)
    for width in (400, 900, 1600):
        page.set_viewport_size({"width": width, "height": 800})
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            assert page.evaluate("document.documentElement.scrollWidth") <= width
            background = page.evaluate("getComputedStyle(document.body).backgroundColor")
            assert (background == "rgb(255, 255, 255)") == (scheme == "light")
        page.locator('[data-pair="0"]').click()
        assert page.evaluate("document.getElementById('viewer').scrollWidth") <= width
        page.keyboard.press("Escape")


def test_its_tables_fit_and_no_caption_scrolls_away(visit, address):
    page = visit(address)
    page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true; })")
    for width in (400, 900, 1200):
        page.set_viewport_size({"width": width, "height": 800})
        found = page.evaluate(
            "[...document.querySelectorAll('.scroll')].map(one =>"
            " [one.scrollWidth, one.clientWidth, one.previousElementSibling.className,"
            "  one.previousElementSibling.getBoundingClientRect().right])"
        )
        assert found
        for scrolled, seen, before, right in found:
            assert before == "caption"
            assert right <= width
            assert width < 900 or scrolled <= seen


def test_maps_are_drawn_when_they_come_near(visit, parts, tmp_path):
    for number in range(30):
        for run, solved in (("first", True), ("second", False)):
            parts.attempt(tmp_path / run, f"t{number}", solved=solved)
    made = parts.compared(tmp_path / "first", tmp_path / "second")
    target = tmp_path / "many.html"
    target.write_text(write_comparison_page(*made), encoding="utf-8")
    page = visit(target.as_uri(), viewport={"width": 400, "height": 700})
    show(page, 0)
    assert drawn(page) < 30
    show(page, 29)
    assert drawn(page) < 60
    page.pdf(format="A4")
    assert drawn(page) == 60


def test_a_task_is_looked_at_by_keyboard(visit, address):
    page = visit(address)
    page.locator('[data-pair="0"]').focus()
    page.keyboard.press("Enter")
    viewer = page.locator("#viewer")
    assert viewer.is_visible()
    assert page.locator("#viewer-title").inner_text() == "hall / t0"
    assert page.locator("#step-text").inner_text() == "step 4 of 4"
    end = letters(page)
    page.keyboard.press("Home")
    start = letters(page)
    # Both went two metres along x, which is to the right on this map.
    assert [e[0] - s[0] for s, e in zip(start, end, strict=True)] == pytest.approx([2, 2])
    page.keyboard.press("ArrowRight")
    assert [m[0] - s[0] for s, m in zip(start, letters(page), strict=True)] == pytest.approx(
        [0.5, 0.5]
    )
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    assert page.locator("#step-text").inner_text() == "step 0 of 4"
    page.keyboard.press("End")
    assert page.locator("#step-text").inner_text() == "step 4 of 4"
    for key, name in (("PageDown", "t1"), ("PageDown", "t5"), ("PageDown", "t2"),
                      ("PageDown", "t0"), ("PageUp", "t2")):  # fmt: skip
        page.keyboard.press(key)
        assert page.locator("#viewer-title").inner_text() == f"hall / {name}"
    page.keyboard.press("Escape")
    assert not viewer.is_visible()
    assert page.evaluate("document.activeElement.dataset.pair") == "0"


def test_a_task_is_looked_at_by_mouse(visit, address):
    page = visit(address)
    page.locator('[data-pair="0"]').click()
    facts = [row.all_inner_texts() for row in page.locator("#pair-facts tbody tr").all()]
    assert any("outcome" in row[0] and "time-out" in row[0] for row in facts)
    assert page.locator("#pair-facts thead th").all_inner_texts() == ["A planner", "B straight"]
    for button, step in (("First", 0), ("Forward", 1), ("Last", 4), ("Back", 3)):
        page.get_by_role("button", name=button, exact=True).click()
        assert page.locator("#step-text").inner_text() == f"step {step} of 4"
    page.locator("#step").fill("2")
    assert page.locator("#step-text").inner_text() == "step 2 of 4"
    near = page.locator("#map").get_attribute("viewBox")
    page.get_by_label("whole map").check()
    assert page.locator("#map").get_attribute("viewBox") == "0 0 6 4"
    assert near != "0 0 6 4"
    page.get_by_role("button", name="Next task").click()
    assert page.locator("#viewer-errors").inner_text() == "straight: agent: E: m"
    assert "no path of straight" in page.locator("#map-text").text_content()
    page.get_by_role("button", name="Close").click()
    assert not page.locator("#viewer").is_visible()


def test_an_address_leads_to_a_task(visit, address):
    page = visit(f"{address}#task=1/hall/t5")
    assert page.locator("#viewer-title").inner_text() == "hall / t5"
    page.keyboard.press("Escape")
    sync_api.expect(page).to_have_url(address)


def test_it_prints_with_every_map_drawn_and_in_light_colours(visit, address):
    page = visit(address, color_scheme="dark")
    page.locator("details.cause").first.evaluate("one => { one.open = false; }")
    content = page.pdf(format="A4")
    assert content.startswith(b"%PDF-")
    assert drawn(page) == 7
    assert page.locator("details.cause:not([open])").count() == 1
    page.emulate_media(media="print")
    assert not page.locator("nav").is_visible()
    background = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert background == "rgb(255, 255, 255)"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_passes_the_accessibility_check(visit, address, scheme):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="needs axe").Axe()
    page = visit(address, color_scheme=scheme)
    show(page, 3)
    found = axe.run(page)
    assert found.violations_count == 0, found.generate_report()
    page.locator('[data-pair="0"]').click()
    found = axe.run(page)
    assert found.violations_count == 0, found.generate_report()


def test_without_scripts_all_but_the_maps_is_there(visit, address):
    page = visit(address, java_script_enabled=False)
    assert "need scripts" in page.locator("noscript").inner_text()
    assert page.locator(".difference circle").count() == 1
    assert "time-out" in page.locator('[data-pair="0"]').inner_text()
    assert not page.locator("#viewer").is_visible()


@pytest.mark.parametrize("place", [6, 11])
def test_awkward_names_are_shown_and_never_live(visit, parts, make, tmp_path, place):
    name = make.awkward[place]
    parts.pair(tmp_path, names=(name, f"{name} 2"))
    made = parts.compared(tmp_path / "first", tmp_path / "second")
    target = tmp_path / "awkward.html"
    target.write_text(write_comparison_page(*made), encoding="utf-8")
    page = visit(target.as_uri())
    assert name in page.locator("h1").inner_text().replace("\u2068", "").replace("\u2069", "")
    page.locator('[data-pair="0"]').click()
    assert page.locator("#pair-facts thead th").first.inner_text().split(maxsplit=1)[1] == name
    assert page.locator("main img, main script").count() == 0


def test_without_paths_nothing_is_asked_of_the_script(visit, pair, tmp_path):
    target = tmp_path / "bare.html"
    target.write_text(write_comparison_page(pair[0], ComparisonSources()), encoding="utf-8")
    page = visit(target.as_uri())
    assert "Paths are not available" in page.locator("#notes").inner_text()
    assert page.locator("#viewer").count() == 0


def test_a_scene_without_a_map_is_drawn_on_empty_ground(visit, parts, pair_folder, tmp_path):
    shutil.copytree(pair_folder, tmp_path / "moved")
    for run in ("first", "second"):
        text = (tmp_path / "moved" / run / "run.json").read_text(encoding="utf-8")
        gone = text.replace(str(pair_folder / "data"), str(tmp_path / "gone"))
        (tmp_path / "moved" / run / "run.json").write_text(gone, encoding="utf-8")
    made = parts.compared(tmp_path / "moved" / "first", tmp_path / "moved" / "second")
    target = tmp_path / "empty.html"
    target.write_text(write_comparison_page(*made), encoding="utf-8")
    page = visit(f"{target.as_uri()}#task=1/hall/t0")
    assert page.locator("#map .path").count() == 2
    assert page.locator("#map image").count() == 0
    assert "Without a map" in page.locator("#map-text").text_content()
    assert "No map of hall" in page.locator("#notes").inner_text()
