# SPDX-License-Identifier: Apache-2.0
"""The glossary at the end of the page on a provider's business."""

from __future__ import annotations

from typing import Final

from ecnomy.analysis.pages.parts import Cell, Section, Table

__all__ = ["glossary"]

_TERMS: Final = (
    ("guaranteed stream provider", "Sells calls at a fixed price with a promise "
     "about quality. It pays for the marks of these calls and has no access to routers."),
    ("mark", "The congestion bit (CE) that a link sets in a packet. Each mark has a price, which "
     "the provider pays to the carrier."),
    ("marking law", "The rule by which a link decides which packets to mark, such as RED or REM."),
    ("test stream", "A small stream that the provider sends to measure marking and delay, "
     "whether calls are sold or not."),
    ("M, L", "The share of a sample's packets that were marked (M), and the share that were "
     "lost or late (L)."),
    ("promise, L^G", "At most this share of a call's packets is lost or later than the promised "
     "delay. Otherwise the provider pays a reimbursement."),
    ("B^G", "The largest share of callers that the provider may turn away."),
    ("turned away", "Requested a call and was not admitted; also called blocked."),
    ("blocking threshold", "The marking rate above which the provider admits no call."),
    ("break-even price", "The mean price of a call at which the profit is 0, for the same calls."),
    ("counterfactual", "Computed from the simulated calls under another price or promise, "
     "assuming that callers and admission do not change."),
    ("reference", "The scenario's value of a varied parameter. For a choice of the provider, "
     "the value with the largest profit."),
    ("95 % interval", "Contains the true value in 95 of 100 repetitions; printed in brackets."),
    ("value at risk, expected shortfall", "The loss that 95 % of calls or hours do not exceed, and "
     "the mean loss of the others."),
    ("reliability, corrected", "The part of a variance that is not due to small samples, and a "
     "correlation corrected for that noise."),
    ("warm-up", "The first part of a run. Measured windows exclude it; money includes it."),
)  # fmt: skip


def glossary() -> Section:
    """Return the glossary, with terms in the order in which a reader meets them."""
    rows = tuple((Cell(term), Cell(meaning)) for term, meaning in _TERMS)
    table = Table("glossary-table", "Terms", "this page", ("term", "meaning"), rows, wide=True)
    return Section("glossary", "Glossary", (table,))
