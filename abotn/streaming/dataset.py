"""The CarlAnomaly layout: what a scenario's path says and where its labels lie."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from abotn.errors import DataError, EvaluationInputError, UnknownNameError

CAMERAS = ("front", "left", "right", "rear")
SENSORS = (*CAMERAS, "lidar")

_LAYOUT = ".../test/anomaly/{town}/{anomaly_type}/... or .../test/normal/{town}/..."


@dataclass(frozen=True)
class Scenario:
    """What the path of a scenario's folder says.

    Args:
        scenario_id: The path, exactly as it was given.
        town: The town it was recorded in.
        anomaly_type: The type of its anomaly; None for a normal scenario.
    """

    scenario_id: str
    town: str
    anomaly_type: str | None

    @property
    def key(self) -> str:
        """The part of the path from ``test/`` on, which tells scenarios apart."""
        return _below(self.scenario_id)

    @property
    def is_anomalous(self) -> bool:
        """Whether it lies under ``/test/anomaly/``."""
        return self.anomaly_type is not None


def parse_scenario(scenario_id: str | os.PathLike[str]) -> Scenario:
    """Return what a scenario's path says.

    Where a path holds the pattern more than once, the innermost counts: the dataset may itself
    lie in a folder called ``test/normal``.

    Raises:
        EvaluationInputError: the path is of neither kind.

    Example:
        >>> parse_scenario("/data/test/anomaly/Town01/spawn-props/scenario-3")
        Scenario(scenario_id='/data/test/anomaly/Town01/spawn-props/scenario-3', \
town='Town01', anomaly_type='spawn-props')
    """
    if not isinstance(scenario_id, (str, os.PathLike)):
        raise EvaluationInputError(
            f"a scenario id must be a path, got {type(scenario_id).__name__}", where="scenario_ids"
        )
    return _parse(str(os.fspath(scenario_id)))


def scenario_below(scenario_id: str | os.PathLike[str]) -> str:
    """Return a scenario's path below the folder of its dataset, wherever that lies.

    Raises:
        EvaluationInputError: the path is of neither kind.

    Example:
        >>> scenario_below("/mnt/elsewhere/test/normal/Town01/scenario-3")
        'test/normal/Town01/scenario-3'
    """
    return parse_scenario(scenario_id).key


def check_sensor(sensor: str, known: Sequence[str] = SENSORS) -> str:
    """Return ``sensor`` when it is one of ``known``.

    Raises:
        UnknownNameError: it is not.
    """
    if sensor not in known:
        error = UnknownNameError("sensor", sensor, known)
        if sensor in SENSORS:
            error.hint = f"known here: {', '.join(known)}; LiDAR points are the level point"
        raise error
    return sensor


def mask_path(scenario_id: str, sensor: str, timestep_id: int) -> Path:
    """Return where the mask of one camera image lies."""
    return Path(scenario_id) / f"anomaly-{sensor}" / f"{timestep_id:06d}.png"


def point_label_path(scenario_id: str, timestep_id: int) -> Path:
    """Return where the labels of one point cloud lie."""
    return Path(scenario_id) / "anomaly-lidar" / f"{timestep_id:06d}.feather"


def sensor_label_path(scenario_id: str, sensor: str) -> Path:
    """Return where the labels of all readings of one sensor lie."""
    return Path(scenario_id) / f"anomaly-{sensor}" / "sensor.feather"


def timestep_label_path(scenario_id: str) -> Path:
    """Return where the labels of a scenario's timesteps lie."""
    return Path(scenario_id) / "anomaly-observation.feather"


def find_scenarios(dataset: str | os.PathLike[str]) -> list[Scenario]:
    """Return the test scenarios of a dataset, normal ones first, sorted by path.

    A scenario is a folder with an ``anomaly-observation.feather`` under ``test/normal`` or
    ``test/anomaly`` of the folder ``dataset``.

    Raises:
        DataError: there is none.
    """
    test = Path(dataset) / "test"
    found = [
        parse_scenario(labels.parent.as_posix())
        for kind in ("normal", "anomaly")
        for labels in sorted((test / kind).rglob("anomaly-observation.feather"))
    ]
    if not found:
        raise DataError(
            "expected scenarios with an anomaly-observation.feather, found none",
            where=test,
            hint=f"the layout is {_LAYOUT}",
        )
    return found


# The same few paths come with every batch; parsing is pure, so a small cache is enough.
@lru_cache(maxsize=4096)
def _parse(path: str) -> Scenario:
    parts = _parts(path)
    start = _start(parts)
    if start < 0:
        raise EvaluationInputError(
            "the path is of neither kind of scenario", where=path, hint=f"expected {_LAYOUT}"
        )
    _, kind, town, *below = parts[start:]
    return Scenario(path, town, below[0] if kind == "anomaly" else None)


@lru_cache(maxsize=4096)
def _below(path: str) -> str:
    parts = _parts(path)
    return "/".join(parts[_start(parts) :])


def _parts(path: str) -> list[str]:
    plain = posixpath.normpath(path.replace("\\", "/"))
    return [part for part in plain.split("/") if part]


def _start(parts: list[str]) -> int:
    """Return where the innermost ``test/anomaly/...`` or ``test/normal/...`` starts, else -1."""
    for place in reversed(range(len(parts) - 1)):
        kind, below = tuple(parts[place : place + 2]), parts[place + 2 :]
        if kind == ("test", "anomaly") and len(below) >= 2:
            return place
        if kind == ("test", "normal") and len(below) >= 1:
            return place
    return -1
