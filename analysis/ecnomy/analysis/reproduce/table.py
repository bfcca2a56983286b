# SPDX-License-Identifier: Apache-2.0
"""The text output of `reproduce`: budgets, verdicts with quantities, and the catalogue."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from rich.table import Table

from ecnomy.analysis.reproduce.catalogue import Claim, Paper
from ecnomy.analysis.reproduce.entries import ClaimOutcome
from ecnomy.analysis.reproduce.judge import (
    CONFIRMED,
    REFUTED,
    REPORTED,
    VERDICTS,
    ClaimVerdict,
    JudgedQuantity,
)
from ecnomy.analysis.reproduce.session import Reproduced, cost_of
from ecnomy.analysis.reproduce.studies import Form
from ecnomy.analysis.reproduce.wording import figure_text
from ecnomy.markets.cli.table_fit import titled_table

__all__ = [
    "budget_line",
    "catalogue_table",
    "claims_table",
    "closing_line",
    "of_items",
    "worst_figures",
]

_SHOWN: Final = 3  # the table shows at most this many quantities of a claim, the worst first


def budget_line(selected: Sequence[tuple[Paper, str]], form: Form) -> str:
    """Return a line with the numbers of entries, claims, runs and data packets."""
    own, grid = cost_of(selected, form)
    claims = sum(len(paper.entries[item].claims) for paper, item in selected)
    whole = "" if not form.quick else " (without --quick, which needs less)"
    over = ""
    if grid.runs:
        variants = _counted(grid.studies, "variant", "variants")
        most = f"at most {grid.packets / 1e6:.4g} million"
        over = f"; the grid adds {_counted(grid.runs, 'run', 'runs')} in {variants}, {most}"
    return (
        f"{_counted(len(selected), 'entry', 'entries')}, {_counted(claims, 'claim', 'claims')}, "
        f"{_counted(own.runs, 'run', 'runs')} in {_counted(own.studies, 'study', 'studies')}, "
        f"at most {own.packets / 1e6:.4g} million data packets{whole}{over}"
    )


def _counted(number: int, one: str, many: str) -> str:
    return f"{number} {one if number == 1 else many}"


def of_items(
    reproduction: Reproduced, items: Sequence[str]
) -> Iterator[tuple[ClaimOutcome, Claim]]:
    """Yield the outcomes and claims of an entry that belong to these ids, or all without ids."""
    entry = reproduction.paper.entries[reproduction.item]
    for outcome in reproduction.outcomes:
        claim = entry.claims[outcome.claim.rpartition(".")[2]]
        if not items or any(claim.is_of(item) for item in items):
            yield outcome, claim


def claims_table(reproduction: Reproduced, items: Sequence[str] = ()) -> Table:
    """Return a table of an entry's claims with verdicts, quantities and reasons.

    Args:
        reproduction: the measured entry.
        items: the requested ids of an entry with several ids. If empty, all claims are listed.
    """
    paper, entry = reproduction.paper, reproduction.paper.entries[reproduction.item]
    table = titled_table(f"{paper.paper}.{reproduction.item}: {entry.title}")
    table.caption = _caption(reproduction)
    table.caption_justify = "left"
    for name in ("claim", "verdict", "the paper says", "measured"):
        table.add_column(name, overflow="fold")
    for outcome, claim in of_items(reproduction, items):
        number = outcome.claim.rpartition(".")[2]
        says = claim.says + (f" ({claim.tolerance})" if claim.tolerance else "")
        measured = [figure_text(figure) for figure in worst_figures(outcome.verdict)]
        left = len(outcome.verdict.figures) - len(measured)
        measured += [f"and {left} more"] if left else []
        measured += [outcome.why] if outcome.why else []
        label = f"{number} {'*' if claim.priority == 'core' else ''}".strip()
        table.add_row(label, outcome.verdict.words, says, "\n".join(measured))
    return table


def _caption(reproduction: Reproduced) -> str:
    chosen = reproduction.paper.entries[reproduction.item].printed
    lines = ["* core claim" + ("; chosen: " + "; ".join(chosen) if chosen else "")]
    if reproduction.budget:
        sent, most = reproduction.data_packets / 1e6, reproduction.budget / 1e6
        lines.append(f"{sent:.4g} million data packets were sent, of a budget of {most:.4g}")
    return "\n".join(lines)


def worst_figures(verdict: ClaimVerdict, most: int = _SHOWN) -> list[JudgedQuantity]:
    """Return up to `most` quantities of a verdict: refuted, undecided, confirmed, then reported."""
    rank = {REFUTED: 0, CONFIRMED: 2, REPORTED: 3}
    return sorted(verdict.figures, key=lambda figure: rank.get(figure.verdict, 1))[:most]


def closing_line(reproductions: Sequence[Reproduced]) -> str:
    """Return the number of claims by verdict, with core claims and identities listed separately."""
    outcomes = [outcome for each in reproductions for outcome in each.outcomes]
    lines = []
    claims = [o for o in outcomes if not o.identity]
    for one, many, chosen in (
        ("core claim", "core claims", [o for o in claims if o.priority == "core"]),
        ("secondary claim", "secondary claims", [o for o in claims if o.priority != "core"]),
        ("identity", "identities", [o for o in outcomes if o.identity]),
    ):
        counts = Counter(outcome.verdict.verdict for outcome in chosen)
        counts_text = (
            ", ".join(f"{counts[kind]} {kind}" for kind in VERDICTS if counts[kind]) or "none"
        )
        lines += [f"{_counted(len(chosen), one, many)}: {counts_text}"] if chosen else []
    return "; ".join(lines)


def catalogue_table(paper: Paper) -> Table:
    """Return a table of the entries of a paper."""
    table = titled_table(f"{paper.paper}: {paper.cites}")
    for name in ("entry", "priority", "claims", "packets", "what"):
        table.add_column(name, justify="right" if name in ("claims", "packets") else "left")
    for item, entry in paper.entries.items():
        packets = sum(paper.studies[name].budget for name in entry.studies)
        amount = f"{packets / 1e6:,.{0 if packets >= 1e8 else 1}f} M" if packets else ""
        pending = all(claim.pending for claim in entry.claims.values())
        title = entry.title + (" (pending)" if pending and entry.claims else "")
        ids, claims = ", ".join(entry.ids(item)), str(len(entry.claims))
        table.add_row(ids, entry.priority, claims, amount, title)
    return table
