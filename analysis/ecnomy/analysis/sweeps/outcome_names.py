# SPDX-License-Identifier: Apache-2.0
"""Names outcome columns in words: subject, quantity and unit (markets/README.md)."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

import msgspec

__all__ = ["Named", "called", "name_of"]


class Named(msgspec.Struct, frozen=True):
    """A column in words: subject, quantity, and the unit of its values times `factor`."""

    subject: str
    what: str
    unit: str = ""
    factor: float = 1.0

    @property
    def words(self) -> str:
        """The quantity with its unit."""
        return f"{self.what} [{self.unit}]" if self.unit else self.what


_OF_SOURCES: Final[dict[str, tuple[str, str, float]]] = {
    "flows": ("flows", "", 1.0),
    "goodput_bps": ("rate of a flow", "Mbps", 1e-6),
    "marks_per_s": ("marks of a flow", "1/s", 1.0),
    "marking_rate": ("packets marked", "%", 100.0),
    "mean_delay_s": ("one-way delay", "ms", 1e3),
    "mean_cwnd": ("window of a flow", "packets", 1.0),
    "charge_per_s": ("paid for marks of a flow", "money/s", 1.0),
    "fee_per_s": ("fee of a flow", "money/s", 1.0),
}
_OF_LINKS: Final[dict[str, tuple[str, str, float]]] = {
    "utilization": ("capacity used", "%", 100.0),
    "marking_probability": ("packets marked", "%", 100.0),
    "mean_queue_packets": ("queue", "packets", 1.0),
    "mean_wait_s": ("wait in the queue", "ms", 1e3),
    "drops": ("packets dropped", "", 1.0),
}
_OF_SELLERS: Final[dict[str, tuple[str, str, float]]] = {
    "calls_asked": ("calls requested", "", 1.0),
    "calls_sold": ("calls sold", "", 1.0),
    "calls_blocked": ("calls turned away", "", 1.0),
    "calls_broken": ("calls with a broken promise", "", 1.0),
    "revenue": ("received for calls", "money", 1.0),
    "reimbursed": ("paid back", "money", 1.0),
    "cost": ("cost", "money", 1.0),
    "profit": ("profit of the run", "money", 1.0),
    "hours": ("simulated time", "h", 1.0),
}
_OF_ALL: Final[dict[str, tuple[str, str, float]]] = {
    "welfare": ("welfare", "money/s", 1.0),
    "consumer_surplus": ("consumer surplus", "money/s", 1.0),
    "jain": ("Jain's index of rates", "", 1.0),
    "optimum_ratio": ("welfare over the optimum's", "%", 100.0),
    "welfare_agents": ("agents that welfare counts", "", 1.0),
    "price": ("mean price per mark", "money", 1.0),
}
_BALANCE: Final = "balance."
_PROFIT: Final = "profit."
_PRICE: Final = "price."
_WHOLE: Final = "all"


def name_of(column: str, sellers: Collection[str] = ()) -> Named:
    """Return a column in words.

    Args:
        column: the column's name.
        sellers: names of agents whose balances are their profits.
    """
    if column.startswith(_BALANCE):
        account = column.removeprefix(_BALANCE)
        what = "profit of the run" if account in sellers else "balance at the end"
        return Named(account, what, "money")
    if column.startswith(_PROFIT):
        return Named(column.removeprefix(_PROFIT), "profit per second", "money/s")
    if column.startswith(_PRICE):
        return Named(column.removeprefix(_PRICE), "mean price per mark", "money")
    if column in _OF_ALL:
        return Named(_WHOLE, *_OF_ALL[column])
    subject, _, figure = column.rpartition(".")
    for known in (_OF_SOURCES, _OF_LINKS, _OF_SELLERS):
        if subject and figure in known:
            return Named(subject, *known[figure])
    return Named(_WHOLE, column)


def called(column: str) -> str:
    """Return a column as a phrase (`shop: balance at the end`); unknown names stay unchanged."""
    named = name_of(column)
    return named.what if named.subject == _WHOLE else f"{named.subject}: {named.what}"
