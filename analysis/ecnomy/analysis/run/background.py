# SPDX-License-Identifier: Apache-2.0
"""Background traffic: flows that pay for their marks but have neither a class nor an agent.

These flows do not respond to the price. The ledger charges their marks to the account
`source:<source>`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from ecnomy.agents.observation import Truths
from ecnomy.markets.terms.ledger_kinds import MARKS

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["background_postings", "background_rows"]

_OWN: Final = "source:"


def background_postings(ledger: pd.DataFrame) -> pd.DataFrame:
    """Return the ledger's postings for marks of background traffic."""
    of_marks = ledger["kind"].astype(str) == MARKS
    return ledger[of_marks & ledger["debit"].astype(str).str.startswith(_OWN)]


def background_rows(ledger: pd.DataFrame, rows: int) -> Truths:
    """Return a mask of the rows whose flows paid for marks as background traffic, [row]."""
    mask = np.zeros(rows, dtype=np.bool_)
    flow = background_postings(ledger)["flow"].to_numpy(dtype=np.int64)
    mask[flow[flow >= 0]] = True
    return mask
