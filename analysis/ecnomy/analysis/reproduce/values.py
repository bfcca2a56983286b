# SPDX-License-Identifier: Apache-2.0
"""The output of `ecnomy reproduce --json`: the catalogue, or the measured outcomes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ecnomy.analysis.reproduce.catalogue import Paper
from ecnomy.analysis.reproduce.session import Reproduced
from ecnomy.analysis.reproduce.table import of_items

__all__ = ["catalogue_values", "claims_values"]


def catalogue_values(paper: Paper) -> dict[str, Any]:
    """Return a paper's entries, each with the largest number of packets that its runs may send."""
    return {
        "paper": paper.paper,
        "cites": paper.cites,
        "entries": [
            {
                "item": item,
                "ids": entry.ids(item),
                "title": entry.title,
                "priority": entry.priority,
                "claims": list(entry.claims),
                "pending": [number for number, one in entry.claims.items() if one.pending],
                "packets": sum(paper.studies[name].budget for name in entry.studies),
            }
            for item, entry in paper.entries.items()
        ],
    }


def claims_values(
    reproductions: Sequence[Reproduced], items: Mapping[tuple[str, str], Sequence[str]], page: str
) -> dict[str, Any]:
    """Return the entries with their claims: verdict, reason, and quantities with their regions.

    Args:
        reproductions: the measured entries.
        items: (paper, entry) -> requested ids of the entry; an empty sequence means all ids.
        page: path of the HTML page.
    """
    return {"page": page, "entries": [_entry(each, items) for each in reproductions]}


def _entry(
    reproduction: Reproduced, items: Mapping[tuple[str, str], Sequence[str]]
) -> dict[str, Any]:
    paper, entry = reproduction.paper, reproduction.paper.entries[reproduction.item]
    requested = items.get((paper.paper, reproduction.item), ())
    return {
        "paper": paper.paper,
        "item": reproduction.item,
        "title": entry.title,
        "data_packets": reproduction.data_packets,
        "budget_packets": reproduction.budget,
        "claims": [
            {
                "claim": outcome.claim,
                "priority": outcome.priority,
                "identity": outcome.identity,
                "says": claim.says,
                "verdict": outcome.verdict.verdict,
                "words": outcome.verdict.words,
                "reason": outcome.why,
                "depends": outcome.verdict.depends,
                "figures": outcome.verdict.figures,
            }
            for outcome, claim in of_items(reproduction, requested)
        ],
    }
