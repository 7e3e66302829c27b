"""Run one benchmark in this process and print its table."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Any


def table(name: str, rows: list[dict[str, Any]]) -> str:
    """Return a markdown table of a benchmark's rows."""
    lines = [f"## {name}", "", "| what | ours | theirs | ratio | target | note |"]
    lines.append("| :--- | ---: | ---: | ---: | ---: | :--- |")
    for row in rows:
        ours, theirs = _seconds(row.get("ours_s")), _seconds(row.get("theirs_s"))
        ratio = row.get("ratio")
        shown = "" if ratio is None else f"{ratio:.3g}"
        cells = (
            row["name"],
            ours,
            theirs,
            shown,
            str(row.get("target") or ""),
            row.get("note") or "",
        )
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n\n"


def _seconds(value: float | None) -> str:
    if value is None:
        return ""
    for scale, unit in ((1.0, "s"), (1e-3, "ms"), (1e-6, "us")):
        if value >= scale:
            return f"{value / scale:.3g} {unit}"
    return f"{value / 1e-9:.3g} ns"


if __name__ == "__main__":
    module = import_module(f"benchmarks.{sys.argv[1]}")
    sys.stdout.write(table(sys.argv[1], module.measure()))
