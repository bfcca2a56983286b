# SPDX-License-Identifier: Apache-2.0
"""Describes the results of a tournament in sentences: answer, certainty and rest points."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ecnomy.analysis.game.dynamics import Rest
from ecnomy.analysis.game.wording import listed, shares_words
from ecnomy.analysis.support.number_text import minus
from ecnomy.analysis.tournament.paying import Invasion, PopulationOutcome, TournamentFindings
from ecnomy.analysis.tournament.replies import Change

__all__ = [
    "entry_words",
    "headline",
    "mix_of",
    "money",
    "returns",
    "summary",
    "sure_words",
    "temptations",
    "verdict_class",
]

_SCOPE: Final = "These results hold for this link, price and utility only."
_PAYS: Final = {1: "Paying pays", -1: "Paying does not pay", 0: "Paying pays for some"}


def money(value: float, sign: str = "") -> str:
    """Return an amount in money/s, rounded to two decimals, with a real minus sign."""
    return minus(f"{value:{sign}.2f}")


def headline(findings: TournamentFindings) -> str:
    """Return a headline about whether it is worth paying for congestion."""
    if len(findings.payers) in (0, len(findings.table)):
        who = "Everybody" if findings.payers else "Nobody"
        return f"{who} pays here, so the runs do not show whether it is worth paying"
    verdicts = {one.verdict for one in findings.outcomes}
    if len(verdicts) > 1:
        return "Whether it is worth paying depends on the number of players"
    return _PAYS[verdicts.pop()]


def verdict_class(findings: TournamentFindings) -> str:
    """Return the CSS class that colours the headline."""
    verdicts = {one.verdict for one in findings.outcomes}
    if len(verdicts) > 1 or len(findings.payers) in (0, len(findings.table)):
        return "undecided"
    return {1: "yes", -1: "no", 0: "undecided"}[verdicts.pop()]


def summary(findings: TournamentFindings) -> str:
    """Return sentences on the main rest points, with a player's payments and earnings at each."""
    ends: dict[str, list[PopulationOutcome]] = {}
    for one in findings.outcomes:
        ends.setdefault(_end(findings, one), []).append(one)
    sentences = []
    for end, ones in ends.items():
        who = listed([str(one.players) for one in ones])
        paid = _each([one.paid for one in ones], "nobody pays anything", "each pays {}")
        earned = _each([one.earned for one in ones], "nothing is left", "is left with {}")
        sentences.append(f"Among {who} players {end}: {paid} and {earned} money/s.")
    return " ".join(sentences)


def _end(findings: TournamentFindings, outcome: PopulationOutcome) -> str:
    first = outcome.rests[0]
    if not first.still:
        return f"shares never come to rest ({outcome.paying:.0%} pay in the end)"
    often = "" if first.starts > 0.995 else f" from {first.starts:.0%} of starts"
    return f"it ends with {mix_of(findings, first)}{often}"


def _each(values: Sequence[float], none: str, some: str) -> str:
    amounts = [money(value) for value in values]
    if not any(values):
        return none
    return some.format(amounts[0] if len(set(amounts)) == 1 else listed(amounts))


def mix_of(findings: TournamentFindings, rest: Rest) -> str:
    """Return a mix in words, e.g. `all average` or `60% elastic and 40% reno`."""
    names = [findings.table.names[number] for number in findings.finalists]
    return shares_words(rest.mix, names)


def sure_words(findings: TournamentFindings) -> str:
    """Return sentences on the agreement of seeds, and on strategies that gain by entering."""
    seeds = findings.table.seeds
    agree = [
        f"{one.agree} of {seeds} seeds with {one.players} players" for one in findings.outcomes
    ]
    enters = {
        (one.players, findings.table.names[entry.stranger])
        for one in findings.outcomes
        for entry in one.open
    }
    agreement = f"Each single seed gives the same result in {listed(agree)}."
    if not enters:
        return (
            f"{agreement} No other strategy gains significantly by entering the final mix. {_SCOPE}"
        )
    who = listed(sorted(f"{name} (among {players})" for players, name in enters))
    return (
        f"{agreement} The final mix can be invaded: {who} would earn significantly more there. "
        f"{_SCOPE}"
    )


def temptations(findings: TournamentFindings) -> list[Change]:
    """Return the best change of a payer to a strategy that never pays, for each population.

    Before the change, all players use the paying strategy that earns most if all use it.
    """
    return _best(findings, among_payers=True)


def returns(findings: TournamentFindings) -> list[Change]:
    """Return the best change of a non-payer to a paying strategy, for each population."""
    return _best(findings, among_payers=False)


def _best(findings: TournamentFindings, *, among_payers: bool) -> list[Change]:
    table, best = findings.table, []
    for players in table.populations:
        old = [n for n in range(len(table)) if (n in findings.payers) == among_payers]
        old = [n for n in old if table.paid_alone(n, players) > 0] if among_payers else old
        own = [
            one
            for one in findings.changes
            if one.players == players
            and one.old in old
            and (one.new in findings.payers) != among_payers
        ]
        if own:
            most = max(old, key=lambda n: float(table.alone(n, players).mean()))
            own = [one for one in own if one.old == most]
            best.append(max(own, key=lambda one: one.gain.difference.mean))
    return best


def entry_words(findings: TournamentFindings, entry: Invasion) -> str:
    """Return the strategy of a lone entrant and its gain, in words."""
    name, gain = findings.table.names[entry.stranger], entry.gain.difference
    return f"{name} {money(gain.mean, '+')} ({money(gain.low, '+')} to {money(gain.high, '+')})"
