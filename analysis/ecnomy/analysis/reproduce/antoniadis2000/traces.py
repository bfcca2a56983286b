# SPDX-License-Identifier: Apache-2.0
"""Outcome columns from packet traces: the queue when marking begins, and echoes of receivers.

From the first CE on, a latching receiver (RFC 3168, section 6.1.3) echoes on every ACK until a
packet with CWR arrives. Its sender reacts once per round trip and sets CWR on the next packet. This
module replays such a receiver over the CE packets of runs without losses. In the run of Reno, the
receivers are of this kind. In the run of WTP, the replay shows the echoes that such receivers would
send.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec
import numpy as np

from ecnomy.agents.arrays import Floats
from ecnomy.agents.times import PS_PER_S

if TYPE_CHECKING:
    import pandas as pd

    from ecnomy.markets.results.rawrun import RawRun

__all__ = ["early_warning", "echoes", "latched_echoes", "waiting_before"]

SEND, ENQUEUE, MARK, DROP, DELIVER, ACK = range(6)  # events of the table `trace`
_BITS: Final = 8
_TRANSIENT_S: Final = 10.0  # flows start in the first 5 s


def early_warning(results: Path) -> Mapping[str, float | None]:
    """Return the number of drops, and the longest queue at the beginning of a marking period.

    Returns:
        dropped; dropped_late, drops after 10 s; periods, the number of marking periods; and
        longest_at_start, the most packets waiting when the first packet of a period arrives, or
        None if the run has drops or no marks.
    """
    from ecnomy.markets.results.rawrun import open_raw

    run = open_raw(results)
    drops = float(run.table("links")["drops"].sum())
    starts, waiting = _period_starts(run)
    trace = run.table("trace")
    lost_ps = trace.loc[trace["event"] == DROP, "t_ps"]
    longest = float(waiting[starts].max()) if starts.any() and drops == 0 else None
    return {
        "dropped": drops,
        "dropped_late": float((lost_ps > _TRANSIENT_S * PS_PER_S).sum()),
        "periods": float(starts.sum()),
        "longest_at_start": longest,
    }


def _period_starts(run: RawRun) -> tuple[np.ndarray, Floats]:
    """Return whether a marking period begins at each arrival, and the queue before it."""
    trace: pd.DataFrame = run.table("trace")
    links = [link.name for link in run.plan.links]
    index = links.index("bottleneck")
    here = trace[trace["link"] == index]
    arrivals = here[here["event"] == ENQUEUE]
    keys = ["flow", "seq", "bytes"]  # a SYN has the number of the first segment
    marked = here[here["event"] == MARK][keys].drop_duplicates().assign(marked=True)
    known = arrivals.merge(marked, on=keys, how="left")
    marks = known["marked"].notna().to_numpy()
    starts = marks & ~np.concatenate([[False], marks[:-1]])
    times_s = arrivals["t_ps"].to_numpy(dtype=np.float64) / PS_PER_S
    service_s = (
        arrivals["bytes"].to_numpy(dtype=np.float64) * _BITS / run.plan.links[index].rate_bps
    )
    return starts, waiting_before(times_s, service_s)


def waiting_before(times_s: Floats, service_s: Floats) -> Floats:
    """Return the number of packets waiting at each arrival, without the packet in service."""
    waiting: deque[float] = deque()
    free_s = -np.inf
    lengths = np.zeros(len(times_s))
    for index, (now_s, takes_s) in enumerate(zip(times_s, service_s, strict=True)):
        while waiting and waiting[0] <= now_s:
            waiting.popleft()
        lengths[index] = len(waiting)
        begins_s = max(now_s, free_s)
        free_s = begins_s + takes_s
        if begins_s > now_s:
            waiting.append(begins_s)
    return lengths


def echoes(results: Path) -> Mapping[str, float | None]:
    """Return the marks that senders learn, and the echoes of latching receivers, per mark received.

    Returns:
        learnt_per_mark and latched_per_mark (None without marks), dropped, and marks.
    """
    from ecnomy.markets.results.rawrun import open_raw

    run = open_raw(results)
    flows = run.table("flows")
    marks = float(flows["ce"].sum())
    trace = run.table("trace")
    latched = 0
    for _, own in trace[trace["event"].isin([SEND, DELIVER, ACK])].groupby("flow"):
        events = zip(own["event"].tolist(), (own["ce"] != 0).tolist(), strict=True)
        latched += latched_echoes(events)
    return {
        "learnt_per_mark": float(flows["ece"].sum()) / marks if marks else None,
        "latched_per_mark": latched / marks if marks else None,
        "dropped": float(run.table("links")["drops"].sum()),
        "marks": marks,
    }


class _Connection(msgspec.Struct):
    """A sender and its latching receiver, without losses or reordering."""

    latched: bool = False
    cwr_due: bool = False
    sent: int = 0
    acked: int = 0
    answered_until: int = -1  # packets sent when the sender last answered an echo


def latched_echoes(events: Iterable[tuple[int, bool]]) -> int:
    """Return the number of ACKs that carry an echo.

    Args:
        events: events of one flow in time order, from the SYN on: (SEND, _), (DELIVER, whether CE),
            (ACK, _). The first SEND and the first ACK belong to the handshake.
    """
    state = _Connection(sent=-1, acked=-1)
    with_cwr: deque[bool] = deque()
    echoed: deque[bool] = deque()
    total = 0
    for event, ce in events:
        if event == SEND:
            state.sent += 1
            if state.sent > 0:
                with_cwr.append(state.cwr_due)
                state.cwr_due = False
        elif event == DELIVER:
            cwr = with_cwr.popleft()
            state.latched = (state.latched and not cwr) or ce
            echoed.append(state.latched)
            total += state.latched
        else:
            state.acked += 1
            if state.acked > 0 and echoed.popleft() and state.acked > state.answered_until:
                state.answered_until, state.cwr_due = state.sent, True
    return total
