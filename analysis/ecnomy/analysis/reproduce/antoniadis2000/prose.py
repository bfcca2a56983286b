# SPDX-License-Identifier: Apache-2.0
"""Sections 4.1.1, 4.1.2 and 5: shaping, gain and TCP's growth, Eq. 2, and bias by round trips."""

from __future__ import annotations

from typing import Final

import msgspec
import numpy as np

from ecnomy.analysis.reproduce.antoniadis2000.fig7 import by_gain
from ecnomy.analysis.reproduce.judge import Samples
from ecnomy.analysis.reproduce.studies import Runs, Studies

__all__ = ["bias", "gain_bound", "growth", "shaping", "stability"]

_TRIPS: Final = 3.0  # far flows' round trip over near flows'
_PIPE_PACKETS: Final = 1.5e6 * 0.2 / 8000 + 10  # pipe of figure 7: rate x round trip, plus B


def gain_bound(queue_over_variance: float) -> float:
    """Return the largest gain of Eq. 2, gain (1 + 2 Q / sigma^2) <= 1 / e."""
    return float(np.exp(-1) / (1 + 2 * queue_over_variance))


def shaping(studies: Studies) -> Samples:
    """Return ratios of marking probability and throughput, paced / bursty, by law and flows."""
    found: dict[str, np.ndarray | float] = {}
    runs = studies["shaping"]
    for value in runs.values("network.links.bottleneck.marking"):
        law = "red" if msgspec.json.decode(value)["law"] == "red" else "vq"
        for count, prefix in ((1, ""), (5, "ten.")):
            place = {"network.links.bottleneck.marking": value, "sources.light.count": count}
            own = runs.at(place)
            for column, name in (("marking_rate", "probability"), ("goodput_bps", "throughput")):
                ratio = own.sample(f"heavy.{column}") / own.sample(f"light.{column}")
                found[f"{prefix}{law}.{name}.paced_over_bursty"] = ratio
    return found


def growth(studies: Studies) -> Samples:
    """Return the growth of WTP's window per round trip, and its ratio to TCP's."""
    runs = studies["growth"]
    own: dict[str, Runs] = {}
    for value in runs.values("sources.light.transport"):
        written = msgspec.json.decode(value)
        every = "tcp.every_other" if "delayed_acks" in written else "tcp.each"
        name = f"gain={written['gain']:g}" if written["law"] == "wtp" else every
        own[name] = runs.at({"sources.light.transport": value})
    grown = {name: run.sample("growth_per_rtt") for name, run in own.items()}
    found: dict[str, np.ndarray | float] = {f"per_rtt.{name}": v for name, v in grown.items()}
    found["over_tcp.gain=1"] = grown["gain=1"] / grown["tcp.each"]
    found["over_tcp.gain=0.5"] = grown["gain=0.5"] / grown["tcp.every_other"]
    return found


def stability(studies: Studies) -> Samples:
    """Return Eq. 2's bound, and the behaviour at the bound and far beyond it."""
    own = by_gain(studies["fig7"], least=0.0)
    settled = {gain: runs.sample("settled_s") for gain, runs in own.items()}
    least = min(own)
    found: dict[str, np.ndarray | float] = {"bound.Q_over_variance=10": gain_bound(10)}
    found["settled_s.bound_minus_0.05"] = settled[least] - settled[0.05]
    for gain in (0.5, 1.0):
        for column in ("least_share", "most_share"):
            found[f"{column}.gain={gain:g}"] = own[gain].sample(column)
        found[f"largest_over_pipe.gain={gain:g}"] = own[gain].sample("largest_cwnd") / _PIPE_PACKETS
    return found


def bias(studies: Studies) -> Samples:
    """Return near / far throughput, divided by the ratio of round trips, and corrected."""
    runs = studies["rtt"]
    found: dict[str, np.ndarray | float] = {}
    for reference in runs.values("sources.light.transport.reference_rtt"):
        for send, prefix in (("ack-clocked", ""), ("paced", "paced.")):
            own = runs.at(
                {
                    "sources.light.transport.reference_rtt": reference,
                    "sources.light.transport.send": send,
                }
            )
            ratio = own.sample("light.goodput_bps") / own.sample("heavy.goodput_bps")
            corrected = str(reference) not in ("none", "-1")
            name = "corrected.near_over_far" if corrected else "plain.near_over_far_over_trips"
            found[prefix + name] = ratio if corrected else ratio / _TRIPS
            found[f"{prefix}{name}.window_near"] = own.sample("light.mean_cwnd")
    return found
