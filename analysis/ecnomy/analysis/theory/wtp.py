# SPDX-License-Identifier: Apache-2.0
"""Willingness-to-pay (WTP) congestion control, in which a flow pays w marks per round trip.

On every ACK, cwnd += gain (w_inc / cwnd - f / w_dec) with f = 1 for a marked packet, otherwise 0.
With w = w_inc w_dec, the drift is 0 at cwnd = w / p. Source: Siris, Courcoubetis, Margetis 2002,
Eq. 4 to 7.
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
    """Return the equilibrium window w / p, packets; `weight` in marks per round trip."""
    _positive(weight=weight, probability=probability)
    return weight / probability


def wtp_rate_pps(weight: float, probability: float, rtt_s: float) -> float:
    """Return the equilibrium rate x = w / (p T), packets/s; `weight` in marks per round trip."""
    _positive(rtt_s=rtt_s)
    return wtp_window_packets(weight, probability) / rtt_s


def wtp_time_constant_s(rtt_s: float, gain: float, probability: float, w_dec: float = 1) -> float:
    """Return the time constant T w_dec / (gain p) of the window near equilibrium, seconds."""
    _positive(rtt_s=rtt_s, gain=gain, probability=probability, w_dec=w_dec)
    return rtt_s * w_dec / (gain * probability)


def wtp_stability(
    gain: float, probability: float, rate_pps: float, slope_s: float, w_dec: float = 1
) -> float:
    """Return the left side of Eq. 7, gain (p + x p') / w_dec per ACK, with p' = dp/dx in seconds.

    With one common round trip, the loop is stable if the result is below pi/2, and does not
    oscillate if it is below 1/e. The gain per ACK is the rate-based gain kappa times T.
    """
    _positive(gain=gain, w_dec=w_dec)
    return gain * (probability + rate_pps * slope_s) / w_dec


def wtp_floor_bias(window_packets: float) -> float:
    """Return an ACK-clocked WTP flow's marks per round trip divided by its weight, 1 - 0.5 / W.

    An ACK-clocked sender has the integer part of cwnd in flight, on average half a packet less than
    cwnd. The drift is 0 at cwnd = W = w / p, but the flow sends W - 0.5 packets per round trip.
    So it gets w (1 - 0.5 / W) marks per round trip. A paced sender does not have this bias.

    Raises:
        InputError: the window is below one packet, where the approximation fails.
    """
    if not window_packets >= 1:
        raise InputError(f"the window must be at least one packet, got {window_packets}")
    return 1 - 0.5 / window_packets


def wtp_floor_ratio(weight_ratio: float, light_window_packets: float) -> float:
    """Return the throughput ratio of two ACK-clocked WTP flows: (r W - 0.5) / (W - 0.5).

    Args:
        weight_ratio: r, ratio of the heavy to the light weight.
        light_window_packets: W, the mean cwnd of the light flow, packets, >= 1.
    """
    _positive(weight_ratio=weight_ratio)
    heavy = wtp_floor_bias(weight_ratio * light_window_packets)
    return weight_ratio * heavy / wtp_floor_bias(light_window_packets)
