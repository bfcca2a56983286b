# SPDX-License-Identifier: Apache-2.0
"""Why a Prague flow pays a flat fee: its marks are set by how often it reduces its window."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from ecnomy.markets import run

L4S = Path(__file__).parents[2] / "configs/examples/l4s.yaml"
TARGET_S = 0.025
DELIVER = 4  # in the trace
BEGIN_S, END_S = 30, 60


def reductions(marks_s: np.ndarray, rtt_s: float) -> int:
    """Reductions of tcp_prague's window at marks: one per round trip, and one per 25 ms.

    A mark that arrives a round trip after the last one counted, but before 25 ms are over, reduces
    nothing and uses up its round trip.
    """
    count, blocked_s, reduced_s = 0, 0.0, 0.0
    for mark_s in marks_s.tolist():
        if mark_s >= blocked_s:
            blocked_s = mark_s + rtt_s
            if mark_s - reduced_s >= TARGET_S:
                count, reduced_s = count + 1, mark_s
    return count


@pytest.mark.parametrize("crowd", [1, 10, 30])
def test_marks_times_reductions_are_twice_the_unmarked_share(tmp_path: Path, crowd: int) -> None:
    """A flow of x packets per 25 ms grows by 1 - p and falls by n p x / 2, so m n = 2 (1 - p).

    n is the mean number of reductions per 25 ms, and m = p x that of marks.
    """
    own = [f"sources.crowd.count={crowd}", f"duration={END_S} s", "record.trace=true"]
    run(L4S, overrides=own, out=tmp_path / "r")
    flows = pq.read_table(tmp_path / "r/flows.parquet").to_pandas()
    filters = [("event", "=", DELIVER), ("bytes", ">", 1000), ("t_ps", ">=", BEGIN_S * 10**12)]
    trace = pq.read_table(tmp_path / "r/trace.parquet", filters=filters).to_pandas()
    ratios = []
    for row in flows[flows.source.isin(["prague", "crowd"])].itertuples():
        own_packets = trace[trace.flow == row.flow]
        marks_s = own_packets.t_ps[own_packets.ce > 0].to_numpy() / 1e12
        share = len(marks_s) / len(own_packets)
        per_target = TARGET_S / (END_S - BEGIN_S)
        m, n = (per_target * x for x in (len(marks_s), reductions(marks_s, row.srtt_s)))
        assert n < 0.75, "marks come in runs, and most of them reduce nothing"
        ratios.append(m * n / (2 * (1 - share)))
    print(crowd, np.mean(ratios))
    assert np.mean(ratios) == pytest.approx(1, abs=0.06)
