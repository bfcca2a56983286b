# SPDX-License-Identifier: Apache-2.0
"""Warnings of `check` about senders and queues that must not mix under L4S (RFC 9331 section 4)."""

from __future__ import annotations

from collections.abc import Iterator

from ecnomy.markets.compile.make_laws import is_ect
from ecnomy.markets.compile.slow_windows import round_trip_s
from ecnomy.markets.compile.target_marks import largest_probability, sorts_by
from ecnomy.markets.compile.window_needs import beyond_longest_rtt, ignores_marks
from ecnomy.markets.plan import Link, Plan, Source, Tcp
from ecnomy.markets.plan.law_table import trait_value, with_trait
from ecnomy.markets.scenario import Scenario

__all__ = ["idle_ratio", "mixed_l4s"]


def mixed_l4s(plan: Plan) -> Iterator[str]:
    """Yield warnings about senders and queues that do not fit L4S.

    Args:
        plan: the plan of a scenario.
    """
    for source in plan.sources:
        yield from _answers(source, plan)
    for index, link in enumerate(plan.links):
        yield from _in_one_queue(index, link, plan)


def idle_ratio(scenario: Scenario, plan: Plan) -> Iterator[str]:
    """Warn if classic marks have another price but all marked packets have the same codepoint."""
    market = scenario.market
    if market is None or market.classic_price_ratio == 1:
        return
    kinds = {source.l4s for source in plan.sources if is_ect(source.transport)}
    if len(kinds) == 1:
        all_of = "ECT(1)" if kinds == {True} else "ECT(0)"
        yield (
            f"market: classic_price_ratio is {market.classic_price_ratio:g}, but all marked "
            f"packets are {all_of}; 'codepoint' of a transport chooses ECT(0) or ECT(1)"
        )


def _answers(source: Source, plan: Plan) -> Iterator[str]:
    """Warn about senders whose response to marks does not fit their codepoint (RFC 9331)."""
    transport = source.transport
    if not isinstance(transport, Tcp) or transport.echo == "off":
        return
    law = transport.window.law
    if transport.codepoint == "ect-0":
        path = [plan.links[i] for i in source.path]
        dual = [link for link in path if sorts_by(link, "by_codepoint")]
        if _scalable(source) and dual and not ignores_marks(source, plan):
            verb = "drops" if sorts_by(dual[0], "drops_classic") else "marks"
            yield (
                f"source {source.name}: {law} sends ECT(0), so link {dual[0].name} {verb} it as "
                "classic traffic. With 'codepoint: ect-1' it is L4S traffic"
            )
    elif not _answers_each_mark(transport):
        yield (
            f"source {source.name}: {law} sends ECT(1), but answers at most one mark per round "
            "trip, so L4S marks starve it. Use prague or wtp, or 'codepoint: ect-0'"
        )
    elif not transport.counts_marks:
        yield (
            f"source {source.name}: {law} sends ECT(1), but learns of at most one mark per round "
            "trip. Use 'ecn: accurate' (RFC 9331 section 4.2)"
        )
    elif beyond_longest_rtt(source, plan):
        yield (
            f"source {source.name}: {law} sends ECT(1) over a round trip of "
            f"{round_trip_s(source, plan) * 1e3:.3g} ms. Outside a data centre it does not meet "
            "RFC 9331 section 4; use prague"
        )


def _in_one_queue(index: int, link: Link, plan: Plan) -> Iterator[str]:
    """Warn about L4S and classic TCP in one marking queue (RFC 9331 section 4.3)."""
    if link.scheduler is not None or largest_probability(link) == 0:
        return
    tcp = [s for s in plan.sources if isinstance(s.transport, Tcp) and index in s.path]
    l4s = [
        s.name
        for s in tcp
        if _scalable(s) and s.transport.codepoint == "ect-1" and not _falls_back(s)
    ]
    classic = [s.name for s in tcp if not _scalable(s)]
    if l4s and classic:
        yield (
            f"link {link.name}: {l4s[0]} (L4S) and {classic[0]} (classic) share one marking queue, "
            "in which L4S traffic takes nearly everything (RFC 9331 section 4.3). Use "
            "'scheduler: {kind: dualpi2}', or prague with 'fallback: true'"
        )


def _falls_back(source: Source) -> bool:
    """Return whether the sender responds like classic TCP if it detects a classic queue."""
    transport = source.transport
    return isinstance(transport, Tcp) and bool(transport.window.params.get("fallback"))


def _scalable(source: Source) -> bool:
    """Return whether every mark lowers the rate, because the echo and the law count marks."""
    transport = source.transport
    return isinstance(transport, Tcp) and transport.counts_marks and _answers_each_mark(transport)


def _answers_each_mark(transport: Tcp) -> bool:
    """Return whether the law responds to every mark that the echo counts."""
    window = transport.window
    per_mark = window.law in with_trait("window", "per_mark")
    return per_mark and not trait_value("window", window.law, "classic", window.params)
