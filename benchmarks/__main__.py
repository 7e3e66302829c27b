"""Run the benchmarks and write ``benchmarks/RESULTS.md``.

Usage: ``python -m benchmarks [NAME ...]``. Figures are ratios measured side by side in one run;
a run of some benchmarks replaces their tables and keeps the others.
"""

from __future__ import annotations

import platform
import re
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
RESULTS = HERE / "RESULTS.md"
NAMES = (
    "startup",
    "records",
    "evaluation",
    "samples",
    "bootstrap",
    "collisions",
    "renderer",
    "streaming",
    "page",
)
HEADER = """# Measured

Written by `make bench`. Each row compares two ways of doing one thing in one run on one machine;
only the ratios carry over to other machines. Losses are shown as they are.

"""


def main(names: list[str]) -> int:
    """Run the named benchmarks, or all."""
    unknown = sorted(set(names) - set(NAMES))
    if unknown:
        print(f"error: unknown benchmark {', '.join(unknown)}; known: {', '.join(NAMES)}")
        return 2
    sections = _sections()
    for name in names or NAMES:
        print(f"benchmark {name} ...", file=sys.stderr)
        done = subprocess.run(
            [sys.executable, "-m", "benchmarks.one", name], capture_output=True, text=True
        )
        if done.returncode:
            print(done.stderr, file=sys.stderr)
            return 1
        sections[name] = done.stdout
        print(done.stdout)
    RESULTS.write_text(HEADER + _machine() + "".join(sections[n] for n in NAMES if n in sections))
    return 0


def _sections() -> dict[str, str]:
    if not RESULTS.is_file():
        return {}
    parts = re.split(r"^(?=## )", RESULTS.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return {part.split("\n", 1)[0][3:].strip(): part for part in parts if part.startswith("## ")}


def _machine() -> str:
    import numpy
    import scipy

    python, system = platform.python_version(), f"{platform.system()} {platform.machine()}"
    return f"Python {python}, numpy {numpy.__version__}, scipy {scipy.__version__}, {system}.\n\n"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
