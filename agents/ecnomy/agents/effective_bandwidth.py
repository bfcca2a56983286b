# SPDX-License-Identifier: Apache-2.0
"""Kelly's charge for a bursty connection, from its peak rate and its declared mean rate.

A connection of peak rate h and mean rate M uses at most the effective bandwidth of an on-off
source,

    alpha(h, M)  =  (1 / s) log(1 + (M / h) (e^(s h) - 1))      from M (s -> 0) to h (s large)

The space parameter s is large if bursts are large relative to the resource. A user who declares the
mean rate m pays for the time T and the volume V according to the tangent to alpha at m:

    a(h, m) T + b(h, m) V,     b = d alpha / dM at m,     a = alpha(h, m) - b m

alpha is concave in M, so its tangents lie above it. The charge for V = M T is smallest at m = M,
where it is alpha(h, M) T. Users who know their mean rate therefore pay least if they declare it.
Rates are in packets/s, because marking by packets makes costs proportional to packets (Andreassen
et al. 2002, 4.4). Source: Kelly 1996, Charging and accounting for bursty connections; Courcoubetis,
Kelly, Weber 2000, Operations Research 48.
"""

from __future__ import annotations

import math
from typing import Final, NamedTuple

__all__ = ["MOST_EXPONENT", "Tangent", "tangent"]

MOST_EXPONENT: Final = 100.0  # largest s h


class Tangent(NamedTuple):
    """The coefficients a [packets/s] and b [packets per packet] of the charge a T + b V."""

    per_s: float
    per_packet: float


def tangent(peak_pps: float, mean_pps: float, space_s: float) -> Tangent:
    """Return the tangent to the effective bandwidth at the declared mean rate.

    Args:
        peak_pps: largest rate h [packets/s], above 0.
        mean_pps: declared mean rate m [packets/s], above 0 and at most h.
        space_s: Kelly's s [1 / (packets/s)], above 0; s h is at most MOST_EXPONENT.
    """
    grown = math.expm1(space_s * peak_pps) / peak_pps
    alpha = math.log1p(mean_pps * grown) / space_s
    slope = grown / (1 + mean_pps * grown) / space_s
    return Tangent(alpha - slope * mean_pps, slope)
