# SPDX-License-Identifier: Apache-2.0
"""Five networks of REM sources and the optimum of each, computed without ecnomy."""

from __future__ import annotations

import random
from dataclasses import dataclass

import numpy as np

__all__ = ["NETWORKS", "RemNetwork"]

PACKET_BITS = 8000
WEIGHT = 100.0  # packets/s for a weight of 1


@dataclass(frozen=True)
class RemNetwork:
    """Links (from, to, Mbps, ms one way) and flows (links in order, weight)."""

    links: tuple[tuple[str, str, int, int], ...]
    flows: tuple[tuple[tuple[int, ...], int], ...]

    def optimum(self) -> np.ndarray:
        """Rates [packets/s] that maximise sum w ln x: projected Newton steps on the dual."""
        uses = np.zeros((len(self.links), len(self.flows)))
        for flow, (path, _) in enumerate(self.flows):
            uses[list(path), flow] = 1
        capacity = np.array([mbps * 1e6 / PACKET_BITS for _, _, mbps, _ in self.links])
        w = WEIGHT * np.array([weight for _, weight in self.flows])
        prices = np.full(len(self.links), 1.0)
        for _ in range(20_000):
            rates: np.ndarray = w / (uses.T @ prices)
            slopes = uses @ (rates**2 / w)
            prices = np.maximum(prices + 0.3 * (uses @ rates - capacity) / slopes, 1e-12)
        rates = w / (uses.T @ prices)
        load = uses @ rates
        assert np.all(load <= capacity * 1.0001)  # feasible, and each price or slack is zero
        assert np.all((prices < 1e-6) | (load > 0.9999 * capacity))
        return rates

    def flows_times(self, count: int, weight: int = 1) -> RemNetwork:
        """The network with `count` flows for each flow, and every weight times `weight`."""
        flows = [(path, weight * own) for path, own in self.flows for _ in range(count)]
        return RemNetwork(self.links, tuple(flows))

    def yaml(self, steps: str, phi: str, *, duration: int = 100, warmup: int = 40) -> str:
        """The scenario: `steps` are marking options, `phi` belongs to the sources."""
        lines = ["version: 1", f"duration: {duration} s", f"warmup: {warmup} s", "network:"]
        lines.append("  links:")
        for i, (a, b, mbps, ms) in enumerate(self.links):
            lines.append(
                f"    - {{name: l{i}, from: {a}, to: {b}, rate: {mbps} Mbps, delay: {ms} ms, "
                f"buffer: unlimited, not_ect: pass, marking: {{law: rem, {steps}}}}}"
            )
        lines.append("sources:")
        for i, (path, weight) in enumerate(self.flows):
            start, end = self.links[path[0]][0], self.links[path[-1]][1]
            slowest = min(self.links[link][2] for link in path) * 1e6 / PACKET_BITS
            lines.append(
                f"  - {{name: s{i}, from: {start}, to: {end}, spread: 1 s, transport: {{law: rem, "
                f"weight: {weight * WEIGHT:g} packets/s, phi: {phi}, mss: 960 bytes, "
                f"max_rate: {slowest:g} packets/s}}}}"
            )
        return "\n".join(lines) + "\n"


def _row(count: int) -> RemNetwork:
    """A row of `count` links, with one flow over all of them and one over each."""
    links = tuple((f"n{i}", f"n{i + 1}", 10, 10) for i in range(count))
    return RemNetwork(links, ((tuple(range(count)), 1), *(((i,), 1) for i in range(count))))


def _ring() -> RemNetwork:
    """Six nodes in a ring; from each node one flow over two links and one over one link."""
    links = tuple((f"n{i}", f"n{(i + 1) % 6}", 10, 10) for i in range(6))
    long = tuple(((i, (i + 1) % 6), 1 + i % 3) for i in range(6))
    return RemNetwork(links, long + tuple(((i,), 1) for i in range(6)))


def _random() -> RemNetwork:
    """A chain of six random unequal links with eight flows of random lengths and weights."""
    draw = random.Random(5)
    links = tuple(
        (f"n{i}", f"n{i + 1}", draw.randint(5, 14), draw.randint(3, 15)) for i in range(6)
    )
    flows = []
    for flow in range(8):
        first = flow % 6
        last = draw.randint(first, min(5, first + 2))
        flows.append((tuple(range(first, last + 1)), draw.randint(1, 3)))
    return RemNetwork(links, tuple(flows))


ONE = RemNetwork((("a", "b", 10, 20),), tuple(((0,), weight) for weight in (1, 2, 3, 4)))
# Prices differ thirtyfold: the long flow and another one meet on a link of a tenth of the rate.
UNEQUAL = RemNetwork((("a", "b", 50, 2), ("b", "c", 5, 10)), (((0, 1), 1), ((1,), 2), ((0,), 1)))
NETWORKS = {
    "one-link": ONE,
    "three-in-a-row": _row(3),
    "random-six": _random(),
    "ring": _ring(),
    "unequal": UNEQUAL,
}
