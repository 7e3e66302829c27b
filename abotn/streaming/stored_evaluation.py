"""From a folder of stored scores to a fed evaluator, at every level."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from abotn.errors import ConfigError, DataError
from abotn.streaming.dataset import find_scenarios, scenario_below, timestep_label_path
from abotn.streaming.labels import Labels, read_anomaly_column
from abotn.streaming.pixel import PixelEvaluator
from abotn.streaming.point import PointEvaluator
from abotn.streaming.scenario import ScenarioEvaluator
from abotn.streaming.sensor import SensorEvaluator
from abotn.streaming.stored import ScoreTable, feed_samples, find_sample_scores, read_score_table
from abotn.streaming.stored_places import (
    count_score_files,
    find_scores,
    read_score_tree,
    score_name,
)
from abotn.streaming.timestep import TimestepEvaluator

Evaluator: TypeAlias = (
    PixelEvaluator | PointEvaluator | SensorEvaluator | TimestepEvaluator | ScenarioEvaluator
)

#: How much is done, of how much.
_Steps = Iterator[tuple[int, int]]

_KINDS: dict[str, Any] = {
    "pixel": PixelEvaluator,
    "point": PointEvaluator,
    "sensor": SensorEvaluator,
    "timestep": TimestepEvaluator,
    "scenario": ScenarioEvaluator,
}
_SAMPLE_OPTIONS = ("num_workers", "n_bins", "score_range", "exact")


@dataclass
class Coverage:
    """How much of a dataset has scores.

    Args:
        fingerprint: SHA-256 of the dataset's scenarios and their timestep labels.
        scenarios: Scenarios of the dataset.
        scored_scenarios: Those with scores.
        expected: Timesteps of the dataset; at scenario level its scenarios.
        scored: Those with scores, NaN included.
        stray: Scores or files of scores that belong to no scenario of the dataset.
    """

    fingerprint: str
    scenarios: int
    scored_scenarios: int
    expected: int
    scored: int
    stray: int


def make_evaluator(level: str, sensor: str | None = None, **options: Any) -> Evaluator:
    """Return an evaluator of a level.

    Args:
        level: One of ``stored_places.LEVELS``.
        sensor: Sensor, at the levels that have one.
        options: Of the evaluator.

    Raises:
        UnknownNameError: the level or the sensor is not known.
        ConfigError: an option cannot be used, or not at this level.
    """
    score_name(level, sensor)
    if level not in ("pixel", "point"):
        for name in options.keys() & set(_SAMPLE_OPTIONS):
            raise ConfigError(f"the level {level} keeps all scores and is exact", where=name)
    made: Evaluator = _KINDS[level](*([] if sensor is None else [sensor]), **options)
    return made


def feed_stored(
    evaluator: Evaluator,
    scores: str | os.PathLike[str],
    dataset: str | os.PathLike[str],
    *,
    name: str,
    progress: Callable[[int, int], None] | None = None,
) -> Coverage:
    """Feed an evaluator the scores in a folder.

    Args:
        evaluator: Of any level.
        scores: A table; or a folder with ``{name}/test/...``, a table ``{name}`` or ``test/...``.
        dataset: Folder of the dataset.
        name: As ``stored_places.score_name`` returns it.
        progress: Told after each file or scenario how many are done, of how many.

    Returns:
        How much of the dataset has scores.

    Raises:
        ConfigError: there is no such folder.
        DataError: no scores are found, or they or the labels are damaged or do not fit together.
        EvaluationInputError: there are NaN scores, or a timestep comes twice.
    """
    place = find_scores(Path(scores), name)
    labels = {one.scenario_id: _labels(one.scenario_id) for one in find_scenarios(dataset)}
    feed = _feed_samples if name.startswith(("pixel", "point")) else _feed_numbers
    coverage, steps = feed(evaluator, place, Path(dataset), labels)
    if not coverage.scored:
        raise DataError(
            f"holds no scores of the dataset's {len(labels)} scenarios",
            where=place,
            hint=f"one of them is {next(iter(labels))}",
        )
    for done, total in steps:
        if progress is not None:
            progress(done, total)
    return coverage


def _feed_samples(
    evaluator: Evaluator, place: Path, dataset: Path, labels: dict[str, Labels]
) -> tuple[Coverage, _Steps]:
    if place.is_file():
        raise DataError("expected a folder with a file per timestep, got a file", where=place)
    stored, without = find_sample_scores(place, dataset)
    for one in stored:
        length = labels[one.scenario_id].size
        if one.timestep_id >= length:
            raise DataError(f"lies beyond its scenario's {length} timesteps", where=one.path)
    coverage = Coverage(
        fingerprint=_fingerprint(labels),
        scenarios=len(labels),
        scored_scenarios=len(labels) - len(without),
        expected=sum(one.size for one in labels.values()),
        scored=len(stored),
        stray=count_score_files(place) - len(stored),
    )
    fed = feed_samples(evaluator, stored)
    return coverage, ((done, len(stored)) for done, _ in enumerate(fed, start=1))


def _feed_numbers(
    evaluator: Evaluator, place: Path, dataset: Path, labels: dict[str, Labels]
) -> tuple[Coverage, _Steps]:
    per_timestep = not isinstance(evaluator, ScenarioEvaluator)
    if place.is_file():
        table = read_score_table(place, dataset, per_timestep=per_timestep)
        stray = sum(name not in labels for name in table.scenario_ids)
    else:
        table = read_score_tree(place, dataset, list(labels), per_timestep=per_timestep)
        stray = count_score_files(place) - len(set(table.scenario_ids))
    rows: dict[str, list[int]] = {}
    for row, scenario_id in enumerate(table.scenario_ids):
        if scenario_id in labels:
            rows.setdefault(scenario_id, []).append(row)
    coverage = Coverage(
        fingerprint=_fingerprint(labels),
        scenarios=len(labels),
        scored_scenarios=len(rows),
        expected=sum(one.size for one in labels.values()) if per_timestep else len(labels),
        scored=sum(map(len, rows.values())),
        stray=stray,
    )
    return coverage, _feed_rows(evaluator, table, rows, place)


def _feed_rows(
    evaluator: Any, table: ScoreTable, rows: dict[str, list[int]], place: Path
) -> _Steps:
    for done, (scenario_id, own) in enumerate(rows.items(), start=1):
        if table.timestep_ids is not None:
            timesteps = [table.timestep_ids[row] for row in own]
            evaluator.update(table.scores[own], [scenario_id] * len(own), timesteps)
        elif len(own) > 1:
            raise DataError(f"{len(own)} scores of one scenario, {scenario_id}", where=place)
        else:
            evaluator.update(table.scores[own[0]], scenario_id)
        yield done, len(rows)


def _labels(scenario_id: str) -> Labels:
    labels = read_anomaly_column(timestep_label_path(scenario_id))
    return np.zeros(0, np.bool_) if labels is None else labels


def _fingerprint(labels: dict[str, Labels]) -> str:
    total = hashlib.sha256()
    for scenario_id, one in labels.items():
        total.update(f"{scenario_below(scenario_id)}\0{one.size}\0".encode())
        total.update(one.astype(np.uint8).tobytes())
    return total.hexdigest()
