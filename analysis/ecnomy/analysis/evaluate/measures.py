# SPDX-License-Identifier: Apache-2.0
"""Computes columns of the runs of an evaluation, over the measured window.

measure: ecnomy.analysis.evaluate.measures:source_columns
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ecnomy.agents.times import PS_PER_S
from ecnomy.analysis.run.lateness import late_shares
from ecnomy.analysis.statistics.intervals import jain

__all__ = ["source_columns"]


def source_columns(results: Path) -> Mapping[str, float | None]:
    """Return the columns of each source of a run, and its shares of late packets (late_shares).

    Each column is named `<source>` followed by
        .goodput_sum_bps   goodput of all flows of the source
        .fair_share        mean goodput of its flows / mean goodput of all greedy flows
        .least_share       the smallest fair_share of all greedy sources
        .jain              Jain's index of the goodputs of its flows
        .lost_share        packets lost / packets lost or delivered
        .sent_per_round    packets that a flow sends per round trip of propagation
        .mean_transfer_s   mean transfer time of complete files begun in the window, or None

    Raises:
        ResultsError: a table is missing or unreadable.
    """
    from ecnomy.markets.results.rawrun import open_raw

    run = open_raw(results)
    flows: Any = run.table("flows")
    window_s = (run.measured.to_ps - run.measured.from_ps) / PS_PER_S
    sources = {source.name: source for source in run.plan.sources}
    greedy = [name for name, source in sources.items() if source.traffic.law == "greedy"]
    of_greedy = flows[flows["source"].isin(greedy)]
    mean_bps = float(of_greedy["goodput_bps"].mean())
    least_bps = float(of_greedy.groupby("source")["goodput_bps"].mean().min())
    columns: dict[str, float | None] = {}
    for name, source in sources.items():
        own = flows[flows["source"] == name]
        ended = float(own["delivered"].sum() + own["lost"].sum())
        both = [*source.path, *source.ack_path]
        rtt_s = sum(run.plan.links[link].delay_ps for link in both) / PS_PER_S
        columns |= {
            f"{name}.goodput_sum_bps": float(own["goodput_bps"].sum()),
            f"{name}.fair_share": float(own["goodput_bps"].mean()) / mean_bps if mean_bps else None,
            f"{name}.least_share": least_bps / mean_bps if mean_bps else None,
            f"{name}.jain": jain(rates) if (rates := own["goodput_bps"].to_numpy()).any() else None,
            f"{name}.lost_share": float(own["lost"].sum()) / ended if ended else None,
            f"{name}.sent_per_round": float(own["sent"].mean()) / window_s * rtt_s,
            f"{name}.mean_transfer_s": _transfer_s(run, own["flow"]),
        }
    return columns | dict(late_shares(results))


def _transfer_s(run: Any, flows: Any) -> float | None:
    if not run.file("transfers").is_file():
        return None
    table = run.table("transfers")
    begun = (table["start_ps"] >= run.measured.from_ps) & table["flow"].isin(flows)
    own = table[begun & (table["complete"] == 1)]
    return float((own["end_ps"] - own["start_ps"]).mean()) / PS_PER_S if len(own) else None
