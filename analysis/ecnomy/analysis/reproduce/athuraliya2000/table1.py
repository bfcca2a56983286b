# SPDX-License-Identifier: Apache-2.0
"""Table I: utilisation and mean backlog in each period of Figures 5 to 7."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ecnomy.analysis.reproduce.athuraliya2000.fig5 import by_price
from ecnomy.analysis.reproduce.athuraliya2000.periods import ACTIVE
from ecnomy.analysis.reproduce.curve_style import band
from ecnomy.analysis.reproduce.judge import Samples
from ecnomy.analysis.reproduce.studies import Studies

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["draw", "figures"]


def figures(studies: Studies) -> Samples:
    """Return utilisation and backlog by price rule and period, and PC2's backlog by gamma."""
    rules = by_price(studies["fig5"])
    samples: dict[str, np.ndarray | float] = {}
    for k in range(5):
        use = {rule: runs.sample(f"use.{k}") for rule, runs in rules.items()}
        backlog = {rule: runs.sample(f"backlog.{k}") for rule, runs in rules.items()}
        for rule in rules:
            samples[f"use.{rule}.{k}"], samples[f"backlog.{rule}.{k}"] = use[rule], backlog[rule]
        for more, less in (("pc2", "pc3"), ("pc3", "pc1")):
            samples[f"order.use.{more}_minus_{less}.{k}"] = use[more] - use[less]
            samples[f"order.backlog.{more}_minus_{less}.{k}"] = backlog[more] - backlog[less]
    for name, runs in by_price(studies["fig6-gamma"]).items():
        gamma = float(name.partition("=")[2])
        for k in (0, 1):
            price = gamma * runs.sample(f"backlog.{k}") / len(ACTIVE[k])
            samples[f"control.backlog_over_theory.{name}.{k}"] = price
    return samples


def draw(studies: Studies, figure: Figure) -> None:
    """Draw utilisation and mean backlog by period."""
    left, right = figure.subplots(1, 2)
    middles = [1 + 2 * k for k in range(5)]
    for index, (rule, runs) in enumerate(by_price(studies["fig5"]).items()):
        use = [100 * runs.sample(f"use.{k}") for k in range(5)]
        band(left, middles, use, index, rule.upper())
        backlog = [runs.sample(f"backlog.{k}") for k in range(5)]
        band(right, middles, backlog, index, rule.upper())
    left.set(xlabel="middle of the period, s", ylabel="utilization, %")
    right.set(xlabel="middle of the period, s", ylabel="mean backlog, packets", yscale="log")
    left.legend()
