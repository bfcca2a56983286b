# SPDX-License-Identifier: Apache-2.0
"""Converts a run's tables to frames for users, with names, seconds, Mbps and money.

A frame has the rows of the raw table of the same name, in the same order. Its index has a name, and
`attrs["units"]` holds the unit of each column. Names of flows and links replace their numbers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from ecnomy.agents.arrays import Floats, Integers
from ecnomy.agents.money import MICRO
from ecnomy.agents.observation import Truths
from ecnomy.agents.times import PS_PER_S
from ecnomy.markets.economy.journal import ACTIVE, CALL_PRICE, FEE, PRICE, REFUSED
from ecnomy.markets.results.manifest import Manifest
from ecnomy.markets.results.rawrun import RawRun
from ecnomy.markets.results.units import frame_units
from ecnomy.markets.terms.ledger_kinds import (
    CALL,
    CLASS_FEE,
    FIXED_COST,
    MARKS,
    REIMBURSEMENT,
    SETTLEMENT,
    TRANSFER,
)
from ecnomy.markets.terms.meters import METERS

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "agent_frame",
    "class_labels",
    "flow_frame",
    "ledger_frame",
    "link_frame",
    "units_of_kinds",
]


_FLOWS_FIRST: Final = (
    *("source", "class", "provider", "members", "goodput_mbps", "marks_per_s", "fee", "charge"),
    *("price_per_mark", "marking_rate", "mean_delay_s", "mean_cwnd", "goodput_bps"),
)
_LINKS_FIRST: Final = (
    *("rate_mbps", "utilization", "marking_probability", "mean_queue_packets", "mean_wait_s"),
    *("marks", "drops"),
)
_KIND_UNITS: Final = {  # units of a posting's quantity
    CLASS_FEE: "s",
    FIXED_COST: "s",
    MARKS: "marks",
    SETTLEMENT: "marks",
    CALL: "calls",
    REIMBURSEMENT: "reimbursements",
    TRANSFER: "files",
}
_ENTRIES: Final = {  # decisions of agents: name in the table -> (name here, unit, divisor)
    PRICE: ("price", "money/mark", MICRO),
    "willingness_micro_per_s": ("willingness", "money/s", MICRO),
    "rate_cap_bps": ("rate_cap", "Mbps", 1e6),
    "mark_rate": ("mark_rate", "marks/s", 1.0),
    "weight": ("weight", "of the law", 1.0),
}
_UNSET: Final = ("rate_cap_bps", "mark_rate", "weight")  # unset if below 0


def flow_frame(raw: RawRun) -> pd.DataFrame:
    """See Results.flows."""
    frame = _plain(raw.flows.drop(columns=["flow", "name"]))
    frame = frame.rename(columns={"mark_charge": "charge"})
    if "goodput_bps" in frame:
        frame["goodput_mbps"] = frame["goodput_bps"] / 1e6
    if {"charge", "ce"} <= set(frame.columns):
        frame["price_per_mark"] = frame["charge"] / frame["ce"].where(frame["ce"] > 0)
    return _labelled(frame, "flows", _FLOWS_FIRST, raw.flows["name"], "flow")


def link_frame(raw: RawRun) -> pd.DataFrame:
    """See Results.links."""
    rates = np.array([link.rate_bps for link in raw.plan.links], dtype=np.float64)
    frame = _plain(raw.links.drop(columns=["link", "name"]))
    frame["rate_mbps"] = rates[_index(raw.links["link"])] / 1e6
    return _labelled(frame, "links", _LINKS_FIRST, raw.links["name"], "link")


def ledger_frame(raw: RawRun) -> pd.DataFrame:
    """See Results.ledger."""
    import pandas as pd

    table, units = raw.ledger, units_of_kinds(raw.manifest)
    unit = table["kind"].astype(str).map(units).fillna("")
    price = table["price_micro"].to_numpy(dtype=np.float64) / MICRO
    amount = table["amount_micro"].to_numpy(dtype=np.float64) / MICRO
    quantity = table["quantity"].to_numpy(dtype=np.float64)
    flow = _index(table["flow"])
    frame = pd.DataFrame(
        {
            "t_s": table["t_ps"].to_numpy(dtype=np.float64) / PS_PER_S,
            "payer": table["debit"].astype(str),
            "payee": table["credit"].astype(str),
            "kind": table["kind"].astype(str),
            "quantity": np.where(unit == "s", quantity / PS_PER_S, quantity),
            "unit": unit,
            "price": np.where((price == 0) & (amount != 0), np.nan, price),
            "amount": amount,
            "flow": _named(flow, raw.plan.flow_names()),
            "source": _named(flow, [source.name for source in raw.plan.row_sources()]),
        }
    )
    own = {"quantity": "see unit", "price": "money per unit", "flow": "text"}
    return _counted(frame, "ledger", "posting", **own)


def agent_frame(raw: RawRun) -> pd.DataFrame:
    """See Results.agents."""
    import pandas as pd

    table = raw.agents
    names, value = table["name"].astype(str), table["value"].to_numpy(dtype=np.float64)
    entries = {name: _entry(name) for name in names.unique()}
    words = names.map({name: one[0] for name, one in entries.items()}).astype(str)
    scale = names.map({name: one[2] for name, one in entries.items()}).to_numpy(dtype=np.float64)
    unset = names.isin(_UNSET).to_numpy(dtype=np.bool_) & (value < 0)
    frame = pd.DataFrame(
        {
            "t_s": table["t_ps"].to_numpy(dtype=np.float64) / PS_PER_S,
            "agent": table["agent"].astype(str).replace("", "market"),
            "flow": _named(_index(table["flow"]), raw.plan.flow_names()),
            "what": words,
            "value": np.where(unset, np.nan, value / scale),
            "unit": names.map({name: one[1] for name, one in entries.items()}).astype(str),
            "meaning": _meanings(names, value, unset, class_labels(raw.manifest)),
        }
    )
    return _counted(frame, "agents", "entry", value="see unit", flow="text")


def class_labels(manifest: Manifest) -> list[str]:
    """Return the name of each class, with its provider if several providers use the name."""
    names = [one.name for one in manifest.classes]
    return [
        f"{one.name} of {one.provider}" if names.count(one.name) > 1 else one.name
        for one in manifest.classes
    ]


def units_of_kinds(manifest: Manifest) -> dict[str, str]:
    """Return the unit of quantities by kind of posting; for contracts, it is the meter's unit."""
    units = dict(_KIND_UNITS)
    scenario: Any = manifest.scenario or {}
    for agent in (scenario.get("market") or {}).get("agents") or ():
        for contract in agent.get("contracts") or ():
            meter = METERS[contract["meter"]]
            unit = "s" if meter.unit == "ps" else f"{meter.unit}s"
            units[contract.get("name") or f"{meter.name}-charge"] = unit
    return units


def _entry(name: str) -> tuple[str, str, float]:
    """Return an entry's name in the frame, its unit, and the divisor of its raw values."""
    if name in _ENTRIES:
        return _ENTRIES[name]
    if name.startswith(FEE):
        return name, "money/s", MICRO
    if name.startswith(CALL_PRICE):
        return name, "money/call", MICRO
    if "_micro" in name:
        return name.replace("_micro", ""), "money", MICRO
    return name, "", 1.0


def _meanings(
    names: pd.Series[str], value: Floats, unset: Truths, classes: list[str]
) -> npt.NDArray[np.object_]:
    """Return the meaning of each value that is a code (class, on, off, none), otherwise ""."""
    meanings = np.full(len(value), "", dtype=object)
    meanings[unset] = "none"
    switched = (names == ACTIVE).to_numpy(dtype=np.bool_)
    meanings[switched] = np.where(value[switched] > 0, "on", "off")
    chosen = names.isin(("class", REFUSED)).to_numpy(dtype=np.bool_)
    meanings[chosen] = _named(value[chosen].astype(np.int64), classes, "no class")
    return meanings


def _plain(table: pd.DataFrame) -> pd.DataFrame:
    """Return a table in seconds and money, with the names of columns changed to match."""
    import pandas as pd

    columns: dict[str, Any] = {}
    for name in table.columns:
        if name.endswith("_ps"):
            columns[f"{name[:-3]}_s"] = table[name] / PS_PER_S
        elif name.endswith("_micro"):
            columns[name.removesuffix("_micro")] = table[name] / MICRO
        else:
            columns[name] = table[name]
    return pd.DataFrame(columns)


def _index(column: pd.Series[Any]) -> Integers:
    return column.to_numpy(dtype=np.int64)


def _named(index: Integers, names: list[str], none: str = "") -> npt.NDArray[np.object_]:
    """Return the name of each index, and `none` for -1."""
    return np.array([*names, none], dtype=object)[index]


def _labelled(
    frame: pd.DataFrame, table: str, first: tuple[str, ...], names: pd.Series[str], key: str
) -> pd.DataFrame:
    """Order the columns of a frame, index its rows by name, and add units."""
    there = [name for name in first if name in frame]
    frame = frame[[*there, *(name for name in frame.columns if name not in there)]]
    frame.index = names.astype(str).rename(key)
    frame.attrs["units"] = frame_units(table, frame.columns)
    return frame


def _counted(frame: pd.DataFrame, table: str, key: str, **own: str) -> pd.DataFrame:
    frame.index.name = key
    frame.attrs["units"] = frame_units(f"{table} for people", frame.columns, **own)
    return frame
