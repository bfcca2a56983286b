# SPDX-License-Identifier: Apache-2.0
"""Sections II-B and II-C: convergence of the basic algorithm and of its price rules."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from ecnomy.analysis.reproduce.athuraliya2000.basic import Basic, Paths, dual, run_basic
from ecnomy.analysis.reproduce.curve_style import look, theory_line
from ecnomy.analysis.reproduce.judge import Samples
from ecnomy.analysis.reproduce.operations import most_over_least
from ecnomy.analysis.reproduce.studies import Studies
from ecnomy.analysis.theory.equilibrium import proportional_fair

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["draw", "figures", "row_of_links"]

CAPACITY: Final = 12.0
STEPS: Final = 40_000
GAMMA: Final = 0.002
SEEDS: Final = range(10)
LINKS: Final = 3


def row_of_links(links: int) -> Paths:
    """Return the network of Figure 2b, in which all sources have weight 12."""
    use = np.hstack([np.ones((links, 1)), np.eye(links)])
    capacity, weight = np.full(links, CAPACITY), np.full(links + 1, CAPACITY)
    return Paths(use, capacity, weight, 0.1, 2 * CAPACITY)


def _optimum(paths: Paths) -> np.ndarray:
    routes = [[int(i) for i in np.flatnonzero(column)] for column in paths.use.T]
    return proportional_fair(routes, paths.capacity.tolist(), paths.weight.tolist())


def _error(ran: Basic, best: np.ndarray) -> float:
    return float(np.abs(ran.rates[-1] / best - 1).max())


def _rises(paths: Paths, ran: Basic) -> float:
    """Return the largest rise of D(p) in a step / its total decrease, while prices are above 0."""
    values = np.array([dual(paths, p) for p in ran.prices[10:2000]])
    return float(np.diff(values).max() / (values[0] - values.min()))


def figures(studies: Studies) -> Samples:
    """Return errors of final rates, rises of the dual objective, and ratios of operation counts."""
    paths = row_of_links(LINKS)
    best = _optimum(paths)
    samples: dict[str, np.ndarray | float] = {}
    plain = {rule: run_basic(paths, STEPS, GAMMA, rule=rule) for rule in ("pc1", "pc2", "pc3")}
    samples |= {f"error.{rule}": _error(ran, best) for rule, ran in plain.items()}
    samples |= {f"rise.{rule}": _rises(paths, ran) for rule, ran in plain.items()}
    rng = [np.random.Generator(np.random.Philox(key=seed)) for seed in SEEDS]
    late = [
        run_basic(paths, STEPS, GAMMA, delays=own.integers(0, 20, LINKS + 1).tolist(), rng=own)
        for own in rng
    ]
    samples["error.asynchronous"] = np.array([_error(ran, best) for ran in late])
    pc3 = [
        run_basic(paths, STEPS, GAMMA, rule="pc3", delays=own.integers(0, 20, LINKS + 1).tolist())
        for own in rng
    ]
    samples["error.pc3_with_delays"] = np.array([_error(ran, best) for ran in pc3])
    gap = np.abs(plain["pc1"].prices - GAMMA * plain["pc1"].backlog).max()
    samples["pc1_minus_gamma_backlog"] = float(gap)
    samples |= {
        "operations.packet.most_over_least": most_over_least("rem", "packet"),
        "operations.period.most_over_least": most_over_least("rem", "timer"),
        "control.operations.packet.most_over_least": most_over_least(
            "flow-projection", "projection"
        ),
    }
    return samples


def draw(studies: Studies, figure: Figure) -> None:
    """Draw the first link's price and the long source's rate by step, for each price rule."""
    paths = row_of_links(LINKS)
    left, right = figure.subplots(1, 2)
    for index, rule in enumerate(("pc1", "pc2", "pc3")):
        ran = run_basic(paths, 3000, GAMMA, rule=rule)
        style = look(index) | {"markevery": 300}
        left.plot(ran.prices[:, 0], label=rule.upper(), **style)
        right.plot(ran.rates[:, 0], label=rule.upper(), **style)
    theory_line(right, [0, 3000], [_optimum(paths)[0]] * 2, "optimum")
    left.set(xlabel="step", ylabel="price of a link")
    right.set(xlabel="step", ylabel="rate of the long source, packets a step", ylim=(0, 24))
    left.legend()
    right.legend()
