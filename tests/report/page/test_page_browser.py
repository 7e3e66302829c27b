"""The page in headless Chromium: loads in silence, sorts, filters, steps, prints, is accessible."""

from dataclasses import replace
from urllib.parse import quote

import pytest

from abotn.records.readers import read_records
from abotn.report.page_plots import run_style
from abotn.report.page_sources import ReportSources, RunSource

sync_api = pytest.importorskip("playwright.sync_api", reason="needs playwright")
OUTCOMES = ["error", "collision", "wrong stop", "time-out", "collided on the way", "solved"]


@pytest.fixture(scope="module")
def address(parts, run_folder, tmp_path_factory):
    """A page of two runs over the same six tasks, the second a little longer."""
    records = read_records(run_folder)
    longer = records.table.with_columns(
        {"travel_length": records.table.column("travel_length") + 1}
    )
    runs = (
        RunSource("first", parts.evaluation(), records),
        RunSource("second", parts.evaluation(), replace(records, table=longer)),
    )
    target = tmp_path_factory.mktemp("browser") / "report.html"
    target.write_text(parts.page(ReportSources(runs)), encoding="utf-8")
    return target.as_uri()


def column(page, place):
    return page.locator(f"#record-table tbody tr > :nth-child({place})").all_inner_texts()


def heads(page):
    return page.locator("#record-table thead th").all_inner_texts()


def opened(page, number):
    """Open the viewer on an example and return it."""
    page.locator(f'.example[data-record="{number}"]').click()
    return page.locator("#viewer")


def pose(page):
    return page.locator("#map .pose").get_attribute("points")


def box_of(picture):
    return [float(number) for number in picture.get_attribute("viewBox").split()]


def test_it_loads_in_silence_and_shows_every_record(visit, address):
    page = visit(address)
    assert heads(page) == [
        "run", "scene", "task", "outcome", "steps", "travelled (m)", "reference (m)",
        "left to goal (m)", "collisions",
    ]  # fmt: skip
    assert column(page, 4) == OUTCOMES * 2
    assert page.locator("#shown").inner_text() == "12 of 12 records"
    assert page.locator(".example svg.map image").count() == 10


@pytest.mark.parametrize("width", [400, 1000, 1600])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_fits_its_width_in_both_schemes(visit, address, width, scheme):
    page = visit(address, viewport={"width": width, "height": 800}, color_scheme=scheme)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    background = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (background == "rgb(255, 255, 255)") == (scheme == "light")
    opened(page, 1)
    assert page.evaluate("document.getElementById('viewer').scrollWidth") <= width
    floor = page.locator("#map .floor").evaluate("one => getComputedStyle(one).filter")
    assert floor == ("none" if scheme == "light" else "invert(1)")


def test_it_sorts_by_mouse_and_keyboard(visit, address):
    page = visit(address)
    page.get_by_role("button", name="travelled (m)").click()
    assert column(page, 6) == ["2.00"] * 6 + ["3.00"] * 6
    page.get_by_role("button", name="travelled (m)").press("Enter")
    assert column(page, 6) == ["3.00"] * 6 + ["2.00"] * 6
    sorted_head = page.locator("th[aria-sort]")
    assert sorted_head.count() == 1
    assert sorted_head.get_attribute("aria-sort") == "descending"
    page.get_by_role("button", name="outcome").click()
    assert column(page, 4) == [outcome for outcome in OUTCOMES for _ in range(2)]


def test_it_filters_by_text_run_and_outcome(visit, address):
    page = visit(address)
    page.get_by_label("Name contains").fill("HALL/traj_3")
    assert column(page, 3) == ["traj_3"] * 2
    page.locator("#filter-run").select_option("second")
    assert column(page, 1) == ["second"]
    page.get_by_role("button", name="Clear").click()
    sync_api.expect(page.locator("#record-table tbody tr")).to_have_count(12)
    page.locator("#filter-outcome").select_option("solved")
    assert column(page, 3) == ["traj_5"] * 2
    assert page.locator("#shown").inner_text() == "2 of 12 records"
    page.get_by_label("Name contains").fill("nowhere")
    assert column(page, 3) == []


def test_a_cause_leads_to_its_records(visit, address):
    page = visit(address)
    page.locator("details.cause", has_text="wrong stop").locator(".filter").click()
    sync_api.expect(page.locator("#record-table tbody tr")).to_have_count(2)
    assert column(page, 4) == ["wrong stop"] * 2
    assert page.locator("#filter-outcome").evaluate("e => e === document.activeElement")


def test_a_task_is_stepped_through_by_keyboard(visit, address):
    page = visit(address)
    page.locator("#record-table").get_by_role("button", name="traj_1").first.focus()
    page.keyboard.press("Enter")
    viewer = page.locator("#viewer")
    assert viewer.is_visible()
    assert page.locator("#viewer-title").inner_text() == "first / hall / traj_1"
    step = page.locator("#step-text")
    assert step.inner_text() == "step 0 of 4"
    seen = {pose(page)}
    for _ in range(2):
        page.keyboard.press("ArrowRight")
        seen.add(pose(page))
    assert len(seen) == 3
    assert step.inner_text() == "step 2 of 4"
    assert "yes, 0.25 m" in page.locator("#step-facts").inner_text()
    assert "Views at step 2" in page.locator("#strip").get_attribute("alt")
    page.keyboard.press("End")
    assert step.inner_text() == "step 4 of 4"
    page.keyboard.press("ArrowRight")
    assert step.inner_text() == "step 4 of 4"
    page.keyboard.press("Home")
    page.keyboard.press("ArrowLeft")
    assert step.inner_text() == "step 0 of 4"
    page.keyboard.press("PageDown")
    assert page.locator("#viewer-title").inner_text() == "first / hall / traj_2"
    page.keyboard.press("PageUp")
    page.keyboard.press("Escape")
    assert not viewer.is_visible()
    assert page.evaluate("document.activeElement.innerText") == "traj_1"


def test_a_task_is_stepped_through_by_mouse(visit, address):
    page = visit(address)
    opened(page, 2)
    step = page.locator("#step-text")
    for button, expected in [("Forward", 1), ("Last", 4), ("Back", 3), ("First", 0)]:
        page.get_by_role("button", name=button, exact=True).click()
        assert step.inner_text() == f"step {expected} of 4"
    for expected in (2, 3, 2):
        page.get_by_role("button", name="Next collision").click()
        assert step.inner_text() == f"step {expected} of 4"
    page.locator("#step").press("ArrowRight")
    assert step.inner_text() == "step 3 of 4"
    page.locator("#step").fill("4")
    assert step.inner_text() == "step 4 of 4"
    page.get_by_role("button", name="Play").click()
    assert page.get_by_role("button", name="Pause").is_visible()
    sync_api.expect(page.get_by_role("button", name="Play")).to_be_visible()
    assert step.inner_text() == "step 4 of 4"
    page.get_by_role("button", name="Close").click()
    assert not page.locator("#viewer").is_visible()


def test_the_picture_shows_what_the_record_holds(visit, address):
    page = visit(address)
    opened(page, 4)
    found = page.locator("#map")
    assert found.locator(".step").count() == 4
    assert found.locator(".hit").count() == 2
    assert found.locator("image.floor").count() == 1
    # World metres with y up from the lower left of a map of 6 m by 4 m, so y = 1 is 3 m down.
    ends = [found.locator(".step").nth(place) for place in (0, 3)]
    assert [float(ends[0].get_attribute(name)) for name in ("x1", "y1")] == pytest.approx([1, 3])
    assert [float(ends[1].get_attribute(name)) for name in ("x2", "y2")] == pytest.approx([3, 3])
    circle = found.locator(".arrival")
    assert [float(circle.get_attribute(n)) for n in ("cx", "cy", "r")] == pytest.approx([3, 3, 0.5])
    # Path, reference and arrival circle reach from 1 to 3.5 across, from 2.5 to 3.5 down.
    assert box_of(found) == pytest.approx([0.5, 2, 3.5, 2])
    page.get_by_label("whole map").check()
    assert box_of(found) == pytest.approx([0, 0, 6, 4])
    page.get_by_label("other paths of this task").check()
    other = run_style("second", ["first", "second"])
    assert found.locator(f".other.{other}").count() == 1
    assert "2 collisions" in page.locator("#map-text").text_content()


def test_a_record_without_a_path_says_why(visit, address):
    page = visit(address)
    opened(page, 0)
    assert page.locator("#viewer-error").inner_text() == "agent: E: m"
    assert "no trajectory was recorded" in page.locator("#step-facts").inner_text()
    assert page.locator("#hit").is_disabled()
    assert not page.locator("#views").is_visible()
    page.keyboard.press("ArrowRight")
    assert page.locator("#step-text").inner_text() == "step 0 of 0"


def test_an_address_leads_to_a_task(visit, address):
    page = visit(f"{address}#task=second/hall/traj_3")
    assert page.locator("#viewer-title").inner_text() == "second / hall / traj_3"
    page.keyboard.press("Escape")
    sync_api.expect(page).to_have_url(address)
    opened(page, 1)
    sync_api.expect(page).to_have_url(f"{address}#task=first/hall/traj_1")


def test_many_records_are_shown_in_parts(visit, parts, tmp_path):
    documents = [parts.record("s", f"traj_{number}") for number in range(250)]
    target = tmp_path / "many.html"
    target.write_text(parts.page(parts.sources(("a", documents))), encoding="utf-8")
    page = visit(target.as_uri())
    assert len(column(page, 2)) == 100
    page.get_by_role("button", name="Show all 250").click()
    assert column(page, 2) == [f"traj_{number}" for number in range(250)]
    assert not page.locator("#more").is_visible()


def test_awkward_names_are_shown_and_never_live(visit, parts, make, tmp_path):
    runs = []
    for name in [*make.awkward, '"><img src=x onerror=alert(1)>', "${alert(1)}"]:
        document = {
            "episode_id": name, "task_id": name, "goal_label": name, "status": "stop",
            "success": False, "schema_version": "1", "metrics": {}, "steps": 1,
        }  # fmt: skip
        runs.append((name, [document]))
    target = tmp_path / "awkward.html"
    target.write_text(parts.page(parts.sources(*runs)), encoding="utf-8")
    page = visit(target.as_uri())
    for place in (1, 2, 3, 4):
        assert column(page, place) == [" ".join(name.split()) for name, _ in runs]
    name = "<script>alert('x')</script>"
    page.locator("#record-table").get_by_role("button", name=name).click()
    assert page.locator("#viewer-title").inner_text() == f"{name} / {name} / {name}"
    assert quote(name, safe="()'!") in page.url
    assert page.locator("main img, main script").count() == 0
    page.reload()
    assert page.locator("#viewer-title").inner_text() == f"{name} / {name} / {name}"


def test_it_prints_with_everything_open(visit, address):
    page = visit(address, color_scheme="dark")
    closed = page.locator("details:not([open])").count()
    assert closed > 0
    page.evaluate("""addEventListener("beforeprint", () => {
        window.closedInPrint = document.querySelectorAll("details:not([open])").length;
    })""")
    content = page.pdf(format="A4")
    assert content.startswith(b"%PDF-")
    assert len(content) > 20_000
    assert page.evaluate("window.closedInPrint") == 0
    assert page.locator("details:not([open])").count() == closed
    page.emulate_media(media="print")
    assert not page.locator("nav").is_visible()
    assert page.locator("#record-table").get_by_role("button", name="traj_1").first.is_visible()
    background = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert background == "rgb(255, 255, 255)"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_passes_the_accessibility_check(visit, address, scheme):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="needs axe").Axe()
    page = visit(address, color_scheme=scheme)
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    for shown in (None, 4):
        if shown is not None:
            opened(page, shown)
        found = axe.run(page)
        assert found.violations_count == 0, found.generate_report()


def test_without_scripts_the_tables_and_pictures_are_there(visit, address):
    page = visit(address, java_script_enabled=False)
    assert "need scripts" in page.locator("noscript").inner_text()
    assert page.locator(".plot circle").count() == 8
    assert page.locator("table").count() >= 5
    assert not page.locator("#viewer").is_visible()
