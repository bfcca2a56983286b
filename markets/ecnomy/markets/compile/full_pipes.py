# SPDX-License-Identifier: Apache-2.0
"""Warnings about weights that need more marks per round trip than a link can set.

A WTP flow of weight w receives w marks per round trip T (wtp.h), so its window is w / p at a
marking probability p. The windows of all flows on a link sum to the packets in flight and in the
queue:

    sum w = p sum W <= p_max (C T + buffer)

Beyond this bound, the link cannot set the target marks. Windows grow until the buffer overflows.
Each loss halves a window, and many losses end in timeouts, so a larger weight gets less throughput.
The effect was measured with one flow beside four of weight 1, on a link of 10 Mbps with a round
trip of 20 ms and a buffer of 100 packets (117 packets in all). At gain 0.05, a weight of 100 gets
9.6 Mbps, 200 gets 6.7 Mbps, and 5000 gets 2.7 Mbps. With a buffer of 10,000 packets, 5000 gets 10
Mbps.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ecnomy.markets.compile.slow_windows import buffer_packets, packets_per_s, round_trip_s
from ecnomy.markets.compile.target_marks import bottlenecks, mark_rates, most_marked
from ecnomy.markets.plan import Link, Plan, Source, Tcp
from ecnomy.markets.scenario import Scenario

__all__ = ["heavy_weights"]

_BY_WEIGHT: Final = ("wtp", "wtp-sender")


def heavy_weights(scenario: Scenario, plan: Plan) -> Iterator[str]:
    """Warn about the source with the largest weight on each link that cannot set enough marks.

    The warning states the bound. Weights that an agent or a mark rate replaces are ignored.
    """
    agents = scenario.market.agents if scenario.market else ()
    chosen = {name for agent in agents for name in agent.sources} | set(mark_rates(scenario, plan))
    users = [s for s in plan.sources if s.name not in chosen and _by_own_weight(s)]
    for link, sources in bottlenecks(plan, users).items():
        line, heaviest = plan.links[link], max(sources, key=lambda s: s.own_weight)
        room = _room(plan, line, sources)
        requested = sum(_most_marked(source) * source.count for source in sources)
        if room is None or requested <= room:
            continue
        path = f"sources[{plan.sources.index(heaviest)}].transport.weight"
        found = (
            f"{heaviest.own_weight:g}, but all flows on {line.name} request {requested:.4g} "
            "marks per round trip"
        )
        expected = (
            f"weights of at most {room:.4g} marks in total (the packets that a round trip and "
            "the buffer hold), because losses set the rates beyond that"
        )
        yield str(scenario.places.fault(path, found, expected))


def _by_own_weight(source: Source) -> bool:
    transport = source.transport
    return (
        isinstance(transport, Tcp)
        and transport.window.law in _BY_WEIGHT
        and transport.reference_rtt_ps <= 0
        and source.traffic.law == "greedy"
    )


def _most_marked(source: Source) -> float:
    """Return the target marks per round trip of a flow, limited by its largest window."""
    assert isinstance(source.transport, Tcp)
    return min(source.own_weight, source.transport.max_window)


def _room(plan: Plan, link: Link, sources: list[Source]) -> float | None:
    """Return the number of packets that a link can mark per round trip.

    The result is None for a link with an unlimited buffer or with classes.
    """
    buffer = buffer_packets(link, sources[0])
    if buffer is None or link.scheduler is not None:
        return None
    pipe = max(round_trip_s(source, plan) * packets_per_s(link, source) for source in sources)
    return most_marked(link) * (pipe + buffer)
