# SPDX-License-Identifier: Apache-2.0
"""Calls that have ended, kept until the next query."""

from __future__ import annotations

from typing import Any

import numpy as np

from ecnomy.agents.calls import NO_CALLS, EndedCalls

__all__ = ["CallsEnded"]

_Row = tuple[int, int, int, int, int, int, int, bool, int, int]


class CallsEnded:
    """Ended calls as rows of EndedCalls, in the order in which they were added."""

    def __init__(self) -> None:
        self._rows: list[_Row] = []

    def add(self, row: _Row) -> None:
        """Add a call by its values, in the order of EndedCalls' fields."""
        self._rows.append(row)

    def take(self) -> EndedCalls:
        """Return the calls added since the last query."""
        if not self._rows:
            return NO_CALLS
        columns = zip(EndedCalls.__struct_fields__, zip(*self._rows, strict=True), strict=True)
        self._rows = []
        made: dict[str, Any] = {
            name: np.array(values, dtype=np.bool_ if name == "reimbursed" else np.int64)
            for name, values in columns
        }
        return EndedCalls(**made)
