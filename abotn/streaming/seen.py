"""Which timesteps were scored already, one byte each."""

from __future__ import annotations

from collections.abc import Iterable

from abotn.errors import EvaluationInputError

#: Path of a scenario's folder and a timestep number.
Key = tuple[str, int]


class SeenTimesteps:
    """Remembers keys, to refuse a score that comes twice and would count twice."""

    def __init__(self) -> None:
        self._marks: dict[str, bytearray] = {}

    def check(self, keys: Iterable[Key]) -> None:
        """Refuse keys of which one was seen or occurs twice; remember none of them.

        Raises:
            EvaluationInputError: it names the key.
        """
        batch: set[Key] = set()
        for key in keys:
            scenario_id, timestep = key
            marks = self._marks.get(scenario_id, b"")
            if key in batch or (timestep < len(marks) and marks[timestep]):
                raise EvaluationInputError(
                    "scored twice",
                    where=f"{scenario_id} timestep {timestep}",
                    hint="each timestep counts once; reset() forgets all scores",
                )
            batch.add(key)

    def add(self, keys: Iterable[Key]) -> None:
        """Remember keys."""
        for scenario_id, timestep in keys:
            marks = self._marks.setdefault(scenario_id, bytearray())
            if timestep >= len(marks):
                marks.extend(bytes(timestep + 1 - len(marks)))
            marks[timestep] = 1
