# SPDX-License-Identifier: Apache-2.0
"""Shared columns, which are replaced and never modified in place, as NumPy enforces."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np

__all__ = ["held"]

Column = TypeVar("Column", bound=np.ndarray[Any, Any])


def held(column: Column) -> Column:
    """Return the same array, made read-only: writing to it raises ValueError."""
    column.setflags(write=False)
    return column
