"""Several predicted futures against the one that came."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from abotn.errors import EvaluationInputError
from abotn.metrics.arrays import as_modes_pair, as_number, as_numbers
from abotn.metrics.spec import metric
from abotn.units import Unit

FloatArray = NDArray[np.float64]

MODES = {"prediction": "K T D", "ground_truth": "T D"}
SOCIAL_GAN = "Gupta et al. 2018, CVPR, arXiv:1803.10892"
ARGOVERSE = "Chang et al. 2019, CVPR, arXiv:1911.02620"


@metric(
    unit=Unit.METRE,
    better="lower",
    bounds=(0, np.inf),
    reference=SOCIAL_GAN,
    aliases=("minade",),
    category="prediction",
    sample=True,
    shapes=MODES,
)
def min_ade(prediction: ArrayLike, ground_truth: ArrayLike) -> float:
    """Average displacement error of the best predicted path.

    ``min_k mean_t |prediction_{k,t} - ground_truth_t|``.

    Args:
        prediction: (K, T, 2) or (K, T, 3) positions, metres; index k is the predicted path.
        ground_truth: (T, 2) or (T, 3) positions, metres.

    Returns:
        Metres.

    Raises:
        EvaluationInputError: shapes do not match, or a number is not finite.

    Example:
        >>> min_ade([[[0.0, 0.0], [1.0, 0.0]], [[0.0, 0.0], [5.0, 0.0]]], [[0.0, 0.0], [3.0, 0.0]])
        1.0

    Source: Gupta et al. 2018, arXiv:1803.10892, section 4.
    """
    return float(_mean_errors(*as_modes_pair(prediction, ground_truth)).min())


@metric(
    unit=Unit.METRE,
    better="lower",
    bounds=(0, np.inf),
    reference=SOCIAL_GAN,
    aliases=("minfde",),
    category="prediction",
    sample=True,
    shapes=MODES,
)
def min_fde(prediction: ArrayLike, ground_truth: ArrayLike) -> float:
    """Final displacement error of the predicted path that ends nearest.

    ``min_k |prediction_{k,T} - ground_truth_T|``.

    Args:
        prediction: (K, T, 2) or (K, T, 3) positions, metres; index k is the predicted path.
        ground_truth: (T, 2) or (T, 3) positions, metres.

    Returns:
        Metres.

    Raises:
        EvaluationInputError: shapes do not match, or a number is not finite.

    Example:
        >>> min_fde([[[0.0, 0.0], [1.0, 0.0]], [[0.0, 0.0], [5.0, 0.0]]], [[0.0, 0.0], [4.0, 0.0]])
        1.0

    Source: Gupta et al. 2018, arXiv:1803.10892, section 4.
    """
    modes, truth = as_modes_pair(prediction, ground_truth)
    return float(np.linalg.norm(modes[:, -1] - truth[-1], axis=1).min())


@metric(
    unit=Unit.NONE,
    better="lower",
    bounds=(0, 1),
    reference=ARGOVERSE,
    category="prediction",
    sample=True,
    shapes=MODES,
    allowed={"threshold": "[0, inf)"},
)
def miss_rate(prediction: ArrayLike, ground_truth: ArrayLike, *, threshold: float = 2.0) -> float:
    """Share of samples of which every predicted path ends too far from the true end.

    ``min_fde > threshold``; the mean over samples is the rate.

    Args:
        prediction: (K, T, 2) or (K, T, 3) positions, metres; index k is the predicted path.
        ground_truth: (T, 2) or (T, 3) positions, metres.
        threshold: Metres.

    Returns:
        0 or 1.

    Raises:
        EvaluationInputError: shapes do not match, a number is not finite, or the threshold is
            negative.

    Example:
        >>> miss_rate([[[0.0, 0.0], [1.0, 0.0]]], [[0.0, 0.0], [4.0, 0.0]])
        1.0

    Source: Chang et al. 2019, arXiv:1911.02620, section 5.
    """
    limit = as_number(threshold, "threshold")
    return float(min_fde(prediction, ground_truth) > limit)


@metric(
    unit=Unit.METRE,
    better="lower",
    bounds=(0, np.inf),
    reference="Thiede & Brahma 2019, ICCV, arXiv:1908.02811",
    aliases=("topk",),
    category="prediction",
    sample=True,
    shapes=MODES,
    allowed={"k": "[1, inf)"},
)
def topk_trajectory_error(prediction: ArrayLike, ground_truth: ArrayLike, *, k: int = 1) -> float:
    """Average displacement error of the best among the first k predicted paths.

    ``min_{j < k} mean_t |prediction_{j,t} - ground_truth_t|``.

    Args:
        prediction: (K, T, 2) or (K, T, 3) positions, metres; the likeliest path first.
        ground_truth: (T, 2) or (T, 3) positions, metres.
        k: How many paths count, 1 to K.

    Returns:
        Metres.

    Raises:
        EvaluationInputError: shapes do not match, a number is not finite, or ``k`` is above K.

    Example:
        >>> topk_trajectory_error([[[1.0, 0.0]], [[0.0, 0.0]]], [[0.0, 0.0]], k=2)
        0.0

    Source: Thiede & Brahma 2019, arXiv:1908.02811.
    """
    modes, truth = as_modes_pair(prediction, ground_truth)
    count = _whole(k)
    if count > len(modes):
        raise EvaluationInputError(f"{count} is above the number of paths, {len(modes)}", where="k")
    return float(_mean_errors(modes[:count], truth).min())


@metric(
    unit=Unit.METRE,
    better="lower",
    bounds=(0, np.inf),
    reference=ARGOVERSE,
    category="prediction",
    sample=True,
    shapes=MODES,
    allowed={"k": "[1, inf)"},
)
def displacement_at_k(prediction: ArrayLike, ground_truth: ArrayLike, *, k: int = 6) -> float:
    """Average displacement error of the best among at most k predicted paths.

    ``min_{j < min(k, K)} mean_t |prediction_{j,t} - ground_truth_t|``.

    Args:
        prediction: (K, T, 2) or (K, T, 3) positions, metres; the likeliest path first.
        ground_truth: (T, 2) or (T, 3) positions, metres.
        k: How many paths count; all of them where there are fewer.

    Returns:
        Metres.

    Raises:
        EvaluationInputError: shapes do not match, a number is not finite, or ``k`` is no
            positive whole number.

    Example:
        >>> displacement_at_k([[[1.0, 0.0]], [[0.5, 0.0]]], [[0.0, 0.0]])
        0.5

    Source: minADE_K of Chang et al. 2019, arXiv:1911.02620, section 5.
    """
    modes, truth = as_modes_pair(prediction, ground_truth)
    return float(_mean_errors(modes[: _whole(k)], truth).min())


@metric(
    unit=Unit.NAT,
    better="lower",
    reference="Thiede & Brahma 2019, ICCV, arXiv:1908.02811",
    category="prediction",
    sample=True,
    shapes={**MODES, "log_weights": "K"},
    allowed={"sigma": "(0, inf)"},
)
def prediction_nll(
    prediction: ArrayLike,
    ground_truth: ArrayLike,
    log_weights: ArrayLike,
    *,
    sigma: float = 1.0,
    normalised: bool = False,
) -> float:
    """Negative log likelihood of the true path under a mixture of Gaussians.

    ``-mean_t log sum_k exp(w_k - |prediction_{k,t} - ground_truth_t|^2 / (2 sigma^2))``; with
    ``normalised`` the weights sum to 1 and ``D log(sigma sqrt(2 pi))`` is added, which makes it
    a true density.

    Args:
        prediction: (K, T, 2) or (K, T, 3) means, metres; index k is the component.
        ground_truth: (T, 2) or (T, 3) positions, metres.
        log_weights: (K,) logarithms of the weights ``w``.
        sigma: Standard deviation of every component, metres.
        normalised: Whether to normalise weights and density.

    Returns:
        Nats per time step.

    Raises:
        EvaluationInputError: shapes do not match, a number is not finite, or ``sigma <= 0``.

    Example:
        >>> prediction_nll([[[0.0, 0.0]]], [[1.0, 1.0]], [0.0])
        1.0

    Source: Thiede & Brahma 2019, arXiv:1908.02811.
    """
    from scipy.special import logsumexp

    modes, truth = as_modes_pair(prediction, ground_truth)
    weights = as_numbers(log_weights, "log_weights", axes="K")
    if len(weights) != len(modes):
        raise EvaluationInputError(
            f"expected {len(modes)} weights, one per path, got {len(weights)}", where="log_weights"
        )
    width = as_number(sigma, "sigma", above=True)
    exponents = -((modes - truth) ** 2).sum(axis=2) / (2 * width**2)
    if normalised:
        weights = weights - logsumexp(weights)
        exponents = exponents - truth.shape[1] * math.log(width * math.sqrt(2 * math.pi))
    return float(-np.mean(logsumexp(weights[:, None] + exponents, axis=0)))


def _mean_errors(modes: FloatArray, truth: FloatArray) -> FloatArray:
    """Return (K,) mean distance of each path to the true one."""
    return np.asarray(np.linalg.norm(modes - truth, axis=2).mean(axis=1))


def _whole(k: int) -> int:
    if isinstance(k, bool) or not isinstance(k, int | np.integer) or k < 1:
        raise EvaluationInputError(f"expected a whole number above 0, got {k!r}", where="k")
    return int(k)
