# SPDX-License-Identifier: Apache-2.0
"""Kinds of postings in the ledger that ecnomy itself makes; contracts add theirs by name."""

from __future__ import annotations

from typing import Final

__all__ = ["CALL", "CLASS_FEE", "KINDS", "MARKS", "NO_FEES", "REIMBURSEMENT", "SETTLEMENT"]

MARKS: Final = "marks"
CLASS_FEE: Final = "class-fee"
SETTLEMENT: Final = "settlement"
CALL: Final = "call"
REIMBURSEMENT: Final = "reimbursement"

KINDS: Final = (MARKS, CLASS_FEE, SETTLEMENT, CALL, REIMBURSEMENT)
NO_FEES: Final = (MARKS, SETTLEMENT, CALL, REIMBURSEMENT)  # all else is, contracts' charges too
