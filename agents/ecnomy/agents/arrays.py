# SPDX-License-Identifier: Apache-2.0
"""Types of arrays in annotations, and the move of per-flow values to other rows.

The description of each array states its dimensions and units.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["Floats", "Integers", "moved_rows"]

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


def moved_rows(
    values: npt.NDArray[Any], count: int, new: Integers, old: Integers, otherwise: float = 0.0
) -> npt.NDArray[Any]:
    """Return `values` for `count` flows: rows `old` become rows `new`, others are `otherwise`.

    The last dimension of `values` is that of the flows.
    """
    moved = np.full((*values.shape[:-1], count), otherwise, dtype=values.dtype)
    moved[..., new] = values[..., old]
    return moved
