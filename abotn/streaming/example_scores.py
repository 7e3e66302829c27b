"""Example scores for a generated dataset, stored as a model would leave them, and the answers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abotn.streaming.dataset import Scenario
from abotn.streaming.example_labels import Labels
from abotn.streaming.known_answers import exact_answer

#: One scenario's scores and labels, flat.
Scored = tuple[Scenario, NDArray[np.float64], NDArray[np.bool_]]


def write_scores(root: Path, written: Sequence[Labels], rng: np.random.Generator) -> dict[str, Any]:
    """Write scores for every level below ``root/scores`` and return the figures they have.

    Args:
        root: Folder of the dataset.
        written: Labels of its scenarios.
        rng: Generator of the scores.

    Returns:
        Per level (``pixel-front``, ``point``, ``sensor-front``, ``timestep``, ``scenario``) the
        figures over all scores and ``by_type``, by the CarlAnomaly convention.
    """
    masks = [(one.scenario, one.masks["front"]) for one in written]
    clouds = [(one.scenario, one.points) for one in written]
    readings = [(one.scenario, one.readings("front")) for one in written]
    observed = [(one.scenario, one.observations) for one in written]
    whole = [(one.scenario, np.array([one.scenario.is_anomalous])) for one in written]
    return {
        "pixel-front": _answers(_write_arrays(root, "pixel-front", masks, rng), own=True),
        "point": _answers(_write_arrays(root, "point", clouds, rng), own=True),
        "sensor-front": _answers(_write_table(root, "sensor-front", readings, rng)),
        "timestep": _answers(_write_table(root, "timestep", observed, rng)),
        "scenario": _answers(_write_table(root, "scenario", whole, rng)),
    }


def _write_arrays(
    root: Path,
    name: str,
    labelled: Sequence[tuple[Scenario, NDArray[np.bool_]]],
    rng: np.random.Generator,
) -> Iterator[Scored]:
    for scenario, labels in labelled:
        scores = _draw(labels, rng)
        folder = root / "scores" / name / Path(scenario.scenario_id).relative_to(root)
        folder.mkdir(parents=True)
        for timestep, values in enumerate(scores):
            np.save(folder / f"{timestep:06d}.npy", values.astype(np.float32))
        yield scenario, scores.reshape(-1), labels.reshape(-1)


def _write_table(
    root: Path,
    name: str,
    labelled: Sequence[tuple[Scenario, NDArray[np.bool_]]],
    rng: np.random.Generator,
) -> list[Scored]:
    import pyarrow
    from pyarrow import feather

    scored = [(scenario, _draw(labels, rng), labels) for scenario, labels in labelled]
    ids = [Path(one.scenario_id).relative_to(root).as_posix() for one, _, _ in scored]
    columns: dict[str, Any] = {
        "scenario_id": np.repeat(ids, [len(scores) for _, scores, _ in scored])
    }
    if name != "scenario":
        columns["timestep_id"] = np.concatenate([np.arange(len(s)) for _, s, _ in scored])
    columns["score"] = np.concatenate([scores for _, scores, _ in scored])
    path = root / "scores" / f"{name}.feather"
    path.parent.mkdir(exist_ok=True)
    feather.write_feather(pyarrow.table(columns), path, compression="uncompressed")
    return scored


def _draw(labels: NDArray[np.bool_], rng: np.random.Generator) -> NDArray[np.float64]:
    return rng.integers(-8, 24, size=labels.shape) / 16 + labels * 0.5


def _answers(scored: Iterator[Scored] | list[Scored], *, own: bool = False) -> dict[str, Any]:
    """Return the answers; a type stands against its ``own`` negatives or the normal scenarios'."""
    parts = list(scored)
    by_type: dict[str, Any] = {}
    for kind in sorted({s.anomaly_type for s, _, _ in parts if s.anomaly_type is not None}):
        of_kind = [part for part in parts if part[0].anomaly_type == kind]
        against = of_kind if own else [part for part in parts if not part[0].is_anomalous]
        by_type[kind] = _answer(of_kind, against)
    return {**_answer(parts, parts), "by_type": by_type}


def _answer(positives: list[Scored], negatives: list[Scored]) -> dict[str, Any]:
    hits = [(score, True) for _, scores, labels in positives for score in scores[labels].tolist()]
    misses = [
        (score, False) for _, scores, labels in negatives for score in scores[~labels].tolist()
    ]
    return exact_answer(hits + misses)
