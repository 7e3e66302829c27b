"""Sample level, LiDAR: one score per point."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from abotn.errors import EvaluationInputError
from abotn.streaming.batch import as_array, as_scenarios, as_timesteps
from abotn.streaming.binning import ScoreTransform
from abotn.streaming.dataset import Scenario, point_label_path
from abotn.streaming.labels import read_anomaly_column
from abotn.streaming.sample import Labels, SampleEvaluator, Timestep


class PointEvaluator(SampleEvaluator):
    """Pooled figures over the scores of LiDAR points.

    Labels lie in the ``anomaly`` column of
    ``{scenario_id}/anomaly-lidar/{timestep_id:06d}.feather``, one row per point; a missing file is
    all negative and is counted in ``n_missing_labels``. Clouds may differ in length.

    Args and raises: as ``PixelEvaluator``, without ``sensor``.

    Example:
        >>> evaluator = PointEvaluator(num_workers=2, exact=True)
        >>> evaluator.update([[0.1, 0.9]], ["/data/test/normal/Town01/scenario-0"], [7])
        >>> evaluator.compute()["n_negative"]
        2
    """

    def __init__(
        self,
        num_workers: int = 32,
        max_inflight: int = 32,
        *,
        n_bins: int = 65536,
        scenario_bins: int = 4096,
        score_transform: ScoreTransform | None = None,
        score_range: tuple[float, float] | None = None,
        exact: bool = False,
        nan_policy: str = "raise",
        by_type_negatives: str = "carlanomaly",
    ) -> None:
        super().__init__(
            num_workers,
            max_inflight,
            n_bins=n_bins,
            scenario_bins=scenario_bins,
            score_transform=score_transform,
            score_range=score_range,
            exact=exact,
            nan_policy=nan_policy,
            by_type_negatives=by_type_negatives,
        )

    def update(
        self, point_scores: Sequence[Any], scenario_ids: Sequence[str], timestep_ids: Sequence[int]
    ) -> None:
        """Take one batch of point clouds' scores; they are copied.

        Args:
            point_scores: B arrays or tensor-likes, shapes (N_i,); higher is more anomalous.
            scenario_ids: B paths of scenario folders.
            timestep_ids: B timestep numbers.

        Raises:
            EvaluationInputError: the batch has another form, a path is of neither kind, or a
                timestep is scored twice. Also when a cloud of an earlier batch had NaN scores.
            DataError: a label file of an earlier batch is damaged or has another number of rows
                than its cloud has scores. In every case nothing of this batch was taken: feed it
                again.
        """
        self._workers.check()
        clouds = _as_clouds(point_scores)
        scenarios = as_scenarios(scenario_ids, len(clouds))
        self._take(self._timesteps(clouds, scenarios, as_timesteps(timestep_ids, len(clouds))))

    def _timesteps(
        self, clouds: list[NDArray[Any]], scenarios: list[Scenario], timesteps: list[int]
    ) -> Iterator[Timestep]:
        for scores, scenario, timestep in zip(clouds, scenarios, timesteps, strict=True):
            path = point_label_path(scenario.scenario_id, timestep)
            yield Timestep(scenario, timestep, scores, path)

    def _read_labels(self, path: Path) -> Labels | None:
        return read_anomaly_column(path)

    def _shape_error(self, scores: NDArray[Any], labels: Labels) -> str:
        return f"{labels.size} labels for {scores.size} point scores"


def _as_clouds(point_scores: Any) -> list[NDArray[Any]]:
    # One tensor of shape (B, N) comes to the host once, a list of them cloud by cloud.
    if hasattr(point_scores, "detach"):
        point_scores = as_array(point_scores, "point_scores")
    try:
        parts = list(point_scores)
    except TypeError as error:
        raise EvaluationInputError(
            f"expected a sequence of arrays, got {type(point_scores).__name__}",
            where="point_scores",
        ) from error
    clouds = [as_array(cloud, f"point_scores[{i}]") for i, cloud in enumerate(parts)]
    for i, cloud in enumerate(clouds):
        if cloud.ndim != 1:
            raise EvaluationInputError(
                f"expected shape (N,), got {cloud.shape}", where=f"point_scores[{i}]"
            )
    return clouds
