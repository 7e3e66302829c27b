"""Which timesteps were scored already, two to three bytes each where they follow one another."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from abotn.errors import EvaluationInputError

#: A scenario's key and a timestep number, -1 for a score of the scenario as a whole.
Key = tuple[str, int]

_PER_BLOCK = 256


class SeenTimesteps:
    """Remembers keys, to refuse a score that comes twice and would count twice."""

    def __init__(self) -> None:
        # A bit per timestep, in blocks, so that a single large number takes little room too.
        self._marks: dict[str, dict[int, int]] = {}

    def check(self, keys: Iterable[Key], paths: Sequence[str] = ()) -> None:
        """Refuse keys of which one was seen or occurs twice; remember none of them.

        Args:
            keys: The keys.
            paths: The path of each one's scenario, as the error should spell it.

        Raises:
            EvaluationInputError: it names the key.
        """
        batch: set[Key] = set()
        for place, key in enumerate(keys):
            scenario, timestep = key
            block, bit = divmod(timestep, _PER_BLOCK)
            marks = self._marks.get(scenario, {}).get(block, 0)
            if key in batch or marks >> bit & 1:
                path = paths[place] if paths else scenario
                raise EvaluationInputError(
                    "scored twice",
                    where=path if timestep < 0 else f"{path} timestep {timestep}",
                    hint="each counts once; reset() forgets all scores",
                )
            batch.add(key)

    def add(self, keys: Iterable[Key]) -> None:
        """Remember keys."""
        for scenario, timestep in keys:
            block, bit = divmod(timestep, _PER_BLOCK)
            blocks = self._marks.setdefault(scenario, {})
            blocks[block] = blocks.get(block, 0) | 1 << bit

    def discard(self, key: Key) -> None:
        """Forget one key that was added."""
        block, bit = divmod(key[1], _PER_BLOCK)
        self._marks[key[0]][block] &= ~(1 << bit)

    def keys(self) -> Iterator[Key]:
        """Yield all keys."""
        for scenario, timesteps in self.state().items():
            yield from ((scenario, timestep) for timestep in timesteps.tolist())

    def state(self) -> dict[str, Any]:
        """Return the timestep numbers of each scenario, int64 arrays that rise."""
        found = {}
        for scenario, blocks in self._marks.items():
            numbers = [
                block * _PER_BLOCK + bit
                for block, marks in sorted(blocks.items())
                for bit in range(marks.bit_length())
                if marks >> bit & 1
            ]
            found[scenario] = np.array(numbers, np.int64)
        return found

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> SeenTimesteps:
        """Return what ``state`` was taken of.

        Raises:
            ValueError: it holds something else.
        """
        seen = cls()
        for scenario, numbers in state.items():
            timesteps = np.asarray(numbers)
            if timesteps.ndim != 1 or timesteps.dtype.kind != "i" or (timesteps < 0).any():
                raise ValueError(f"expected timestep numbers of {scenario}")
            seen.add((str(scenario), timestep) for timestep in timesteps.tolist())
        return seen
