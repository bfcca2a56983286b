# SPDX-License-Identifier: Apache-2.0
"""Warnings about sources that send against the direction in which a link marks."""

from __future__ import annotations

from collections.abc import Iterator

from ecnomy.markets.compile.target_marks import largest_probability
from ecnomy.markets.plan import Plan
from ecnomy.markets.scenario.links import REVERSE

__all__ = ["against_links"]


def against_links(plan: Plan) -> Iterator[str]:
    """Warn about sources on a link's unmarked reverse if no data takes its marked direction."""
    rows = {link.name: row for row, link in enumerate(plan.links)}
    sent_over = {row for source in plan.sources for row in source.path}
    for source in plan.sources:
        for row in source.path:
            back = plan.links[row]
            forth = rows.get(back.name.removesuffix(REVERSE), row)
            marked = [largest_probability(plan.links[one]) > 0 for one in (forth, row)]
            if marked == [True, False] and forth not in sent_over:
                name, law = plan.links[forth].name, plan.links[forth].marking.law
                start, end = plan.nodes[back.source], plan.nodes[back.target]
                yield (
                    f"source {source.name}: sends from {start} to {end}, against link {name}, "
                    f"which marks only packets from {end} to {start}. Swap 'from' and 'to', or "
                    f"give the link reverse: {{marking: {{law: {law}, ...}}}}"
                )
