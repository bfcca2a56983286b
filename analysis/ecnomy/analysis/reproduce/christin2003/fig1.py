# SPDX-License-Identifier: Apache-2.0
"""Figure 1 and section 2.1: the rounds of one flow, and the marks that the projection requires."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from ecnomy.analysis.reproduce.christin2003.tracing import PICTURED_S
from ecnomy.analysis.reproduce.curve_style import look
from ecnomy.analysis.reproduce.judge import Samples
from ecnomy.analysis.reproduce.studies import Runs, Studies

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["ACKS", "DELAY", "draw", "figures", "points"]

DELAY: Final = "network.links.access.delay"
ACKS: Final = "sources.flow.transport.delayed_acks"
_ACKS: Final = {"off": "each", "2 packets": "delayed"}
_COLUMNS: Final = {
    "eq3": "within_eq3",
    "eq3_and_a_packet": "within_eq3_and_a_packet",
    "due_and_made": "due_made",
    "made_and_due": "made_due",
    "marked_twice": "twice_in_a_round",
    "marks": "marks",
    "drops": "drops",
    "mean_window": "mean_window",
    "plain_newreno": "plain_newreno",
}

_OF_MARKS: Final = ("due_and_made", "made_and_due")  # undefined without marks
_PICTURED: Final = "RTT=100ms.acks=each"  # a flow with silences, whose rounds are recognizable


def points(runs: Runs) -> dict[str, Runs]:
    """Return the runs by round-trip time and form of acknowledgement."""
    by_rtt: dict[str, Runs] = {}
    for delay in runs.values(DELAY):
        for acks in runs.values(ACKS):
            name = f"RTT={2 * float(delay):g}ms.acks={acks_name(acks)}"
            by_rtt[name] = runs.at({DELAY: delay, ACKS: acks})
    return by_rtt


def acks_name(value: object) -> str:
    """Return the name of a form of acknowledgement: `each` or `delayed`."""
    text = str(value)
    return _ACKS.get(text, "delayed" if text in ("2", "2.0") else "each")


def figures(studies: Studies) -> Samples:
    """Return the shares of rounds and marks that agree with section 2.1, per seed."""
    samples: dict[str, np.ndarray | float] = {}
    for name, runs in points(studies["single"]).items():
        marked = bool(runs.sample("marks").any())
        for figure, column in _COLUMNS.items():
            if marked or figure not in _OF_MARKS:
                samples[f"{figure}.{name}"] = runs.sample(column)
    return samples


def draw(studies: Studies, figure: Figure) -> None:
    """Draw windows and round-trip times of one flow over time, with the router's estimates."""
    by_rtt = points(studies["single"])
    name = _PICTURED if _PICTURED in by_rtt else next(iter(by_rtt))
    runs = by_rtt[name]
    upper, lower = figure.subplots(2, 1, sharex=True)
    curves = (
        (upper, "sender_window", "sender"),
        (upper, "router_window", "router's estimate"),
        (lower, "true_rtt_ms", "sender"),
        (lower, "router_rtt_ms", "router's estimate"),
    )
    for index, (axis, row, label) in enumerate(curves):
        values = runs.row(row)[0]
        at = np.linspace(0, PICTURED_S, len(values))
        style = {**look(index % 2), "marker": "", "linewidth": 1.2}
        axis.plot(at, np.where(values < 0, np.nan, values), label=label, **style)
    upper.set(ylabel="window [packets]", title=name.replace(".", ", "))
    lower.set(xlabel="time [s]", ylabel="round-trip time [ms]", ylim=(0, None))
    upper.legend(loc="lower left")
