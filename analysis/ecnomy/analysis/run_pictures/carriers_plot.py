# SPDX-License-Identifier: Apache-2.0
"""Plot of several carriers: prices, utilisation, income and customers on one time axis.

The same results and library versions give the same PNG, byte for byte.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ecnomy.agents.arrays import Floats, Integers
from ecnomy.agents.money import MICRO
from ecnomy.agents.times import PS_PER_S
from ecnomy.analysis.draw.fitted_text import fitted
from ecnomy.analysis.draw.panels import (
    COLOURS,
    PANEL_INCHES,
    WIDTH_INCHES,
    legend_beside,
    panel_style,
    save,
    shade_phases,
    shortened,
)
from ecnomy.analysis.run.carriers import Carrier, carriers_of, link_use
from ecnomy.analysis.run.choices import AgentChoices, choices_of
from ecnomy.analysis.run.phases import phases_of
from ecnomy.analysis.run.windows import Epochs, Intervals
from ecnomy.markets.results.rawrun import RawRun
from ecnomy.markets.results.results import Results

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["carriers_picture", "income_over"]

_BINS: Final = 40  # intervals per line, because a single payer has few marks
_MOST_STEPS: Final = 60  # with more changes, customers are drawn as interval means
_MOST: Final = 6  # a reader can tell at most this many carriers apart
_MOST_PAYMENTS: Final = 8  # payments with a line each; all others are summed in one line
_DASHES: Final[tuple[Any, ...]] = ("-", (0, (5, 2)), (0, (1.5, 1.5)), (0, (6, 2, 1.5, 2)))
_MARKERS: Final = ("o", "s", "^", "D", "v", "P")


class _Data(Intervals, frozen=True, eq=False):
    """The data that the panels show."""

    run: RawRun
    carriers: tuple[Carrier, ...]  # the drawn carriers
    not_drawn: int
    choices: tuple[AgentChoices, ...]
    links: Epochs

    @property
    def end_s(self) -> float:
        """The end of the time axis in seconds."""
        return float(self.edges_ps[-1] / PS_PER_S)

    def held(self, t_ps: Integers, values: Floats) -> tuple[Floats, Floats]:
        """Return times [s] and values of a step function; report times are included for markers."""
        times = np.union1d(t_ps, self.edges_ps[self.edges_ps >= t_ps[0]])
        at = np.searchsorted(t_ps, times, side="right") - 1
        return times / PS_PER_S, values[at]

    def mean_of(self, choice: AgentChoices, option: int) -> Floats:
        """Return the mean percentage of customers who use an option, in each interval."""
        edges = zip(self.edges_ps[:-1].tolist(), self.edges_ps[1:].tolist(), strict=True)
        return np.array([100 * choice.shares(a, b)[option] for a, b in edges])

    def look(self, name: str) -> dict[str, Any]:
        """Return the line style of a carrier, the same in all panels."""
        names = [one.name for one in self.carriers]
        at = names.index(name) if name in names else len(names)
        apart = 0.1  # share of the axis; the offset keeps markers of equal lines apart
        return {
            "color": COLOURS[at % len(COLOURS)],
            "marker": _MARKERS[at % len(_MARKERS)],
            "markersize": 4.5,
            "markevery": (apart * (at % _MOST) / _MOST, apart),
            "linewidth": 2,
        }


def carriers_picture(run: RawRun | Results, file: str | Path) -> bool:
    """Draw prices, utilisation, income and customers of carriers as a PNG of 150 dpi.

    Returns:
        True if a picture was drawn. A picture needs two reports, and two carriers or customers with
        a choice.

    Raises:
        ResultsError: a table is missing or unreadable.
    """
    run = run.raw
    carriers, choices = carriers_of(run), choices_of(run)
    links = Epochs(run.link_epochs, "link", len(run.plan.links))
    if not (carriers or choices) or len(links.t_ps) < 2:
        return False
    richest = sorted(carriers, key=lambda one: -sum(p.money for p in one.income))[:_MOST]
    drawn = tuple(one for one in carriers if one in richest)
    edges = links.grid(max(int(links.t_ps[-1]) // _BINS, 1))
    data = _Data(edges, run, drawn, len(carriers) - len(drawn), choices, links)
    with panel_style():
        save(_figure(data), file)
    return True


def _figure(data: _Data) -> Figure:
    from matplotlib.figure import Figure

    panels: list[Callable[[Axes, _Data], None]] = []
    if data.carriers:
        panels += [_draw_prices, _draw_use, _draw_income]
    if data.choices:
        panels.append(_draw_choices)
    heights = [1.5 if draw is _draw_income else 1.0 for draw in panels]
    figure = Figure(figsize=(WIDTH_INCHES, PANEL_INCHES * sum(heights) + 0.9), layout="constrained")
    grid = figure.subplots(len(panels), 1, sharex=True, gridspec_kw={"height_ratios": heights})
    axes = list(np.atleast_1d(grid))
    for draw, axis in zip(panels, axes, strict=True):
        draw(axis, data)
        top = max(axis.get_ylim()[1], 1e-9)
        axis.set_ylim(-0.03 * top, top)  # keeps a line at 0 fully visible
    run, end_ps = data.run, int(data.edges_ps[-1])
    shade_phases(axes, phases_of(run.plan, end_ps), run.plan.warmup_ps, end_ps)
    axes[-1].set_xlabel("simulated time [s]")
    axes[-1].set_xlim(0, data.end_s)
    figure.align_ylabels(axes)
    note = "" if run.note is None else "  (partial run)"
    title = fitted(run.title + note, 72 * WIDTH_INCHES - 16, 12, bold=True)
    figure.suptitle(title, fontsize=12, fontweight="bold")
    return figure


def _draw_prices(axis: Axes, data: _Data) -> None:
    for one in data.carriers:
        t_s, money = data.held(one.prices.t_ps, one.prices.money)
        axis.plot(
            t_s, money, drawstyle="steps-post", label=shortened(one.name), **data.look(one.name)
        )
    axis.set_ylim(0, 1.08 * max(axis.get_ylim()[1], 1e-9))
    axis.set_ylabel("price of a mark\n[money]")
    more = f"\n(not drawn: {data.not_drawn} more)" if data.not_drawn else ""
    legend_beside(axis, f"Prices of carriers{more}")


def _draw_use(axis: Axes, data: _Data) -> None:
    use = 100 * link_use(data.run, data.links, data.edges_ps)
    for one in data.carriers:
        if one.links:
            name = data.run.plan.links[one.busiest].name
            label = f"{shortened(one.name, 16)}: {shortened(name, 16)}"
            axis.plot(data.middle_s, use[:, one.busiest], label=label, **data.look(one.name))
    axis.set_ylim(0, max(105.0, axis.get_ylim()[1]))
    axis.set_ylabel("link used\n[% of its rate]")
    legend_beside(axis, "Each one's busiest link")


def income_over(run: RawRun, carrier: Carrier, edges_ps: Integers) -> dict[tuple[str, str], Floats]:
    """Return a carrier's income by payer and kind in each interval (edge, next edge], money/s.

    Raises:
        ResultsError: the ledger is unreadable.
    """
    ledger = run.ledger
    own = ledger[ledger["credit"].astype(str) == carrier.name]
    seconds = np.diff(edges_ps) / PS_PER_S
    payer, kind = own["debit"].astype(str), own["kind"].astype(str)
    income = {}
    for payment in carrier.income:
        rows = own[(payer == payment.payer) & (kind == payment.kind)]
        where = np.searchsorted(edges_ps, rows["t_ps"].to_numpy(dtype=np.int64), side="left") - 1
        inside = (where >= 0) & (where < len(seconds))
        sums = np.zeros(len(seconds))
        np.add.at(sums, where[inside], rows["amount_micro"].to_numpy()[inside] / MICRO)
        income[payment.payer, payment.kind] = sums / seconds
    return income


def _draw_income(axis: Axes, data: _Data) -> None:
    lines = [
        (one.name, payer, kind, turn, values)
        for one in data.carriers
        for turn, ((payer, kind), values) in enumerate(
            income_over(data.run, one, data.edges_ps).items()
        )
    ]
    ranked = sorted(lines, key=lambda line: -float(line[-1].sum()))
    drawn = {line[:3] for line in ranked[:_MOST_PAYMENTS]}
    for name, payer, kind, turn, values in lines:
        if (name, payer, kind) in drawn:
            label = f"{shortened(name, 16)}: {shortened(kind, 12)} of {shortened(payer, 16)}"
            dashes = _DASHES[turn % len(_DASHES)]
            axis.plot(data.middle_s, values, linestyle=dashes, label=label, **data.look(name))
    rest = [line[-1] for line in lines if line[:3] not in drawn]
    if rest:
        label = f"{len(rest)} more payments"
        axis.plot(data.middle_s, sum(rest), color="0.45", linestyle=":", linewidth=2, label=label)
    axis.set_ylabel("income\n[money/s]")
    legend_beside(axis, "Earnings of carriers, by payer")


def _draw_choices(axis: Axes, data: _Data) -> None:
    own = len(data.carriers)
    for number, choice in enumerate(data.choices):
        for k, option in enumerate(choice.options):
            share = 100 * choice.counts[:, k] / choice.users
            look = data.look(option)
            if option not in {one.name for one in data.carriers}:
                look["color"] = COLOURS[(own + k) % len(COLOURS)]
                look["marker"] = _MARKERS[(own + k) % len(_MARKERS)]
            look["linestyle"] = _DASHES[number % len(_DASHES)]
            label = f"{shortened(choice.agent, 16)} with {shortened(option, 16)}"
            if len(choice.t_ps) > _MOST_STEPS:
                axis.plot(data.middle_s, data.mean_of(choice, k), label=label, **look)
            else:
                t_s, held = data.held(choice.t_ps, share)
                axis.plot(t_s, held, drawstyle="steps-post", label=label, **look)
    axis.set_ylim(0, 105)
    axis.set_ylabel("share of customers\n[%]")
    users = sum(choice.users for choice in data.choices)
    legend_beside(axis, f"Carriers of {users:,} customers")
