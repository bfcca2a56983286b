# SPDX-License-Identifier: Apache-2.0
"""Warnings about sources whose window law needs SACK or a short round trip."""

from __future__ import annotations

from collections.abc import Iterator

from ecnomy.markets.compile.slow_windows import round_trip_s
from ecnomy.markets.compile.target_marks import takes_marks
from ecnomy.markets.plan import Plan, Source, Tcp
from ecnomy.markets.plan.law_table import trait_value, with_trait

__all__ = ["beyond_longest_rtt", "ignores_marks", "marks_ignored", "without_sack"]


def marks_ignored(plan: Plan) -> Iterator[str]:
    """Warn about classic flows that ignore marks because their round trips are long."""
    for source in plan.sources:
        transport = source.transport
        if not isinstance(transport, Tcp) or not ignores_marks(source, plan):
            continue
        classic = transport.echo != "off" and transport.codepoint == "ect-0"
        if classic and any(takes_marks(source, plan.links[i]) for i in source.path):
            yield (
                f"source {source.name}: {transport.window.law} ignores marks over a round trip of "
                f"{round_trip_s(source, plan) * 1e3:.3g} ms. Use 'ecn: off', or prague for L4S "
                "traffic"
            )


def without_sack(plan: Plan) -> Iterator[str]:
    """Warn about sources without SACK whose window law needs it."""
    needs = with_trait("window", "needs_sack")
    for source in plan.sources:
        tcp = source.transport
        if isinstance(tcp, Tcp) and tcp.window.law in needs and not tcp.sack:
            yield (
                f"source {source.name}: without SACK, {tcp.window.law} repairs one loss per "
                "round trip, and sends little for seconds after the losses of its start. Write "
                "sack: true"
            )


def ignores_marks(source: Source, plan: Plan) -> bool:
    """Return whether a flow's law ignores marks because of its long round trip."""
    tcp = source.transport
    deaf = isinstance(tcp, Tcp) and tcp.window.law in with_trait("window", "deaf_beyond")
    return deaf and beyond_longest_rtt(source, plan)


def beyond_longest_rtt(source: Source, plan: Plan) -> bool:
    """Return whether a source's round trip exceeds the longest one that suits its window law."""
    tcp = source.transport
    if not isinstance(tcp, Tcp):
        return False
    window = tcp.window
    longest_s = trait_value("window", window.law, "longest_rtt", window.params)
    return round_trip_s(source, plan) > longest_s  # False for NaN: no limit
