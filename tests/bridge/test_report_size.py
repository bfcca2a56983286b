# SPDX-License-Identifier: Apache-2.0
"""The size of a report is known without one, to the byte."""

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
    """A report at the latest time, of zeros."""
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
    """Across all heads of a bin and any number of thresholds."""
    assert report_bytes(*shape) == len(longest(*shape)) - HEADER_BYTES


@pytest.mark.parametrize("beside", [(2, 4, 0), (700, 9000, 3)])
def test_the_most_rows_fit_and_one_more_does_not(beside: tuple[int, int, int]) -> None:
    """Two links leave room for 349,519 rows; one more is refused by the codec itself."""
    most = most_rows(*beside)
    assert beside != (2, 4, 0) or most == 349_519
    assert len(longest(most, *beside)) - HEADER_BYTES <= MAX_BODY_BYTES
    with pytest.raises(ProtocolError, match="frame-too-large"):
        longest(most + 1, *beside)
