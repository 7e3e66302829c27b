"""Sample level, cameras: one score per pixel."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from abotn.errors import EvaluationInputError
from abotn.streaming.batch import as_array, as_scenarios, as_timesteps
from abotn.streaming.binning import ScoreTransform
from abotn.streaming.dataset import CAMERAS, Scenario, check_sensor, mask_path
from abotn.streaming.labels import read_mask
from abotn.streaming.sample import Labels, SampleEvaluator, Timestep


class PixelEvaluator(SampleEvaluator):
    """Pooled figures over the pixel scores of one camera.

    All pixels of the split form one binary problem: those of anomalous timesteps, of anomaly-free
    timesteps and of normal scenarios. Masks lie in
    ``{scenario_id}/anomaly-{sensor}/{timestep_id:06d}.png``, where any pixel that is not zero is
    anomalous; a missing mask is all negative, in the shape of the scores, and is counted in
    ``n_missing_labels``.

    Args:
        sensor: Camera direction: ``"front"``, ``"left"``, ``"right"`` or ``"rear"``.
        num_workers: Worker threads, at most, that decode masks and bin scores off the main loop.
        max_inflight: Timesteps that may be queued at once; ``update`` waits beyond that.
        n_bins: Bins of the histograms of all scores and of each type.
        scenario_bins: Bins of each scenario's histogram, for intervals and ``scenario_macro``;
            divides ``n_bins``. Where the default does not, the largest divisor below it is taken.
        score_transform: Strictly monotonic map of float64 arrays, applied before binning. Default
            asinh, or the identity when only ``score_range`` is given.
        score_range: ``(lo, hi)`` after the transform. Default plus and minus ``asinh(1e6)``, or
            ``(0, 1)`` when only ``score_transform`` is given.
        exact: Keep the scores instead of counting them: figures are exact with ties, memory grows
            by 17 bytes a score.
        nan_policy: ``"raise"``, or ``"omit"`` to leave NaN scores out and count them.
        by_type_negatives: What the positives of an anomaly type are compared with:
            ``"carlanomaly"`` and ``"devkit"`` (here ``"own"``: the type's own scenarios),
            ``"own"``, ``"normal"``, ``"own_and_normal"`` or ``"all"``.

    Raises:
        UnknownNameError: the camera is not known.
        ConfigError: another argument cannot be used.

    Example:
        >>> evaluator = PixelEvaluator("front", num_workers=2)
        >>> for images, scenario_ids, timestep_ids in ():
        ...     evaluator.update(model(images), scenario_ids, timestep_ids)
        >>> evaluator.compute()["undefined"]["auroc"]
        'no scores'
    """

    def __init__(
        self,
        sensor: str,
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
        self.sensor = check_sensor(sensor, CAMERAS)
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
        self, pixel_scores: Any, scenario_ids: Sequence[str], timestep_ids: Sequence[int]
    ) -> None:
        """Take one batch of score maps.

        Each map is copied, so the batch may be freed or reused at once. A tensor is brought to the
        host once per batch.

        Args:
            pixel_scores: Array or tensor-like, shape (B, H, W); higher is more anomalous.
            scenario_ids: B paths of scenario folders.
            timestep_ids: B timestep numbers.

        Raises:
            EvaluationInputError: the batch has another form, a path is of neither kind, or a
                timestep is scored twice. Also when a map of an earlier batch had NaN scores.
            DataError: a mask of an earlier batch is damaged or has another shape than its scores.
                In every case nothing of this batch was taken: feed it again.
        """
        self._workers.check()
        maps = as_array(pixel_scores, "pixel_scores")
        if maps.ndim != 3:
            raise EvaluationInputError(
                f"expected shape (B, H, W), got {maps.shape}", where="pixel_scores"
            )
        scenarios = as_scenarios(scenario_ids, len(maps))
        self._take(self._timesteps(maps, scenarios, as_timesteps(timestep_ids, len(maps))))

    def config(self) -> dict[str, Any]:
        """Return what two evaluators must share to be merged."""
        return {"sensor": self.sensor, **super().config()}

    def _timesteps(
        self, maps: NDArray[Any], scenarios: list[Scenario], timesteps: list[int]
    ) -> Iterator[Timestep]:
        for scores, scenario, timestep in zip(maps, scenarios, timesteps, strict=True):
            path = mask_path(scenario.scenario_id, self.sensor, timestep)
            yield Timestep(scenario, timestep, scores, path)

    def _read_labels(self, path: Path) -> Labels | None:
        return read_mask(path)

    def _shape_error(self, scores: NDArray[Any], labels: Labels) -> str:
        return f"the mask has shape {labels.shape}, the score map {scores.shape}"
