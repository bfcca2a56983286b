# SPDX-License-Identifier: Apache-2.0
"""Plot of a guaranteed stream provider over time: blocking, calls, promises and money.

The same results and library versions give the same PNG, byte for byte.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import msgspec
import numpy as np

from ecnomy.agents.arrays import Floats
from ecnomy.agents.money import MICRO
from ecnomy.agents.observation import Truths
from ecnomy.agents.times import PS_PER_S
from ecnomy.analysis.draw.panels import (
    COLOURS,
    PANEL_INCHES,
    WIDTH_INCHES,
    legend_beside,
    panel_style,
    save,
    shade_phases,
)
from ecnomy.analysis.run.guaranteed_calls import call_rows
from ecnomy.analysis.run.guarantors import Provider, flows_of
from ecnomy.analysis.run.phases import phases_of
from ecnomy.analysis.run.windows import Epochs
from ecnomy.analysis.support.number_text import significant
from ecnomy.markets.results.rawrun import RawRun
from ecnomy.markets.results.results import Results

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["guarantee_picture"]

_BARS: Final = 40  # largest number of bars, because narrower bars would contain too few calls
_LENGTHS_S: Final = (10, 20, 30, 60, 120, 300, 600, 1800, 3600, 7200, 21600, 86400)
_POINTS: Final = 120  # points of the marking rate, if the provider reports none
_DASHES: Final = (0, (5, 2))
_BLUE, _GREEN, _SKY, _RED = COLOURS[1], COLOURS[2], COLOURS[4], COLOURS[5]


class _Data(msgspec.Struct, frozen=True):
    """The data that the panels show."""

    run: RawRun
    provider: Provider
    calls: pd.DataFrame | None  # None if calls were not recorded
    end_ps: int


def guarantee_picture(run: RawRun | Results, provider: Provider, file: str | Path) -> bool:
    """Draw the results of a guaranteed stream provider over time as a PNG of 150 dpi.

    Returns:
        True if a picture was drawn. A picture needs a report after the start of the run.

    Raises:
        ResultsError: a table is missing or unreadable.
    """
    run = run.raw
    end_ps = int(run.flow_epochs["t_ps"].max()) if len(run.flow_epochs) else 0
    if end_ps <= 0:
        return False
    calls = call_rows(run, provider) if run.plan.record.calls else None
    with panel_style():
        save(_figure(_Data(run, provider, calls, end_ps)), file)
    return True


def _figure(data: _Data) -> Figure:
    from matplotlib.figure import Figure

    panels = [_draw_money]
    if data.calls is not None:
        panels = [_draw_calls, _draw_promises, *panels]
    if data.provider.stream_sources:
        panels.insert(0, _draw_marking)
    height = PANEL_INCHES * len(panels) + 0.9
    figure = Figure(figsize=(WIDTH_INCHES, height), layout="constrained")
    axes = list(np.atleast_1d(figure.subplots(len(panels), 1, sharex=True)))
    for draw, axis in zip(panels, axes, strict=True):
        draw(axis, data)
    run, note = data.run, "" if data.run.note is None else "  (partial run)"
    shade_phases(axes, phases_of(run.plan, data.end_ps), run.plan.warmup_ps, data.end_ps)
    axes[-1].set_xlabel("simulated time [s]")
    axes[-1].set_xlim(0, data.end_ps / PS_PER_S)
    figure.align_ylabels(axes)
    title = f"{run.title}: observations, sales and profit of {data.provider.name}{note}"
    figure.suptitle(title, fontsize=12, fontweight="bold")
    return figure


def _from_zero(axis: Axes) -> None:
    """Begin the axis slightly below 0, so that a line at 0 is fully visible."""
    top = max(axis.get_ylim()[1], 1e-9)
    axis.set_ylim(-0.03 * top, top)


def _reading(data: _Data, name: str) -> tuple[Floats, Floats]:
    """Return times [s] and values that a provider recorded; each value is valid until the next."""
    table = data.run.agents
    mine = (table["agent"].astype(str) == data.provider.name) & (table["name"].astype(str) == name)
    own = table[mine]
    t_s = own["t_ps"].to_numpy(dtype=np.float64) / PS_PER_S
    values = own["value"].to_numpy(dtype=np.float64)
    if not len(t_s):
        return t_s, values
    return np.append(t_s, data.end_ps / PS_PER_S), np.append(values, values[-1])


def _held(t_s: Floats, reading: tuple[Floats, Floats]) -> Floats:
    """Return the recorded values that were valid at given times; NaN before the first value."""
    at = np.searchsorted(reading[0], t_s, side="right") - 1
    return np.where(at >= 0, reading[1][np.maximum(at, 0)], np.nan)


def _counted_marking(data: _Data) -> tuple[Floats, Floats]:
    """Return times [s] and M of the test streams, for a provider that recorded no marking rate."""
    run = data.run
    epochs = Epochs(run.flow_epochs, "flow", run.plan.row_count)
    edges, own = epochs.grid(data.end_ps // _POINTS), flows_of(run, data.provider.stream_sources)
    sent, marks = (np.diff(epochs.at(n, edges)[:, own].sum(axis=1)) for n in ("sent", "ce"))
    share = np.divide(marks, sent, out=np.full(len(sent), np.nan), where=sent > 0)
    return edges[1:] / PS_PER_S, share


def _draw_marking(axis: Axes, data: _Data) -> None:
    marking, limit = _reading(data, "marking_rate"), _reading(data, "blocking_threshold")
    if len(marking[0]):  # 0 before the first recorded value
        marking = np.insert(marking[0], 0, 0.0), np.insert(marking[1], 0, 0.0)
        look: dict[str, Any] = {"drawstyle": "steps-post"}
    else:
        marking, look = _counted_marking(data), {}
    axis.plot(
        marking[0],
        100 * marking[1],
        color=_BLUE,
        linewidth=1.6,
        label="share marked, M",
        zorder=3,
        **look,
    )
    if len(limit[0]):
        _draw_threshold(axis, marking, limit)
    _from_zero(axis)
    axis.set_ylabel("packets marked\n[%]")
    legend_beside(axis, "Shares measured by its test streams")


def _draw_threshold(
    axis: Axes, marking: tuple[Floats, Floats], limit: tuple[Floats, Floats]
) -> None:
    axis.plot(
        limit[0],
        100 * limit[1],
        drawstyle="steps-post",
        color="black",
        linewidth=1.8,
        linestyle=_DASHES,
        label="blocking threshold",
        zorder=4,
    )
    t_s = np.union1d(marking[0], limit[0])
    marked, most = _held(t_s, marking), _held(t_s, limit)
    axis.fill_between(
        t_s,
        100 * most,
        100 * marked,
        where=marked > most,
        step="post",
        facecolor="#F3C9A9",
        edgecolor=_RED,
        hatch="////",
        linewidth=0,
        label="M above it: calls blocked",
    )


def _draw_calls(axis: Axes, data: _Data) -> None:
    assert data.calls is not None
    end_s = data.end_ps / PS_PER_S
    length_s = next((x for x in _LENGTHS_S if end_s / x <= _BARS), end_s / _BARS)
    edges = np.append(np.arange(0, end_s, length_s), end_s)
    accepted = (data.calls["accepted"] == 1).to_numpy(dtype=bool)
    start_s = data.calls["start_ps"].to_numpy(dtype=np.float64) / PS_PER_S
    below = np.zeros(len(edges) - 1)
    styles: tuple[tuple[str, Truths, dict[str, Any]], ...] = (
        ("accepted", accepted, {"facecolor": _SKY}),
        ("blocked", ~accepted, {"facecolor": _RED, "hatch": "////"}),
    )
    for label, which, style in styles:
        rate = np.histogram(start_s[which], edges)[0] / np.diff(edges) * 60
        axis.bar(
            edges[:-1],
            rate,
            np.diff(edges),
            below,
            align="edge",
            edgecolor="white",
            linewidth=0.6,
            zorder=2,  # above the hatching of the warm-up, which resembles "blocked" in grey
            label=f"{label}, {which.sum():,}",
            **style,
        )
        below = below + rate
    axis.set_ylim(0, 1.05 * below.max() or 1)
    axis.set_ylabel("calls requested\n[1/min]")
    legend_beside(axis, f"Calls (a bar: {length_s:g} s)")


def _draw_promises(axis: Axes, data: _Data) -> None:
    assert data.calls is not None
    ended = data.calls[(data.calls["accepted"] == 1) & (data.calls["complete"] == 1)]
    spoken = ended[ended["sent"] > 0]
    silent = len(ended) - len(spoken)
    t_s = spoken["end_ps"].to_numpy(dtype=np.float64) / PS_PER_S
    bad = 100 * spoken["share_bad"].to_numpy(dtype=np.float64)
    broken = spoken["broken"].to_numpy(dtype=bool)
    axis.plot(
        t_s[~broken],
        bad[~broken],
        linestyle="",
        marker="o",
        markersize=3.5,
        markerfacecolor="none",
        markeredgecolor=_BLUE,
        label=f"call, promise kept, {(~broken).sum():,}",
    )
    axis.plot(
        t_s[broken],
        bad[broken],
        linestyle="",
        marker="X",
        markersize=7,
        markerfacecolor=_RED,
        markeredgecolor="black",
        markeredgewidth=0.7,
        label=f"call, promise broken, {broken.sum():,}",
    )
    promised = sorted({100 * offer.max_delay_rate for offer in data.provider.offers})
    words = f"promise: at most {' or '.join(f'{most:g}' for most in promised)} %"
    for number, most in enumerate(promised):
        label = words if number == 0 else None
        axis.axhline(most, color="black", linewidth=1.8, linestyle=_DASHES, label=label)
    _from_zero(axis)
    axis.set_ylabel("bad packets of a call\n[%]")
    delay_ms = data.provider.max_delay_ps / 1e9
    title = f"Each call at its end\n(bad: lost, or later than {delay_ms:g} ms)"
    if silent:
        title += f"\nnot drawn: {silent:,} without a packet"
    legend_beside(axis, title)


def _draw_money(axis: Axes, data: _Data) -> None:
    ledger, name = data.run.ledger.sort_values("t_ps", kind="stable"), data.provider.name
    t_s = ledger["t_ps"].to_numpy(dtype=np.float64) / PS_PER_S
    amount = ledger["amount_micro"].to_numpy(dtype=np.float64) / MICRO
    received = np.cumsum(amount * (ledger["credit"].astype(str) == name).to_numpy(dtype=bool))
    paid = np.cumsum(amount * (ledger["debit"].astype(str) == name).to_numpy(dtype=bool))
    t_s = np.concatenate([[0.0], t_s, [data.end_ps / PS_PER_S]])
    curves: tuple[tuple[str, Floats, dict[str, Any]], ...] = (
        ("received for calls", received, {"color": _GREEN, "linestyle": "--", "linewidth": 1.6}),
        ("paid out", paid, {"color": _RED, "linestyle": ":", "linewidth": 2}),
        ("balance", received - paid, {"color": "black", "linewidth": 2.2}),
    )
    for label, values, look in curves:
        end = values[-1] if len(values) else 0.0
        line = np.concatenate([[0.0], values, [end]])
        axis.plot(t_s, line, drawstyle="steps-post", label=f"{label}, {significant(end)}", **look)
    axis.axhline(0, color="0.35", linewidth=0.8, zorder=1)
    axis.set_ylabel("total so far\n[money]")
    legend_beside(axis, "Its account")
