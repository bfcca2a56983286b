# SPDX-License-Identifier: Apache-2.0
"""The points of a sweep: values of parameters, and seeds.

The sweep is the product of its blocks (grid, list, zip, random, latin-hypercube) in written order.
The last block varies fastest. A grid is the product of its lists, and a zip goes through its lists
together. Random and Latin hypercube samples lie within ranges. The plans of a sensitivity analysis
(sobol, morris) also lie within ranges, and cannot be combined with other blocks (plans.py). Draws
depend on the sweep's seed alone (numpy's Philox; scipy.stats.qmc; SALib), so the same file gives
the same points.
"""

from __future__ import annotations

import hashlib
import itertools
import math
from collections import Counter
from collections.abc import Iterator

import msgspec
import numpy as np

from ecnomy.markets.sweep.plans import PLANS, plan_length, plan_shares
from ecnomy.markets.sweep.ties import Ties

__all__ = [
    "Assignment",
    "ParameterBlock",
    "Point",
    "Range",
    "Value",
    "latin_hypercube",
    "points",
    "products",
]

Value = str | int | float | bool | None
Assignment = dict[str, Value]  # path -> value; a mapping or list is its JSON text


class Range(msgspec.Struct, frozen=True):
    """Values from `low` to `high`. `unit` is appended to each value ("" for pure numbers)."""

    low: float
    high: float
    unit: str = ""
    log: bool = False
    whole: bool = False

    def at(self, u: float) -> Value:
        """Return the value at position `u` of the range, from 0 (`low`) to 1 (`high`)."""
        if self.whole:
            value = int(self.low) + math.floor(u * (self.high - self.low + 1))
            return self.shown(min(value, int(self.high)))
        if self.log:
            return self.shown(self.low * (self.high / self.low) ** u)
        return self.shown(self.low + u * (self.high - self.low))

    def shown(self, value: float) -> Value:
        """Return a value with its unit, rounded to six significant digits (money also to 1e-6).

        Pure numbers are not rounded.
        """
        if not self.unit:
            return int(value) if self.whole and value == int(value) else value
        value = float(f"{value:.6g}")
        return f"{round(value, 6) if self.unit.startswith('money') else value!r} {self.unit}"


class ParameterBlock(msgspec.Struct, frozen=True):
    """One way to vary parameters.

    Attributes:
        kind: grid, list, zip, random, latin-hypercube, sobol or morris.
        paths: the parameters that the block sets.
        values: values of each path of a grid, list or zip.
        ranges: range of each path's samples.
        samples: number of samples, of base samples (sobol) or of trajectories (morris).
        labels: labels of values, "" for a value without a label. A grid has one tuple per path. A
            list or zip has one tuple for its items.
        levels: number of levels of each parameter (morris).
        second_order: whether there are samples for second-order indices (sobol).
        ties: paths of each parameter in `paths` that sets several paths, by its name.
    """

    kind: str
    paths: tuple[str, ...]
    values: tuple[tuple[Value, ...], ...] = ()
    ranges: tuple[Range, ...] = ()
    samples: int = 0
    labels: tuple[tuple[str, ...], ...] = ()
    levels: int = 0
    second_order: bool = False
    ties: Ties = {}

    def __len__(self) -> int:
        if self.kind == "grid":
            return math.prod(len(values) for values in self.values)
        if self.kind in PLANS:
            return plan_length(self.kind, self.samples, len(self.ranges), self.second_order)
        return self.samples if self.ranges else len(self.values[0])

    def assignments(self, seed: int) -> list[Assignment]:
        """Return all assignments of the block, in order."""
        if self.kind == "grid":
            rows: list[tuple[Value, ...]] = list(itertools.product(*self.values))
        elif self.ranges:
            shares = self._shares(np.random.Generator(np.random.Philox(seed)))
            rows = [
                tuple(r.at(float(u)) for r, u in zip(self.ranges, row, strict=True))
                for row in shares
            ]
        else:
            rows = list(zip(*self.values, strict=True))
        return [dict(zip(self.paths, row, strict=True)) for row in rows]

    def _shares(self, generator: np.random.Generator) -> np.ndarray:
        """Return the positions of samples in their ranges, [sample, parameter]."""
        if self.kind in PLANS:
            more = self.levels if self.kind == "morris" else self.second_order
            return plan_shares(self.kind, self.samples, len(self.ranges), more, generator)
        if self.kind == "latin-hypercube":
            return latin_hypercube(self.samples, len(self.ranges), generator)
        return generator.random((self.samples, len(self.ranges)))


class Point(msgspec.Struct, frozen=True):
    """A run to make: its changes to the scenario, and its seed."""

    number: int
    params: Assignment
    replicate: int
    seed: int


def points(
    blocks: tuple[ParameterBlock, ...], *, replicates: int, seed: int, paired: bool
) -> Iterator[Point]:
    """Yield all points. The replicates of an assignment follow each other.

    Args:
        blocks: blocks of the sweep, combined as a product; empty for the unchanged scenario.
        replicates: number of runs per assignment.
        seed: seed of random draws and, with `paired`, of the first replicate.
        paired: whether replicate r has seed + r at every assignment (common random numbers).
            Otherwise each assignment gets separate seeds, even if it occurs again (equal values
            under two labels, samples that coincide).
    """
    numbers = itertools.count()
    before: Counter[bytes] = Counter()
    for params in products(blocks, seed):
        text = b"" if paired else msgspec.json.encode(params, order="sorted")
        for replicate in range(replicates):
            own = seed + replicate if paired else _seed(seed, params, replicate, before[text])
            yield Point(next(numbers), params, replicate, own)
        before[text] += 1


def products(blocks: tuple[ParameterBlock, ...], seed: int) -> Iterator[Assignment]:
    """Yield every assignment of the blocks' product, or {} without blocks."""
    each = [block.assignments(seed + number) for number, block in enumerate(blocks)]
    for chosen in itertools.product(*each):
        yield {path: value for part in chosen for path, value in part.items()}


def _seed(seed: int, params: Assignment, replicate: int, before: int) -> int:
    """Return the seed of a replicate. `before` is the number of earlier equal assignments."""
    again = [before] if before else []
    text = msgspec.json.encode([seed, params, replicate, *again], order="sorted")
    return int.from_bytes(hashlib.sha256(text).digest()[:7], "big")


def latin_hypercube(samples: int, dimensions: int, generator: np.random.Generator) -> np.ndarray:
    """Return samples of the unit cube [sample, dimension], one per stratum of each dimension."""
    from scipy.stats import qmc

    drawn: np.ndarray = qmc.LatinHypercube(d=dimensions, rng=generator).random(samples)
    return drawn
