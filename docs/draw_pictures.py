"""Draws every picture of ``docs/images`` again; run by hand: ``python docs/draw_pictures.py``.

It makes scenes and runs in a temporary folder, and shows what ``abotn`` commands make of them. It
needs the test extra, Chromium, pdflatex, pdftoppm, and a system with pseudo-terminals.
"""

from __future__ import annotations

import io
import os
import pty
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import typst
from markdown_it import MarkdownIt
from PIL import Image, ImageChops, ImageOps
from playwright.sync_api import sync_playwright
from rich._export_format import CONSOLE_SVG_FORMAT
from rich.console import Console
from rich.text import Text

IMAGES = Path(__file__).resolve().parent / "images"
CLEAN, STRAIGHT = BOTH = ["runs/planner", "runs/straight"]
AGENTS = {
    "planner": ("PlannerAgent", "{}"),
    "straight-line": ("StraightLineAgent", "{}"),
    "careful-planner": ("PlannerAgent", "{clearance: 1.0, look_ahead: 0.5}"),
    "rough-planner": ("PlannerAgent", "{look_ahead: 6.0, stop_distance: 3.4}"),
}
FOUR = [f"four/{name}" for name in AGENTS]
METRICS = "success,success_new,spl_new,collision_length"
TABLE = f"--metrics {METRICS} --percent --second --baseline four/rough-planner --no-groups"
SOLVED = "--solved-by success_new --metrics success_new --bootstrap 1000"
PLOTS = dict.fromkeys(("groups", "cdf", "success-vs-length"), "")
PLOTS |= dict.fromkeys(("intervals", "collisions"), "--columns 2")
PLOTS["pareto"] = "--metric collision_length --metric success"
PLOTS["paths"] = "--task outdoor_2/traj_1 --task outdoor_7/traj_7"
SMALL_POLICY = """import time
from abotn.agents import PlannerAgent, WaypointPrediction
class SmallPolicy(PlannerAgent):
    def seed(self, seed): self.luck = seed % 7
    def predict(self, observation):
        time.sleep(0.02)
        if self.luck == 0: raise RuntimeError("CUDA out of memory while encoding the views")
        if self.luck == 2 or (self.luck == 1 and observation.distance_to_goal < 1.5):
            return WaypointPrediction([0.0, 0.0], arrive=self.luck == 1)
        return super().predict(observation)
"""
PAGE = """<!doctype html><meta charset="utf-8"><style>table { border-collapse: collapse }
body { font: 16px/1.5 "Noto Sans", Helvetica, Arial, sans-serif; color: #1f2328 }
th, td { border: 1px solid #d1d9e0; padding: 6px 13px } tr:nth-child(2n) { background: #f6f8fa }
</style>"""
PAPER = r"""\documentclass{article}\usepackage{booktabs,graphicx}\pagestyle{empty}
\begin{document}\input{table}\end{document}"""


def abotn(*words: str) -> list[str]:
    """Return a command line of the package; options may stand together in one word."""
    return [sys.executable, "-m", "abotn", *" ".join(words).split()]


def do(*words: str) -> None:
    """Run a command of the package, or stop."""
    subprocess.run(abotn(*words), check=True, stdout=subprocess.DEVNULL)


def run(kind: str, data: str, folder: str, agent: str, options: str = "--render none") -> str:
    """Return the command line of a run."""
    given = f"--agent {agent} --data-dir {data} --protocol pointbench-{kind}"
    return f"run point-goal {given} --run-dir {folder} {options}"


def make_runs() -> None:
    """Make both runs of the pages' snippets, one with views, and four over outdoor scenes."""
    do("scenes generate --kind indoor --scenes 2 --tasks 3 --seed 0 --out scenes")
    do("scenes generate --kind outdoor --scenes 10 --tasks 10 --seed 0 --out outdoor")
    do(run("indoor", "scenes", CLEAN, "abotn.agents:PlannerAgent"))
    straight = "abotn.agents:StraightLineAgent"
    do(run("indoor", "scenes", STRAIGHT, straight, "--save-render-images"))
    for folder, (name, (agent, config)) in zip(FOUR, AGENTS.items(), strict=True):
        Path(f"{name}.yaml").write_text(config, encoding="utf-8")
        options = f"--render none --agent-name {name} --agent-config {name}.yaml"
        do(run("outdoor", "outdoor", folder, f"abotn.agents:{agent}", options))
    for folder in BOTH + FOUR:
        do("evaluate", folder)


def save(picture: Image.Image, name: str) -> None:
    """Write a picture as a WebP or a PNG of 256 colours; a report's without the white around it."""
    picture = picture.convert("RGB")
    if name.startswith("report-"):
        box = ImageChops.invert(picture).getbbox()
        picture = ImageOps.expand(picture.crop(box), 16, "white")
    if name.endswith(".png"):
        picture = picture.quantize(256, Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE)
    picture.save(IMAGES / name, optimize=True, quality=75, method=6)


def draw_plots() -> None:
    """Draw each kind of plot of the four runs, and a task of both others."""
    for kind, options in PLOTS.items():
        runs = FOUR[1::2] if kind == "paths" else FOUR
        do("plot", *runs, "--kind", kind, options, "-o", f"{kind}.png")
        save(Image.open(f"{kind}.png"), f"plot-{kind}.png")
    do("compare", *BOTH, SOLVED, "-o comparison.md")
    save(Image.open(min(Path("comparison_paths").glob("*.png"))), "compare-paths.png")


def draw_terminal(name: str, columns: int, *words: str) -> None:
    """Draw what a command shows on a terminal that is so wide."""
    shown: list[bytes] = []

    def read(terminal: int) -> bytes:
        shown.append(os.read(terminal, 65536))
        return shown[-1]

    os.environ |= {"TERM": "xterm-256color", "COLUMNS": str(columns), "LINES": "60"}
    assert pty.spawn(abotn(*words), read) == 0
    text = b"".join(shown).decode().replace("\r\n", "\n").replace(str(Path.cwd()), "/data")
    console = Console(record=True, width=columns, file=io.StringIO(), force_terminal=True)
    console.print(Text.from_ansi(text.rstrip()), end="\n\n")
    look = re.sub(r"@font-face \{\{.*?\}\}", "", CONSOLE_SVG_FORMAT, flags=re.DOTALL)
    look = look.replace("Fira Code", "DejaVu Sans Mono")
    title = f"abotn {words[0].split()[0]}"
    console.save_svg(str(IMAGES / name), title=title, code_format=look, unique_id=name[:-4])


def draw_terminals() -> None:
    """Draw an evaluation, a comparison, and a run that goes on, with failures."""
    some = f"--metrics {METRICS},distance_to_goal,steps"
    evaluate = f"evaluate {FOUR[1]} --group-by difficulty_outdoor {some} -o evaluation.json"
    draw_terminal("terminal-evaluate.svg", 88, evaluate)
    draw_terminal("terminal-narrow.svg", 44, evaluate)
    draw_terminal("terminal-compare.svg", 112, "compare", FOUR[0], FOUR[2], some)
    Path("small_policy.py").write_text(SMALL_POLICY, encoding="utf-8")
    do("scenes generate --kind indoor --scenes 6 --tasks 5 --seed 0 --out six")
    process = subprocess.Popen(abotn(run("indoor", "six", "small", "small_policy:SmallPolicy")))
    while process.poll() is None and len(list(Path("small").glob("*/*/result.json"))) < 20:
        time.sleep(0.1)
    draw_terminal("watch.svg", 92, "watch small --once")
    process.terminate()
    process.wait()


def draw_tables(browser: Any) -> None:
    """Draw the first table of each format as the format is usually looked at."""
    for name in ("table.md", "table.tex", "table.rst", "table.typ", "table.html"):
        do("report", *FOUR, TABLE, "-o", name, "--format html-tables" * name.endswith("html"))
    for name, mark in (("table.tex", "\n\\begin{table"), ("table.typ", "#figure(")):
        first = Path(name).read_text("utf-8").split(mark)[:2]
        Path(name).write_text(mark.join(first), encoding="utf-8")
    Path("paper.tex").write_text(PAPER, encoding="utf-8")
    subprocess.run(["pdflatex", "-interaction=batchmode", "paper"], check=True)
    subprocess.run(["pdftoppm", "-r", "170", "-png", "-singlefile", "paper.pdf", "p"], check=True)
    save(Image.open("p.png"), "report-latex.png")
    typst.compile("table.typ", output="t.png", format="png", ppi=150)
    save(Image.open("t.png"), "report-typst.png")
    shown = MarkdownIt("commonmark").enable("table").render(Path("table.md").read_text("utf-8"))
    Path("markdown.html").write_text(PAGE + shown, encoding="utf-8")
    rst = [sys.executable, "-m", "docutils", "--writer=html5", "table.rst", "rst.html"]
    subprocess.run(rst, check=True)
    for file, name in (("table", "html-tables"), ("markdown", "markdown"), ("rst", "rst")):
        page = visit(browser, f"{file}.html", 800 if name == "rst" else 1100, 1200)
        end = page.locator("h2").nth(1).bounding_box()["y"]
        page.set_viewport_size({"width": page.viewport_size["width"], "height": int(end) - 2})
        shoot(page, f"report-{name}.png")


def draw_pages(browser: Any) -> None:
    """Draw the interactive pages: a report, a task of another one, and a comparison."""
    do("report", *FOUR, "-o four.html")
    do("report", *BOTH, "-o report.html")
    do("compare", *BOTH, SOLVED, "-o comparison.html")
    shoot(visit(browser, "four.html", 1100, 1000), "html-report.png")
    page = visit(browser, "report.html", 1100, 860)
    page.locator(".example").first.click()
    page.get_by_role("button", name="Next collision").click()
    shoot(page, "html-report-task.webp")
    shoot(visit(browser, "comparison.html", 1100, 1530), "compare-page.webp")


def visit(browser: Any, file: str, width: int, height: int) -> Any:
    """Open a file in a window of some width and height."""
    page = browser.new_page(viewport={"width": width, "height": height})
    page.goto(Path(file).resolve().as_uri())
    return page


def shoot(page: Any, name: str) -> None:
    """Save what a window shows once it stands still."""
    page.wait_for_timeout(1000)
    save(Image.open(io.BytesIO(page.screenshot())), name)


def main() -> None:
    """Draw all pictures in a temporary folder."""
    found = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("chrome")
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        make_runs()
        draw_plots()
        draw_terminals()
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=found, args=["--no-sandbox"])
            draw_tables(browser)
            draw_pages(browser)
        os.chdir(IMAGES)


if __name__ == "__main__":
    main()
