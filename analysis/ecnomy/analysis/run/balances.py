# SPDX-License-Identifier: Apache-2.0
"""Account balances at the end of a run: money received and paid."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from ecnomy.agents.errors import ResultsError
from ecnomy.agents.money import MICRO
from ecnomy.analysis.run.background import background_postings
from ecnomy.markets.results.rawrun import RawRun

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Balance", "balances_of", "unequal_balances"]


class Balance(msgspec.Struct, frozen=True):
    """The balance of an account at the end of a run, money."""

    account: str
    received: float
    paid: float
    from_background: float = 0.0  # part of `received` for marks of background traffic

    @property
    def net(self) -> float:
        """Return the money received minus the money paid."""
        return self.received - self.paid


def unequal_balances(run: Path, account: str, ledger: int, manifest: int) -> ResultsError:
    """Return the error for an account whose balance differs between ledger and manifest."""
    return ResultsError(
        f"{run}: {account} has {ledger} micro-units in the ledger, but {manifest} in "
        "manifest.json; run the scenario again"
    )


def balances_of(run: RawRun) -> tuple[Balance, ...]:
    """Return the balances of accounts with postings, sorted by name; () without a market."""
    ledger = run.ledger
    if ledger.empty:
        return ()
    paid, received = _sums(ledger, "debit"), _sums(ledger, "credit")
    background = _sums(background_postings(ledger), "credit")
    return tuple(
        Balance(
            account,
            received=received.get(account, 0) / MICRO,
            paid=paid.get(account, 0) / MICRO,
            from_background=background.get(account, 0) / MICRO,
        )
        for account in sorted(paid.keys() | received.keys())
    )


def _sums(ledger: pd.DataFrame, side: str) -> dict[str, int]:
    """Return account -> the sum of its postings on one side, debit or credit, micro-units."""
    sums = ledger.groupby(ledger[side].astype(str))["amount_micro"].sum()
    return {str(account): int(amount) for account, amount in sums.items()}
