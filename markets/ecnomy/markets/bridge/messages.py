# SPDX-License-Identifier: Apache-2.0
"""The types of messages on the bridge, with columns as NumPy arrays (int64 or float64).

omnet/bridge/PROTOCOL.md specifies the names, the order and the units of their fields.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from ecnomy.agents.arrays import Floats, Integers

__all__ = [
    "Alive",
    "Bye",
    "Columns",
    "Decide",
    "Error",
    "Finish",
    "Hand",
    "Hello",
    "Message",
    "Record",
    "Refuse",
    "Report",
    "Request",
    "Show",
    "Verdict",
    "Welcome",
    "flow_orders",
]

Column = Integers | Floats
Columns = dict[str, Column]

# Defaults of an order: no mark rate, no caps, permission to send, and an unchanged weight.
_DEFAULTS: Final = {
    "mark_rate": -1.0,
    "rate_cap_bps": -1.0,
    "mark_cap": -1,
    "active": 1,
    "weight": -1.0,
}


@dataclass(frozen=True)
class Hello:
    """The engine's first message: its protocol, version, plan and seed."""

    protocol: tuple[int, int]
    engine: str
    version: str
    plan_digest: str
    seed: int
    token: str
    show: bool = False
    network: str = ""


@dataclass(frozen=True)
class Welcome:
    """The market's answer to a hello that it accepts."""

    protocol: tuple[int, int]


@dataclass(frozen=True)
class Refuse:
    """The market's answer to a hello that it refuses, with the reason."""

    reason: str


@dataclass(frozen=True)
class Report:
    """The counters of flows, links and (source, link) pairs at the end of an epoch."""

    t_ps: int
    epoch: int
    flows: Columns
    links: Columns
    pairs: Columns


@dataclass(frozen=True)
class Decide:
    """The market's answer to a report: changes to flows' targets and links' parameters."""

    epoch: int
    flows: Columns = field(default_factory=dict)
    links: Columns = field(default_factory=dict)


@dataclass(frozen=True)
class Show:
    """The market's data for a display, as JSON."""

    json: str


@dataclass(frozen=True)
class Request:
    """The engine's request to admit a call."""

    id: int
    t_ps: int
    flow: int
    kind: str
    duration_ps: int


@dataclass(frozen=True)
class Verdict:
    """The market's answer to a request."""

    id: int
    accept: bool


@dataclass(frozen=True)
class Record:
    """Rows that the engine adds to a table."""

    table: str
    columns: Columns


@dataclass(frozen=True)
class Hand:
    """Values that the user of the engine has set by hand, as JSON."""

    json: str


@dataclass(frozen=True)
class Alive:
    """A message between two reports that shows that the engine is still working."""

    t_ps: int
    events: int


@dataclass(frozen=True)
class Finish:
    """The end of the simulation, with totals of the run."""

    t_ps: int
    events: int
    data_packets: int
    packet_hops: int
    cpu_s: float


@dataclass(frozen=True)
class Bye:
    """The market's answer to the engine's last message."""

    pass


@dataclass(frozen=True)
class Error:
    """The message in which the engine or the market states why it ends the run."""

    reason: str


Message = (
    Hello
    | Welcome
    | Refuse
    | Report
    | Decide
    | Show
    | Request
    | Verdict
    | Record
    | Hand
    | Alive
    | Finish
    | Bye
    | Error
)


def flow_orders(flow: Any, **columns: Any) -> Columns:
    """Return the columns of `decide.flows`, with defaults for omitted columns.

    Args:
        flow: indices of rows of flows.
        columns: values of columns, one per row or one for all rows. Without `weight`, the result
            has no column of weights.
    """
    rows = np.asarray(flow, dtype=np.int64)
    unknown = columns.keys() - _DEFAULTS.keys()
    assert not unknown, unknown
    orders: Columns = {"flow": rows}
    for name, default in _DEFAULTS.items():
        if name == "weight" and name not in columns:
            continue
        dtype = type(default)  # numpy reads int as int64, float as float64
        given = np.asarray(columns.get(name, default), dtype=dtype)
        orders[name] = given if given.shape == rows.shape else np.full(len(rows), given, dtype)
    return orders
