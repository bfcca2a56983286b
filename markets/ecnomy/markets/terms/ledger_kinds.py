# SPDX-License-Identifier: Apache-2.0
"""Built-in kinds of postings in the ledger. Contracts add their names as kinds."""

from __future__ import annotations

from typing import Final

__all__ = [
    "CALL",
    "CLASS_FEE",
    "FIXED_COST",
    "KINDS",
    "MARKS",
    "NO_FEES",
    "REIMBURSEMENT",
    "SETTLEMENT",
    "TRANSFER",
]

MARKS: Final = "marks"
CLASS_FEE: Final = "class-fee"
SETTLEMENT: Final = "settlement"
CALL: Final = "call"
REIMBURSEMENT: Final = "reimbursement"
TRANSFER: Final = "transfer"
FIXED_COST: Final = "fixed-cost"

KINDS: Final = (MARKS, CLASS_FEE, SETTLEMENT, CALL, REIMBURSEMENT, TRANSFER, FIXED_COST)
# All other kinds, including the charges of contracts, are fees.
NO_FEES: Final = (
    MARKS,
    SETTLEMENT,
    CALL,
    REIMBURSEMENT,
    TRANSFER,
    FIXED_COST,
)
