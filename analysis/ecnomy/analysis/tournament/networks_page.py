# SPDX-License-Identifier: Apache-2.0
"""Writes the page of a tournament on several networks: the rest points on each network."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

import numpy as np

from ecnomy.agents.arrays import Floats
from ecnomy.analysis.game.wording import listed, shares_words
from ecnomy.analysis.pages.answer_page import AnswerPage, write_answer
from ecnomy.analysis.pages.parts import Cell, Picture, Section, Table, Words
from ecnomy.analysis.tournament import payoff_plots, wording
from ecnomy.analysis.tournament.networks import shares_of
from ecnomy.analysis.tournament.page import PAGE
from ecnomy.analysis.tournament.paying import PopulationOutcome, TournamentFindings
from ecnomy.analysis.tournament.wording import money

__all__ = ["NETWORKS_PAGE", "networks_page", "write_networks_page"]

NETWORKS_PAGE: Final = "networks.html"
_ALL: Final = 0.995  # from this share upwards, all players count as having a strategy


Axes = tuple[tuple[str, ...], ...]


def write_networks_page(
    title: str, networks: Mapping[str, TournamentFindings], file: Path, axes: Axes = ()
) -> AnswerPage:
    """Write the page of a tournament on several networks, and return its content.

    Args:
        title: the title of the tournament.
        networks: name -> pay-offs and mixes at rest.
        file: the page.
        axes: the names of the networks on each axis, if they form a grid.

    Raises:
        InputError: jinja2 is missing.
    """
    page = networks_page(title, networks, axes)
    write_answer(page, Path(__file__).parent, file)
    return page


def networks_page(
    title: str, networks: Mapping[str, TournamentFindings], axes: Axes = ()
) -> AnswerPage:
    """Return the content of the page, before the template renders it."""
    ends = [_end(findings, outcome) for _, findings, outcome in _each(networks)]
    counts = dict(Counter(ends).most_common())
    most = next(iter(counts))
    what = "networks" if len(ends) == len(networks) else "networks and populations"
    agree = [outcome.agree == findings.table.seeds for _, findings, outcome in _each(networks)]
    return AnswerPage(
        title=title or "Tournament",
        verdict="yes" if len(counts) == 1 else "undecided",
        opens=f"On {counts[most]} of {len(ends)} {what}, players end with {most}.",
        sentence=_others(counts),
        sure=f"On {sum(agree)} of {len(ends)} each single seed gives the same answer to whether "
        "paying pays. Intervals are on the page of each network. These results hold for these "
        "networks, prices and utilities only.",
        facts=tuple((str(count), f"end with {end}") for end, count in counts.items()),
        sections=(_rests(networks, axes), _how(networks)),
    )


def _each(
    networks: Mapping[str, TournamentFindings],
) -> Iterator[tuple[str, TournamentFindings, PopulationOutcome]]:
    for name, findings in networks.items():
        for outcome in findings.outcomes:
            yield name, findings, outcome


def _end(findings: TournamentFindings, outcome: PopulationOutcome) -> str:
    """Return the strategy that all players use at rest, or the mix of strategies, in words."""
    shares = shares_of(findings, outcome)
    names = [
        name for name, share in zip(findings.table.names, shares, strict=True) if share > 0.005
    ]
    return names[0] if shares.max() > _ALL else f"a mix of {listed(names)}"


def _others(counts: Mapping[str, int]) -> str:
    others = [f"with {end} on {count}" for end, count in [*counts.items()][1:]]
    return f"They end {listed(others)}." if others else "All networks end alike."


def _rests(networks: Mapping[str, TournamentFindings], axes: Axes) -> Section:
    populations = len(next(iter(networks.values())).table.populations)
    names = next(iter(networks.values())).table.names
    labels, rows, cells = [], [], []
    for name, findings, outcome in _each(networks):
        shares = shares_of(findings, outcome)
        label = name if populations == 1 else f"{name}, {outcome.players} players"
        labels.append(label)
        rows.append((label, *(float(share) for share in shares)))
        own = (Cell(name, href=f"{name}/{PAGE}"), Cell(str(outcome.players)))
        texts = (shares_words(tuple(shares), names), money(outcome.earned), money(outcome.paid))
        cells.append((*own, *map(Cell, (*texts, wording.headline(findings)))))
    return Section(
        "rests",
        "Where players come to rest",
        (
            Picture(
                id="shares",
                caption="Share of players with each strategy at rest",
                alt="Bars: " + "; ".join(f"{c[0].text}: {c[2].text}" for c in cells) + ".",
                of="runs of all mixes of the finalists; the mean over starts",
                svg=_drawn(labels, names, np.array([row[1:] for row in rows]), axes),
                head=("network", *names),
                rows=tuple(rows),
            ),
            Table(
                id="networks",
                caption="Networks; each name opens its page",
                of="runs of all mixes of the finalists",
                head=("network", "players", "at rest", "earns", "pays", "answer"),
                rows=tuple(cells),
                wide=True,
                unfolded=True,
                note="Earns, pays: for a player in the mix to which most starts lead, money/s.",
            ),
        ),
    )


def _drawn(labels: Sequence[str], names: Sequence[str], shares: Floats, axes: Axes) -> bytes:
    """Draw a grid, with the last axis as columns, if there are axes and one population."""
    if len(axes) < 2 or len(labels) != math.prod(map(len, axes)):
        return payoff_plots.shares(labels, names, shares)
    rows = ["-".join(combination) for combination in itertools.product(*axes[:-1])]
    grid = shares.reshape(len(rows), len(axes[-1]), len(names))
    return payoff_plots.share_grid(rows, axes[-1], names, grid)


def _how(networks: Mapping[str, TournamentFindings]) -> Section:
    table = next(iter(networks.values())).table
    return Section(
        "how",
        "Method and limits",
        (
            Words.of(
                f"The same tournament on each of {len(networks)} networks, with {table.seeds} "
                "seeds. Strategies that earn more than the mean grow, the others shrink "
                "(replicator dynamics). A share is the mean over starts from all mixes. Method "
                "and changes of a network are on its page."
            ),
        ),
    )
