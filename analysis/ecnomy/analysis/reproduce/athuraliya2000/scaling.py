# SPDX-License-Identifier: Apache-2.0
"""Figures 9 to 11: rate, utilisation, loss and backlog as a parameter rises tenfold.

The paper's buffers are finite, but the paper does not say how windows in its model react to a lost
packet. Three forms are measured: TCP's recovery, windows that do not react to losses, and unlimited
buffers.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

import numpy as np

from ecnomy.analysis.reproduce.athuraliya2000.forms import of_form
from ecnomy.analysis.reproduce.curve_style import band, theory_line
from ecnomy.analysis.reproduce.judge import Sample
from ecnomy.analysis.reproduce.studies import Runs

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["BASE", "controls", "draw_scaled", "in_forms", "scaled"]

COLUMNS: Final = {"use": "utilization", "loss": "loss", "backlog": "mean_queue_packets"}
BUFFER: Final = "network.links.bottleneck.buffer"
REPAIR: Final = "sources.rem.transport.repair"
BASE: Final = "tcp"
LABELS: Final = {
    BASE: "TCP's recovery",
    "surviving": "window survives losses",
    "unlimited": "no limit of the buffer",
}
Points = dict[float, Runs]


def in_forms(*studies: Runs) -> dict[str, Runs]:
    """Return the runs of the studies by treatment of a full buffer (the keys of LABELS)."""
    return {form: runs for study in studies for form, runs in _by_losses(study).items()}


def _by_losses(runs: Runs) -> dict[str, Runs]:
    by_form: dict[str, Runs] = {}
    for buffer in runs.values(BUFFER):
        own = runs.at({BUFFER: buffer})
        for repair in own.values(REPAIR):
            form = BASE if repair == "True" else "surviving"
            by_form["unlimited" if buffer == "unlimited" else form] = own.at({REPAIR: repair})
    return by_form


def scaled(points: Points, theory: Callable[[float], float]) -> dict[str, Sample]:
    """Return rates divided by theory, and the link's utilisation, loss and backlog, per seed.

    Args:
        points: the runs at each x.
        theory: returns the theoretical rate of a source at x, packets/ms.
    """
    samples: dict[str, Sample] = {}
    for x, runs in points.items():
        samples[f"rate_over_theory.x={x:g}"] = _rate(runs) / theory(x)
        samples |= {
            f"{name}.x={x:g}": runs.sample(f"bottleneck.{column}")
            for name, column in COLUMNS.items()
        }
    return samples


def controls(
    runs: Runs, points: Callable[[Runs], Points], theory: Callable[[float], float]
) -> dict[str, Sample]:
    """Return the measures of `scaled` for sources whose windows jump, as in the pseudocode."""
    samples: dict[str, Sample] = {}
    for form, own in in_forms(runs).items():
        plain = of_form(form, scaled(points(own), theory))
        samples |= {f"control.plain.{key}": value for key, value in plain.items()}
    return samples


def _rate(runs: Runs) -> np.ndarray:
    """Return the packets/ms delivered to one receiver, including retransmissions.

    Goodput would include repairs of early losses, which the paper's sources do not make.
    """
    return np.asarray(runs.sample("rem.delivered_pps") / 1000)


def draw_scaled(
    figure: Figure, forms: dict[str, Points], theory: Callable[[float], float], label: str
) -> None:
    """Draw (a) rate, (b) utilisation, (c) loss and (d) backlog, with one curve per form."""
    figure.set_size_inches(9, 6.5)
    (rate, use), (loss, backlog) = figure.subplots(2, 2, sharex=True)
    panels = (
        (use, "utilization", 100, "utilization, %", "(b)"),
        (loss, "loss", 100, "loss, %", "(c)"),
        (backlog, "mean_queue_packets", 1, "mean backlog, packets", "(d)"),
    )
    for index, (form, points) in enumerate(forms.items()):
        at = list(points)
        band(rate, at, [_rate(runs) for runs in points.values()], index, LABELS[form])
        for axis, column, factor, _, _ in panels:
            samples = [factor * runs.sample(f"bottleneck.{column}") for runs in points.values()]
            band(axis, at, samples, index, LABELS[form])
    at = list(forms[BASE])
    theory_line(rate, at, [theory(x) for x in at], "theory")
    rate.set(ylabel="rate of a source, packets/ms", title="(a)", ylim=(0, None))
    rate.legend(fontsize="small")
    for axis, _, _, name, title in panels:
        axis.set(ylabel=name, title=title)
    for axis in (loss, backlog):
        axis.set_ylim(bottom=0)
        axis.set_xlabel(label)
