# SPDX-License-Identifier: Apache-2.0
"""Prices and rates by period under the basic algorithm and three price rules without messages.

    basic  p_l(t+1) = [p_l + gamma (x^l(t) - c_l)]^+,  x_s(t+1) = x_s(p^s(t))       (Eq. 12, 13)
    PC1    p_l(t+1) = [p_l + gamma (y_l(t) - share c_l)]^+
    PC2    p_l(t) = gamma b_l(t)
    PC3    p_l(t+1) = [p_l + gamma (alpha b_l(t) + y_l(t) - c_l)]^+
    b_l(t+1) = [b_l + y_l(t) - c_l]^+                                               (Eq. 14)

y_l is the input of link l. The first link of a route receives the source's rate. Every later link
receives the output of the link before it, one period later. A link serves its flows in proportion
to their packets there. Rates are per period. Source: Athuraliya, Low 2000, sections II-B and II-C.
"""

from __future__ import annotations

import msgspec
import numpy as np
import numpy.typing as npt

from ecnomy.agents.arrays import Floats
from ecnomy.agents.errors import InputError
from ecnomy.analysis.theory.optimum import FlowProblem

__all__ = ["PriceCourse", "asynchronous_prices", "basic_prices", "rule_prices"]


class PriceCourse(msgspec.Struct, frozen=True):
    """The prices, rates and backlogs of periods 0 to n, for S sources and L links."""

    prices: Floats  # (n + 1, L)
    rates: Floats  # (n + 1, S)
    backlogs: Floats  # (n + 1, L), packets; 0 if the algorithm has no backlogs


def _start(problem: FlowProblem, prices: npt.ArrayLike, gamma: float, periods: int) -> Floats:
    start = np.asarray(prices, dtype=np.float64)
    if start.shape != (len(problem.capacities),) or not (start >= 0).all():
        raise InputError("expected one initial price per link, each 0 or more")
    if not (gamma > 0 and periods >= 1):
        raise InputError("gamma and the number of periods must be positive")
    if not np.isfinite(problem.rates(problem.incidence() @ start)).all():
        raise InputError("a flow has a price of 0 and no rate limit: start from positive prices")
    return start


def basic_prices(
    problem: FlowProblem, prices: npt.ArrayLike, *, gamma: float, periods: int
) -> PriceCourse:
    """Run the basic algorithm (Eq. 12, 13) from prices of shape (L,) and the rates at these prices.

    Raises:
        InputError: an argument has a wrong shape or value.
    """
    p, use = _start(problem, prices, gamma, periods), problem.incidence()
    c, x = np.asarray(problem.capacities), problem.rates(use @ p)
    course = _empty(problem, periods)
    course.prices[0], course.rates[0] = p, x
    for t in range(periods):
        course.prices[t + 1] = np.maximum(p + gamma * (x @ use - c), 0.0)
        course.rates[t + 1] = problem.rates(use @ p)
        p, x = course.prices[t + 1], course.rates[t + 1]
    return course


def asynchronous_prices(
    problem: FlowProblem,
    prices: npt.ArrayLike,
    generator: np.random.Generator,
    *,
    gamma: float,
    periods: int,
    longest_delay: int,
    activity: float = 0.5,
) -> PriceCourse:
    """Run the asynchronous version of the basic algorithm (section II-B, last paragraphs).

    In each period, each link updates its price and each source its rate with probability
    `activity`. A link uses delayed rates, and a source delayed prices. All ages from 0 to
    `longest_delay` periods that do not reach back beyond period 0 are equally likely.

    Args:
        problem: the network and its flows.
        prices: initial prices, shape (L,).
        generator: random generator for the ages, and for the choice of links and sources that
            update.
        gamma: price change per packet by which the rates exceed the capacity.
        periods: the number of periods.
        longest_delay: the largest age of a rate or price, in periods.
        activity: probability that a link or source updates in a period, in (0, 1].

    Raises:
        InputError: an argument has a wrong shape or value.
    """
    if longest_delay < 0 or not 0 < activity <= 1:
        raise InputError("delays must be 0 or more, and the activity must lie in (0, 1]")
    p, use = _start(problem, prices, gamma, periods), problem.incidence()
    c, x = np.asarray(problem.capacities), problem.rates(use @ p)
    course = _empty(problem, periods)
    course.prices[0], course.rates[0] = p, x
    flows, links = np.indices(use.shape)
    for t in range(periods):
        oldest = min(longest_delay, t) + 1
        heard_rates = course.rates[t - generator.integers(oldest, size=use.shape), flows]
        heard_prices = course.prices[t - generator.integers(oldest, size=use.shape), links]
        moved = np.maximum(p + gamma * ((heard_rates * use).sum(axis=0) - c), 0.0)
        wanted = problem.rates((heard_prices * use).sum(axis=1))
        p = np.where(generator.random(c.size) < activity, moved, p)
        x = np.where(generator.random(x.size) < activity, wanted, x)
        course.prices[t + 1], course.rates[t + 1] = p, x
    return course


def rule_prices(
    problem: FlowProblem,
    prices: npt.ArrayLike,
    *,
    rule: str,
    gamma: float,
    periods: int,
    alpha: float = 0.1,
    capacity_share: float = 1.0,
    backlogs: npt.ArrayLike = 0.0,
) -> PriceCourse:
    """Run PC1, PC2 or PC3 with exact feedback of prices, and with backlogs by Eq. 14.

    Args:
        problem: the network and its flows; routes list links in the order of travel.
        prices: initial prices, shape (L,); PC2 starts from the backlogs p / gamma.
        rule: "pc1", "pc2" or "pc3".
        gamma: price per packet of backlog or of input above the target.
        periods: the number of periods.
        alpha: weight of the backlog in PC3.
        capacity_share: the target share of the capacity under PC1.
        backlogs: initial backlogs for PC1 and PC3, shape (L,) or a number; each link's backlog is
            divided equally among its flows.

    Raises:
        InputError: an argument has a wrong shape or value.
    """
    if rule not in ("pc1", "pc2", "pc3"):
        raise InputError(f"the price rule must be 'pc1', 'pc2' or 'pc3', got {rule!r}")
    p, use = _start(problem, prices, gamma, periods), problem.incidence()
    c, x = np.asarray(problem.capacities), problem.rates(use @ p)
    held = p / gamma if rule == "pc2" else np.broadcast_to(np.asarray(backlogs, float), c.shape)
    content = use * (held / np.maximum(use.sum(axis=0), 1))  # (S, L), packets of a flow at a link
    feeding, left = _previous(problem), np.zeros_like(use)
    course = _empty(problem, periods)
    course.prices[0], course.rates[0], course.backlogs[0] = p, x, held
    for t in range(periods):
        fed = np.take_along_axis(left, np.maximum(feeding, 0), axis=1)
        arriving = np.where(feeding < 0, x[:, np.newaxis], fed) * use
        content, left = _served(content + arriving, c)
        inputs, b = arriving.sum(axis=0), course.backlogs[t]
        after = course.backlogs[t + 1] = np.maximum(b + inputs - c, 0.0)
        steps = {
            "pc1": p + gamma * (inputs - capacity_share * c),
            "pc2": gamma * after,
            "pc3": p + gamma * (alpha * b + inputs - c),
        }
        x = course.rates[t + 1] = problem.rates(use @ p)
        p = course.prices[t + 1] = np.maximum(steps[rule], 0.0)
    return course


def _served(present: Floats, capacities: Floats) -> tuple[Floats, Floats]:
    """Return the packets that stay and those that leave, (S, L) each, by proportional service."""
    total = present.sum(axis=0)
    kept = np.maximum(total - capacities, 0.0) / np.where(total > 0, total, 1.0)
    return present * kept, present * (1 - kept)


def _previous(problem: FlowProblem) -> npt.NDArray[np.intp]:
    """Return, by flow and link, the link before it on the flow's route, or -1; shape (S, L)."""
    feeding = np.full((len(problem.routes), len(problem.capacities)), -1, dtype=np.intp)
    for flow, route in enumerate(problem.routes):
        for before, link in zip(route, route[1:], strict=False):
            feeding[flow, link] = before
    return feeding


def _empty(problem: FlowProblem, periods: int) -> PriceCourse:
    flows, links = len(problem.routes), len(problem.capacities)
    rows = periods + 1
    return PriceCourse(np.empty((rows, links)), np.empty((rows, flows)), np.zeros((rows, links)))
