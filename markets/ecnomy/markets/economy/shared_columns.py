# SPDX-License-Identifier: Apache-2.0
"""Make shared columns read-only, so that they are replaced and never modified in place."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np

__all__ = ["held"]

Column = TypeVar("Column", bound=np.ndarray[Any, Any])


def held(column: Column) -> Column:
    """Make an array read-only, so that writing to it raises ValueError, and return it."""
    column.setflags(write=False)
    return column
