# SPDX-License-Identifier: Apache-2.0
"""Columns that others hold: they are replaced, never written to, and NumPy sees to it."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np

__all__ = ["held"]

Column = TypeVar("Column", bound=np.ndarray[Any, Any])


def held(column: Column) -> Column:
    """The same array, which from now on raises ValueError when somebody writes to it."""
    column.setflags(write=False)
    return column
