# SPDX-License-Identifier: Apache-2.0
"""Warnings about payers with packets of different sizes on a link that ignores the size.

At a marking probability p and a price of m money per mark, a packet of b bits costs p m, so a bit
costs p m / b. A source with small packets then pays more for the same rate than its competitors.
RFC 7141 says that marking should not depend on the size of a packet, and advises against RED's
`byte_mark`, which marks packets in proportion to their size.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ecnomy.markets.compile.target_marks import bottlenecks
from ecnomy.markets.plan import Link, Plan
from ecnomy.markets.scenario import Scenario
from ecnomy.markets.scenario.mark_prices import mark_prices

__all__ = ["unequal_packets"]

_RATIO: Final = 1.1  # of packet sizes, up to which payers count as equal


def unequal_packets(scenario: Scenario, plan: Plan) -> Iterator[str]:
    """Warn about links where a bit of one payer costs more than a bit of another.

    Only sources that have a weight and pay for marks are considered.
    """
    if scenario.market is None:
        return
    prices = mark_prices(scenario.market, plan)
    payers = [source for source in plan.sources if source.weighted and prices[source.name].high > 0]
    for link, sources in bottlenecks(plan, payers).items():
        small = min(sources, key=lambda source: source.packet_bytes)
        large = max(sources, key=lambda source: source.packet_bytes)
        ratio = large.packet_bytes / small.packet_bytes
        if ratio > _RATIO and not _by_bytes(plan.links[link]):
            yield (
                f"link {plan.links[link].name}: a mark costs the same for a packet of any size, so "
                f"{small.name} (packets of {small.packet_bytes} bytes) pays about {ratio:.2g} "
                f"times as much per Mbit as {large.name} ({large.packet_bytes} bytes). Give both "
                "the same packet size"
            )


def _by_bytes(link: Link) -> bool:
    """Return whether the law marks large packets more often, in proportion to their size."""
    laws = [link.marking] if link.scheduler is None else link.scheduler.marking
    return all(law.params.get("byte_mark") for law in laws)
