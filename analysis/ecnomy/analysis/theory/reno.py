# SPDX-License-Identifier: Apache-2.0
"""Closed forms for TCP Reno in congestion avoidance (W += 1 per round trip, W /= 2 per signal)."""

from __future__ import annotations

import math
from typing import Final

from ecnomy.agents.errors import InputError

__all__ = ["SAWTOOTH_CONSTANT", "bernoulli_constant", "single_flow_utilization"]

SAWTOOTH_CONSTANT: Final = math.sqrt(1.5)
"""Time-average W sqrt(p) = 1.2247 when signals come at regular intervals.

W runs from M/2 to M at one packet per round trip: its mean is 3M/4, a cycle holds 1/p = 3M^2/8
packets, so W sqrt(p) = (3/4) sqrt(8/3) = sqrt(3/2). Mathis et al. 1997.
"""


def single_flow_utilization(buffer_bdp: float) -> float:
    """Return the fraction of time for which one Reno flow keeps a drop-tail link busy.

    Let the window W be in units of the bandwidth-delay product, and time in units of one base round
    trip per packet of window growth. The window grows from (1+b)/2 to 1+b, at which buffer and pipe
    are full. A round trip carries W and takes the time max(1, W):

        carried  = integral of W dW over [(1+b)/2, 1+b]        = (3/8) (1+b)^2
        time     = (1 - (1+b)/2) + integral of W over [1, 1+b]  = (1-b)/2 + ((1+b)^2 - 1)/2
        busy     = carried / time = (3/4) (1+b)^2 / (1 + b + b^2)    for b < 1, else 1

    The busy fraction is 0.8929 at b = 1/4, and 3/4 at b = 0.

    Args:
        buffer_bdp: buffer divided by the bandwidth-delay product (propagation only), >= 0.

    Raises:
        InputError: the buffer is negative.
    """
    if buffer_bdp < 0:
        raise InputError(f"the buffer must be 0 or more, got {buffer_bdp}")
    if buffer_bdp >= 1:
        return 1.0
    b = buffer_bdp
    return 0.75 * (1 + b) ** 2 / (1 + b + b * b)


def bernoulli_constant(decrease: float = 0.5, *, average: str = "time") -> float:
    """Return the mean of W sqrt(p) with independent marks of small probability p.

    Let n count packets. Then dW/dn = 1/W, so Y = p W^2 / 2 grows by 1 per 1/p packets. A mark
    multiplies Y by q = decrease^2. On the clock p n, marks form a Poisson process of rate 1 that
    does not depend on W. So before a mark, and at any packet, Y is distributed like the sum of q^k
    E_k, with exponential E_k of mean 1. Its moments are E[Y^s] = Gamma(1+s) prod_{k>=1} (1 -
    q^(k+s)) / (1 - q^k). A packet takes the time T/W, with the round-trip time T. So the average
    over time is 1 / E[1/W] = sqrt(2/p) / E[Y^(-1/2)], and the average over packets is sqrt(2/p)
    E[Y^(1/2)].

    For Reno, the result is 1.3098 over time and 1.5269 over packets. Regular signals give
    `SAWTOOTH_CONSTANT` = 1.2247. The results are limits for p -> 0 at a constant round-trip time.

    Source: Ott, Kemperman, Mathis, The stationary behavior of ideal TCP congestion avoidance, 1996.

    Args:
        decrease: factor applied to the window at a mark, in (0, 1).
        average: "time" or "packet".

    Raises:
        InputError: an argument is out of range.
    """
    if not 0 < decrease < 1:
        raise InputError(f"the decrease factor must lie between 0 and 1, got {decrease}")
    if average not in ("time", "packet"):
        raise InputError(f"average must be 'time' or 'packet', got {average!r}")
    if average == "time":
        return math.sqrt(2) / _moment(decrease**2, -0.5)
    return math.sqrt(2) * _moment(decrease**2, 0.5)


def _moment(q: float, power: float) -> float:
    """Return E[Y^power] of the sum of q^k E_k, for power > -1."""
    product = math.gamma(1 + power)
    term = q
    while term > 1e-17:
        product *= (1 - term * q**power) / (1 - term)
        term *= q
    return product
