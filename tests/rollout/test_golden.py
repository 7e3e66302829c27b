"""``run.json``, ``result.json`` and ``trajectory.json`` of a tiny run against golden files.

``ABOTN_WRITE_GOLDEN=1 python -m pytest tests/rollout/test_golden.py`` writes them anew; look at the
difference before keeping it. Times, versions, paths and the fingerprint are masked, and numbers may
differ in the last digits. What the numbers mean is checked by hand below.
"""

from __future__ import annotations

import json
import math
import os
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from abotn.rollout import run
from abotn.scenes.synthetic import generate

GOLDEN = Path(__file__).parent / "golden"
NAMES = ("run.json", "result.json", "trajectory.json")
VOLATILE = ("created", "versions", "data_dir", "map_dir", "fingerprint", "agent_seconds",
            "render_seconds")  # fmt: skip
MASK = "masked"


@pytest.fixture(scope="module")
def documents(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    """The three files of a straight walk in a generated scene."""
    folder = tmp_path_factory.mktemp("golden")
    scenes = generate("indoor", scenes=1, tasks=1, seed=0, out=folder / "scenes")
    run("point_goal", "abotn.agents:StraightLineAgent", data_dir=scenes, run_dir=folder / "run",
        protocol="pointbench-indoor", overrides={"arrive_threshold": 0.75}, render="none",
        max_steps=5, seed=0)  # fmt: skip
    (result,) = (folder / "run").rglob("result.json")
    places = (folder / "run", result.parent, result.parent)
    return {
        name: json.loads((place / name).read_bytes())
        for name, place in zip(NAMES, places, strict=True)
    }


def masked(value: Any) -> Any:
    """The value with everything volatile replaced; the shape of what is replaced stays."""
    if isinstance(value, dict):
        return {k: _hidden(v) if k in VOLATILE else masked(v) for k, v in value.items()}
    return [masked(item) for item in value] if isinstance(value, list) else value


def _hidden(value: Any) -> Any:
    if isinstance(value, dict):
        # Which versions are kept depends on the plugins that are installed.
        return {name: MASK for name in value if name in ("abotn", "python", "numpy")}
    if isinstance(value, list):
        return [MASK for _ in value]
    return None if value is None else MASK


def difference(expected: Any, found: Any, at: str = "") -> str | None:
    """The first place where two documents differ in keys, their order, types or values."""
    if type(expected) is not type(found):
        return f"{at}: expected {expected!r}, got {found!r}"
    if isinstance(expected, dict):
        if list(expected) != list(found):
            return f"{at}: expected keys {list(expected)}, got {list(found)}"
        pairs = [(f"{at}.{key}", expected[key], found[key]) for key in expected]
    elif isinstance(expected, list):
        if len(expected) != len(found):
            return f"{at}: expected {len(expected)} items, got {len(found)}"
        pairs = [(f"{at}[{i}]", one, found[i]) for i, one in enumerate(expected)]
    elif isinstance(expected, float):
        close = math.isclose(expected, found, rel_tol=1e-9, abs_tol=1e-9)
        return None if close else f"{at}: expected {expected}, got {found}"
    else:
        return None if expected == found else f"{at}: expected {expected!r}, got {found!r}"
    return next((d for place, one, two in pairs if (d := difference(one, two, place))), None)


@pytest.mark.parametrize("name", NAMES)
def test_the_file_is_the_golden_one(documents: dict[str, dict[str, Any]], name: str) -> None:
    found = masked(documents[name])
    path = GOLDEN / name
    if os.environ.get("ABOTN_WRITE_GOLDEN"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    assert difference(json.loads(path.read_text(encoding="utf-8")), found) is None


@pytest.mark.parametrize(
    ("change", "place"),
    [
        (lambda d: d.pop("seed"), "expected keys"),
        (lambda d: d.update(seed=0.0), ".seed: expected 0, got 0.0"),
        (lambda d: d.update(attempts=True), ".attempts: expected 1, got True"),
        (lambda d: d["protocol"]["values"].update(arrive_threshold=0.5), "arrive_threshold"),
        (lambda d: d["agent"].update(nickname="x"), ".agent: expected keys"),
        (lambda d: d.update(provide=["occ_map"]), ".provide: expected 0 items, got 1"),
        (lambda d: d["dataset"].pop("fingerprint"), ".dataset: expected keys"),
        (lambda d: d["dataset"].update(fingerprint=None), ".dataset.fingerprint"),
        (lambda d: d["versions"].pop("numpy"), ".versions: expected keys"),
    ],
)
def test_a_change_is_seen(documents: dict[str, dict[str, Any]], change: Any, place: str) -> None:
    changed = json.loads(json.dumps(documents["run.json"]))
    change(changed)
    said = difference(masked(documents["run.json"]), masked(changed))
    assert said is not None
    assert place in said


def test_the_numbers_mean_what_they_say(documents: dict[str, dict[str, Any]]) -> None:
    result, walked = documents["result.json"], documents["trajectory.json"]
    places = [tuple(position[:2]) for position in walked["position"]]
    goal, reference = walked["goal"], walked["reference"]
    assert result["steps"] == len(places) - 1 == len(walked["waypoint"]) == 3
    steps = [math.dist(a, b) for a, b in pairwise(places)]
    # The straight agent walks a metre at a time, straight to the goal, and is let arrive.
    assert steps == pytest.approx([1.0] * 3)
    assert result["travel_length"] == pytest.approx(sum(steps))
    start = math.dist(places[0], goal)
    assert walked["distance_to_goal"] == pytest.approx([start - k for k in range(4)])
    assert start - 3 < 0.75 < start - 2
    assert (result["status"], result["success"], result["declared_arrival"]) == (
        "stop", True, False
    )  # fmt: skip
    assert result["distance_to_goal"] == pytest.approx(start - 3)
    assert result["metrics"]["initial_distance_to_goal"] == pytest.approx(start)
    assert result["metrics"]["pointgoal_arrive_threshold"] == 0.75
    assert goal == reference[-1][:2]
    lengths = [math.dist(a[:2], b[:2]) for a, b in pairwise(reference)]
    assert result["shortest_path_length"] == pytest.approx(sum(lengths))
    assert result["metrics"]["path_collision_count"] == sum(walked["collided"])
    assert result["metrics"]["collision_path_length"] == pytest.approx(
        sum(walked["collision_length"])
    )
    # It walks through a wall once, which under this protocol spoils the success.
    assert (walked["collided"], result["metrics"]["success_new"]) == ([False, False, True], False)
