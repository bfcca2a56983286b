# SPDX-License-Identifier: Apache-2.0
"""Gains of the PI marking law for a given network."""

from __future__ import annotations

import math

from ecnomy.agents.errors import InputError

__all__ = ["pi_gains"]


def pi_gains(
    flows: float, rtt_s: float, packets_per_s: float, samples_per_s: float = 160.0
) -> tuple[float, float]:
    """Return the gains a and b of the marking law `pi`, per packet.

    TCP's plant has poles at 2N / (R^2 C) and 1 / R and the gain (R C)^3 / (4 N^2). The controller's
    zero z cancels the first pole, and the loop gain is 1 at z. The second pole and the delay then
    determine the phase margin. With K = z^2 (2N / C^2) sqrt(z^2 + 1 / R^2), the bilinear form at
    the sampling frequency f is

        a = K (1/z + 1/(2f)),   b = K (1/z - 1/(2f)).

    These formulas give all four constants of christin2003 for N = 50, R = 0.3 s and N = 60, R =
    0.18 s at 2,500 packets/s. Source: Hollot, Misra, Towsley and Gong, INFOCOM 2001.

    Args:
        flows: N, the smallest number of flows.
        rtt_s: R, the largest round-trip time, including queueing.
        packets_per_s: C, the capacity.
        samples_per_s: f, the sampling frequency of the queue.

    Raises:
        InputError: an argument is not positive and finite, or the zero is too fast for the
            sampling.
    """
    if not all(math.isfinite(x) and x > 0 for x in (flows, rtt_s, packets_per_s, samples_per_s)):
        raise InputError(
            "flows, round-trip time, capacity and sampling must be positive and finite"
        )
    zero = 2 * flows / (rtt_s**2 * packets_per_s)
    if zero > 2 * samples_per_s:
        raise InputError(f"{samples_per_s:g} samples/s are too few for a zero at {zero:g} rad/s")
    gain = zero**2 * 2 * flows / packets_per_s**2 * math.hypot(zero, 1 / rtt_s)
    return gain * (1 / zero + 0.5 / samples_per_s), gain * (1 / zero - 0.5 / samples_per_s)
