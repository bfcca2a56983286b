# SPDX-License-Identifier: Apache-2.0
"""A sentence for first-time readers that compares the rates and payments of two classes."""

from __future__ import annotations

from typing import Final

from ecnomy.analysis.run.summary import CHANGING, GroupRow, PhaseSummary, Summary

__all__ = ["sentence"]

_SAME: Final = 0.05  # rates count as equal if they differ by less than this share
_ABOUT: Final = 0.10  # a charge counts as "about its fee" within this share of the fee


def sentence(summary: Summary) -> str:
    """Return a sentence for each phase in which exactly two groups pay a class fee.

    A phase in which one of the two has flows that changed class is skipped.
    """
    clauses = []
    for one in summary.phases:
        classed = [row for row in one.groups if row.group.service_class and row.fee_per_s > 0]
        paying = sorted(classed, key=lambda row: -row.fee_per_s)
        if len(paying) != 2 or any(row.group.service_class == CHANGING for row in paying):
            continue
        clause = _clause(paying[0], paying[1], _congested(one))
        if clause:
            clauses.append((one, clause))
    if len(clauses) <= 2:
        return " ".join(clause for _, clause in clauses)
    return " ".join(f"Phase {_number(one)}: {clause}" for one, clause in clauses)


def _number(one: PhaseSummary) -> int:
    return one.phase.number


def _congested(one: PhaseSummary) -> bool:
    return any(link.congested_by for link in one.links)


def _clause(dear: GroupRow, cheap: GroupRow, congested: bool) -> str:
    if min(dear.goodput_bps, cheap.goodput_bps) <= 0:
        return ""
    if not congested:
        return _uncongested(dear, cheap)
    rate = dear.goodput_bps / cheap.goodput_bps
    a, b = dear.group.label, cheap.group.label
    text = f"Under congestion {a} gets {rate:.1f} times {b}'s rate"
    if min(dear.charge_per_s, cheap.charge_per_s) <= 0:
        return f"{text}."
    money = dear.charge_per_s / cheap.charge_per_s
    return f"{text} and pays {money:.1f} times as much for marks, {_against_fee(dear, cheap)}."


def _uncongested(dear: GroupRow, cheap: GroupRow) -> str:
    a, b = dear.group.label, cheap.group.label
    free = ""
    if dear.charge_per_s == 0 and cheap.charge_per_s == 0:
        free = ", and neither pays for a mark"
    if abs(dear.goodput_bps / cheap.goodput_bps - 1) <= _SAME:
        mean = (dear.goodput_bps + cheap.goodput_bps) / 2
        return f"Uncongested, {a} and {b} get the same {mean / 1e6:.2f} Mbps{free}."
    return (
        f"Uncongested, {a} gets {dear.goodput_bps / 1e6:.2f} Mbps and {b} "
        f"{cheap.goodput_bps / 1e6:.2f} Mbps{free}."
    )


def _against_fee(dear: GroupRow, cheap: GroupRow) -> str:
    shares = [row.charge_per_s / row.fee_per_s for row in (dear, cheap)]
    if all(abs(share - 1) <= _ABOUT for share in shares):
        return "each about its fee"
    names = (dear.group.label, cheap.group.label)
    parts = [f"{share:.0%} of {name}'s fee" for share, name in zip(shares, names, strict=True)]
    return " and ".join(parts)
