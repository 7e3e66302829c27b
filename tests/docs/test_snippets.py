"""Every ``python`` and ``bash`` block of the README and of docs/ is run, page by page, in order.

The README starts in an empty folder; another page in one that holds ``scenes/``, ``runs/planner``
and ``runs/straight`` (evaluated runs), as a reader has them after the README.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCK = re.compile(r"^```(\w+)[^\n]*\n(.*?)^```\s*$", re.MULTILINE | re.DOTALL)
RUN_BY_OTHER_TESTS = (
    "make demo",
    "make test",
    "make lint",
    "make bench",
    "pip install",
    "git clone",
)


def blocks(page):
    """Yield language, first line number and text of every runnable block of a page."""
    text = page.read_text(encoding="utf-8")
    for match in BLOCK.finditer(text):
        if match[1] in ("python", "bash"):
            yield match[1], text[: match.start()].count("\n") + 2, match[2]


def run(*command, cwd):
    done = subprocess.run(
        list(map(str, command)),
        cwd=cwd,
        env=_environment(),
        capture_output=True,
        text=True,
        check=False,
        timeout=240,
    )
    assert done.returncode == 0, f"{' '.join(map(str, command))}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def _environment():
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
    return {**os.environ, "PATH": path, "PYTHONHASHSEED": "0", "COLUMNS": "100"}


@pytest.fixture(scope="module")
def prepared(tmp_path_factory):
    folder = tmp_path_factory.mktemp("docs")
    abotn = (sys.executable, "-m", "abotn")
    run(*abotn, "scenes", "generate", "--kind", "indoor", "--scenes", 2, "--tasks", 3,
        "--seed", 0, "--out", "scenes", cwd=folder)  # fmt: skip
    for name, agent in (("planner", "PlannerAgent"), ("straight", "StraightLineAgent")):
        run(*abotn, "run", "point-goal", "--agent", f"abotn.agents:{agent}", "--data-dir", "scenes",
            "--protocol", "pointbench-indoor", "--render", "none", "--max-steps", 60,
            "--run-dir", f"runs/{name}", cwd=folder)  # fmt: skip
        run(*abotn, "evaluate", f"runs/{name}", "--bootstrap", 200, cwd=folder)
    return folder


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_snippet_of_the_page_runs(page, prepared, tmp_path):
    work = tmp_path / "work"
    if page.name == "README.md":
        work.mkdir()
    else:
        shutil.copytree(prepared, work)
    script = []
    for language, line, text in blocks(page):
        if language == "python":
            script.append(f"# line {line}\n{text}")
            continue
        _run_python(script, page, work)
        script.clear()
        kept = [row for row in text.splitlines() if not row.startswith(RUN_BY_OTHER_TESTS)]
        run("bash", "-e", "-c", "\n".join(kept), cwd=work)
    _run_python(script, page, work)


def _run_python(script, page, work):
    if script:
        target = work / f"{page.stem}_snippets.py"
        body = "\n".join(script)
        target.write_text(f"if __name__ == '__main__':\n{_indent(body)}\n", encoding="utf-8")
        run(sys.executable, "-W", "error", target.name, cwd=work)


def _indent(body):
    return "\n".join(f"    {line}" if line.strip() else "" for line in body.splitlines())


def test_the_pages_have_snippets_at_all():
    assert sum(len(list(blocks(page))) for page in PAGES) >= 10


def test_the_table_of_the_reports_page_is_the_one_printed(prepared):
    shown = run(
        sys.executable, "-m", "abotn", "report", "runs/planner", "runs/straight", "--metrics",
        "success_new,spl_new,collision_length", "--no-groups", cwd=prepared,
    )  # fmt: skip
    printed = [line for line in shown.splitlines() if line.startswith("|")][:4]
    page = next(page for page in PAGES if page.name == "reports.md")
    for line in printed:
        # Fewer steps than the protocol's mark the names, and change the width of their column.
        expected = " ".join(line.replace("†", "").replace("---", "").split("|")[-2].split())
        assert expected in page.read_text(encoding="utf-8"), line
