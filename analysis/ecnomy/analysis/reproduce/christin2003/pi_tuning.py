# SPDX-License-Identifier: Apache-2.0
"""Gains of the PI controllers for their design networks, and the cost of wrong gains."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from ecnomy.analysis import theory
from ecnomy.analysis.reproduce.christin2003.exp1_loss import losses
from ecnomy.analysis.reproduce.christin2003.laws import LABELS, algorithms
from ecnomy.analysis.reproduce.curve_style import look
from ecnomy.analysis.reproduce.judge import Samples
from ecnomy.analysis.reproduce.studies import Studies

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["draw", "figures"]

_PACKETS_PER_S: Final = 2500.0  # 10 Mbps in packets of 500 bytes
_TUNINGS: Final = {"pi-approximate": (50.0, 0.3), "pi-exact": (60.0, 0.18)}  # N and R+ [s]


def figures(studies: Studies) -> Samples:
    """Return the gains given by the design formula, and the losses in experiment 1."""
    samples: dict[str, np.ndarray | float] = {}
    for name, (flows, rtt_s) in _TUNINGS.items():
        a, b = theory.pi_gains(flows, rtt_s, _PACKETS_PER_S)
        samples |= {f"gain_1e4.{name}.a": a * 1e4, f"gain_1e4.{name}.b": b * 1e4}
    lost = losses(studies)
    for name in _TUNINGS:
        samples[f"loss_over_drop_tail.{name}"] = lost[f"loss_over_drop_tail.{name}"]
    return samples


def draw(studies: Studies, figure: Figure) -> None:
    """Draw the loop's gain against frequency for both tunings, and the resulting queues."""
    left, right = figure.subplots(1, 2)
    flows, rtt_s = 60.0, 0.18
    omega = np.logspace(-2, 2, 200)
    s = 1j * omega
    pole = 2 * flows / (rtt_s**2 * _PACKETS_PER_S)
    plant = _PACKETS_PER_S**2 / (2 * flows) / ((s + pole) * (s + 1 / rtt_s))
    for index, (name, (count, delay_s)) in enumerate(_TUNINGS.items()):
        a, b = theory.pi_gains(count, delay_s, _PACKETS_PER_S)
        loop = np.abs(((a - b) * 160.0 / s + b) * plant)
        style = {**look(index), "marker": ""}
        left.loglog(omega, loop, label=LABELS[name], **style)
        row = algorithms(studies)[name].row("queue")[0] / 1e3
        right.plot(10 + 0.25 * np.arange(len(row)), row, label=LABELS[name], **style)
    left.axhline(1, color="black", linewidth=0.6)
    left.set(
        xlabel="frequency [rad/s]",
        ylabel=f"loop gain, N = {flows:g}, R = {rtt_s:g} s",
        title="theory",
    )
    right.axhline(100, color="black", linewidth=0.6)
    right.set(xlabel="time [s]", ylabel="queue [kB]", title="experiment 1, reference 100 kB")
    left.legend()
    right.legend()
