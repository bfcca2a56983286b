# SPDX-License-Identifier: Apache-2.0
"""Section 5.1, last part: a chain of four links, and five routes with flows of three weights."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Final

from ecnomy.agents.arrays import Floats
from ecnomy.analysis.reproduce.curve_style import look
from ecnomy.analysis.reproduce.judge import Samples
from ecnomy.analysis.reproduce.siris2002.laws import LABELS, by_law
from ecnomy.analysis.reproduce.studies import Runs, Studies
from ecnomy.analysis.theory.wtp import wtp_floor_bias

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["draw", "figures"]

_RTT_S: Final = (0.300, 0.060, 0.240, 0.120, 0.180)  # by route, without queues
_WEIGHTS: Final = (1, 2, 4)
_MARKING: Final = "network.links.link-1.marking"


def _rate(runs: Runs, route: int, weight: int) -> Floats:
    return runs.sample(f"route-{route}-w{weight}.goodput_bps")


def _expected(runs: Runs, route: int, weight: int) -> Floats:
    """Return w / (T p), up to a constant factor, where p is the flow's share of marked packets."""
    p = runs.sample(f"route-{route}-w{weight}.marking_rate")
    expected: Floats = weight / (_RTT_S[route] * p)
    return expected


def _stretch(runs: Runs, route: int, weight: int) -> Floats:
    """Return the round trip / its value without queues, corrected for the window's floor."""
    name = f"route-{route}-w{weight}"
    rtt_s = runs.sample(f"{name}.mean_delay_s") + _RTT_S[route] / 2
    window = float(runs.sample(f"{name}.mean_cwnd").mean())
    stretch: Floats = rtt_s / _RTT_S[route] / wtp_floor_bias(max(window, 1.0))
    return stretch


def figures(studies: Studies) -> Samples:
    """Return throughput ratios divided by ratios of weights or, between routes, of w / (T p)."""
    samples: dict[str, Floats] = {}
    for law, runs in by_law(studies["complex-topology"], _MARKING).items():
        for route in range(len(_RTT_S)):
            for low, high in itertools.combinations(_WEIGHTS, 2):
                ratio = _rate(runs, route, high) / _rate(runs, route, low) / (high / low)
                samples[f"same_route.{law}.route={route}.{high}/{low}"] = ratio
        for one, other in itertools.combinations(range(len(_RTT_S)), 2):
            for weight in _WEIGHTS:
                ratio = _rate(runs, one, weight) / _rate(runs, other, weight)
                ratio = ratio * _expected(runs, other, weight) / _expected(runs, one, weight)
                samples[f"routes.{law}.{one}/{other}.w={weight}"] = ratio
                queues = _stretch(runs, one, weight) / _stretch(runs, other, weight)
                samples[f"control.routes.{law}.{one}/{other}.w={weight}"] = ratio * queues
        worst = [v for k, v in samples.items() if k.startswith(f"control.routes.{law}.")]
        off = max(worst, key=lambda ratio: abs(float(ratio.mean()) - 1))
        samples[f"control.worst_route_pair.{law}"] = off
    return samples


def draw(studies: Studies, figure: Figure) -> None:
    """Draw the throughput of every flow against w / (T p), for packets of 1000 bytes."""
    figure.set_size_inches(6, 4.5)
    axis = figure.subplots()
    for index, (law, runs) in enumerate(by_law(studies["complex-topology"], _MARKING).items()):
        pairs = list(itertools.product(range(len(_RTT_S)), _WEIGHTS))
        x = [float(_expected(runs, *pair).mean()) * 8000 / 1e6 for pair in pairs]
        y = [float(_rate(runs, *pair).mean()) / 1e6 for pair in pairs]
        axis.plot(x, y, label=LABELS[law], **{**look(index), "linestyle": "none"})
    ends = [min(x) / 1.5, max(x) * 1.5]
    axis.plot(ends, ends, "k--", linewidth=0.9, label="equal")
    axis.set(xscale="log", yscale="log", xlabel="w / (T p), Mbit/s", ylabel="throughput, Mbit/s")
    axis.legend()
