# SPDX-License-Identifier: Apache-2.0
"""The congested links of a run, for the overview."""

from __future__ import annotations

from typing import Final

import msgspec

from ecnomy.analysis.run.congestion import SIGNS
from ecnomy.analysis.run.summary import LinkRow, Summary

__all__ = ["MOST_LINKS", "DrawnLink", "congested_links"]

MOST_LINKS: Final = 4  # a reader can tell at most this many lines apart without colour


class DrawnLink(msgspec.Struct, frozen=True):
    """A link to draw; `signs` are its signs of congestion in any phase, () without congestion."""

    link: int
    name: str
    signs: tuple[str, ...]


def congested_links(summary: Summary) -> list[DrawnLink]:
    """Return the links that were congested in some phase, the most congested first.

    The order is by the number of packets marked or lost, then by the number of packets waiting.
    """
    rows: dict[int, list[LinkRow]] = {}
    for one in summary.phases:
        for row in one.links:
            if row.congested_by:
                rows.setdefault(row.link, []).append(row)

    def bad(own: list[LinkRow]) -> tuple[int, float]:
        return sum(r.marks + r.drops for r in own), sum(r.queue_packets for r in own)

    links = sorted(rows.values(), key=lambda own: (bad(own), -own[0].link), reverse=True)
    return [DrawnLink(own[0].link, own[0].name, _signs(own)) for own in links]


def _signs(own: list[LinkRow]) -> tuple[str, ...]:
    shown = {sign for row in own for sign in row.congested_by}
    return tuple(sign for sign in SIGNS if sign in shown)
