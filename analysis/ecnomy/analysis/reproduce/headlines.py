# SPDX-License-Identifier: Apache-2.0
"""The main results of a paper, each in one line with outcome, settings and reason.

not reproduced         a claim that supports the result is refuted
depends                no claim is refuted, but one depends on a setting that the paper leaves open
reproduced             all claims are confirmed
reproduced as chosen   all are confirmed at the chosen settings; alternatives leave some open
undecided              otherwise
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import msgspec

from ecnomy.analysis.reproduce.catalogue import Headline, Paper
from ecnomy.analysis.reproduce.judge import (
    CONFIRMED,
    DEPENDS,
    INCONCLUSIVE,
    REFUTED,
    agreement,
)
from ecnomy.analysis.reproduce.recorded import RecordedClaim, RecordedFigure, Under
from ecnomy.analysis.reproduce.wording import region_text

__all__ = [
    "AS_CHOSEN",
    "NOT_REPRODUCED",
    "REPRODUCED",
    "UNDECIDED",
    "Line",
    "headline_lines",
    "numbers_text",
]

REPRODUCED: Final = "reproduced"
AS_CHOSEN: Final = "reproduced as chosen"
NOT_REPRODUCED: Final = "not reproduced"
UNDECIDED: Final = "undecided"
_MOST: Final = 2  # a line explains at most this many claims
_CLOSED: Final = "the paper leaves no setting open"


class Line(msgspec.Struct, frozen=True):
    """A headline with its outcome.

    Attributes:
        kind: one of the five kinds of outcome.
        outcome: the outcome at the chosen settings, the settings on which it depends, and the
            number of alternatives that agree.
        why: the decisive quantities or verdicts, for at most two claims; "" if all claims are
            confirmed.
        entry: `paper.entry`, whose figure shows the result.
    """

    says: str
    kind: str
    outcome: str
    why: str
    entry: str


def headline_lines(paper: Paper, records: Mapping[str, RecordedClaim]) -> list[Line]:
    """Return a line for each of a paper's headlines whose claims all have a record.

    Args:
        paper: the paper with its headlines.
        records: claim (`paper.entry.cN`) -> its record.
    """
    lines = []
    for headline in paper.headlines:
        own = [records.get(f"{paper.paper}.{claim}") for claim in headline.claims]
        known = [record for record in own if record is not None]
        if len(known) == len(own):
            lines.append(_line(paper.paper, headline, known))
    return lines


def _line(paper: str, headline: Headline, records: Sequence[RecordedClaim]) -> Line:
    verdicts = {record.verdict for record in records}
    chosen = {record.alone or record.verdict for record in records}
    entry = f"{paper}.{headline.figure}"
    against = ""
    if REFUTED in verdicts:
        kind, against = NOT_REPRODUCED, REFUTED
    elif DEPENDS in verdicts:
        kind, against = DEPENDS, DEPENDS
    elif verdicts == {CONFIRMED}:
        return Line(headline.says, REPRODUCED, _outcome_text(REPRODUCED, records), "", entry)
    else:
        kind = AS_CHOSEN if chosen == {CONFIRMED} else UNDECIDED
    if chosen == {CONFIRMED}:
        opening = AS_CHOSEN
    else:
        opening = f"{NOT_REPRODUCED if REFUTED in chosen else UNDECIDED} as chosen"
    decisive = [r for r in records if r.verdict == (against or r.verdict) != CONFIRMED]
    why = [_why(record) for record in decisive[:_MOST]]
    left = len(decisive) - len(why)
    why += [f"and {left} more"] if left else []
    return Line(headline.says, kind, _outcome_text(opening, records), "; ".join(why), entry)


def _outcome_text(opening: str, records: Sequence[RecordedClaim]) -> str:
    """Return the opening, the decisive settings, and the number of alternatives that agree."""
    depends = dict.fromkeys(name for record in records for name in record.depends)
    agree: dict[tuple[str, str], bool] = {}
    for record in records:
        for under in record.grid:
            place = under.setting, under.alternative
            agree[place] = agree.get(place, True) and under.verdict == record.alone
    left_open = [setting for (setting, _), same in agree.items() if not same]
    left_open = [setting for setting in left_open if setting not in depends]
    hangs = f"depends on {', '.join(depends)}" if depends else ""
    closed = _CLOSED if all(record.over == () for record in records) else ""
    agreed = agreement(sum(agree.values()), len(agree), left_open) if agree else closed
    return "; ".join(part for part in (opening, hangs, agreed) if part)


def _why(record: RecordedClaim) -> str:
    name = record.claim.partition(".")[2]
    against = {CONFIRMED, REFUTED} if record.verdict == DEPENDS else {record.verdict}
    others = [under for under in record.grid if under.verdict in against - {record.alone}]
    if others:
        return f"{name}: {record.alone} as chosen, " + ", ".join(map(_under_text, others))
    figures = [figure for figure in record.figures if figure.verdict == record.verdict]
    if figures and record.verdict in (REFUTED, INCONCLUSIVE):
        return f"{name}: {_figure_text(min(figures, key=lambda figure: figure.p or 0))}"
    return f"{name}: {record.verdict_words}"


def _under_text(under: Under) -> str:
    figure = f" ({_figure_text(under.figure)})" if under.figure else ""
    return f"{under.verdict} with {under.setting} {under.alternative}{figure}"


def _figure_text(figure: RecordedFigure) -> str:
    region = f", expected {region_text(*figure.region)}" if figure.region else ""
    return f"{figure.name} {numbers_text(figure)}{region}"


def numbers_text(figure: RecordedFigure) -> str:
    """Return `mean [low, high]` of a recorded quantity, its single value, or `none`."""
    if figure.measured is None:
        return "none"
    mean, low, high, n = figure.measured
    return f"{mean:.4g}" if n == 1 else f"{mean:.4g} [{low:.4g}, {high:.4g}]"
