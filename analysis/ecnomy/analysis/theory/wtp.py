# SPDX-License-Identifier: Apache-2.0
"""Willingness-to-pay (WTP) congestion control in equilibrium: a flow receives w marks a round trip.

On every ACK cwnd += gain (w_inc / cwnd - f / w_dec), f = 1 for a marked packet; with w = w_inc
w_dec the drift vanishes at cwnd = w / p. Source: Siris, Courcoubetis, Margetis 2002, Eq. 4 to 7.
"""

from __future__ import annotations

import math

from ecnomy.agents.errors import InputError

__all__ = [
    "wtp_floor_bias",
    "wtp_floor_ratio",
    "wtp_rate_pps",
    "wtp_stability",
    "wtp_time_constant_s",
    "wtp_window_packets",
]


def _positive(**values: float) -> None:
    for name, value in values.items():
        if not (value > 0 and math.isfinite(value)):
            raise InputError(f"{name} must be positive and finite, got {value}")


def wtp_window_packets(weight: float, probability: float) -> float:
    """Equilibrium window w / p, packets; `weight` in marks a round trip."""
    _positive(weight=weight, probability=probability)
    return weight / probability


def wtp_rate_pps(weight: float, probability: float, rtt_s: float) -> float:
    """Equilibrium rate x = w / (p T), packets/s; `weight` in marks a round trip."""
    _positive(rtt_s=rtt_s)
    return wtp_window_packets(weight, probability) / rtt_s


def wtp_time_constant_s(rtt_s: float, gain: float, probability: float, w_dec: float = 1) -> float:
    """Time constant T w_dec / (gain p) with which the window nears its equilibrium, seconds."""
    _positive(rtt_s=rtt_s, gain=gain, probability=probability, w_dec=w_dec)
    return rtt_s * w_dec / (gain * probability)


def wtp_stability(
    gain: float, probability: float, rate_pps: float, slope_s: float, w_dec: float = 1
) -> float:
    """Left side of Eq. 7 with the per-ACK gain: gain (p + x p') / w_dec, p' = dp/dx in seconds.

    Below 1/e the loop with one common round trip does not oscillate, below pi/2 it is stable.
    The rate-based gain kappa and the per-ACK gain are related by gain = kappa T.
    """
    _positive(gain=gain, w_dec=w_dec)
    return gain * (probability + rate_pps * slope_s) / w_dec


def wtp_floor_bias(window_packets: float) -> float:
    """Marks of an ACK-clocked WTP flow over what it pays for: 1 - 0.5 / W.

    An ACK-clocked sender has the integer part of cwnd in flight, half a packet less than cwnd on
    average. The drift vanishes at cwnd = W = w / p while W - 0.5 packets a round trip are
    sent, so the flow gets w (1 - 0.5 / W) marks a round trip. A paced one has no such bias.

    Raises:
        InputError: a window below one packet, where the approximation fails altogether.
    """
    if not window_packets >= 1:
        raise InputError(f"the window must be at least one packet, got {window_packets}")
    return 1 - 0.5 / window_packets


def wtp_floor_ratio(weight_ratio: float, light_window_packets: float) -> float:
    """Throughput ratio of two ACK-clocked WTP flows: (r W - 0.5) / (W - 0.5).

    Args:
        weight_ratio: r, heavy weight over light weight.
        light_window_packets: W, the mean cwnd of the light flow, packets, >= 1.
    """
    _positive(weight_ratio=weight_ratio)
    heavy = wtp_floor_bias(weight_ratio * light_window_packets)
    return weight_ratio * heavy / wtp_floor_bias(light_window_packets)
