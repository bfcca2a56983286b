# SPDX-License-Identifier: Apache-2.0
"""Warnings of `check` about senders and queues that L4S does not mix (RFC 9331 section 4)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ecnomy.markets.compile.settling import round_trip_s
from ecnomy.markets.plan import Link, Plan, Source, Tcp
from ecnomy.markets.plan.law_table import with_trait

__all__ = ["mixed_l4s"]

_DATA_CENTRE_S: Final = 0.001  # longest round trip of a data centre


def mixed_l4s(plan: Plan) -> Iterator[str]:
    """Yield a warning for each source that takes the marks of another kind of traffic.

    Args:
        plan: the plan of a scenario.
    """
    for source in plan.sources:
        yield from _answers(source, plan)
    for index, link in enumerate(plan.links):
        yield from _in_one_queue(index, link, plan)


def _answers(source: Source, plan: Plan) -> Iterator[str]:
    """Warn of ECT(1) senders whose law does not answer as RFC 9331 section 4.3 asks."""
    transport = source.transport
    if not isinstance(transport, Tcp) or transport.codepoint != "ect-1" or transport.echo == "off":
        return
    law = transport.window.law
    if law not in with_trait("window", "per_mark") or transport.echo != "accurate":
        yield (
            f"source {source.name}: {law} with {transport.echo} echo sends ECT(1), but answers at "
            "most one mark per round trip, so L4S marks starve it. Use prague or wtp with "
            "'ecn: accurate', or 'codepoint: ect-0'"
        )
    elif law == "dctcp" and (rtt_s := round_trip_s(source, plan)) > _DATA_CENTRE_S:
        yield (
            f"source {source.name}: dctcp sends ECT(1) over a round trip of {rtt_s * 1e3:.3g} ms. "
            "Outside a data centre it does not meet RFC 9331 section 4; use prague"
        )


def _in_one_queue(index: int, link: Link, plan: Plan) -> Iterator[str]:
    """Warn of L4S and classic TCP in one marking queue (RFC 9331 section 4.3)."""
    if link.scheduler is not None or link.marking.law == "drop-tail":
        return
    tcp = [s for s in plan.sources if isinstance(s.transport, Tcp) and index in s.path]
    scalable = [source.name for source in tcp if _law(source) in with_trait("window", "ect_1")]
    classic = [source.name for source in tcp if _law(source) in _classic()]
    if scalable and classic:
        yield (
            f"link {link.name}: {scalable[0]} (L4S) and {classic[0]} (classic) share one marking "
            "queue, in which L4S traffic takes nearly everything (RFC 9331 section 4.3). Use "
            "'scheduler: {kind: dualpi2}'"
        )


def _law(source: Source) -> str:
    transport = source.transport
    return transport.window.law if isinstance(transport, Tcp) else ""


def _classic() -> frozenset[str]:
    return with_trait("window", "per_mark", False)
