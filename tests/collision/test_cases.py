"""The reference cases: small maps, flipped and rotated, with the right answers of both rules."""

from __future__ import annotations

import json

import numpy as np
import pytest

from abotn.collision import line_collisions


@pytest.fixture(scope="module")
def cases(shared):
    return json.loads((shared / "cases" / "collisions.json").read_text())


def _segments(case, key=None):
    chosen = [s for s in case["segments"] if key is None or key in s]
    return chosen, [s["from"] for s in chosen], [s["to"] for s in chosen]


@pytest.fixture(scope="module")
def grids(cases, reference):
    return [
        reference.grid_of(c["rows"], c["top_left"], c["top_right"], c["bottom_left"]) for c in cases
    ]


@pytest.mark.parametrize("sampling", ["exact", "published"])
def test_hits_and_lengths(cases, grids, sampling):
    seen = 0
    for case, grid in zip(cases, grids, strict=True):
        chosen, starts, ends = _segments(case, f"{sampling}_hit")
        hit, length = line_collisions(grid, starts, ends, sampling)
        assert hit.tolist() == [s[f"{sampling}_hit"] for s in chosen]
        assert length == pytest.approx(
            np.array([s[f"{sampling}_length"] for s in chosen]), abs=1e-7
        )
        seen += len(chosen)
    assert seen > 300


def test_cells(cases, grids):
    for case, grid in zip(cases, grids, strict=True):
        chosen, starts, _ = _segments(case)
        assert grid.geometry.cell_of(starts).tolist() == [s["cell_of_from"] for s in chosen]
