# SPDX-License-Identifier: Apache-2.0
"""Finds sources that took too few marks because losses halved their windows.

A WTP window settles where increases and decreases balance. With the default `form`, a mark lowers
the window by `gain` (siris2002 Eq. 4). A loss halves the window (antoniadis2000 4.2) and thus
replaces cwnd / (2 gain) marks, which the source does not take.
"""

from __future__ import annotations

from typing import Final

import msgspec
import numpy as np

from ecnomy.agents.arrays import Floats
from ecnomy.markets.plan import Plan, Source, Tcp
from ecnomy.markets.results.floors import LEAST
from ecnomy.markets.results.flow_targets import target_rates
from ecnomy.markets.results.rawrun import RawRun
from ecnomy.markets.results.window_reports import WindowReports

__all__ = ["Losses", "losses"]

_INVERSE_DECREASE: Final = 1  # `form` of laws/window/wtp.h
_MOST: Final = 0.5  # losses must explain at least this share of the missing marks


class Losses(msgspec.Struct, frozen=True):
    """A source that took over 5 % fewer marks than its target, mostly because of losses.

    Attributes:
        source: name of the source.
        share: share of its packets that were lost [0 to 1].
        wires: names of the links on its path that lose packets in transmission; empty if packets
            were lost only in queues.
        asked_per_s: mean target of a flow from its decisions, willingness to pay / price [marks/s].
        taken_per_s: mean mark rate of a flow [marks/s].
    """

    source: str
    share: float
    wires: tuple[str, ...]
    asked_per_s: float
    taken_per_s: float

    def __str__(self) -> str:
        """Return a one-line warning about the source."""
        where, remedy = "in full queues", "Queues that mark more before they are full avoid this"
        if self.wires:
            where = f"on {'link' if len(self.wires) == 1 else 'links'} {', '.join(self.wires)}"
            remedy = "With repair: false, windows survive losses"
        return (
            f"{self.source}: {100 * self.share:.2g} % of its packets were lost {where}, and a loss "
            f"halves a window. It took {self.taken_per_s:.3g} of the {self.asked_per_s:.3g} "
            f"marks/s per flow that its willingness to pay buys. {remedy}"
        )


def losses(run: RawRun) -> list[Losses]:
    """Return sources over 5 % below their target, if losses explain at least half the shortfall.

    Raises:
        ResultsError: a table is missing or unreadable.
    """
    sources = _ever_lost(run)
    names = ("lost", "sent", "cwnd", "weight", "srtt_s", "active", "ce")
    reports = WindowReports.of(run, *names) if sources else None
    rates = target_rates(run, reports) if reports is not None else None
    if reports is None or rates is None:
        return []
    losses_by_source = (_of_source(run.plan, source, reports, rates) for source in sources)
    return [one for one in losses_by_source if one is not None]


def _of_source(plan: Plan, source: Source, reports: WindowReports, rates: Floats) -> Losses | None:
    own, flows = reports.own(source), source.row_flows
    lost, sent, cwnd, weight, rtt_s, active, ce = (
        values[:, own] for values in reports.columns.values()
    )
    targets = rates[:, own]
    on = (active[1:] > 0) & (rtt_s[1:] > 0) & (targets > 0)
    flow_s = float((reports.dt_s * on).sum()) * flows
    packets = float((np.diff(sent, axis=0) * on).sum())
    if flow_s <= 0 or packets <= 0:
        return None
    # Queueing may have lowered the window's target; losses are not the cause of that part.
    window = np.divide(weight[1:], rtt_s[1:], out=np.zeros_like(rtt_s[1:]), where=on)
    aimed = float((reports.dt_s * on * np.minimum(window, targets * flows)).sum()) / flow_s
    taken = float((np.diff(ce, axis=0) * on).sum()) / flow_s
    gone = np.diff(lost, axis=0) * on
    # The window is halved in the report after a loss, not in the report before it.
    instead = gone * _marks_of_a_loss(source, cwnd[:-1] / flows, weight[1:] / flows)
    missing = aimed - taken
    if missing <= LEAST * aimed or float(instead.sum()) / flow_s < _MOST * missing:
        return None
    return Losses(
        source=source.name,
        share=float(gone.sum()) / packets,
        wires=tuple(plan.links[link].name for link in source.path if plan.links[link].loss > 0),
        asked_per_s=float((reports.dt_s * targets * on).sum()) * flows / flow_s,
        taken_per_s=taken,
    )


def _marks_of_a_loss(source: Source, cwnd: Floats, weight: Floats) -> Floats:
    """Return the number of marks that lower a window as much as a loss does."""
    assert isinstance(source.transport, Tcp)
    params = source.transport.window.params
    by_inverse_decrease = params["form"] == _INVERSE_DECREASE
    per_loss = np.maximum(weight, 1) if by_inverse_decrease else params["w_dec"]
    return np.asarray(per_loss * cwnd / (2 * params["gain"]), dtype=np.float64)


def _ever_lost(run: RawRun) -> list[Source]:
    """Return the sources that lost packets after the warm-up and whose windows losses halve."""
    flows = run.flows
    if "lost" not in flows:  # the run ended before it had totals
        return []
    names = set(flows["source"][flows["lost"] > 0])
    return [source for source in run.plan.sources if source.halved and source.name in names]
