# SPDX-License-Identifier: Apache-2.0
"""Check, before an engine starts, that the reports of a plan fit into frames of the bridge."""

from __future__ import annotations

from typing import Final

from ecnomy.markets.plan.structs import Plan
from ecnomy.markets.scenario import Scenario

__all__ = ["check_reports"]

# Smaller plans fit easily, so the check can skip loading large modules.
_SMALL: Final = 100_000


def check_reports(scenario: Scenario, plan: Plan) -> None:
    """Refuse a plan whose report of flows, links and source-link pairs exceeds a frame.

    Raises:
        ScenarioError: a report is too long; the place is the source with the most rows, or
            `sources` if no source has two rows.
    """
    pairs = sum(len(source.path) + len(source.ack_path) for source in plan.sources)
    late = len(plan.record.delay_thresholds_ps)
    if (plan.row_count + len(plan.links) + pairs) * (1 + late) < _SMALL:
        return
    from ecnomy.markets.bridge.codec import MAX_BODY_BYTES
    from ecnomy.markets.bridge.report_size import most_rows, report_bytes

    size = report_bytes(plan.row_count, len(plan.links), pairs, late)
    if size <= MAX_BODY_BYTES:
        return
    room = most_rows(len(plan.links), pairs, late)
    largest = max(range(len(plan.sources)), key=lambda i: plan.sources[i].row_count)
    rows = plan.sources[largest].row_count
    fits = room - (plan.row_count - rows)
    frame = f"because a report holds at most {MAX_BODY_BYTES:,} bytes"
    if rows > 1 and fits >= 1:
        path, found = f"sources[{largest}].count", f"{rows:,} flows with one row each"
        expected = (
            f"at most {fits:,} besides the other rows, or rows: together (one row for all flows)"
        )
    elif rows > 1:
        path, found = f"sources[{largest}].count", f"{rows:,} flows with one row each"
        expected = (
            f"rows: together here and in other sources, for at most {max(room, 0):,} rows in total"
        )
    else:
        path = "sources"
        found = f"{len(plan.sources):,} sources with {pairs:,} source-link pairs"
        expected = "fewer sources, or shorter paths"
    raise scenario.places.fault(path, f"{found}: {size:,} bytes per report", f"{expected}, {frame}")
