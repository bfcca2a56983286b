# SPDX-License-Identifier: Apache-2.0
"""The basic algorithm (athuraliya2000 Eq. 12, 13), with exact prices instead of marks.

    p_l(t+1) = [p_l(t) + gamma (x^l(t) - c_l)]+        x_s(t+1) = U_s'^-1(sum of p_l on the path)

U_s = w_s log x. Rates and capacities are in packets per step, and delays are in steps. Options are
the price rules PC2 and PC3 (section II-C), and asynchronous updates of links and sources.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import msgspec
import numpy as np

from ecnomy.agents.arrays import Floats

__all__ = ["Basic", "Paths", "dual", "run_basic"]

LEAST_PRICE: Final = 1e-12


class Basic(msgspec.Struct, frozen=True):
    """The results by step: prices[t, link], rates[t, source] and backlog[t, link]."""

    prices: Floats
    rates: Floats
    backlog: Floats


class Paths(msgspec.Struct, frozen=True):
    """A network of links and sources.

    Attributes:
        use: [link, source], 1 if the source crosses the link.
        capacity: capacity of each link, packets per step.
        weight: weight of each source, packets per step.
        least, most: bounds of rates, packets per step.
    """

    use: Floats
    capacity: Floats
    weight: Floats
    least: float
    most: float


def run_basic(
    paths: Paths,
    steps: int,
    gamma: float,
    *,
    rule: str = "pc1",
    alpha: float = 0.1,
    delays: Sequence[int] | None = None,
    active: Floats | None = None,
    rng: np.random.Generator | None = None,
) -> Basic:
    """Return the prices, rates and backlogs of the algorithm, which starts from price 0.

    Args:
        paths: the network.
        steps: number of steps.
        gamma: step size of prices.
        rule: pc1 (Eq. 12), pc2 (price gamma b) or pc3 (weight alpha on the backlog b).
        alpha: weight of the backlog under pc3.
        delays: round trip of each source in steps, half of it in each direction. None means no
            delay.
        active: [step, source], 1 while the source sends. None means that all sources send.
        rng: if given, each link and each source updates in a step only with probability 1/2.
    """
    links, sources = paths.use.shape
    delays = [0] * sources if delays is None else delays
    active = np.ones((steps, sources)) if active is None else active
    prices, backlog = np.zeros((steps + 1, links)), np.zeros((steps + 1, links))
    rates = np.full((steps + 1, sources), paths.least)
    for t in range(steps):
        path_prices = np.array(
            [paths.use[:, s] @ prices[max(0, t - d // 2)] for s, d in enumerate(delays)]
        )
        wanted = np.clip(
            paths.weight / np.maximum(path_prices, LEAST_PRICE), paths.least, paths.most
        )
        rates[t] = _some(rng, wanted, rates[t - 1] if t else rates[0]) * active[t]
        arriving = np.array([rates[max(0, t - (d - d // 2)), s] for s, d in enumerate(delays)])
        excess = paths.use @ arriving - paths.capacity
        backlog[t + 1] = np.maximum(backlog[t] + excess, 0)
        weighed = alpha * backlog[t] if rule == "pc3" else 0.0
        price = np.maximum(prices[t] + gamma * (excess + weighed), 0)
        price = gamma * backlog[t + 1] if rule == "pc2" else price
        prices[t + 1] = _some(rng, price, prices[t])
    return Basic(prices[:-1], rates[:-1], backlog[:-1])


def _some(rng: np.random.Generator | None, new: Floats, old: Floats) -> Floats:
    return new if rng is None else np.where(rng.random(new.shape) < 0.5, new, old)


def dual(paths: Paths, price: Floats) -> float:
    """Return D(p), the objective of the dual problem at prices p > 0 (part I, Eq. 8)."""
    path = np.maximum(paths.use.T @ price, LEAST_PRICE)
    rate = np.clip(paths.weight / path, paths.least, paths.most)
    return float((paths.weight * np.log(rate) - path * rate).sum() + price @ paths.capacity)
