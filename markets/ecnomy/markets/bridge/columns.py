# SPDX-License-Identifier: Apache-2.0
"""List the columns of each table of the bridge with their dtypes (omnet/bridge/PROTOCOL.md)."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Final

import numpy as np

__all__ = [
    "DECIDE_FLOWS",
    "DECIDE_LINKS",
    "FLOAT",
    "INT",
    "RECORDS",
    "REPORT_LINKS",
    "REPORT_PAIRS",
    "Table",
    "decide_flows",
    "late_column",
    "report_flows",
]

INT: Final = np.dtype("<i8")
FLOAT: Final = np.dtype("<f8")

Table = Mapping[str, np.dtype[np.int64] | np.dtype[np.float64]]


def _table(ints: str = "", floats: str = "") -> Table:
    return MappingProxyType(dict.fromkeys(ints.split(), INT) | dict.fromkeys(floats.split(), FLOAT))


def _ordered(text: str) -> Table:
    """Return the table that `name:i name:f ...` describes (i: integers, f: floats)."""
    pairs = (item.split(":") for item in text.split())
    return MappingProxyType({name: INT if code == "i" else FLOAT for name, code in pairs})


_FLOW_COUNTERS: Final = (
    "sent sent_bytes retransmitted acked acked_bytes delivered delivered_bytes ce ce_bytes ece lost"
    " delay_sum_ps timeouts saturated_ps control_ce in_flight active files file_bytes file_left"
)
_FLOW_STATE: Final = "cwnd cwnd_integral srtt_s weight"

REPORT_LINKS: Final = _table(
    "arrivals arrived_bytes marks drops dropped_bytes law_drops not_ect_drops ce_dropped departures"
    " departed_bytes busy_ps queue_packets queue_bytes queue_max",
    "queue_integral probability",
)
REPORT_PAIRS: Final = _table("source link arrivals marks drops ce_dropped ce_in_flight")

DECIDE_FLOWS: Final = _ordered("flow:i mark_rate:f rate_cap_bps:f mark_cap:i active:i weight:f")
_DECIDE_FLOWS_WITHOUT: Final = {name: of for name, of in DECIDE_FLOWS.items() if name != "weight"}
DECIDE_LINKS: Final = _ordered("link:i param:i value:f")

RECORDS: Final[Mapping[str, Table]] = MappingProxyType(
    {
        "series": _ordered("t_ps:i name:i subject:i value:f"),
        "transfers": _table("flow number start_ps end_ps bytes retransmitted ece complete"),
        "calls": _table(
            "id flow user start_ps end_ps accepted complete sent delivered late ce lost"
            " delay_sum_ps"
        ),
        "trace": _table("t_ps event link flow seq bytes ce"),
        "histograms": _table("name subject bin count"),
        "counts": _table("t_ps name subject count"),
        "classes": _table(
            "t_ps link class arrivals arrived_bytes drops dropped_bytes marks departures"
            " departed_bytes late delay_sum_ps delay_max_ps busy_arrived_bytes busy_dropped_bytes"
        ),
    }
)


def decide_flows(given: Collection[str]) -> Table:
    """Return the table `decide.flows`, with weights only if `given` contains them."""
    return DECIDE_FLOWS if "weight" in given else _DECIDE_FLOWS_WITHOUT


def late_column(threshold: int) -> str:
    """Return the name of the counter of packets that exceed the delay threshold with this index."""
    return f"late_{threshold}"


@lru_cache(maxsize=16)
def report_flows(late: int) -> Table:
    """Return the table `report.flows` for a plan with `late` delay thresholds."""
    names = " ".join(late_column(k) for k in range(late))
    return _table(f"{_FLOW_COUNTERS} {names}", _FLOW_STATE)
