# SPDX-License-Identifier: Apache-2.0
"""Conditions under which delayed rate control converges, and under which it does not oscillate.

    du/dt = -alpha u(t - T)   settles for alpha T < pi/2, without oscillation for alpha T < 1/e
    WTP: alpha = kappa (p + x p') / w_dec                      (Siris et al. 2002, Eq. 3, 5, 7)
    gain (1 + 2 Q / sigma^2) <= 1/e   is sufficient            (Antoniadis et al. 2000, Eq. 2)

`gain` is the gain per round trip, kappa T. The left side of Eq. 7 is `wtp_stability` (wtp.py).
"""

from __future__ import annotations

import math
from typing import Final

from ecnomy.agents.errors import InputError
from ecnomy.analysis.support.first_use import scipy_part

__all__ = [
    "NO_OSCILLATION_BELOW",
    "STABLE_BELOW",
    "delay_root_per_s",
    "gaussian_gain_bound",
    "smallest_w_dec",
]

STABLE_BELOW: Final = math.pi / 2  # bound of alpha T
NO_OSCILLATION_BELOW: Final = math.exp(-1)  # bound of alpha T


def delay_root_per_s(alpha_per_s: float, delay_s: float) -> complex:
    """Return the slowest mode of du/dt = -alpha u(t - T): u tends to exp(root t).

    The root of s = -alpha exp(-s T) with the largest real part is W_0(-alpha T) / T, where W_0 is
    the principal branch of Lambert's function. The root's real part is the rate of growth. Its
    imaginary part is the angular frequency, which is 0 without oscillation.

    Raises:
        InputError: an argument is not positive.
    """
    if not (alpha_per_s > 0 and delay_s > 0):
        raise InputError("alpha and the delay must be positive")
    return complex(scipy_part("special").lambertw(-alpha_per_s * delay_s)) / delay_s


def smallest_w_dec(gain: float, probability: float, rate_pps: float, slope_s: float) -> float:
    """Return the w_dec above which Eq. 7 holds: e gain (p + x p'), with p' = dp/dx in seconds.

    Raises:
        InputError: an argument is out of range.
    """
    if not (gain > 0 and 0 < probability <= 1 and rate_pps > 0 and slope_s >= 0):
        raise InputError(
            "gain and rate must be positive, p must lie in (0, 1], and p' must be 0 or more"
        )
    return math.e * gain * (probability + rate_pps * slope_s)


def gaussian_gain_bound(queue_over_variance: float) -> float:
    """Return the largest gain that Antoniadis Eq. 2 allows: 1 / (e (1 + 2 Q / sigma^2)).

    Args:
        queue_over_variance: Q / sigma^2. Q is the queue at which marking begins. sigma is the
            standard deviation of the traffic, assumed Gaussian.

    Raises:
        InputError: the argument is negative.
    """
    if not queue_over_variance >= 0:
        raise InputError(f"Q over the variance must not be negative, got {queue_over_variance}")
    return NO_OSCILLATION_BELOW / (1 + 2 * queue_over_variance)
