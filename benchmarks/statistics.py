"""Simulated coverage of intervals and false positives of comparisons.

    python benchmarks/statistics.py [--repetitions 4000] [--docs docs/statistics.md]

Each repetition draws a data set whose true value is known and asks whether the interval holds it.
Repetitions are handled as columns, a batch at a time; each batch has its own resamples. The tables
are printed, and with --docs written between that file's markers.
"""

from __future__ import annotations

import argparse
import math
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from abotn.statistics import Interval, compare_columns, ratio_intervals

Floats = NDArray[np.float64]
Values = Callable[[Floats, np.random.Generator], Floats]

BEGIN, END = "<!-- simulations:begin -->", "<!-- simulations:end -->"
METHODS = ("auto", "percentile", "bca", "studentized", "t")
RESAMPLES = 2000
BATCH = 200
SCENE_TASKS = 15


class Kind(NamedTuple):
    """Values made from a latent normal variable, and their true mean."""

    name: str
    values: Values
    mean: float


@dataclass(frozen=True)
class Setting:
    """One row of a coverage table; `scenes` None means independent records."""

    kind: Kind
    n: int
    scenes: int | None = None
    icc: float = 0.0
    lowest: float = 93.5
    highest: float = 97.0

    @property
    def name(self) -> str:
        """The row's label."""
        if self.scenes is None:
            return f"{self.kind.name}, N = {self.n}"
        return f"{self.kind.name}, {self.scenes} scenes, ICC {self.icc:g}"

    def units(self) -> NDArray[np.int64] | None:
        """The scene of each record."""
        return None if self.scenes is None else np.arange(self.n) // SCENE_TASKS

    def generator(self, batch: int) -> np.random.Generator:
        """The data's own generator, apart from other rows and from the resamples."""
        return np.random.default_rng([batch, zlib.crc32(self.name.encode())])

    def draw(self, columns: int, generator: np.random.Generator) -> Floats:
        """(n, columns) values; each column is one repetition."""
        own = generator.standard_normal((self.n, columns))
        if self.scenes is None:
            return self.kind.values(own, generator)
        shared = generator.standard_normal((self.scenes, columns)).repeat(SCENE_TASKS, axis=0)
        if self.kind.name.startswith(("0/1", "efficiency")):
            return _clustered_success(self, columns, generator)
        return self.kind.values(
            math.sqrt(self.icc) * shared + math.sqrt(1.0 - self.icc) * own, generator
        )


def coverage(setting: Setting, repetitions: int) -> dict[str, tuple[float, float]]:
    """Coverage in percent and mean width of each method."""
    held = dict.fromkeys(METHODS, 0)
    widths: dict[str, list[float]] = {method: [] for method in METHODS}
    for batch, columns in _batches(repetitions):
        values = setting.draw(columns, setting.generator(batch))
        for method in METHODS:
            for found in _intervals(setting, values, method, batch):
                held[method] += found.lower <= setting.kind.mean <= found.upper
                widths[method].append(found.upper - found.lower)
    return {m: (100.0 * held[m] / repetitions, float(np.mean(widths[m]))) for m in METHODS}


def false_positives(setting: Setting, repetitions: int) -> tuple[float, float]:
    """Percent of comparisons of equal agents with p < 0.05, and coverage of 0 by the interval."""
    rejected = held = 0
    for batch, columns in _batches(repetitions):
        generator = setting.generator(batch)
        a, b = _equal_agents(setting, columns, generator)
        for found in compare_columns(a, b, clusters=setting.units(), n_resamples=1999, seed=batch):
            rejected += found.p_value < 0.05
            interval = found.interval
            held += isinstance(interval, Interval) and interval.lower <= 0.0 <= interval.upper
    return 100.0 * rejected / repetitions, 100.0 * held / repetitions


def coverage_table(settings: list[Setting], repetitions: int) -> Iterator[str]:
    """Markdown lines."""
    yield "| data | target | " + " | ".join(METHODS) + " | met by auto |"
    yield "| --- | --- | " + "--- | " * len(METHODS) + "--- |"
    for setting in settings:
        found = coverage(setting, repetitions)
        cells = [f"{found[m][0]:.1f} ± {_error(found[m][0], repetitions):.1f}" for m in METHODS]
        met = _verdict(found["auto"][0], setting.lowest, setting.highest)
        target = f"{setting.lowest:g} to {setting.highest:g}"
        yield f"| {setting.name} | {target} | " + " | ".join(cells) + f" | {met} |"


def comparison_table(settings: list[Setting], repetitions: int) -> Iterator[str]:
    """Markdown lines."""
    yield "| two equal agents | p < 0.05, % | at most | met | interval holds 0, % |"
    yield "| --- | --- | --- | --- | --- |"
    for setting in settings:
        rate, held = false_positives(setting, repetitions)
        most = 5.5 if setting.scenes is None else 7.0
        met = _verdict(rate, 0.0, most)
        error = _error(rate, repetitions)
        yield f"| {setting.name} | {rate:.1f} ± {error:.1f} | {most} | {met} | {held:.1f} |"


def independent_settings() -> list[Setting]:
    """Skewed lengths and proportions over independent records."""
    kinds = [*_lengths(), *map(_proportion, (0.5, 0.9, 0.98)), *map(_efficiency, (0.8, 0.95))]
    return [Setting(kind, n) for kind in kinds for n in (50, 465)]


def clustered_settings() -> list[Setting]:
    """The same in scenes of 15 tasks."""
    kinds = [
        *_lengths(),
        Kind("normal", lambda z, _: z, 0.0),
        *map(_proportion, (0.5, 0.9, 0.98)),
        *map(_efficiency, (0.8, 0.95)),
    ]
    return [
        Setting(kind, scenes * SCENE_TASKS, scenes, icc, lowest=92.5)
        for kind in kinds
        for scenes in (15, 31)
        for icc in (0.0, 0.2)
    ]


def comparison_settings() -> list[Setting]:
    """Pairs of equally good agents."""
    kinds = [_proportion(0.5), _proportion(0.9), _lengths()[0], _lengths()[1], _efficiency(0.8)]
    independent = [Setting(kind, n) for kind in kinds for n in (50, 465)]
    return independent + [Setting(kind, 225, 15, icc) for kind in kinds for icc in (0.0, 0.2)]


def main() -> None:
    """Run the simulations."""
    parser = argparse.ArgumentParser(description="Simulate coverage and false positives.")
    parser.add_argument("--repetitions", type=int, default=4_000)
    parser.add_argument("--docs", type=Path)
    options = parser.parse_args()
    repetitions = options.repetitions
    tables = {
        "Coverage over independent records, in percent": coverage_table(
            independent_settings(), repetitions
        ),
        "Coverage over scenes of 15 tasks, in percent": coverage_table(
            clustered_settings(), repetitions
        ),
        "False positives of comparisons": comparison_table(comparison_settings(), repetitions),
    }
    lines = []
    for heading, table in tables.items():
        print(f"\n{heading}\n", flush=True)
        lines += [
            "",
            f"### {heading}",
            "",
            f"{repetitions:,} repetitions; ± one standard error.",
            "",
        ]
        for line in table:
            print(line, flush=True)
            lines.append(line)
    if options.docs:
        text = options.docs.read_text(encoding="utf-8")
        before, after = text.split(BEGIN)[0], text.split(END)[1]
        body = "\n".join(lines).strip()
        options.docs.write_text(f"{before}{BEGIN}\n{body}\n{END}{after}", encoding="utf-8")


def _intervals(setting: Setting, values: Floats, method: str, seed: int) -> Iterator[Interval]:
    found = ratio_intervals(
        values,
        np.ones_like(values),
        units=setting.units(),
        method=method,
        n_resamples=RESAMPLES,
        seed=seed,
    )[0]
    return (interval for interval in found if isinstance(interval, Interval))


def _equal_agents(
    setting: Setting, columns: int, generator: np.random.Generator
) -> tuple[Floats, Floats]:
    """Two agents on the same tasks; each scene favours one of them by chance, as the ICC says."""
    return setting.draw(columns, generator), setting.draw(columns, generator)


def _clustered_success(setting: Setting, columns: int, generator: np.random.Generator) -> Floats:
    """Success chances vary between scenes by a beta distribution with the wanted ICC."""
    p = float(setting.kind.name.split()[-1])
    if setting.icc:
        size = 1.0 / setting.icc - 1.0
        chances = generator.beta(p * size, (1.0 - p) * size, (setting.n // SCENE_TASKS, columns))
    else:
        chances = np.full((setting.n // SCENE_TASKS, columns), p)
    success = generator.random((setting.n, columns)) < chances.repeat(SCENE_TASKS, axis=0)
    if setting.kind.name.startswith("0/1"):
        return success.astype(np.float64)
    return success * generator.beta(9.0, 1.0, success.shape)


def _lengths() -> list[Kind]:
    return [
        Kind("lengths, log-normal (sigma 0.5)", lambda z, _: np.exp(0.5 * z), math.exp(0.125)),
        Kind("lengths, exponential", lambda z, _: -np.log(_upper_tail(z)), 1.0),
        Kind("lengths, log-normal (sigma 1)", lambda z, _: np.exp(z), math.exp(0.5)),
    ]


def _upper_tail(z: Floats) -> Floats:
    from scipy.special import ndtr

    return np.asarray(ndtr(-z))


def _proportion(p: float) -> Kind:
    def values(z: Floats, generator: np.random.Generator) -> Floats:
        return (generator.random(z.shape) < p).astype(np.float64)

    return Kind(f"0/1, p = {p:g}", values, p)


def _efficiency(p: float) -> Kind:
    def values(z: Floats, generator: np.random.Generator) -> Floats:
        return (generator.random(z.shape) < p) * generator.beta(9.0, 1.0, z.shape)

    return Kind(f"efficiency, 0 unless success, p = {p:g}", values, 0.9 * p)


def _batches(repetitions: int) -> Iterator[tuple[int, int]]:
    for batch, first in enumerate(range(0, repetitions, BATCH)):
        yield batch, min(BATCH, repetitions - first)


def _error(percent: float, repetitions: int) -> float:
    return math.sqrt(percent * (100.0 - percent) / repetitions)


def _verdict(value: float, lowest: float, highest: float) -> str:
    if lowest <= value <= highest:
        return "yes"
    return f"no, by {max(lowest - value, value - highest):.1f}"


if __name__ == "__main__":
    main()
