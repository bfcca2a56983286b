# SPDX-License-Identifier: Apache-2.0
"""Plot of all utilities of ecnomy, one per panel, and of demand against price.

    python -m ecnomy.analysis.draw.utilities_plot agents/utilities.png

draws the picture in agents/README.md. The same library versions give the same PNG, byte for byte.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np

from ecnomy.agents.arrays import Floats
from ecnomy.agents.utilities import (
    AlphaFair,
    AtRate,
    EModel,
    FileDeadline,
    Log,
    PageWait,
    Quadratic,
    Sigmoid,
    Sqrt,
    Step,
    Target,
    Utility,
)
from ecnomy.analysis.draw.panels import COLOURS, WIDTH_INCHES, panel_style, save

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["utilities_picture"]

_A: Final = 1.0  # money/s; money for a transfer
_X0_BPS: Final = 1e6
_MBPS: Final = 1e6
_RATES: Final = np.linspace(0.0, 2.5, 1001)[1:]  # Mbit/s
_PRICES: Final = np.linspace(0.0, 2.5, 1001)[1:]  # money per Mbit
_DASHES: Final[tuple[Any, ...]] = (
    "-",
    (0, (5, 2)),
    (0, (1.5, 1.5)),
    (0, (6, 2, 1.5, 2)),
    (0, (8, 2)),
)
_Place = Literal["lower left", "lower right", "upper right"]
_ROWS: Final = 3
_COLUMNS: Final = 4
_ROW_INCHES: Final = 2.35


def utilities_picture(file: str | Path) -> None:
    """Draw each utility against its argument, and demand against price, as a PNG of 150 dpi."""
    with panel_style():
        save(_figure(), file)


def _figure() -> Figure:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(WIDTH_INCHES, _ROWS * _ROW_INCHES), layout="constrained")
    panels = figure.subplots(_ROWS, _COLUMNS).flat
    for axis, (title, draw) in zip(panels, _PANELS.items(), strict=True):
        axis.set_title(title)
        draw(axis)
        axis.tick_params(labelsize=8)
    return figure


def _line(axis: Axes, at: int, x: Floats, y: Floats, label: str = "_") -> None:
    """Draw a curve; its index in the panel selects its colour and dashes."""
    colour, dashes = COLOURS[at % len(COLOURS)], _DASHES[at % len(_DASHES)]
    axis.plot(x, y, label=label, linewidth=1.8, color=colour, linestyle=dashes)


def _finish(axis: Axes, x: str, y: str, place: _Place | None = None) -> None:
    axis.set_xlabel(x, fontsize=8.5)
    axis.set_ylabel(y, fontsize=8.5)
    if place:
        axis.legend(loc=place, fontsize=7.5, handlelength=2.4, labelspacing=0.25, borderpad=0.3)


def _of_rate(*utilities: tuple[str, Utility], low: float = 0.0) -> Callable[[Axes], None]:
    """Return a function that plots utilities against the rate, from `low` money/s upwards."""

    def draw(axis: Axes) -> None:
        for at, (label, utility) in enumerate(utilities):
            worth = AtRate(utility, _X0_BPS).value(_RATES * _MBPS)
            _line(axis, at, _RATES, worth, label or "_")
        axis.axvline(_X0_BPS / _MBPS, color="0.6", linewidth=0.8)
        axis.set_xlim(0, 2.5)
        axis.set_ylim(bottom=low)
        if low < 0:
            axis.set_ylim(top=-low)
        _finish(axis, "rate [Mbit/s]", "U [money/s]", "lower right" if utilities[0][0] else None)

    return draw


def _demands(**utilities: Utility) -> Callable[[Axes], None]:
    """Return a function that plots the demand of users with these utilities against the price."""

    def draw(axis: Axes) -> None:
        for at, (label, utility) in enumerate(utilities.items()):
            rate = AtRate(utility, _X0_BPS).demand(_PRICES / _MBPS) / _MBPS
            _line(axis, at, _PRICES, rate, label)
        axis.set_xlim(0, 2.5)
        axis.set_ylim(-0.05, 2.5)
        _finish(axis, "price [money/Mbit]", "bought [Mbit/s]", "upper right")

    return draw


def _of_file(axis: Axes) -> None:
    t = np.linspace(0.0, 120.0, 1201)
    _line(axis, 0, t, FileDeadline(a=_A, deadline=60.0).value(t), "grace 0 s")
    _line(axis, 1, t, FileDeadline(a=_A, deadline=60.0, grace=40.0).value(t), "grace 40 s")
    axis.set_xlim(0, 120)
    axis.set_ylim(bottom=0)
    _finish(axis, "there after [s]", "V [money]", "lower left")


def _of_page(axis: Axes) -> None:
    t = np.geomspace(0.01, 100.0, 801)
    for at, worst in enumerate((6.0, 15.0, 60.0)):
        _line(axis, at, t, PageWait(a=_A, worst=worst).value(t), f"worst {worst:g} s")
    axis.set_xscale("log")
    axis.set_ylim(bottom=0)
    _finish(axis, "waited for [s]", "V [money]", "lower left")


def _of_call(axis: Axes) -> None:
    delay_s = np.linspace(0.0, 0.6, 601)
    cases = (("g711-plc", 0.0), ("g711-plc", 0.02), ("g711", 0.02))
    for at, (codec, loss) in enumerate(cases):
        worth = EModel(a=_A, codec=codec).value(delay_s, np.full_like(delay_s, loss))
        lost = f"{loss:.0%}, {codec[5:] or 'no plc'}" if loss else "no loss"
        _line(axis, at, 1000 * delay_s, worth, lost)
    axis.axvline(177.3, color="0.6", linewidth=0.8)
    axis.set_xlim(0, 600)
    axis.set_ylim(0, 1.02)
    _finish(axis, "one-way delay [ms]", "U [money/s]", "lower left")


_PANELS: Final[dict[str, Callable[[Axes], None]]] = {
    "log": _of_rate(("", Log(a=_A))),
    "alpha-fair": _of_rate(
        *((f"alpha {alpha:g}", AlphaFair(a=_A, alpha=alpha)) for alpha in (0.5, 1.0, 2.0)),
        low=-3.5,
    ),
    "sqrt": _of_rate(("", Sqrt(a=_A))),
    "quadratic": _of_rate(("", Quadratic(a=_A))),
    "target": _of_rate(("", Target(a=_A)), low=-2.0),
    "sigmoid": _of_rate(
        *((f"steepness {k:g}", Sigmoid(a=_A, steepness=k)) for k in (4.0, 10.0, 30.0))
    ),
    "step": _of_rate(("", Step(a=_A))),
    "e-model": _of_call,
    "file-deadline": _of_file,
    "page": _of_page,
    "demand, elastic": _demands(
        log=Log(a=_A),
        sqrt=Sqrt(a=_A),
        quadratic=Quadratic(a=_A),
        target=Target(a=_A),
    ),
    "demand, inelastic": _demands(
        **{f"sigmoid {k:g}": Sigmoid(a=_A, steepness=k) for k in (4.0, 10.0, 30.0)},
        step=Step(a=_A),
    ),
}


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("expected one argument, the file to draw to, such as agents/utilities.png")
    utilities_picture(sys.argv[1])
