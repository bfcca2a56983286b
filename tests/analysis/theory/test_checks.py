# SPDX-License-Identifier: Apache-2.0
"""Checks of theory where their property does not hold (it does in test_entries.py)."""

from __future__ import annotations

import numpy as np

from ecnomy.analysis.theory import FlowProblem, LogUtility, checks

LINE = FlowProblem(((0, 1, 2), (0,), (1,), (2,)), (12.0,) * 3, LogUtility(12.0), 0.1, 24.0)
ROUTES = ((0,), (1,), (0, 1))
CURVES = (checks.linear_curve(1250, 0.6, 0.71), checks.linear_curve(800, 0.5, 1.0))
START = {"start_pps": [200.0] * 3}


def test_far_from_the_end_of_equation_1_a_change_gains() -> None:
    """A change of 1 % in one rate raises the objective."""
    settings = {"weights_per_s": [50.0, 20.0, 40.0], "kappa_per_s": 1.0, "until_s": 0.5}
    early = checks.weighted_log_perturbation(ROUTES, CURVES, **settings, **START)
    assert early["largest_gain"] > 0


def test_on_the_way_general_utilities_have_no_equilibrium() -> None:
    """U'(x) is not the path's sum of probabilities yet."""
    utility, settings = LogUtility(np.array([50.0, 20.0, 40.0])), {"kappa_per_s": 2.0}
    early = checks.general_utility_residual(
        ROUTES, CURVES, utility, until_s=0.1, **settings, **START
    )
    assert early["residual"] > 1e-2


def test_curves_of_figure_1_have_their_shapes() -> None:
    """Formulas hold to 1e-12, m is concave and rises, and x falls, fastest at first."""
    got = checks.rem_curves(1.2, 2.0, np.linspace(0, 20, 201), np.linspace(0.005, 0.995, 199))
    assert max(got["marking_error"], got["rate_error"]) < 1e-12
    assert got["smallest_marking_step"] > 0 > got["largest_marking_bend"]
    assert got["largest_rate_step"] < 0
    assert got["steepest_at"] == 0.005


def test_after_ten_periods_the_basic_algorithm_is_not_at_the_optimum() -> None:
    """Both versions are still off the optimum by more than 0.1 %."""
    generator = np.random.Generator(np.random.Philox(7))
    got = checks.basic_algorithm_errors(
        LINE, [3.0] * 3, generator, gamma=0.005, periods=10, longest_delay=20
    )
    assert min(got.values()) > 1e-3
