# SPDX-License-Identifier: Apache-2.0
"""Warnings about wires that lose packets or deliver them late."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import msgspec

from ecnomy.agents.times import PS_PER_S
from ecnomy.markets.plan import Link, Plan, Source, Tcp
from ecnomy.markets.support.wording import few

__all__ = ["lossy", "reordered", "wrapped_counts"]

_FEW_LOSSES = 1e-5  # share of packets
_LOST_ACKS = 0.05  # share of packets
_ACE_CYCLE = 8  # marks
_DUP_THRESH = 3  # later packets that arrive before a packet that counts as lost (RFC 5681)


def lossy(plan: Plan) -> Iterator[str]:
    """Warn about wires that lose packets of sources for which a loss halves the window."""
    for number, link in enumerate(plan.links):
        if link.loss < _FEW_LOSSES:
            continue
        names = [one.name for one in plan.sources if one.halved and number in one.path]
        if names:
            yield (
                f"link {link.name}: loses {link.loss:.3g} of its packets, and a loss halves a "
                f"window, so {few(names)} may take fewer marks than they pay for. With repair: "
                "false, windows survive losses"
            )


def reordered(plan: Plan) -> Iterator[str]:
    """Warn about wires that deliver packets so late that TCP takes them for lost."""
    for number, link in enumerate(plan.links):
        over = [source for source in plan.sources if number in source.path]
        for late_ps, what in _late(link, plan.duration_ps):
            names = [one.name for one in over if _taken_for_lost(one, link, late_ps)]
            if names:
                yield (
                    f"link {link.name}: {what}. If three later packets of a flow arrive first, TCP "
                    f"takes the packet for lost, so {few(names)} may send packets twice and reduce "
                    "their windows"
                )


def _late(link: Link, end_ps: int) -> Iterator[tuple[int, str]]:
    """Yield how far [ps] packets may fall behind packets sent later, and the cause in words."""
    late, profile = link.reordering, link.delay_profile
    if late is not msgspec.UNSET and late.probability >= _FEW_LOSSES:
        ms = 1000 * late.delay_ps / PS_PER_S
        yield late.delay_ps, f"delivers {late.probability:.3g} of its packets {ms:.3g} ms late"
    if profile is not msgspec.UNSET:
        delays = [step.delay_ps for step in profile.steps if step.at_ps < end_ps]
        again = delays[:1] if end_ps > profile.period_ps else []
        fall_ps = max((a - b for a, b in itertools.pairwise(delays + again)), default=0)
        yield fall_ps, f"the delay falls by up to {1000 * fall_ps / PS_PER_S:.3g} ms at once"


def _taken_for_lost(source: Source, link: Link, late_ps: int) -> bool:
    """Return whether the link can send three packets of a TCP source in the given time."""
    bits = 8 * (source.packet_bytes + link.framing_bytes)
    three_ps = _DUP_THRESH * bits / link.rate_bps * PS_PER_S
    return isinstance(source.transport, Tcp) and late_ps > three_ps


def wrapped_counts(plan: Plan) -> Iterator[str]:
    """Warn about ACKs that answer so many packets that the AccECN field may have wrapped."""
    for source in plan.sources:
        if not isinstance(source.transport, Tcp) or source.transport.echo != "accecn":
            continue
        thin = [plan.links[i] for i in source.ack_path if plan.links[i].loss > _LOST_ACKS]
        cause = ""
        if source.transport.delayed_acks >= _ACE_CYCLE:
            cause = f"an ACK may answer {source.transport.delayed_acks} packets"
        elif thin:
            cause = f"link {thin[0].name} loses {thin[0].loss:.3g} of its packets"
        if cause:
            yield (
                f"source {source.name}: {cause}, but with accecn an ACK counts marks modulo 8, so "
                "the sender may count more marks than there were, and send less. 'ecn: accurate' "
                "counts exactly"
            )
