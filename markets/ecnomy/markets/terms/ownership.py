# SPDX-License-Identifier: Apache-2.0
"""Find the carrier that owns each link, and the domains that each source crosses.

A carrier names its links by patterns (`core*`), or names nodes and owns their outgoing links,
because the queue of a link is at its start. A pattern is compared with the names of both directions
of a duplex link (`bottleneck`, `bottleneck.reverse`). A reverse direction belongs to the owner of
the forward direction unless a carrier names it or its start node. A single carrier that names
neither links nor nodes owns all links.
"""

from __future__ import annotations

import fnmatch
from collections.abc import Sequence
from typing import Final

import msgspec

from ecnomy.agents.errors import InputError
from ecnomy.agents.spec import AgentSpec
from ecnomy.markets.plan import Plan

__all__ = ["REVERSE", "Misowned", "Way", "owners_of", "ways"]

REVERSE: Final = ".reverse"
NOBODY: Final = -1


class Misowned(InputError):
    """A link without exactly one owner, or a carrier that names missing links or nodes.

    Attributes:
        carrier: index of the carrier, or -1 for all carriers.
        key: YAML key of the carrier's entry.
        found, expected: texts for the message.
    """

    def __init__(self, carrier: int, key: str, found: str, expected: str) -> None:
        self.carrier, self.key, self.found, self.expected = carrier, key, found, expected
        super().__init__(f"market: {key}: found {found}, expected {expected}")


def owners_of(links: Sequence[tuple[str, str]], carriers: Sequence[AgentSpec]) -> list[int]:
    """Return, for each link, the index of the carrier that owns it.

    Args:
        links: (name, start node) of each direction of each link.
        carriers: at least one carrier, in the scenario's order.

    Raises:
        Misowned: a pattern or node matches no link, one of several carriers names neither links nor
            nodes, or a link does not have exactly one owner.
    """
    if len(carriers) == 1 and not carriers[0].links and not carriers[0].nodes:
        return [0] * len(links)
    owners = [NOBODY] * len(links)
    for carrier, spec in enumerate(carriers):
        for row in _named(links, carrier, spec):
            if owners[row] not in (NOBODY, carrier):
                found = (
                    f"{links[row][0]!r}, which already belongs to {carriers[owners[row]].name!r}"
                )
                key = "links" if spec.links else "nodes"
                raise Misowned(carrier, key, found, "each link in one domain")
            owners[row] = carrier
    by_name = {name: row for row, (name, _) in enumerate(links)}
    for row, (name, _) in enumerate(links):
        forth = by_name.get(name.removesuffix(REVERSE), row)
        if owners[row] == NOBODY:
            owners[row] = owners[forth]
    missing = [links[row][0] for row, owner in enumerate(owners) if owner == NOBODY]
    if missing:
        more = f" and {len(missing) - 3} more" if len(missing) > 3 else ""
        found = f"{', '.join(missing[:3])}{more} outside every domain"
        raise Misowned(NOBODY, "agents", found, "each link in the domain of a carrier")
    return owners


def _named(links: Sequence[tuple[str, str]], carrier: int, spec: AgentSpec) -> list[int]:
    rows: set[int] = set()
    for key, patterns, part in (("links", spec.links, 0), ("nodes", spec.nodes, 1)):
        for pattern in patterns:
            fit = [i for i, link in enumerate(links) if fnmatch.fnmatchcase(link[part], pattern)]
            if not fit:
                what = "the name of a link" if part == 0 else "a node that a link leaves"
                raise Misowned(
                    carrier, key, f"{pattern!r}", f"{what}, or a pattern that matches one"
                )
            rows.update(fit)
    if not spec.links and not spec.nodes:
        wanted = f"the links that {spec.name} owns, because there are several carriers"
        raise Misowned(carrier, "links", "neither 'links' nor 'nodes'", wanted)
    return sorted(rows)


class Way(msgspec.Struct, frozen=True):
    """The domains that the data of a source cross.

    Attributes:
        domains: domains in order of travel; a domain repeats if the path returns to it.
        of_link: index into `domains` for each link of the path.
    """

    domains: tuple[int, ...]
    of_link: tuple[int, ...]


def ways(plan: Plan, of_link: Sequence[int]) -> list[Way]:
    """Return the domains that each source's data cross, given the owner of each link."""
    domain_ways = []
    for source in plan.sources:
        crossed: list[int] = []
        at: list[int] = []
        for link in source.path:
            if not crossed or crossed[-1] != of_link[link]:
                crossed.append(of_link[link])
            at.append(len(crossed) - 1)
        domain_ways.append(Way(tuple(crossed), tuple(at)))
    return domain_ways
