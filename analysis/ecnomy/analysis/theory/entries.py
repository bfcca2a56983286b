# SPDX-License-Identifier: Apache-2.0
"""Measurements for entries of papers that need only theory, with one function per entry.

A key consists of the claim, the measurement and, if there are several cases, the case:
`c1.growth.1.4`. The expected values are in tests/analysis/theory, because `ecnomy reproduce`
measures these entries with other code. If a paper does not state its settings, the docstring lists
our settings.
"""

from __future__ import annotations

import numpy as np

from ecnomy.agents.random_streams import agent_stream
from ecnomy.analysis.theory import checks
from ecnomy.analysis.theory.optimum import FlowProblem
from ecnomy.analysis.theory.pi import pi_gains
from ecnomy.analysis.theory.stability import gaussian_gain_bound
from ecnomy.analysis.theory.utility import LogUtility, PowerUtility, Utility

__all__ = [
    "antoniadis2000_eq2",
    "athuraliya2000_basic_theorem",
    "athuraliya2000_fig1",
    "christin2003_pi_tuning",
    "siris2002_fluid_stability",
]

Figures = dict[str, float]


def _keyed(claim: str, figures: Figures, case: str = "") -> Figures:
    return {f"{claim}.{name}{case and '.' + case}": value for name, value in figures.items()}


def siris2002_fluid_stability() -> Figures:
    """Return measurements for claims c1 to c4 of siris2002.fluid-stability.

    Our settings: c2 uses a link of 1,250 packets/s with load-based marking (threshold 0.6, slope
    0.71) at load 0.8, and gains of 0.5 and 2 per round trip. c3 and c4 use this link and one of 800
    packets/s (threshold 0.5, slope 1). One flow crosses each link and one crosses both. The
    utilities are w log x, and in c4 also -w / x.
    """
    curves = (checks.linear_curve(1250, 0.6, 0.71), checks.linear_curve(800, 0.5, 1.0))
    routes, start, weights = ((0,), (1,), (0, 1)), (200.0,) * 3, (50.0, 20.0, 40.0)
    figures: Figures = {}
    for product in (0.3, 0.4, 1.4, 1.7):
        figures |= _keyed("c1", checks.delay_equation_course(product), f"{product:g}")
    for gain in (0.5, 2.0):
        got = checks.without_oscillation_w_dec(
            gain, 0.2, 1000.0, curves[0], 0.71 / 1250, tolerance=0.005
        )
        figures |= _keyed("c2", got, f"{gain:g}")
    figures |= _keyed(
        "c3",
        checks.weighted_log_perturbation(
            routes, curves, weights, start, kappa_per_s=2.0, until_s=120.0
        ),
    )
    utilities: dict[str, Utility] = {
        "log": LogUtility(np.array(weights)),
        "inverse": PowerUtility(20_000.0, 2.0),
    }
    for name, utility in utilities.items():
        got = checks.general_utility_residual(
            routes, curves, utility, start, kappa_per_s=2.0, until_s=120.0
        )
        figures |= _keyed("c4", got, name)
    return figures


def athuraliya2000_fig1() -> Figures:
    """Return c1 and c2 of athuraliya2000.fig1 for phi = 1.2, U = 2 log x and our prices 0 to 20."""
    prices, marking = np.linspace(0, 20, 401), np.linspace(0.005, 0.995, 199)
    got = checks.rem_curves(1.2, 2.0, prices, marking)
    second = ("steepest_at",)
    return _keyed("c1", {k: v for k, v in got.items() if k not in second}) | _keyed(
        "c2", {k: v for k, v in got.items() if k in second}
    )


def _networks() -> dict[str, FlowProblem]:
    """Return the paper's single link, its three links of Fig. 2b, and our ring of unequal links."""
    ring_weights = LogUtility(np.array([12.0, 3.0, 6.0, 9.0, 5.0]))
    return {
        "link": FlowProblem(((0,),) * 4, (12.0,), LogUtility(12.0), 0.1, 24.0),
        "row": FlowProblem(((0, 1, 2), (0,), (1,), (2,)), (12.0,) * 3, LogUtility(12.0), 0.1, 24.0),
        "ring": FlowProblem(
            ((0, 1), (1, 2), (2, 0), (0,), (1, 2, 0)), (12.0, 8.0, 20.0), ring_weights, 0.1, 24.0
        ),
    }


def athuraliya2000_basic_theorem(seed: int = 1) -> Figures:
    """Return measurements for claims c1 to c4 of athuraliya2000.basic-theorem on three networks.

    The paper states gamma = 0.005 and alpha = 0.1. Our settings are initial prices of 3, 3,000
    periods, and delays of 0 to 20 periods.
    """
    figures: Figures = {}
    for name, problem in _networks().items():
        start = [3.0] * len(problem.capacities)
        stream = agent_stream(seed, f"athuraliya2000.basic-theorem.{name}")
        got = checks.basic_algorithm_errors(
            problem, start, stream, gamma=0.005, periods=3000, longest_delay=20
        )
        figures |= _keyed("c1", got, name)
        for rule in ("pc1", "pc2", "pc3"):
            got = checks.descent(problem, start, rule=rule, gamma=0.005, periods=3000)
            figures |= _keyed("c3" if rule == "pc3" else "c2", got, f"{rule}.{name}")
        got = checks.price_identity_error(problem, start, gamma=0.005, periods=3000)
        figures |= _keyed("c4", got, name)
    return figures


def christin2003_pi_tuning() -> Figures:
    """Return c1 of christin2003.pi-tuning: gains at 160 samples/s and 2,500 packets/s."""
    figures: Figures = {}
    for name, flows, rtt_s in (("approximate", 50, 0.3), ("exact", 60, 0.18)):
        a, b = pi_gains(flows, rtt_s, 2500.0, 160.0)
        figures |= _keyed("c1", {"a": a, "b": b}, name)
    return figures


def antoniadis2000_eq2() -> Figures:
    """Return the theoretical part of c1 of antoniadis2000.eq2: the gain for Q / sigma^2 = 10."""
    return _keyed("c1", {"gain": gaussian_gain_bound(10.0)})
