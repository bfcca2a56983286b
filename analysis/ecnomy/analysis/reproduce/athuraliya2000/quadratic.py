# SPDX-License-Identifier: Apache-2.0
"""Quadratic utilities: two sources with demand x = M - w p (at least 0) on one link."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from ecnomy.analysis.reproduce.curve_style import band, theory_line
from ecnomy.analysis.reproduce.judge import Samples
from ecnomy.analysis.reproduce.studies import Studies

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["draw", "figures", "optimum"]

CAPACITY: Final = 12.0  # packets/ms
MOST: Final = {"s1": 12.0, "s2": 8.0}  # M
WEIGHT: Final = {"s1": 3.0, "s2": 1.0}  # w
PACKET_BITS_PER_MS: Final = 8e6


def optimum() -> tuple[dict[str, float], float]:
    """Return the rates that maximise -sum (M - x)^2 / (2 w) within the capacity, and the price.

    If both rates are above 0, then sum(M) - p sum(w) = c.
    """
    price = (sum(MOST.values()) - CAPACITY) / sum(WEIGHT.values())
    return {s: MOST[s] - WEIGHT[s] * price for s in MOST}, price


def figures(studies: Studies) -> Samples:
    """Return the sources' shares of the carried load divided by the optimal shares, per seed."""
    runs = studies["quadratic"]
    rates = {s: runs.sample(f"{s}.goodput_bps") / PACKET_BITS_PER_MS for s in MOST}
    total, best = np.sum(list(rates.values()), axis=0), optimum()[0]
    samples = {f"share_over_optimum.{s}": rates[s] / total * CAPACITY / best[s] for s in MOST}
    samples |= {f"control.rate_over_optimum.{s}": rates[s] / best[s] for s in MOST}
    return samples


def draw(studies: Studies, figure: Figure) -> None:
    """Draw the demand curves of the two sources with the measured points."""
    axis = figure.subplots()
    _best, price = optimum()
    runs = studies["quadratic"]
    prices = np.linspace(0, 9, 91)
    for index, s in enumerate(MOST):
        label = "M - w p" if index == 0 else "_nolegend_"
        theory_line(axis, prices, np.maximum(MOST[s] - WEIGHT[s] * prices, 0), label)
        rate = runs.sample(f"{s}.goodput_bps") / PACKET_BITS_PER_MS
        band(axis, [price], [rate], index, f"{s}, measured, at the optimal price")
    axis.set(xlabel="price", ylabel="rate, packets/ms")
    axis.legend()
