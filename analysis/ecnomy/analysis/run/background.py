# SPDX-License-Identifier: Apache-2.0
"""Background traffic: flows without a class or an agent that pay for their marks.

No agent decides for them, so they ignore the price. The ledger identifies them by the payer:
their marks are booked on `source:<source>`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from ecnomy.markets.terms.ledger_kinds import MARKS

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["background_postings", "background_rows"]

_OWN: Final = "source:"


def background_postings(ledger: pd.DataFrame) -> pd.DataFrame:
    """Return the postings of a ledger for marks of background traffic."""
    of_marks = ledger["kind"].astype(str) == MARKS
    return ledger[of_marks & ledger["debit"].astype(str).str.startswith(_OWN)]


def background_rows(ledger: pd.DataFrame, rows: int) -> npt.NDArray[np.bool_]:
    """Return a mask of the rows of background flows with charged marks, [row]."""
    found = np.zeros(rows, dtype=np.bool_)
    flow = background_postings(ledger)["flow"].to_numpy(dtype=np.int64)
    found[flow[flow >= 0]] = True
    return found
