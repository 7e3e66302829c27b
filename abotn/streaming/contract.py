"""The contract of everything that is fed batch by batch and asked for its figures."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

if TYPE_CHECKING:
    from typing_extensions import Self


@runtime_checkable
class StreamingEvaluator(Protocol):
    """What a new kind of streaming evaluator has to offer.

    Nothing needs to be inherited: a class with these six names is one. The rules beside the
    names are what lets evaluators be sharded, stopped and resumed without changing a figure.

    ``update(...)`` takes one batch; its arguments are the kind's own. An update that raises has
    taken nothing of its batch, and the evaluator stays usable.

    Example:
        >>> class MeanScore:
        ...     def __init__(self):
        ...         self.reset()
        ...     def reset(self):
        ...         self.total, self.count = 0, 0
        ...     def update(self, scores):
        ...         self.total, self.count = self.total + sum(scores), self.count + len(scores)
        ...     def compute(self):
        ...         return {"mean": self.total / self.count if self.count else float("nan")}
        ...     def merge(self, other):
        ...         self.total, self.count = self.total + other.total, self.count + other.count
        ...     def state_dict(self):
        ...         return {"total": self.total, "count": self.count}
        ...     def load_state_dict(self, state):
        ...         self.total, self.count = state["total"], state["count"]
        >>> isinstance(MeanScore(), StreamingEvaluator)
        True
    """

    @property
    def update(self) -> Callable[..., None]:
        """Take one batch; a property here only because each kind has its own arguments."""
        ...

    def compute(self) -> dict[str, Any]:
        """Return the figures of all batches so far; may be called at any time and again."""
        ...

    def reset(self) -> None:
        """Forget all batches and keep the configuration."""
        ...

    def merge(self, other: Self) -> None:
        """Take over all that ``other`` has seen and leave ``other`` as it is.

        Merging shards in any order gives what one evaluator fed with all batches gives.
        """
        ...

    def state_dict(self) -> dict[str, Any]:
        """Return all that was seen as plain values and numpy arrays, ready to be pickled."""
        ...

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Replace all that was seen by ``state``, which an equally configured one returned."""
        ...
