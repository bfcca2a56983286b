# SPDX-License-Identifier: Apache-2.0
"""The YAML under `network:`: links and topologies."""

from __future__ import annotations

from typing import Annotated, ClassVar

import msgspec

from ecnomy.markets.inputs.amounts import (
    Choice,
    Framing,
    Name,
    RateBps,
    Size,
    SizeReader,
    TimePs,
)
from ecnomy.markets.inputs.reading import Misfit
from ecnomy.markets.inputs.schema_rules import Rules, at_least_one, at_most_one
from ecnomy.markets.plan.routing import EQUAL_COST, METRICS, Router
from ecnomy.markets.scenario.links import Direction, Link, Reverse
from ecnomy.markets.scenario.marking import Marking
from ecnomy.markets.scenario.position import PositionReader
from ecnomy.markets.scenario.topology import PATTERN

__all__ = ["Network"]

_OF_TOPOLOGY = (
    "names",
    "rate",
    "delay_per_km",
    "delay",
    "buffer",
    "framing",
    "not_ect",
    "overrides",
)


class Network(msgspec.Struct, frozen=True, kw_only=True):
    """The network: individual links, a topology, or both. Nodes are the ends of links.

    Attributes:
        links: individual links.
        topology: topology whose edges become duplex links `<from>-<to>`, which mark in both
            directions. All topologies of topohub are available: sndlib/*, topozoo/*, caida/*,
            backbone/*, gabriel/*. In the names of nodes, accents are removed, and spaces and
            symbols become underscores (`New_York`). The manifest of a run lists the links,
            positions and sources instead, so that the run can be reloaded without topohub.
        names: mapping from nodes of the topology to their names in the scenario.
        rate: rate of each link of the topology, in bit/s.
        delay_per_km: propagation delay of the topology's links, per km of their length; by
            default 5 us.
        delay: propagation delay of all links of the topology, instead of a delay by length.
        buffer: space for waiting packets at each link of the topology.
        framing: link-layer bytes added to every packet on the topology's links.
        not_ect: treatment of packets without ECN at the links of the topology: drop (the default)
            or pass. Other links have their own `not_ect`.
        marking: marking law of all links that do not set another law. A link's marking with a `law`
            replaces this law; a marking without a `law` changes single values of it. If neither is
            set, a link is drop-tail. The `marking` of a link is for its forward direction, but a
            topology's links mark in both directions. A link with a scheduler ignores this law.
            `ecnomy check` lists the marking of each link.
        overrides: changes to individual links of a `topology`, in both directions.
        routing: criterion of the shortest path; by default delay with a topology, otherwise hops.
            `hops` minimizes the number of links, then the delay; `delay` minimizes the delay, then
            the number of links. All flows of a source share a path. ACKs return along the same path
            if all its links are duplex.
        equal_cost: choice between next hops of equal cost: the first one in the file, or one chosen
            by a hash of seed, source and node. With `hops` and `hash`, all paths with the same
            number of links have equal cost.
        positions: position of each node in plots, as [x, y] or, for real places, as [longitude,
            latitude].
    """

    links: tuple[Link, ...] = ()
    topology: str | None = None
    names: dict[str, Name] = {}
    rate: RateBps | None = None
    delay_per_km: TimePs | None = None
    delay: TimePs | None = None
    buffer: Annotated[Size | None, SizeReader(least=1, unlimited="unlimited")] = None
    framing: Framing | None = None
    not_ect: Annotated[str | None, Choice(("drop", "pass"))] = None
    marking: Marking | None = None
    overrides: dict[str, Reverse] = {}
    routing: Annotated[str | None, Choice(METRICS)] = None
    equal_cost: Annotated[str, Choice(EQUAL_COST)] = "first"
    positions: dict[str, Annotated[tuple[float, float], PositionReader()]] = {}

    schema_rules: ClassVar[Rules] = (
        at_least_one("links", "topology"),
        at_most_one("delay", "delay_per_km"),
        {"properties": {"topology": {"pattern": PATTERN}}},
    )

    def __post_init__(self) -> None:
        if not self.links and self.topology is None:
            raise Misfit("links", "no links", "at least one link, or a topology")
        if self.topology is None:
            for key in _OF_TOPOLOGY:
                if getattr(self, key) not in (None, {}):
                    raise Misfit(
                        key, f"{key!r} without 'topology'", f"{key!r} of each link under 'links'"
                    )
        elif self.delay is not None and self.delay_per_km is not None:
            raise Misfit("delay", "both 'delay' and 'delay_per_km'", "one of them")
        if self.routing is None:
            metric = "hops" if self.topology is None else "delay"
            msgspec.structs.force_setattr(self, "routing", metric)

    def directions(self) -> list[Direction]:
        """Return the directions of all links, in the order of the plan."""
        return [direction for link in self.links for direction in link.directions()]

    def nodes(self) -> list[str]:
        """Return the nodes in the order in which the links first mention them."""
        return list(dict.fromkeys(n for link in self.links for n in (link.source, link.target)))

    def router(self, *, equal_cost: str, seed: int) -> Router:
        """Return a router whose paths are indices into directions()."""
        ends: list[tuple[str, str]] = []
        delays: list[int] = []
        twins: list[int] = []
        links: list[int] = []
        for number, one in enumerate(self.directions()):
            ends.append((one.source, one.target))
            if one.half_duplex:
                ends.append((one.target, one.source))
            ways = len(ends) - len(links)
            delays += [one.delay_ps] * ways
            links += [number] * ways
        for link in self.links:
            at = len(twins)
            twins += [at + 1, at] if link.duplex else [-1]
        return Router(
            ends,
            delays,
            twins=twins,
            links=links,
            metric=self.routing or "hops",
            equal_cost=equal_cost,
            seed=seed,
        )
