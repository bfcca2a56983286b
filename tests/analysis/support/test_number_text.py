# SPDX-License-Identifier: Apache-2.0
"""Numbers as text: three significant digits, and no sign at zero."""

from __future__ import annotations

import math

import pytest

from ecnomy.analysis.support.number_text import significant


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1234.5678, "1,234.57"),
        (2.9, "2.90"),
        (0.0012345, "0.00123"),
        (0.00099999, "0.00100"),
        (-4e-7, "-0.000000400"),
        (-0.0, "0.00"),
        (math.nan, "-"),
    ],
)
def test_numbers_have_three_digits(value: float, text: str) -> None:
    """Numbers have two decimals if these suffice, more if they are small, and no minus at 0."""
    assert significant(value) == text
