# SPDX-License-Identifier: Apache-2.0
"""Sources whose users were away most of the time because of the price.

Users who are away do not respond to a carrier's trial prices until the price falls far enough for
them to return. So a search that began at a higher price does not observe these users. Users who
leave because their surplus is negative try the price again from time to time, and are reported if
they were away for more than half of the time. If users have different price limits, many are away
even at the best price. Such users are reported only if nearly all of them were away.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import msgspec
import numpy as np

from ecnomy.analysis.run.activity import flows_on
from ecnomy.analysis.run.families import family_of
from ecnomy.analysis.run.scenario_agents import agents_of
from ecnomy.markets.results.rawrun import RawRun

__all__ = ["PricedOut", "priced_out"]

AWAY: Final = {  # strategy -> share of the time away above which its users are reported
    "all-or-nothing": 0.5,
    "elastic-utility": 0.5,
    "fee-limit": 0.95,
    "price-demand": 0.95,
}


class PricedOut(msgspec.Struct, frozen=True):
    """The share of the time for which the users of a source were away.

    Attributes:
        source: name of the source, or of its group in the scenario.
        away: mean share of the source's flows that its agent had switched off.
    """

    source: str
    away: float

    def __str__(self) -> str:
        """Return the result as a sentence for users."""
        return (
            f"Users of {self.source} were away for {100 * self.away:.0f} % of this time: "
            "a lower price, at which they return, may earn more"
        )


def priced_out(
    run: RawRun, links: Sequence[int] | None, from_ps: int, to_ps: int
) -> tuple[PricedOut, ...]:
    """Return sources that use `links` (None: any) and whose users were away most of the time.

    Raises:
        ResultsError: a table is unreadable.
    """
    most = {
        name: AWAY[agent.strategy_kind]
        for agent in agents_of(run) or ()
        if agent.strategy_kind in AWAY
        for name in agent.sources
    }
    family = family_of(run)
    totals: dict[str, list[float]] = {}
    rows = run.plan.row_sources()
    for source, on in zip(rows, flows_on(run, np.array([from_ps, to_ps]))[0], strict=True):
        name = source.name if source.name in most else family[source.name]
        if name in most and (links is None or set(source.path) & set(links)):
            own = totals.setdefault(name, [0.0, 0.0])
            own[0] += float(on)
            own[1] += source.row_flows
    shares = {name: 1 - on / flows for name, (on, flows) in totals.items()}
    return tuple(PricedOut(name, away) for name, away in shares.items() if away > most[name])
