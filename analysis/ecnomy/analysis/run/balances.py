# SPDX-License-Identifier: Apache-2.0
"""Accounts at the end of a run: money received (in total and from background traffic) and paid."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from ecnomy.agents.errors import ResultsError
from ecnomy.analysis.run.background import background_postings
from ecnomy.markets.results.rawrun import RawRun

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Balance", "balances_of", "unequal_balances"]


class Balance(msgspec.Struct, frozen=True):
    """An account at the end, money."""

    account: str
    received: float
    paid: float
    from_background: float = 0.0  # part of `received` for marks of background traffic

    @property
    def net(self) -> float:
        """Return money received minus money paid."""
        return self.received - self.paid


def unequal_balances(run: Path, account: str, ledger: int, manifest: int) -> ResultsError:
    """Return the error for an account with different micro-units in ledger and manifest."""
    return ResultsError(
        f"{run}: {account} has {ledger} micro-units in the ledger, but {manifest} in "
        "manifest.json; run the scenario again"
    )


def balances_of(run: RawRun) -> tuple[Balance, ...]:
    """Return all accounts with postings, by name; () for a run without a market."""
    ledger = run.ledger
    if ledger.empty:
        return ()
    paid, received = _sums(ledger, "debit"), _sums(ledger, "credit")
    background = _sums(background_postings(ledger), "credit")
    return tuple(
        Balance(
            account,
            received=received.get(account, 0) / 1e6,
            paid=paid.get(account, 0) / 1e6,
            from_background=background.get(account, 0) / 1e6,
        )
        for account in sorted(paid.keys() | received.keys())
    )


def _sums(ledger: pd.DataFrame, side: str) -> dict[str, int]:
    """Return micro-units by account."""
    sums = ledger.groupby(ledger[side].astype(str))["amount_micro"].sum()
    return {str(account): int(amount) for account, amount in sums.items()}
