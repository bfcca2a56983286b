# SPDX-License-Identifier: Apache-2.0
"""The groups of the live page: the sources with the same `group`, or a single source."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import msgspec
import numpy as np

from ecnomy.agents.arrays import Integers
from ecnomy.agents.observation import NO_OFFER
from ecnomy.markets.model.market import Market
from ecnomy.markets.scenario import Scenario

__all__ = ["CLASS", "NONE", "PAY", "DashboardGroup", "groups_of"]

CLASS: Final = "class"
PAY: Final = "pay"
NONE: Final = ""


class DashboardGroup(msgspec.Struct, frozen=True, eq=False):
    """The flows of a group, with the knob that they share, if any.

    Attributes:
        name: name of the group, or of its only source.
        sources: names of the sources.
        rows: rows of the group's flows in reports.
        flows: number of flows.
        knob: CLASS if all flows are in classes of one provider that sells at least two; PAY if no
            flow is in a class and all of them have a weight; else NONE.
        classes: the classes that the knob offers, cheapest first.
    """

    name: str
    sources: tuple[str, ...]
    rows: Integers
    flows: int
    knob: str
    classes: tuple[str, ...]


def groups_of(scenario: Scenario, market: Market) -> tuple[DashboardGroup, ...]:
    """Return the groups of a scenario, in the order of its sources."""
    group_of = {source.name: source.group for source in scenario.document.sources}
    members: dict[str, list[str]] = {}
    for source in market.plan.sources:
        members.setdefault(group_of.get(source.name) or source.name, []).append(source.name)
    return tuple(_group(name, sources, market) for name, sources in members.items())


def _group(name: str, sources: Sequence[str], market: Market) -> DashboardGroup:
    rows = market.parties.flows(sources)
    mine = [source for source in market.plan.sources if source.name in set(sources)]
    first = market.parties.first_offer[rows]
    providers = {market.offers[i].provider for i in np.unique(first[first != NO_OFFER]).tolist()}
    knob = NONE
    classes: tuple[str, ...] = ()
    if len(providers) == 1 and not np.any(first == NO_OFFER):
        sold = [offer for offer in market.offers if offer.provider in providers]
        sold.sort(key=lambda offer: offer.fee_micro_per_s)
        classes = tuple(offer.name for offer in sold)
        knob = CLASS if len(classes) > 1 else NONE
    elif not providers and all(source.weighted for source in mine):
        knob = PAY
    flows = sum(source.count for source in mine)
    return DashboardGroup(name, tuple(sources), rows, flows, knob, classes)
