# SPDX-License-Identifier: Apache-2.0
"""What a bursty connection is charged by its peak and mean rate: Kelly's charging scheme.

A connection of peak rate h that sends at the rate M on average takes at most the effective
bandwidth of an on-off source,

    alpha(h, M)  =  (1 / s) log(1 + (M / h) (e^(s h) - 1))      from M (s -> 0) to h (s large)

with s, the space parameter, large where its bursts are large beside the resource. Who declares the
mean rate m pays for the time T and the volume V along the tangent to alpha at m,

    a(h, m) T + b(h, m) V,     b = d alpha / dM at m,     a = alpha(h, m) - b m

As alpha is concave in M, its tangents lie above it: V = M T costs least where m = M, which is then
alpha(h, M) T. So who knows its mean rate does best to declare it. Rates are packets/s here, since
marking that counts packets makes costs go by packets (Andreassen et al. 2002, 4.4). Source: Kelly
1996, Charging and accounting for bursty connections; Courcoubetis, Kelly, Weber 2000, Operations
Research 48.
"""

from __future__ import annotations

import math
from typing import Final, NamedTuple

__all__ = ["MOST_EXPONENT", "Tangent", "tangent"]

MOST_EXPONENT: Final = 100.0  # of s h


class Tangent(NamedTuple):
    """a [packets/s] and b [packets a packet]: a T + b V is what is charged for."""

    per_s: float
    per_packet: float


def tangent(peak_pps: float, mean_pps: float, space_s: float) -> Tangent:
    """The tangent to the effective bandwidth at the mean that was declared.

    Args:
        peak_pps: h, the largest rate [packets/s], above 0.
        mean_pps: m, what was declared [packets/s], above 0 and at most h.
        space_s: s [1 / (packets/s)], above 0; s h at most MOST_EXPONENT.
    """
    grown = math.expm1(space_s * peak_pps) / peak_pps
    alpha = math.log1p(mean_pps * grown) / space_s
    slope = grown / (1 + mean_pps * grown) / space_s
    return Tangent(alpha - slope * mean_pps, slope)
