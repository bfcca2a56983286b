# SPDX-License-Identifier: Apache-2.0
"""Converts answers of strategies to Python values.

A NumPy scalar or a zero-dimensional array, such as a result of np.where, becomes a Python value.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

__all__ = ["number", "shown", "truth", "whole", "whole_column"]


def truth(answer: object) -> bool | None:
    """Return a Boolean answer, or None for other values, such as 0 and 1."""
    answer = _plain(answer)
    return answer if isinstance(answer, bool) else None


def whole(answer: object) -> int | None:
    """Return an integer answer, or None for other values, such as 2.0 and True."""
    if type(answer) is int:
        return answer
    answer = _plain(answer)
    return int(answer) if isinstance(answer, int) and not isinstance(answer, bool) else None


def number(answer: object) -> float | None:
    """Return a numeric answer as a float, or None for other values, such as text and True.

    Infinity and NaN are numbers.
    """
    if type(answer) is float:
        return answer
    answer = _plain(answer)
    if isinstance(answer, bool | str | bytes | np.ndarray) or not hasattr(answer, "__float__"):
        return None
    return float(answer)


def whole_column(answers: object) -> npt.NDArray[np.int64] | None:
    """Return a list or tuple of 64-bit integers as a column, or None for other values.

    NumPy itself would convert a mixture of np.uint64 and np.int64 to floats.
    """
    if not isinstance(answers, list | tuple):
        return None
    numbers = [whole(answer) for answer in answers]
    if any(one is None or not -(2**63) <= one < 2**63 for one in numbers):
        return None
    return np.array(numbers, dtype=np.int64)


def shown(answer: object, most: int = 80) -> str:
    """Return the text of an answer for a message: its shortened repr, or its type if repr fails."""
    try:
        text = " ".join(repr(answer).split())
    except Exception:  # any error of a user's class, or of an integer with too many digits
        return f"a {type(answer).__name__} that cannot be shown"
    return text if len(text) <= most else f"{text[: most - 3]}..."


def _plain(answer: object) -> object:
    """Convert a NumPy scalar or zero-dimensional array to its Python value."""
    if isinstance(answer, np.generic) or (isinstance(answer, np.ndarray) and answer.ndim == 0):
        held: object = answer.item()
        return held
    return answer
