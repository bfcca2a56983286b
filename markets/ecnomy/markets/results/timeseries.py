# SPDX-License-Identifier: Apache-2.0
"""Computes time series by flow, source, class, provider, codepoint, link, carrier or account.

The tables hold cumulative counters. A series has one of these values for each interval between
reports and each group of flows, link, carrier or account:

    Growth   increase of a counter / length of the interval             Mbps, 1/s, money/s
    Ratio    increase of one counter / increase of another              a share, seconds, money/mark
    Mean     increase of an integral / length / flows                   packets
    State    the value at the end of the interval, or at its start for willingness and price

Increases are sums over the flows of the group. A flow counts for the class that it has at the start
of the interval (`class_index`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec
import numpy as np

from ecnomy.agents.arrays import Floats, Integers
from ecnomy.agents.errors import InputError, ResultsError
from ecnomy.agents.money import MICRO
from ecnomy.agents.times import PS_PER_S
from ecnomy.markets.economy.journal import PRICE
from ecnomy.markets.results.epochs import Epochs
from ecnomy.markets.results.frames import class_labels
from ecnomy.markets.results.rawrun import RawRun

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["ACCOUNT_SERIES", "FLOW_SERIES", "LINK_SERIES", "timeseries_of"]


OF_FLOWS: Final = ("flow", "source", "class", "provider", "codepoint")
NO_CLASS: Final = "no class"
EVERYTHING: Final = "all"
_WILLINGNESS: Final = "willingness_micro_per_s"


class _Series(msgspec.Struct, frozen=True):
    """A quantity: its unit, the counter in its numerator, its denominator and a factor."""

    unit: str
    top: str
    over: str = "time"  # "time", a counter, or "flows" for time and flows
    factor: float = 1.0


FLOW_SERIES: Final = {
    "goodput": _Series("Mbps", "acked_bytes", factor=8e-6),
    "sent": _Series("Mbps", "sent_bytes", factor=8e-6),
    "delivered": _Series("packets/s", "delivered"),
    "marks": _Series("marks/s", "ce"),
    "marking": _Series("1", "ce", "delivered"),
    "lost": _Series("packets/s", "lost"),
    "delay": _Series("s", "delay_sum_ps", "delivered", 1e-12),
    "window": _Series("packets", "cwnd_integral", "flows"),
    "fee": _Series("money/s", "fee_micro", factor=1e-6),
    "charge": _Series("money/s", "mark_charge_micro", factor=1e-6),
    "price_per_mark": _Series("money/mark", "mark_charge_micro", "ce", 1e-6),
}
_STATES: Final = {"active": "flows", "rtt": "s", "willingness": "money/s"}
LINK_SERIES: Final = {
    "throughput": _Series("Mbps", "departed_bytes", factor=8e-6),
    "utilization": _Series("1", "wire_bits", "rate"),
    "queue": _Series("packets", "queue_integral"),
    "wait": _Series("s", "queue_integral", "departures"),
    "arrivals": _Series("packets/s", "arrivals"),
    "marks": _Series("marks/s", "marks"),
    "marking": _Series("1", "marks", "arrivals"),
    "drops": _Series("packets/s", "drops"),
    "loss": _Series("1", "drops", "arrivals"),
}
ACCOUNT_SERIES: Final = {"received": "money/s", "paid": "money/s", "balance": "money"}
_CARRIERS: Final = {"price": "money/mark"}


def timeseries_of(
    raw: RawRun, what: str, by: str | None, every_s: float | None, per_flow: bool
) -> pd.DataFrame:
    """See Results.timeseries."""
    given_by, by = by, by or _home(what)
    if per_flow and by not in (*OF_FLOWS, EVERYTHING):
        raise InputError(f"timeseries: found per_flow with by={by!r}, expected by flows or groups")
    if by in (*OF_FLOWS, EVERYTHING) and what in (FLOW_SERIES.keys() | _STATES.keys()):
        unit, edges, columns = _of_flows(raw, what, by, every_s, per_flow)
    elif by == "link" and what in LINK_SERIES:
        unit, edges, columns = _of_links(raw, what, every_s)
    elif by == "carrier" and what in _CARRIERS:
        unit, edges, columns = _of_carriers(raw, what, every_s)
    elif by == "account" and what in ACCOUNT_SERIES:
        unit, edges, columns = _of_accounts(raw, what, every_s)
    else:
        raise InputError(_unknown(what, given_by))
    return _frame(what, by, unit, edges, columns)


def _home(what: str) -> str:
    """Return the default grouping of a quantity."""
    if what in FLOW_SERIES or what in _STATES:
        return EVERYTHING
    if what in ACCOUNT_SERIES:
        return "account"
    return "carrier" if what in _CARRIERS else "link"


def _unknown(what: str, by: str | None) -> str:
    offered = {
        f"by {', '.join(OF_FLOWS)} or nothing": [*FLOW_SERIES, *_STATES],
        "by link": list(LINK_SERIES),
        "by account": list(ACCOUNT_SERIES),
        "by carrier": list(_CARRIERS),
    }
    choices = "; ".join(f"{kind}: {', '.join(names)}" for kind, names in offered.items())
    found = repr(what) if by is None else f"{what!r} by {by!r}"
    return f"timeseries: found {found}, expected {choices}"


def _frame(
    what: str, by: str, unit: str, edges: Integers, columns: dict[str, Floats]
) -> pd.DataFrame:
    import pandas as pd

    frame = pd.DataFrame(columns, index=pd.Index(edges[1:] / PS_PER_S, name="t_s"))
    frame.columns.name = None if by == EVERYTHING else by
    frame.attrs |= {"what": what, "unit": unit, "units": dict.fromkeys(columns, unit)}
    return frame


def _edges(epochs: Epochs, every_s: float | None) -> Integers:
    """Return the report times that begin and end the intervals."""
    if every_s is not None and not every_s > 0:
        expected = "a positive number of seconds"
        raise InputError(f"timeseries: found every_s={every_s!r}, expected {expected}")
    return epochs.t_ps if every_s is None else epochs.grid(round(every_s * PS_PER_S))


def _gained(epochs: Epochs, name: str, edges: Integers) -> Floats:
    return np.asarray(np.diff(epochs.at(name, edges), axis=0), dtype=np.float64)


def _divided(top: Floats, bottom: Floats) -> Floats:
    """Return quotients, with NaN for a divisor of 0."""
    there = np.broadcast_to(bottom > 0, top.shape)
    quotients = np.divide(top, bottom, out=np.full(top.shape, np.nan), where=there)
    return np.asarray(quotients, dtype=np.float64)


class _Groups(msgspec.Struct, frozen=True, eq=False):
    """The group of each row in each interval, as an index into `labels` [interval, row], or -1."""

    labels: list[str]
    codes: Integers

    def sums(self, values: Floats) -> Floats:
        """Return sums by group, [interval, label]."""
        intervals, size = len(self.codes), len(self.labels)
        at = np.arange(intervals)[:, None] * size + self.codes
        inside = self.codes >= 0
        weights = np.broadcast_to(values, self.codes.shape)
        sums = np.bincount(at[inside], weights[inside], minlength=intervals * size)
        return np.asarray(sums.reshape(intervals, size), dtype=np.float64)


def _groups(raw: RawRun, epochs: Epochs, edges: Integers, by: str) -> _Groups:
    sources = raw.plan.row_sources()
    intervals = max(len(edges) - 1, 0)
    if by in ("class", "provider"):
        return _classes(raw, epochs, edges, by)
    names = {
        "flow": raw.plan.flow_names(),
        "source": [source.name for source in sources],
        "codepoint": [source.codepoint for source in sources],
        EVERYTHING: [EVERYTHING] * len(sources),
    }[by]
    labels = list(dict.fromkeys(names))
    place = {label: number for number, label in enumerate(labels)}
    row = np.array([place[name] for name in names], dtype=np.int64)
    return _Groups(labels, np.tile(row, (intervals, 1)))


def _classes(raw: RawRun, epochs: Epochs, edges: Integers, by: str) -> _Groups:
    """Group rows by their class or provider, or `no class`, at the start of each interval."""
    held = class_labels(raw.manifest)
    if by == "provider":
        held = [one.provider for one in raw.manifest.classes]
    if "class_index" not in raw.flow_epochs.columns:
        raise ResultsError(f"{raw.path}: flow_epochs has no class_index; run the scenario again")
    index = epochs.at("class_index", edges[:-1]).astype(np.int64)
    labels = list(dict.fromkeys(held))
    place = np.array([labels.index(one) for one in held] + [len(labels)], dtype=np.int64)
    codes = place[index]
    return _Groups([*labels, NO_CLASS] if (index < 0).any() else labels, codes)


def _of_flows(
    raw: RawRun, what: str, by: str, every_s: float | None, per_flow: bool
) -> tuple[str, Integers, dict[str, Floats]]:
    epochs = Epochs(raw.flow_epochs, "flow", raw.plan.row_count)
    edges = _edges(epochs, every_s)
    groups = _groups(raw, epochs, edges, by)
    members = np.array([s.row_flows for s in raw.plan.row_sources()], dtype=np.float64)
    flows = groups.sums(members)
    if what in _STATES:
        unit, values = _STATES[what], _state(raw, what, epochs, edges, groups, members)
        averaged = what == "rtt"
    else:
        own = FLOW_SERIES[what]
        unit, averaged = own.unit, own.over != "time"
        top = own.factor * groups.sums(_gained(epochs, own.top, edges))
        if averaged and own.over != "flows":
            values = _divided(top, groups.sums(_gained(epochs, own.over, edges)))
        else:
            values = top / (np.diff(edges)[:, None] / PS_PER_S)
            values = _divided(values, flows) if averaged else values
    values = np.where(flows > 0, values, np.nan)
    if per_flow and not averaged:
        values = _divided(values, flows)
    if by == EVERYTHING:
        return unit, edges, {what: values[:, 0]}
    return unit, edges, {name: values[:, i] for i, name in enumerate(groups.labels)}


def _state(
    raw: RawRun, what: str, epochs: Epochs, edges: Integers, groups: _Groups, members: Floats
) -> Floats:
    """Return the value at the end of each interval, or at its start for willingness to pay."""
    if what == "willingness":
        table = raw.agents[raw.agents["name"].astype(str) == _WILLINGNESS]
        table = table[table["flow"] >= 0]
        rows = [table[table["flow"] == flow] for flow in range(len(members))]
        held = np.stack([_held(own, edges[:-1]) for own in rows], axis=1) * members / MICRO
        known = groups.sums(np.isfinite(held).astype(np.float64))
        return np.where(known > 0, groups.sums(np.nan_to_num(held)), np.nan)
    if what == "rtt":
        values = epochs.at("srtt_s", edges[1:])
        return _divided(groups.sums(values * members), groups.sums((values > 0) * members))
    return groups.sums(epochs.at(what, edges[1:]))


def _held(table: pd.DataFrame, t_ps: Integers) -> Floats:
    """Return the latest value at each time, or NaN before the first value."""
    said = table["t_ps"].to_numpy(dtype=np.int64)
    values = np.append(table["value"].to_numpy(dtype=np.float64), np.nan)
    return np.asarray(values[np.searchsorted(said, t_ps, side="right") - 1], dtype=np.float64)


def _of_links(
    raw: RawRun, what: str, every_s: float | None
) -> tuple[str, Integers, dict[str, Floats]]:
    links, own = raw.plan.links, LINK_SERIES[what]
    epochs = Epochs(raw.link_epochs, "link", len(links))
    edges = _edges(epochs, every_s)
    seconds = np.diff(edges)[:, None] / PS_PER_S
    if what == "utilization":
        framing = np.array([link.framing_bytes for link in links], dtype=np.float64)
        rates = np.array([link.rate_bps for link in links], dtype=np.float64)
        wire = _gained(epochs, "departed_bytes", edges)
        wire = wire + framing * _gained(epochs, "departures", edges)
        values = 8 * wire / (rates * seconds)
    elif own.over == "time":
        values = own.factor * _gained(epochs, own.top, edges) / seconds
    else:
        values = _divided(_gained(epochs, own.top, edges), _gained(epochs, own.over, edges))
    return own.unit, edges, {link.name: values[:, i] for i, link in enumerate(links)}


def _of_carriers(
    raw: RawRun, what: str, every_s: float | None
) -> tuple[str, Integers, dict[str, Floats]]:
    """Return unit, edges, and each carrier's price in force at the start of each interval."""
    edges = _edges(Epochs(raw.link_epochs, "link", len(raw.plan.links)), every_s)
    table = raw.agents[raw.agents["name"].astype(str) == PRICE]
    names = [name for name in dict.fromkeys(table["agent"].astype(str)) if name]
    columns = {name: _held(table[table["agent"].astype(str) == name], edges[:-1]) for name in names}
    return _CARRIERS[what], edges, {name: held / MICRO for name, held in columns.items()}


def _of_accounts(
    raw: RawRun, what: str, every_s: float | None
) -> tuple[str, Integers, dict[str, Floats]]:
    edges = _edges(Epochs(raw.link_epochs, "link", len(raw.plan.links)), every_s)
    table = raw.ledger
    received, paid = (_summed(table, side, edges) for side in ("credit", "debit"))
    zero = np.zeros(len(edges))
    names = sorted(received.keys() | paid.keys())
    if what == "balance":
        both = {name: received.get(name, zero) - paid.get(name, zero) for name in names}
        return ACCOUNT_SERIES[what], edges, {name: so_far[1:] for name, so_far in both.items()}
    side = received if what == "received" else paid
    seconds = np.diff(edges) / PS_PER_S
    growth = {name: np.diff(side.get(name, zero)) / seconds for name in names}
    return ACCOUNT_SERIES[what], edges, growth


def _summed(table: pd.DataFrame, side: str, edges: Integers) -> dict[str, Floats]:
    """Return the money that each account paid or received up to each time."""
    totals = {}
    table = table.sort_values("t_ps", kind="stable")  # calls are booked after their date
    for name, own in table.groupby(table[side].astype(str), sort=False):
        so_far = np.append(0, own["amount_micro"].to_numpy(dtype=np.int64).cumsum())
        last = np.searchsorted(own["t_ps"].to_numpy(dtype=np.int64), edges, side="right")
        totals[str(name)] = so_far[last] / MICRO
    return totals
