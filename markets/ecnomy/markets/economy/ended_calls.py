# SPDX-License-Identifier: Apache-2.0
"""Collect ended calls until an agent reads them."""

from __future__ import annotations

from typing import Any

import numpy as np

from ecnomy.agents.calls import NO_CALLS, EndedCalls

__all__ = ["CallsEnded"]

_Row = tuple[int, int, int, int, int, int, int, bool, int, int]


class CallsEnded:
    """A list of ended calls, in the order in which they were added."""

    def __init__(self) -> None:
        self._rows: list[_Row] = []

    def add(self, row: _Row) -> None:
        """Add a call, given by its values in the order of the fields of EndedCalls."""
        self._rows.append(row)

    def take(self) -> EndedCalls:
        """Return the calls added since this method was last called."""
        if not self._rows:
            return NO_CALLS
        columns = zip(EndedCalls.__struct_fields__, zip(*self._rows, strict=True), strict=True)
        self._rows = []
        made: dict[str, Any] = {
            name: np.array(values, dtype=np.bool_ if name == "reimbursed" else np.int64)
            for name, values in columns
        }
        return EndedCalls(**made)
