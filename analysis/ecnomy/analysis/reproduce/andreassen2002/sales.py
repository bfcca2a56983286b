# SPDX-License-Identifier: Apache-2.0
"""Outcome columns of calls sold at a fixed price: who bears the risk of their marks."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["earned", "of_calls", "sales"]


def of_calls(calls: pd.DataFrame) -> Mapping[str, float]:
    """Return the variation of charges and costs over the accepted and complete calls of a run.

    Returns:
        charge_variation, cost_variation and net_variation: standard deviation / mean of the
        customer's charge for a call, of the provider's cost of the call's marks (the same at any
        price of a mark), and of the charge minus the refund; broken, the share of calls refunded;
        and calls, the number of calls.
    """
    own = calls[(calls["accepted"] == 1) & (calls["complete"] == 1)]
    charge = own["charge_micro"].to_numpy(dtype=np.float64)
    back = own["reimbursement_micro"].to_numpy(dtype=np.float64)
    cost = own["ce"].to_numpy(dtype=np.float64)
    rows = {"charge": charge, "cost": cost, "net": charge - back}
    variations = {f"{name}_variation": float(row.std() / row.mean()) for name, row in rows.items()}
    return {**variations, "broken": float((back > 0).mean()), "calls": float(len(own))}


def earned(ledger: pd.DataFrame, party: str) -> float:
    """Return a party's income minus its expenses, in millionths of money."""
    taken = ledger.loc[ledger["credit"] == party, "amount_micro"].sum()
    return float(taken - ledger.loc[ledger["debit"] == party, "amount_micro"].sum())


def sales(results: Path) -> Mapping[str, float]:
    """Return the outcome of the calls that begin in the measured window, and each party's earnings.

    Returns:
        The columns of `of_calls`; accepted, the share of calls accepted; isp_micro and gsp_micro,
        earned in the window; and links_with_classes, the number of links that have a scheduler.
    """
    from ecnomy.markets.results.rawrun import open_raw

    run = open_raw(results)
    table, ledger = run.table("calls"), run.table("ledger")
    own = table[table["start_ps"] >= run.measured.from_ps]
    booked = ledger[ledger["t_ps"] > run.measured.from_ps]
    return {
        **of_calls(own),
        "accepted": float(own["accepted"].mean()),
        "isp_micro": earned(booked, "isp"),
        "gsp_micro": earned(booked, "gsp"),
        "links_with_classes": float(sum(link.scheduler is not None for link in run.plan.links)),
    }
