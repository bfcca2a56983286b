# SPDX-License-Identifier: Apache-2.0
"""Mean rates and payments per flow, by class, or by source for flows outside classes.

Background traffic has neither a class nor an agent. Its mark charges are booked on the account
`source:<source>`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, Protocol

import msgspec
import numpy as np

from ecnomy.agents.money import MICRO
from ecnomy.agents.times import PS_PER_S
from ecnomy.markets.economy.journal import ACTIVE
from ecnomy.markets.results.manifest import Measured
from ecnomy.markets.results.switches import Switches
from ecnomy.markets.terms.ledger_kinds import MARKS

if TYPE_CHECKING:
    import pyarrow as pa

    from ecnomy.markets.plan import Plan

__all__ = ["GroupMeans", "background_rows", "groups_in", "groups_of"]

_NUMBERS: Final = ("members", "goodput_bps", "marks_per_s", "ce", "fee_micro", "mark_charge_micro")
_COLUMNS: Final = ("flow", "source", "class", "provider", *_NUMBERS)


class Tables(Protocol):
    """The part of `RawRun` that this module needs."""

    @property
    def plan(self) -> Plan:
        """Return the plan of the run."""

    @property
    def measured(self) -> Measured:
        """Return the measured window."""

    def columns(self, name: str, columns: Sequence[str]) -> pa.Table:
        """Return the given columns of a table."""


class GroupMeans(msgspec.Struct, frozen=True):
    """The mean rates and payments of a class's flows, or of a source's flows outside classes.

    A flow counts for the class that it has at the end of the run.
    """

    name: str
    flows: int
    goodput_bps: float
    marks_per_s: float
    charge_per_s: float  # money/s
    paid_per_mark: float | None  # money; None without marks
    fee_per_s: float  # money/s
    background_per_s: float = 0.0  # money/s for marks of background traffic, sum of all flows
    active: float | None = None  # mean number of active flows, the divisor of means; None: all

    @property
    def all_charge_per_s(self) -> float:
        """Return the payments for marks by all flows of the group [money/s]."""
        return self.charge_per_s * (self.flows if self.active is None else self.active)


def groups_in(run: Tables) -> list[GroupMeans]:
    """Return the groups of a run over its measured window, in the order of their first flows.

    Raises:
        ResultsError: a table cannot be read.
    """
    table = run.columns("flows", _COLUMNS)
    return groups_of(table.to_pydict(), background_rows(run), _switches(run), run.measured)


def groups_of(
    flows: Mapping[str, Any], background: Collection[int], switches: Switches, measured: Measured
) -> list[GroupMeans]:
    """Return the groups of a run over its measured window, in the order of their first flows.

    Args:
        flows: columns of the table `flows`.
        background: row numbers of background flows (see background_rows).
        switches: times at which agents switched flows off and on.
        measured: the measured window.
    """
    columns = [np.asarray(flows[name]).tolist() for name in _COLUMNS]
    members: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for values_ in zip(*columns, strict=True):
        row = dict(zip(_COLUMNS, values_, strict=True))
        of = (row["provider"], row["class"]) if row["class"] else ("", row["source"])
        members.setdefault(of, []).append(row)
    on = _active(switches, measured)
    names, seconds = _names(members), (measured.to_ps - measured.from_ps) / PS_PER_S
    return [_group(names[of], rows, seconds, background, on) for of, rows in members.items()]


def _names(groups: Collection[tuple[str, str]]) -> dict[tuple[str, str], str]:
    """Return the names of groups, with a class's provider if another group has the same name."""
    of_name = Counter(name for _, name in groups)
    return {
        (provider, name): f"{name} of {provider}" if provider and of_name[name] > 1 else name
        for provider, name in groups
    }


def background_rows(run: Tables) -> set[int]:
    """Return the row numbers of background flows, whose marks are charged to their source.

    Raises:
        ResultsError: the ledger cannot be read.
    """
    import pyarrow.compute as pc

    ledger = run.columns("ledger", ["kind", "debit", "flow"])
    debit = ledger["debit"].cast("string")
    own = pc.and_(pc.equal(ledger["kind"].cast("string"), MARKS), pc.starts_with(debit, "source:"))
    return set(ledger["flow"].filter(own).to_pylist())


def _switches(run: Tables) -> Switches:
    import pyarrow.compute as pc

    agents = run.columns("agents", ["t_ps", "flow", "name", "value"])
    own = agents.filter(pc.equal(agents["name"].cast("string"), ACTIVE))
    return Switches(run.plan, *(own[name].to_numpy() for name in ("t_ps", "flow", "value")))


def _active(switches: Switches, window: Measured) -> dict[int, float]:
    """Return, for each row that agents switched off, the mean number of active flows."""
    if window.to_ps <= window.from_ps:
        return {}
    mean = switches.on(np.array([window.from_ps, window.to_ps], dtype=np.int64))[0]
    return dict(zip(switches.rows.tolist(), mean.tolist(), strict=True))


def _group(
    name: str,
    rows: list[dict[str, Any]],
    window_s: float,
    background: Collection[int],
    on: dict[int, float],
) -> GroupMeans:
    total = {key: sum(row[key] for row in rows) for key in _NUMBERS}
    own = sum(row["mark_charge_micro"] for row in rows if row["flow"] in background)
    count, marks, charge = total["members"], total["ce"], total["mark_charge_micro"]
    active = sum(on.get(row["flow"], row["members"]) for row in rows)
    counted = active or count
    spent_s = counted * window_s * MICRO
    return GroupMeans(
        name=name,
        flows=count,
        goodput_bps=total["goodput_bps"] / counted,
        marks_per_s=total["marks_per_s"] / counted,
        charge_per_s=charge / spent_s if spent_s else 0.0,
        paid_per_mark=charge / marks / MICRO if marks else None,
        fee_per_s=total["fee_micro"] / spent_s if spent_s else 0.0,
        background_per_s=own / window_s / MICRO if window_s else 0.0,
        active=None if active == count or not active else active,
    )
