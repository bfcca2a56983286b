# SPDX-License-Identifier: Apache-2.0
"""Tests equations 1 to 7 by integration: the fluid model's stability and equilibrium."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

import numpy as np

from ecnomy.analysis.reproduce.curve_style import look
from ecnomy.analysis.reproduce.judge import Samples
from ecnomy.analysis.reproduce.studies import Studies
from ecnomy.analysis.theory.fluid import (
    DeviationCourse,
    course_of,
    delayed_trajectory,
    network_trajectory,
    wtp_trajectory,
)
from ecnomy.analysis.theory.network import LoadLink, utility_network, wtp_network
from ecnomy.analysis.theory.stability import smallest_w_dec
from ecnomy.analysis.theory.utility import FlowUtility, LogUtility, PowerUtility
from ecnomy.analysis.theory.wtp import wtp_stability

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["draw", "figures"]

T_S: Final = 0.2
_ALPHA_T: Final = (0.3, 0.4, 1.4, 1.7)
_FULL_PPS: Final = 2000.0  # rate at which the linear p(x) = x / full would be 1
_W: Final = 0.1 * 200 / T_S  # marks/s of all flows: p = sqrt(w / full) at equilibrium
_ROUTES: Final = ((0,), (1,), (0, 1))
_CAPACITY: Final = (1250.0, 1000.0)
_SLOPE: Final = 0.71
_ONSET: Final = 0.6


def _linear(alpha_t: float, until: float = 60.0) -> np.ndarray:
    """Return the solution of u'(t) = -alpha u(t - T) with u = 1 up to time 0."""
    course = delayed_trajectory(
        lambda _, lagged: -alpha_t / T_S * lagged[0],
        [1.0],
        [T_S],
        until_s=until * T_S,
        step_s=T_S / 40,
    )
    return np.asarray(course.states[:, 0])


def _wtp_course(kappa_t: float, w_dec: float, until: float = 40.0) -> DeviationCourse:
    """Return the course of a deviation of WTP from equilibrium by 0.1 %, for w_inc w_dec = _W."""
    rest = math.sqrt(_W * _FULL_PPS)
    course = wtp_trajectory(
        lambda x: x / _FULL_PPS,
        kappa_per_s=kappa_t / T_S,
        w_inc_per_s=_W / w_dec,
        w_dec=w_dec,
        delay_s=T_S,
        start_pps=1.001 * rest,
        until_s=until * T_S,
        step_s=T_S / 20,
    )
    return course_of(course.states[:, 0] - rest)


def figures(studies: Studies) -> Samples:
    """Return growth, sign changes, the smallest w_dec without oscillation, and tests of optima."""
    samples: dict[str, float] = {}
    p = math.sqrt(_W / _FULL_PPS)
    rest = p * _FULL_PPS
    for alpha_t in _ALPHA_T:
        course = course_of(_linear(alpha_t))
        samples[f"linear.growth.{alpha_t:g}"] = course.growth
        samples[f"linear.crossings.{alpha_t:g}"] = course.crossings
        kappa_t = alpha_t / wtp_stability(1, p, rest, 1 / _FULL_PPS)
        course = _wtp_course(kappa_t, 1.0)
        samples[f"wtp.growth.{alpha_t:g}"] = course.growth
        samples[f"wtp.crossings.{alpha_t:g}"] = course.crossings
    for kappa_t in (0.5, 1.0, 2.0):
        formula = smallest_w_dec(kappa_t, p, rest, 1 / _FULL_PPS)
        samples[f"w_dec_over_formula.{kappa_t:g}"] = _least_w_dec(kappa_t, formula) / formula
    return samples | _perturbed() | _marginal()


def _least_w_dec(kappa_t: float, about: float) -> float:
    """Return the w_dec at which sign changes cease, by bisection from half to twice `about`."""
    low, high = about / 2, about * 2
    for _ in range(9):
        middle = math.sqrt(low * high)
        if _wtp_course(kappa_t, middle).crossings:
            low = middle
        else:
            high = middle
    return math.sqrt(low * high)


def _p(load: float) -> float:
    return max(0.0, _SLOPE * (load - _ONSET))


def _links() -> tuple[LoadLink, ...]:
    return tuple(LoadLink(c, _p, max_load=2.0) for c in _CAPACITY)


def _perturbed() -> dict[str, float]:
    """Return the change of sum (w / T) log x - sum C_j if a rate at equilibrium changes by 1 %."""
    weights, rtts = np.array([4.0, 2.0, 6.0]), np.array([0.2, 0.1, 0.3])
    rates = wtp_network(_ROUTES, _links(), list(weights), list(rtts)).rates_pps

    def objective(x: np.ndarray) -> float:
        total = float((weights / rtts * np.log(x)).sum())
        for j, capacity in enumerate(_CAPACITY):
            load = sum(x[r] for r, route in enumerate(_ROUTES) if j in route) / capacity
            total -= capacity * _SLOPE * max(0.0, load - _ONSET) ** 2 / 2
        return total

    measures = {}
    for r in range(len(_ROUTES)):
        for sign in (1, -1):
            moved = rates.copy()
            moved[r] *= 1 + 0.01 * sign
            measures[f"objective_change.{r}{sign:+d}"] = objective(moved) - objective(rates)
    return measures


def _marginal() -> dict[str, float]:
    """Return U'(x) / the sum of p on the path, after integration of Eq. 1 with w = x U'(x)."""
    measures = {}
    utilities: dict[str, FlowUtility] = {
        "log": LogUtility(30.0),
        "minus_1_over_x": PowerUtility(2e4, 2.0),
    }
    for name, utility in utilities.items():
        course = network_trajectory(
            _ROUTES,
            [lambda y, c=c: _p(y / c) for c in _CAPACITY],  # type: ignore[misc]
            utility,
            kappa_per_s=0.5,
            delays_s=0.0,
            start_pps=[400.0] * 3,
            until_s=400.0,
            step_s=0.05,
        )
        x = course.states[-1]
        prices = [
            _p(sum(x[r] for r, route in enumerate(_ROUTES) if j in route) / c)
            for j, c in enumerate(_CAPACITY)
        ]
        path = np.array([sum(prices[j] for j in route) for route in _ROUTES])
        for r, ratio in enumerate(utility.marginal(x) / path):
            measures[f"marginal_over_price.{name}.{r}"] = float(ratio)
        direct = utility_network(_ROUTES, _links(), utility).rates_pps
        measures[f"rates_apart.{name}"] = float(np.abs(x / direct - 1).max())
    return measures


def draw(studies: Studies, figure: Figure) -> None:
    """Draw solutions of the linear equation on both sides of its two limits."""
    axes = figure.subplots(1, 2)
    for axis, pair in zip(axes, (_ALPHA_T[:2], _ALPHA_T[2:]), strict=True):
        for index, alpha_t in enumerate(pair):
            course = _linear(alpha_t, 20.0)
            style = {**look(index), "marker": ""}
            axis.plot(np.arange(len(course)) / 40, course, label=f"alpha T = {alpha_t}", **style)
        axis.axhline(0, color="black", linewidth=0.6)
        axis.set(xlabel="time / T", ylabel="deviation from the equilibrium")
        axis.legend()
    axes[0].set_title("oscillation: limit 1/e = 0.368")
    axes[0].set_ylim(-0.003, 0.02)  # the sign changes are small
    axes[1].set_title("stability: limit pi/2 = 1.571")
