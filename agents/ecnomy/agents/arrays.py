# SPDX-License-Identifier: Apache-2.0
"""Array types for annotations, and a function that moves per-flow values to new indices."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

__all__ = ["LARGEST_INT64", "Floats", "Integers", "moved_rows"]

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
LARGEST_INT64: Final = 2**63 - 1


def moved_rows(
    values: npt.NDArray[Any], count: int, new: Integers, old: Integers, otherwise: float = 0.0
) -> npt.NDArray[Any]:
    """Return `values` for `count` flows, with the values at `old` moved to `new`.

    The last dimension of `values` has one entry per flow. Flows without an old value get
    `otherwise`.
    """
    moved = np.full((*values.shape[:-1], count), otherwise, dtype=values.dtype)
    moved[..., new] = values[..., old]
    return moved
