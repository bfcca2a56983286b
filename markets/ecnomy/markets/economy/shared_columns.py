# SPDX-License-Identifier: Apache-2.0
"""Shared columns, which NumPy protects from changes in place; they are only replaced."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np

__all__ = ["held"]

Column = TypeVar("Column", bound=np.ndarray[Any, Any])


def held(column: Column) -> Column:
    """Make an array read-only, so that a write raises ValueError, and return it."""
    column.setflags(write=False)
    return column
