# SPDX-License-Identifier: Apache-2.0
"""Section 3.1: how WTP changes TCP's echo, and why Reno flows cannot be differentiated."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec
import numpy as np

from ecnomy.analysis.reproduce.judge import Samples
from ecnomy.analysis.reproduce.studies import Runs, Studies

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["draw", "figures"]

_LIGHT: Final = "sources.light.transport"


def _by_law(runs: Runs) -> dict[str, Runs]:
    return {msgspec.json.decode(v)["law"]: runs.at({_LIGHT: v}) for v in runs.values(_LIGHT)}


def figures(studies: Studies) -> Samples:
    """Return echoes per mark of accurate and latching receivers, and Reno's throughput ratio."""
    laws = _by_law(studies["echo"])
    reno = studies["reno"]
    ratio = reno.sample("heavy.goodput_bps") / reno.sample("light.goodput_bps")
    return {
        "accurate.learnt_per_mark": laws["wtp"].sample("learnt_per_mark"),
        "latched.wtp": laws["wtp"].sample("latched_per_mark"),
        "latched.reno": laws["reno"].sample("latched_per_mark"),
        "dropped.wtp": laws["wtp"].sample("dropped"),
        "dropped.reno": laws["reno"].sample("dropped"),
        "reno.heavy_over_light": ratio,
        "reno.log_ratio": np.log(ratio),
    }


def draw(studies: Studies, figure: Figure) -> None:
    """Draw echoes per marked packet, by kind of echo and by law."""
    axis = figure.subplots()
    samples: dict[str, Any] = dict(figures(studies))
    bars = {
        "accurate echo,\nWTP": "accurate.learnt_per_mark",
        "latching echo,\nWTP's marks": "latched.wtp",
        "latching echo,\nReno": "latched.reno",
    }
    means = [float(np.mean(samples[name])) for name in bars.values()]
    axis.bar(list(bars), means, color=["0.85", "0.55", "0.25"], edgecolor="black", width=0.5)
    axis.axhline(1, color="black", linestyle="--", linewidth=0.9)
    axis.set_ylabel("ACKs with an echo per marked packet")
