# SPDX-License-Identifier: Apache-2.0
"""Calls of a guaranteed stream provider (GSP) and its test streams, over the whole run.

M and L are shares of the packets sent (Andreassen 2002, 4.1 and 4.2):

    M = marked / sent             L = (lost + later than the tariff's max_delay) / sent

The promise of a call is broken if the call has ended with L above the tariff's max_delay_rate.
Rates exclude calls that are under way at the end of the run, because their promises are neither
kept nor broken.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from ecnomy.agents.times import PS_PER_S
from ecnomy.analysis.run.guarantors import Provider, flows_of
from ecnomy.analysis.run.windows import Epochs
from ecnomy.markets.bridge.columns import late_column
from ecnomy.markets.results.rawrun import RawRun

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["CallOutcomes", "StreamRow", "all_streams", "call_rows", "calls_of", "streams_of"]


class CallOutcomes(msgspec.Struct, frozen=True):
    """The outcomes of call requests; rates are NaN if their denominator is 0.

    Attributes:
        under_way: number of accepted calls that had not ended when the run ended.
        broken: number of ended calls with a broken promise.
        learnt_ps: time of the provider's first blocking threshold [ps]; -1 without a threshold.
        asked_learnt: number of calls requested since that time; `blocked_learnt` of them were
            refused.
        packets: number of packets of the ended calls.
        bad: L for the packets of all ended calls together; `mean_bad` and `worst_bad` are the mean
            and the maximum of L per call.
        marked: M for the packets of all ended calls together; `mean_marked` is the mean of M per
            call.
    """

    asked: int
    blocked: int
    under_way: int
    broken: int
    learnt_ps: int
    asked_learnt: int
    blocked_learnt: int
    packets: int
    bad: float
    mean_bad: float
    worst_bad: float
    marked: float
    mean_marked: float

    @property
    def accepted(self) -> int:
        """Return the number of admitted calls."""
        return self.asked - self.blocked

    @property
    def ended(self) -> int:
        """Return the number of admitted calls that ended during the run."""
        return self.accepted - self.under_way


class StreamRow(msgspec.Struct, frozen=True):
    """Counts of one or several test streams; `packets_per_s` is the rate while they were on."""

    name: str
    poisson: bool
    packets_per_s: float
    sent: int
    marks: int
    bad_packets: int

    @property
    def marked(self) -> float:
        """Return M; NaN before the first packet."""
        return _share(self.marks, self.sent)

    @property
    def bad(self) -> float:
        """Return L; NaN before the first packet."""
        return _share(self.bad_packets, self.sent)


def _share(part: float, whole: float) -> float:
    return part / whole if whole else math.nan


def call_rows(run: RawRun, provider: Provider) -> pd.DataFrame:
    """Return the calls requested from a GSP, with the columns `bad`, `share_bad` and `broken`.

    `bad` is the number of bad packets, and `share_bad` is L (NaN for a call without packets).
    `accepted` is 1 only for calls that this provider sold, because another provider may have sold a
    call that this one refused.
    """
    rows = run.calls[run.calls["flow"].isin(flows_of(run, provider.call_sources))].copy()
    limits = {offer.index: offer.max_delay_rate for offer in provider.offers}
    if "refused_by" in rows:
        sold = rows["tariff"].isin(list(limits))
        refused = (rows["refused_by"] & sum(1 << index for index in limits)) != 0
        rows = rows[sold | refused].assign(accepted=sold[sold | refused].astype(np.int64))
        limit = rows["tariff"].map(limits).fillna(1.0)
    else:  # from an older version with one tariff
        limit = rows["flow"] * 0.0 + provider.first.max_delay_rate
    rows["bad"] = rows["late"] + rows["lost"]
    sent = rows["sent"].to_numpy(dtype=np.float64)
    rows["share_bad"] = rows["bad"].to_numpy(dtype=np.float64) / np.where(sent > 0, sent, np.nan)
    ended = (rows["accepted"] == 1) & (rows["complete"] == 1)
    rows["broken"] = ended & (rows["bad"] > limit * rows["sent"])
    return rows


def _learnt_ps(run: RawRun, provider: Provider) -> int:
    agents = run.agents
    own = agents["agent"].astype(str) == provider.name
    first = agents[own & (agents["name"].astype(str) == "blocking_threshold")]
    return -1 if first.empty else int(first["t_ps"].min())


def calls_of(run: RawRun, provider: Provider) -> CallOutcomes | None:
    """Return the outcomes of all call requests to a GSP; None if the run did not record calls.

    Raises:
        ResultsError: the table is unreadable.
    """
    if not run.plan.record.calls:
        return None
    rows = call_rows(run, provider)
    learnt_ps = _learnt_ps(run, provider)
    later = rows[rows["start_ps"] >= learnt_ps] if learnt_ps >= 0 else rows[:0]
    accepted = rows[rows["accepted"] == 1]
    ended = accepted[accepted["complete"] == 1]
    spoken = ended[ended["sent"] > 0]
    packets = int(spoken["sent"].sum())
    return CallOutcomes(
        asked=len(rows),
        blocked=len(rows) - len(accepted),
        under_way=len(accepted) - len(ended),
        broken=int(ended["broken"].sum()),
        learnt_ps=learnt_ps,
        asked_learnt=len(later),
        blocked_learnt=int((later["accepted"] == 0).sum()),
        packets=packets,
        bad=_share(float(spoken["bad"].sum()), packets),
        mean_bad=float(spoken["share_bad"].mean()) if packets else math.nan,
        worst_bad=float(spoken["share_bad"].max()) if packets else math.nan,
        marked=_share(float(spoken["ce"].sum()), packets),
        mean_marked=float((spoken["ce"] / spoken["sent"]).mean()) if packets else math.nan,
    )


def streams_of(run: RawRun, provider: Provider, epochs: Epochs) -> tuple[StreamRow, ...]:
    """Return counts of a GSP's test streams at the last report.

    The result is () without streams, tariffs of calls, or reports.
    """
    if not (len(epochs.t_ps) and provider.stream_sources and provider.offers):
        return ()
    end = epochs.t_ps[-1:]
    late = late_column(run.plan.record.delay_thresholds_ps.index(provider.max_delay_ps))
    sent, marks, lost, later = (epochs.at(n, end)[0] for n in ("sent", "ce", "lost", late))
    rows = []
    for source in run.plan.sources:
        if source.name not in provider.stream_sources:
            continue
        own = flows_of(run, (source.name,))
        stop_ps = int(end[0]) if source.stop_ps < 0 else min(int(end[0]), source.stop_ps)
        seconds, count = (stop_ps - source.start.at_ps) / PS_PER_S, int(sent[own].sum())
        row = StreamRow(
            name=source.name,
            poisson=source.traffic.law == "poisson",
            packets_per_s=count / seconds if seconds > 0 else 0.0,
            sent=count,
            marks=int(marks[own].sum()),
            bad_packets=int((lost + later)[own].sum()),
        )
        rows.append(row)
    return tuple(rows)


def all_streams(rows: tuple[StreamRow, ...]) -> StreamRow:
    """Return the sum of all test streams, the basis of admission by the marking rate."""
    return StreamRow(
        name="all",
        poisson=False,
        packets_per_s=sum(row.packets_per_s for row in rows),
        sent=sum(row.sent for row in rows),
        marks=sum(row.marks for row in rows),
        bad_packets=sum(row.bad_packets for row in rows),
    )
