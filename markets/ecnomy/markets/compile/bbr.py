# SPDX-License-Identifier: Apache-2.0
"""Warnings of `check` about BBR: marks that it ignores, and losses that it repairs without SACK."""

from __future__ import annotations

from collections.abc import Iterator

from ecnomy.markets.compile.settling import round_trip_s
from ecnomy.markets.compile.target_marks import takes_marks
from ecnomy.markets.plan import Plan, Tcp
from ecnomy.markets.plan.law_table import with_trait

__all__ = ["LONGEST_S", "bbr_ignores_marks", "bbr_without_sack"]

LONGEST_S = 0.005  # round trip up to which BBR responds to marks, as in Linux


def bbr_ignores_marks(plan: Plan) -> Iterator[str]:
    """Warn of ECN-capable classic BBR flows over long round trips, on links that mark."""
    for source in plan.sources:
        transport = source.transport
        if not isinstance(transport, Tcp) or transport.window.law != "bbr":
            continue
        rtt_s = round_trip_s(source, plan)
        classic = transport.echo != "off" and transport.codepoint == "ect-0"
        marked = any(takes_marks(source, plan.links[i]) for i in source.path)
        if classic and marked and rtt_s > LONGEST_S:
            yield (
                f"source {source.name}: bbr ignores marks over a round trip of "
                f"{rtt_s * 1e3:.3g} ms. Use 'ecn: off', or prague for L4S traffic"
            )


def bbr_without_sack(plan: Plan) -> Iterator[str]:
    """Warn of BBR without SACK, and of other laws that need it."""
    needs = with_trait("window", "needs_sack")
    for source in plan.sources:
        tcp = source.transport
        if isinstance(tcp, Tcp) and tcp.window.law in needs and not tcp.sack:
            yield (
                f"source {source.name}: without SACK, {tcp.window.law} repairs one loss per "
                "round trip, and sends little for seconds after the losses of its start. Write "
                "sack: true"
            )
