# SPDX-License-Identifier: Apache-2.0
"""BBR version 1 against its oracle, on the flows of check_bbr.py."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from check_bbr import Scene, follow
from law_api import Laws

__all__ = ["BBR1_CHECKS"]

DEFAULTS: Final = {
    "startup_gain": 2.885,
    "up_gain": 1.25,
    "down_gain": 0.75,
    "cwnd_gain": 2.0,
    "pacing_margin": 0.01,
    "min_rtt_window_s": 10.0,
    "probe_rtt_duration_s": 0.2,
}
OTHERS: Final = {
    "startup_gain": 2.0,
    "up_gain": 1.5,
    "down_gain": 0.6,
    "cwnd_gain": 1.5,
    "pacing_margin": 0.05,
    "min_rtt_window_s": 1.5,
    "probe_rtt_duration_s": 0.1,
}
QUICK: Final = OTHERS | {"min_rtt_window_s": 0.3, "probe_rtt_duration_s": 0.01}


def check_bbr1_steady(laws: Laws) -> None:
    """With a large and a small buffer, and on a short path, all states occur."""
    for buffer in (200, 4):
        states = follow(laws, DEFAULTS, Scene(buffer=buffer, end_s=12.0), name="bbr1")
        assert states == {"STARTUP", "DRAIN", "PROBE_BW", "PROBE_RTT"}
    for seed in range(3):
        follow(laws, OTHERS, Scene(rtt_s=0.004, end_s=4.0), seed, "bbr1")


def check_bbr1_losses(laws: Laws) -> None:
    """It follows its oracle at losses of 1 % and 5 %, with and without SACK, and timeouts."""
    for seed, loss in enumerate((0.01, 0.05)):
        for selective in (True, False):
            scene = Scene(loss=loss, selective=selective, timeouts=0.02)
            follow(laws, DEFAULTS, scene, seed, "bbr1")
            follow(laws, OTHERS, scene._replace(buffer=6), seed, "bbr1")


def check_bbr1_marks(laws: Laws) -> None:
    """Marks have no effect: the flow follows an oracle that ignores them."""
    for rtt_s in (0.002, 0.04):
        scene = Scene(rate=1000.0, rtt_s=rtt_s, mark_above=3, buffer=60, end_s=3.0)
        follow(laws, OTHERS, scene, name="bbr1")


def check_bbr1_application_limited(laws: Laws) -> None:
    """It follows its oracle with pauses, steps of the rate, bursts of ACKs and a window limit."""
    for seed, values in enumerate((DEFAULTS, OTHERS, QUICK)):
        follow(laws, values, Scene(pauses=True), seed, "bbr1")
        follow(laws, values, Scene(pauses=True, loss=0.02, steps=True), seed, "bbr1")
        follow(laws, values, Scene(burst=6, steps=True, loss=0.002), seed, "bbr1")
        follow(laws, values, Scene(most=9.0), seed, "bbr1")
    for seed in range(6):
        follow(laws, QUICK, Scene(rate=40.0, pauses=True), seed, "bbr1")


BBR1_CHECKS: Final[dict[str, list[Callable[[Laws], None]]]] = {
    "bbr1": [
        check_bbr1_steady,
        check_bbr1_losses,
        check_bbr1_marks,
        check_bbr1_application_limited,
    ],
}
