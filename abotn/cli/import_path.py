"""Where an agent's module is looked for."""

from __future__ import annotations

import sys
from pathlib import Path


def agents_beside_the_user() -> None:
    """Let a module in the current folder be found like one that ``python -m`` would find."""
    if "" not in sys.path and str(Path.cwd()) not in sys.path:
        sys.path.insert(0, str(Path.cwd()))
