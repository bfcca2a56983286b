# SPDX-License-Identifier: Apache-2.0
"""Writes the page of a tournament (one self-contained HTML file) and its pay-offs as CSV."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Sequence
from pathlib import Path

from ecnomy.agents.utilities import delay_cost_of
from ecnomy.analysis.game.wording import listed
from ecnomy.analysis.pages.answer_page import AnswerPage, write_answer
from ecnomy.analysis.pages.parts import Cell, Picture, Section, Table, Words
from ecnomy.analysis.statistics.intervals import LEVEL, t_interval
from ecnomy.analysis.tournament import payoff_plots, wording
from ecnomy.analysis.tournament.paying import TournamentFindings
from ecnomy.analysis.tournament.payoffs import mix_words
from ecnomy.analysis.tournament.tournament import Tournament
from ecnomy.analysis.tournament.wording import money

__all__ = ["PAGE", "PAYOFFS", "page_of", "payoff_rows", "write_page", "write_payoffs"]

PAGE = "tournament.html"
PAYOFFS = "payoffs.csv"
_HEAD = ("players", "mix", "strategy", "count", "payoff", "low", "high", "paid", "seeds")


def write_page(tournament: Tournament, findings: TournamentFindings, file: Path) -> AnswerPage:
    """Write the page of a tournament, and return its content.

    Raises:
        InputError: jinja2 is missing.
    """
    page = page_of(tournament, findings)
    write_answer(page, Path(__file__).parent, file)
    return page


def write_payoffs(findings: TournamentFindings, file: Path) -> None:
    """Write a CSV of all pay-offs, with a row per mix and strategy."""
    from ecnomy.analysis.support.whole_file import write_whole

    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(_HEAD)
    writer.writerows(payoff_rows(findings))
    write_whole(file, out.getvalue().encode())


def payoff_rows(findings: TournamentFindings) -> list[tuple[object, ...]]:
    """Return rows of players, mix, strategy, count, pay-off, interval, payment and seeds."""
    table, rows = findings.table, []
    for profile in sorted(table.earned, key=lambda each: (sum(each), [-n for n in each])):
        for number, count in enumerate(profile):
            if count:
                value = table.interval(profile, number)
                paid = float(table.paid[profile][:, number].mean())
                mix = mix_words(table.names, profile)
                ends = (f"{x:.6g}" for x in (value.mean, value.low, value.high, paid))
                rows.append((sum(profile), mix, table.names[number], count, *ends, value.n))
    return rows


def page_of(tournament: Tournament, findings: TournamentFindings) -> AnswerPage:
    """Return the content of the page, before the template renders it."""
    order = findings.ranking
    return AnswerPage(
        title=tournament.sweep.title or "Tournament",
        verdict=wording.verdict_class(findings),
        opens=wording.headline(findings),
        sentence=wording.summary(findings),
        sure=wording.sure_words(findings),
        facts=tuple(_facts(findings)),
        sections=(
            _ends(findings, order),
            _changes(findings, order),
            _earned(findings, order),
            _who(tournament, findings, order),
            _how(tournament, findings),
        ),
    )


def _facts(findings: TournamentFindings) -> list[tuple[str, str]]:
    ends: dict[str, list[str]] = {}
    for one in findings.outcomes:
        ends.setdefault(f"{one.paying:.0%}", []).append(str(one.players))
    facts = [
        (share, f"of {listed(many)} players end with a strategy that pays")
        for share, many in ends.items()
    ]
    for change in (*wording.temptations(findings), *wording.returns(findings)):
        new, old = findings.table.names[change.new], findings.table.names[change.old]
        sure = "" if change.gains or change.regrets else " (may be chance)"
        gain_text = (
            f"money/s is the gain of one of {change.players} players who switches from {old} to "
            f"{new}{sure}"
        )
        facts.append((money(change.gain.difference.mean, "+"), gain_text))
    return facts


def _ends(findings: TournamentFindings, order: Sequence[int]) -> Section:
    blocks: list[Table | Picture | Words] = [
        Words.of(
            "Strategies that earn more than the mean grow, the others shrink (replicator "
            "dynamics). Arrows show how mixes of the finalists move; dark arrows are fast. Red "
            "points are rest points, each labelled with the share of starts that lead to it."
        )
    ]
    for outcome in findings.outcomes:
        rows = tuple((wording.mix_of(findings, r), r.starts, r.still) for r in outcome.rests)
        mixes_text = "; ".join(f"{mix} from {starts:.0%}" for mix, starts, _ in rows)
        blocks.append(
            Picture(
                id=f"portrait-{outcome.players}",
                caption=f"Dynamics of {outcome.players} players",
                alt=f"Arrows over mixes of the finalists among {outcome.players} players: "
                f"{mixes_text}.",
                of="runs of all mixes of the finalists",
                svg=payoff_plots.portrait(findings, outcome),
                head=("mix", "share of starts", "rests"),
                rows=rows,
            )
        )
    blocks.append(_rank_picture(findings, order))
    blocks.append(_rest_table(findings))
    return Section("ends", "Final mixes", tuple(blocks))


def _rank_picture(findings: TournamentFindings, order: Sequence[int]) -> Picture:
    names = findings.table.names
    rows = [(names[n], *(float(one.mass[n]) for one in findings.outcomes)) for n in order]
    first = names[order[0]]
    return Picture(
        id="masses",
        caption="Share of time that each strategy dominates (alpha-rank)",
        alt=f"Bars of alpha-rank's mass by strategy and population; {first} has most.",
        of="runs of all pairs; dots are single seeds",
        svg=payoff_plots.masses(findings, order),
        head=("strategy", *(f"{one.players} players" for one in findings.outcomes)),
        rows=tuple(rows),
    )


def _rest_table(findings: TournamentFindings) -> Table:
    rows = []
    for one in findings.outcomes:
        for rest, entries in zip(one.rests, one.entries, strict=True):
            best = max(entries, key=lambda e: e.gain.difference.mean) if entries else None
            tried = wording.entry_words(findings, best) if best else "-"
            sure = "enters" if best and best.enters else "stays out" if best else ""
            sure = "may be chance" if best and not best.enters and not best.loses else sure
            mix = wording.mix_of(findings, rest) if rest.still else "no rest"
            cells = (str(one.players), mix, f"{rest.starts:.0%}", tried, sure)
            rows.append(tuple(Cell(text) for text in cells))
    return Table(
        id="rests",
        caption="Stable mixes, and the outsider that would earn most in each",
        of="runs of all mixes of the finalists, and of outsiders among them",
        head=("players", "mix", "starts", "best outsider [money/s]", "and so"),
        rows=tuple(rows),
        wide=True,
        note="Gain of an outsider: its pay-off when it enters the mix alone, minus the mean "
        "pay-off without it.",
    )


def _changes(findings: TournamentFindings, order: Sequence[int]) -> Section:
    blocks: list[Table | Picture | Words] = [
        Words.of(
            "All players use one strategy, and one of them changes. An arrow points to the best "
            "reply (dashed: the gain may be chance). A ring marks a strategy without a better "
            "reply. Filled strategies pay, white ones never do."
        )
    ]
    for players in findings.table.populations:
        own = [r for r in findings.replies if r.players == players]
        names = findings.table.names
        rows = tuple(
            (names[r.to], names[r.best], r.change.gain.difference.mean if r.change else 0.0)
            for r in own
        )
        replies_text = "; ".join(f"to {to}: {best}" for to, best, _ in rows)
        blocks.append(
            Picture(
                id=f"replies-{players}",
                caption=f"Best replies among {players} players",
                alt=f"Arrows from strategies to best replies: {replies_text}.",
                of="runs of all pairs",
                svg=payoff_plots.replies(findings, players, order),
                head=("strategy of the others", "best reply", "gain [money/s]"),
                rows=rows,
            )
        )
    blocks.append(_exploits(findings))
    return Section("changes", "Best replies and exploitation", tuple(blocks))


def _exploits(findings: TournamentFindings) -> Table:
    names = findings.table.names
    sure = [one for one in findings.changes if one.exploits]
    sure.sort(key=lambda one: (one.players, -one.gain.difference.mean))
    rows = []
    for one in sure:
        gain, loss = one.gain.difference, one.loss.difference
        cells = (
            names[one.new], names[one.old], str(one.players),
            f"{money(gain.mean, '+')} ({money(gain.low, '+')} to {money(gain.high, '+')})",
            f"{money(loss.mean, '+')} ({money(loss.low, '+')} to {money(loss.high, '+')})",
        )  # fmt: skip
        rows.append(tuple(Cell(text) for text in cells))
    return Table(
        id="exploits",
        caption="Exploitation: one player changes and gains, and the others lose",
        of="runs of all pairs",
        head=("strategy", "among", "players", "gains [money/s]", "each other loses [money/s]"),
        rows=tuple(rows),
        wide=True,
        note=f"{len(sure)} of {len(findings.changes)} changes; 95 % intervals, paired by seed. One "
        "in twenty of the listed changes may be chance (q-values of gains and losses up to 0.05).",
    )


def _earned(findings: TournamentFindings, order: Sequence[int]) -> Section:
    blocks: list[Table | Picture | Words] = []
    names = findings.table.names
    for players in reversed(findings.table.populations):
        rows = tuple(
            (names[i], *(float(findings.table.lone(i, j, players).mean()) for j in order))
            for i in order
        )
        blocks.append(
            Picture(
                id=f"table-{players}",
                caption=f"Pay-off of one of {players} players (row) among others (column), money/s",
                alt="A table of pay-offs; the best reply in each column is framed.",
                of=f"runs of all pairs of {players} players",
                svg=payoff_plots.table(findings, players, order),
                head=("strategy", *(names[j] for j in order)),
                rows=rows,
            )
        )
    blocks.append(_alone(findings, order))
    return Section("earned", "Pay-offs", tuple(blocks))


def _alone(findings: TournamentFindings, order: Sequence[int]) -> Table:
    table, rows = findings.table, []
    for number in order:
        cells = [Cell(table.names[number])]
        for players in table.populations:
            value = t_interval(table.alone(number, players), LEVEL)
            paid = table.paid_alone(number, players)
            half = (value.high - value.low) / 2
            cells.append(Cell(f"{money(value.mean)} \u00b1 {money(half)}; pays {money(paid)}"))
        rows.append(tuple(cells))
    return Table(
        id="alone",
        caption="Pay-off and payments when all players use one strategy, money/s",
        of="runs of single strategies",
        head=("strategy", *(f"{players} players" for players in table.populations)),
        rows=tuple(rows),
        wide=True,
        note="95 % intervals over seeds.",
    )


def _who(tournament: Tournament, findings: TournamentFindings, order: Sequence[int]) -> Section:
    plays = tuple(
        (
            Cell(findings.table.names[number]),
            Cell("yes" if number in findings.payers else "never"),
            Cell("yes" if number in findings.finalists else "no"),
            Cell(tournament.entrants[number].words),
        )
        for number in order
    )
    absent = tuple((Cell(name), Cell(why)) for name, why in tournament.absent.items())
    return Section(
        "who",
        "Entrants",
        (
            Table("plays", "Strategies, in order of rank", "the file",
                  ("name", "pays", "finalist", "is"), plays, wide=True),
            Table("absent", "Skipped strategies", "the file",
                  ("name", "why"), absent, wide=True),
        ),
    )  # fmt: skip


def _how(tournament: Tournament, findings: TournamentFindings) -> Section:
    table = findings.table
    per = listed_amounts(tournament)
    scenario = os.path.normpath(tournament.sweep.scenario)
    changes = f" with {tournament.changes}" if tournament.changes else ""
    cost = "the cost of its round trips and " if delay_cost_of(tournament.utility) else ""
    return Section(
        "how",
        "Method and limits",
        (
            Words.of(
                f"Scenario {scenario}{changes}{per}. Every player has "
                f"the utility {tournament.utility_text}, whatever its strategy assumes. A pay-off "
                "is the mean over time of the utility of its goodput, second by second, minus "
                f"{cost}its payments in the ledger. Players do not get the earnings of carriers."
            ),
            Words.of(
                f"{len(table.earned):,} mixes with {table.seeds} seeds each, the same for all: "
                "every strategy alone, every pair in every mix, all mixes of the finalists (the "
                "strategies with the most alpha-rank mass), and an outsider in each stable mix. "
                "Other mixes of three strategies were not played. Dynamics are "
                "open_spiel's replicator and alpha-rank; players are drawn from a large population."
            ),
            Words.of(
                "The result holds for these parameters of each strategy, on this link, at this "
                "price. A strategy that loses here may have unsuitable parameters."
            ),
        ),
    )


def listed_amounts(tournament: Tournament) -> str:
    """Return a phrase about the amounts that grow with the number of players; "" without any."""
    amounts = [
        f"{path} {amount:g} {unit}" for path, (amount, unit) in tournament.per_player.items()
    ]
    return f", with {listed(amounts)} per player" if amounts else ""
