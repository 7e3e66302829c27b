"""The report page of 500 tasks: how long it takes to write, to open, and how large it is."""

from __future__ import annotations

import shutil
import statistics
import sys
import tempfile
import time
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

TASKS, SCENES, OPENINGS = 500, 10, 5


def measure() -> list[dict[str, Any]]:
    """Write the page of a run of 500 tasks, and open it in Chromium where there is one."""
    from abotn.cli.main import run_command_line

    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        _make_run(folder)
        page = folder / "report.html"
        start = time.perf_counter()
        with redirect_stdout(sys.stderr):
            run_command_line(["report", str(folder / "run"), "-o", str(page)])
        written = time.perf_counter() - start
        size = f"{page.stat().st_size / 1e6:.2g} MB, below 20"
        rows = [{"name": f"write the page of {TASKS} tasks", "ours_s": written, "note": size}]
        opened = _open(page)
    if opened is not None:
        note = f"median of {OPENINGS}, to the end of loading, in headless Chromium"
        name = f"open the page of {TASKS} tasks"
        rows.append({"name": name, "ours_s": opened, "target": "below 2 s", "note": note})
    return rows


def _make_run(folder: Path) -> None:
    from abotn.evaluation.evaluator import Evaluator
    from abotn.rollout.runner import run
    from abotn.scenes.synthetic import generate

    scenes = generate("indoor", scenes=SCENES, tasks=TASKS // SCENES, seed=0, out=folder / "scenes")
    run("point_goal", "abotn.agents:StraightLineAgent", data_dir=scenes, run_dir=folder / "run",
        protocol="pointbench-indoor", render="none")  # fmt: skip
    result = Evaluator().evaluate_dataset(folder / "run", bootstrap_ci=1000)
    result.write(folder / "run" / "evaluation.json")


def _open(page: Path) -> float | None:
    """Return seconds until the page has loaded, None without Chromium."""
    program = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("chrome")
    if program is None:
        return None
    from playwright.sync_api import sync_playwright

    times = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        for _ in range(OPENINGS):
            tab = browser.new_page()
            start = time.perf_counter()
            tab.goto(page.as_uri(), wait_until="load")
            tab.evaluate("document.querySelectorAll('tr').length")
            times.append(time.perf_counter() - start)
            tab.close()
        browser.close()
    return statistics.median(times)
