# SPDX-License-Identifier: Apache-2.0
"""Traffic and payments of pairs of nodes on a network, and their sums by node."""

from __future__ import annotations

import math
from collections.abc import Iterable

import msgspec

from ecnomy.analysis.run.network_loads import NetworkLoads, PairLoad

__all__ = ["Sums", "added", "node_sums", "sending"]


class Sums(msgspec.Struct, frozen=True):
    """Sums over pairs of nodes; `wanted_bps` is NaN if a pair has no traffic limit."""

    pairs: int
    wanted_bps: float
    goodput_bps: float
    marks_per_s: float
    charge_per_s: float

    @property
    def price_per_mbit(self) -> float:
        """Return the payment for marks [money/Mbit of delivered data]; NaN without deliveries."""
        return 1e6 * self.charge_per_s / self.goodput_bps if self.goodput_bps else math.nan


def added(pairs: Iterable[PairLoad]) -> Sums:
    """Return the sums over pairs of nodes."""
    rows = list(pairs)
    return Sums(
        pairs=len(rows),
        wanted_bps=sum(p.wanted_bps for p in rows),
        goodput_bps=sum(p.goodput_bps for p in rows),
        marks_per_s=sum(p.marks_per_s for p in rows),
        charge_per_s=sum(p.charge_per_s for p in rows),
    )


def sending(loads: NetworkLoads) -> list[PairLoad]:
    """Return the pairs that delivered data, in descending order of payment and then of goodput."""
    rows = [pair for pair in loads.pairs if pair.goodput_bps > 0]
    return sorted(rows, key=lambda p: (-p.charge_per_s, -p.goodput_bps, p.name))


def node_sums(loads: NetworkLoads) -> dict[str, Sums]:
    """Return sending node -> its sums, in descending order of payment."""
    by_node: dict[str, list[PairLoad]] = {}
    for pair in sending(loads):
        by_node.setdefault(pair.source, []).append(pair)
    sums = {node: added(pairs) for node, pairs in by_node.items()}
    return dict(sorted(sums.items(), key=lambda s: (-s[1].charge_per_s, -s[1].goodput_bps, s[0])))
