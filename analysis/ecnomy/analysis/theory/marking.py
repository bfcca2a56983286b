# SPDX-License-Identifier: Apache-2.0
"""Steady-state marking curves: the marking probability at a mean queue or at a load.

RED: Floyd, Jacobson 1993, with the gentle extension. Load-based: Siris et al. 2002, 4.3.
"""

from __future__ import annotations

from ecnomy.agents.errors import InputError
from ecnomy.analysis.theory.queueing import md1_queue_packets

__all__ = ["load_based_probability", "red_load_curve", "red_marked_fraction", "red_probability"]


def red_probability(
    average_packets: float,
    min_threshold: float,
    max_threshold: float,
    max_probability: float,
    *,
    gentle: bool = True,
) -> float:
    """Return RED's p_b at an average queue; `red_marked_fraction` adds the mark-count correction.

    Args:
        average_packets: RED's average queue, packets.
        min_threshold: the queue at which marking begins, packets.
        max_threshold: the queue at which p_b reaches `max_probability`, packets.
        max_probability: p_b at `max_threshold`, in (0, 1].
        gentle: whether p_b rises further to 1 at twice `max_threshold`; otherwise it jumps to 1.

    Raises:
        InputError: the thresholds are out of range or order, or `max_probability` is out of range.
    """
    if not 0 <= min_threshold < max_threshold:
        raise InputError(f"the thresholds must increase, got {min_threshold} and {max_threshold}")
    if not 0 < max_probability <= 1:
        raise InputError(f"the maximum probability must lie in (0, 1], got {max_probability}")
    if average_packets < min_threshold:
        return 0.0
    if average_packets <= max_threshold:
        rise = (average_packets - min_threshold) / (max_threshold - min_threshold)
        return max_probability * rise
    if not gentle:
        return 1.0
    beyond = (average_packets - max_threshold) / max_threshold
    return min(max_probability + (1 - max_probability) * beyond, 1.0)


def red_marked_fraction(base_probability: float, *, count: bool = True, wait: bool = True) -> float:
    """Return the fraction of packets that RED marks at a constant p_b, corrected by the mark count.

    Let p be p_b, and k the arrivals since the last mark, including the current one. Without
    `count`, the fraction is p. With `wait` (ns-2), a packet is marked with probability p / (2 - k
    p) for 1 <= k p < 2, and never at smaller k p. Without `wait` (Floyd and Jacobson), the
    probability is p / (1 - k p). At larger k p, marking is certain. The mean distance between marks
    is the sum over n >= 0 of the probability that n packets pass unmarked. This distance is about
    1.5 / p with `wait` and 0.5 / p without it, so the fraction is about 2/3 p or 2 p. Distances are
    distributed nearly uniformly rather than geometrically.

    Raises:
        InputError: the probability is outside [0, 1].
    """
    p = base_probability
    if not 0 <= p <= 1:
        raise InputError(f"a probability must lie in [0, 1], got {p}")
    if p == 0 or not count:
        return p
    ceiling = 2.0 if wait else 1.0
    distance, unmarked, k = 0.0, 1.0, 0
    while unmarked > 0:
        distance += unmarked
        k += 1
        if wait and k * p < 1:
            continue
        unmarked *= 1 - min(p / (ceiling - k * p), 1.0) if k * p < ceiling else 0.0
    return 1 / distance


def red_load_curve(
    load: float,
    min_threshold: float,
    max_threshold: float,
    max_probability: float,
    *,
    gentle: bool = True,
) -> float:
    """Return RED's p_b at a load below 1, for Poisson arrivals of equal packets.

    With a small averaging weight, the average queue stays at the mean queue of M/D/1, excluding the
    packet in service. Bursty arrivals lengthen the queue and shift the curve to the left.

    Raises:
        InputError: the load is outside [0, 1), or as `red_probability`.
    """
    average = md1_queue_packets(load)
    return red_probability(average, min_threshold, max_threshold, max_probability, gentle=gentle)


def load_based_probability(load: float, threshold: float, slope: float) -> float:
    """Return min(slope (load - threshold), 1) above the threshold, otherwise 0; load may exceed 1.

    Raises:
        InputError: the load or the threshold is negative, or the slope is not positive.
    """
    if load < 0 or threshold < 0 or slope <= 0:
        raise InputError("load and threshold must be 0 or more, and the slope must be positive")
    return min(max(slope * (load - threshold), 0.0), 1.0)
