# SPDX-License-Identifier: Apache-2.0
"""The curves in the picture of a diff: rates, marking, queues, prices and balances of a run.

Curves with the same title share a panel, in which the runs of both groups are drawn.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import msgspec
import numpy as np

from ecnomy.agents.arrays import Floats
from ecnomy.agents.money import MICRO
from ecnomy.agents.times import PS_PER_S
from ecnomy.analysis.run.activity import flows_on
from ecnomy.analysis.run.carriers import prices_of
from ecnomy.analysis.run.link_marking import activity_of, crossings_of, link_shares
from ecnomy.analysis.run.summary import groups_of
from ecnomy.analysis.run.windows import Epochs, Intervals
from ecnomy.markets.results.rawrun import RawRun

__all__ = ["TimeCurve", "curves_of", "shown_links"]

_BINS: Final = 60
_MOST_LINKS: Final = 2


class TimeCurve(msgspec.Struct, frozen=True, eq=False):
    """Values over time; NaN where a value is undefined."""

    t_s: Floats
    values: Floats
    unit: str


def shown_links(runs: Sequence[RawRun]) -> list[str]:
    """Return up to two links with the most marks and drops, among the links that all runs have.

    If none of these marked or dropped packets, return the link with the highest utilisation.
    """
    common = set.intersection(*({str(n) for n in run.links["name"]} for run in runs))
    bad = dict.fromkeys(sorted(common), 0.0)
    used = dict(bad)
    for run in runs:
        links = run.links
        for name, marks, drops, use in zip(
            links["name"], links["marks"], links["drops"], links["utilization"], strict=True
        ):
            if name in common:
                bad[name] += float(marks + drops)
                used[name] += float(use)
    worst = sorted((name for name in bad if bad[name] > 0), key=lambda name: -bad[name])
    return worst[:_MOST_LINKS] or sorted(used, key=lambda name: -used[name])[:1]


def curves_of(run: RawRun, links: Sequence[str], accounts: Sequence[str]) -> dict[str, TimeCurve]:
    """Return the curves of a run by panel title; empty if the run has fewer than two reports.

    Args:
        run: the run.
        links: names of the links to draw.
        accounts: names of the accounts to draw.

    Raises:
        ResultsError: a table is missing or unreadable.
    """
    flows = Epochs(run.flow_epochs, "flow", run.plan.row_count)
    if len(flows.t_ps) < 2:
        return {}
    times = Intervals(flows.grid(max(int(flows.t_ps[-1]) // _BINS, 1)))
    return {
        **_rates(run, flows, times),
        **_of_links(run, flows, times, links),
        **_prices(run, times),
        **_balances(run, times, accounts),
    }


def _rates(run: RawRun, flows: Epochs, times: Intervals) -> dict[str, TimeCurve]:
    rates = 8e-6 * np.diff(flows.at("acked_bytes", times.edges_ps), axis=0)
    rates /= times.seconds[:, None]
    on = flows_on(run, times.edges_ps)
    sources = {source.name: source for source in run.plan.sources}
    curves = {}
    for group in groups_of(run):
        member = list(group.flows)
        counted = on[:, member].sum(axis=1)
        mean = np.full(len(counted), np.nan)
        np.divide(rates[:, member].sum(axis=1), counted, out=mean, where=counted > 0)
        source, t_ps = sources[group.source], times.middle_s * PS_PER_S
        off = t_ps < source.start.at_ps
        if source.stop_ps >= 0:
            off |= t_ps > source.stop_ps
        mean[off] = np.nan
        curves[f"{group.label}: rate of a flow"] = TimeCurve(times.middle_s, mean, "Mbps")
    return curves


def _of_links(
    run: RawRun, flows: Epochs, times: Intervals, names: Sequence[str]
) -> dict[str, TimeCurve]:
    links = Epochs(run.link_epochs, "link", len(run.plan.links))
    shares = link_shares(crossings_of(run), activity_of(run, flows, times.edges_ps))
    grown = {
        name: np.diff(links.at(name, times.edges_ps), axis=0)
        for name in ("marks", "arrivals", "queue_integral")
    }
    marks, arrivals = grown["marks"] * shares.marks, grown["arrivals"] * shares.arrivals
    marked = 100 * np.divide(marks, arrivals, out=np.zeros_like(marks), where=arrivals > 0)
    queue = grown["queue_integral"] / times.seconds[:, None]
    at = {link.name: index for index, link in enumerate(run.plan.links)}
    curves = {}
    for name in names:
        curves[f"{name}: data packets marked"] = TimeCurve(times.middle_s, marked[:, at[name]], "%")
        curves[f"{name}: mean queue"] = TimeCurve(times.middle_s, queue[:, at[name]], "packets")
    return curves


def _prices(run: RawRun, times: Intervals) -> dict[str, TimeCurve]:
    """Return the price of each carrier whose price changed."""
    curves = {}
    for name, prices in prices_of(run).items():
        if len(set(prices.money.tolist())) > 1:
            t_ps = times.middle_s * PS_PER_S
            index = np.searchsorted(prices.t_ps, t_ps, side="right") - 1
            values = np.where(index >= 0, prices.money[np.maximum(index, 0)], np.nan)
            curves[f"{name}: price of a mark"] = TimeCurve(times.middle_s, values, "money")
    return curves


def _balances(run: RawRun, times: Intervals, accounts: Sequence[str]) -> dict[str, TimeCurve]:
    ledger = run.ledger
    t_ps = ledger["t_ps"].to_numpy(dtype=np.int64)
    amount = ledger["amount_micro"].to_numpy(dtype=np.int64)
    sides = {side: ledger[side].astype(str).to_numpy() for side in ("credit", "debit")}
    curves = {}
    for account in accounts:
        own = np.where(sides["credit"] == account, amount, 0)
        own = own - np.where(sides["debit"] == account, amount, 0)
        order = np.argsort(t_ps, kind="stable")
        sums = np.concatenate([[0], np.cumsum(own[order])])
        values = sums[np.searchsorted(t_ps[order], times.edges_ps, side="right")] / MICRO
        edges_s = np.asarray(times.edges_ps / PS_PER_S, dtype=np.float64)
        curves[f"{account}: balance"] = TimeCurve(edges_s, values, "money")
    return curves
