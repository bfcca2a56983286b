# SPDX-License-Identifier: Apache-2.0
"""The exact size of a report can be computed without the report."""

from __future__ import annotations

import numpy as np
import pytest

from ecnomy.agents.errors import ProtocolError
from ecnomy.markets.bridge import columns as tables
from ecnomy.markets.bridge import encode
from ecnomy.markets.bridge.codec import HEADER_BYTES, MAX_BODY_BYTES
from ecnomy.markets.bridge.messages import Report
from ecnomy.markets.bridge.report_size import most_rows, report_bytes


def longest(rows: int, links: int, pairs: int, late: int) -> bytes:
    """A report of zeros at the latest time."""
    counts = ((tables.report_flows(late), rows), (tables.REPORT_LINKS, links))
    parts = [
        {name: np.zeros(count, dtype=dtype) for name, dtype in table.items()}
        for table, count in (*counts, (tables.REPORT_PAIRS, pairs))
    ]
    return encode(Report(2**63 - 1, 2**63 - 1, *parts))


@pytest.mark.parametrize(
    "shape", [(0, 0, 0, 0), (1, 2, 3, 0), (31, 32, 8191, 12), (8192, 1, 40, 1), (40_000, 9, 9, 20)]
)
def test_the_size_is_that_of_the_frame(shape: tuple[int, int, int, int]) -> None:
    """The computed size is right for all forms of a bin's header and any number of thresholds."""
    assert report_bytes(*shape) == len(longest(*shape)) - HEADER_BYTES


@pytest.mark.parametrize("beside", [(2, 4, 0), (700, 9000, 3)])
def test_the_most_rows_fit_and_one_more_does_not(beside: tuple[int, int, int]) -> None:
    """With two links 349,519 rows fit; the codec refuses one more."""
    most = most_rows(*beside)
    assert beside != (2, 4, 0) or most == 349_519
    assert len(longest(most, *beside)) - HEADER_BYTES <= MAX_BODY_BYTES
    with pytest.raises(ProtocolError, match="frame-too-large"):
        longest(most + 1, *beside)
