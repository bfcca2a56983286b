# SPDX-License-Identifier: Apache-2.0
"""Types of arrays in annotations. The description of each array states its dimensions and units."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

__all__ = ["Floats", "Integers"]

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
