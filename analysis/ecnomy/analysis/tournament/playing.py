# SPDX-License-Identifier: Apache-2.0
"""Plays a tournament in rounds: pairs, mixes of the finalists, outsiders in stable mixes.

Each round is a sweep of all profiles requested so far, in one folder. Completed runs determine the
profiles of the next round, so the same command resumes an interrupted tournament.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np

from ecnomy.agents.arrays import Floats
from ecnomy.analysis.game.dynamics import ranked, resting
from ecnomy.analysis.game.profiles import Profile, mixed
from ecnomy.analysis.sweeps.open_sweep import open_sweep
from ecnomy.analysis.sweeps.searching import make_missing
from ecnomy.analysis.tournament.payoffs import Payoffs, payoffs_of
from ecnomy.analysis.tournament.profiles import pairs, simplex, sweep_of
from ecnomy.analysis.tournament.tournament import Tournament
from ecnomy.markets.sweep.driver import Observer
from ecnomy.markets.sweep.pool import Pool

__all__ = ["beginning", "finalists_of", "outsiders", "played", "rounded"]

ObserverOf = Callable[[int, int], Observer]  # runs requested so far, missing runs -> listener


def played(
    tournament: Tournament,
    folder: Path,
    pool: Pool,
    observer_of: ObserverOf,
    *,
    accept_old_code: bool = False,
) -> Payoffs:
    """Play all rounds, and return the pay-offs.

    Args:
        tournament: the tournament that the file defines.
        folder: the folder of its runs.
        pool: the workers for the runs.
        observer_of: function that returns a progress listener for each round.
        accept_old_code: whether to keep runs made with other code or strategies.

    Raises:
        ResultsError: runs failed.
        SweepError, PoolLost: as for ecnomy.markets.sweep.driver.sweep_runs.
    """
    profiles = beginning(tournament)
    rounds = (_finals, outsiders)
    for further in (*rounds, None):
        sweep = sweep_of(tournament, profiles)
        make_missing(sweep, folder, pool, observer_of, accept_old_code=accept_old_code)
        table = payoffs_of(tournament, profiles, open_sweep(folder, partial=True))
        if further is not None:
            profiles = list(dict.fromkeys([*profiles, *further(tournament, table)]))
    return table


def beginning(tournament: Tournament) -> list[Profile]:
    """Return the profiles of all single strategies and pairs, for each number of players."""
    entrants = len(tournament.entrants)
    return [profile for players in tournament.populations for profile in pairs(players, entrants)]


def finalists_of(table: Payoffs, many: int) -> tuple[int, ...]:
    """Return the indices of the strategies with the most mean mass in alpha-rank, ascending.

    Among strategies with equal mass, those that earn more if all players use them are preferred.
    """
    means = table.means()
    mass = np.mean([ranked(means, players, len(table)) for players in table.populations], axis=0)
    earned = np.mean(
        [
            [table.alone(number, players).mean() for number in range(len(table))]
            for players in table.populations
        ],
        axis=0,
    )
    order = sorted(range(len(table)), key=lambda number: (-round(mass[number], 9), -earned[number]))
    return tuple(sorted(order[:many]))


def _finals(tournament: Tournament, table: Payoffs) -> list[Profile]:
    members = finalists_of(table, tournament.finalists)
    return [
        profile
        for players in tournament.populations
        for profile in simplex(members, players, len(table))
    ]


def outsiders(tournament: Tournament, table: Payoffs) -> list[Profile]:
    """Return the stable mixes of finalists, without and with a lone player of each outsider."""
    members = finalists_of(table, tournament.finalists)
    profiles = []
    for players in tournament.populations:
        for rest in resting(table.means(), players, members):
            counts = rounded(rest.mix, players - 1)
            held = dict(zip(members, counts, strict=True))
            for stranger in range(len(table)):
                if stranger not in members:
                    profiles.append(mixed({**held, stranger: 1}, len(table)))
            whole = rounded(rest.mix, players)
            profiles.append(mixed(dict(zip(members, whole, strict=True)), len(table)))
    return profiles


def rounded(mix: Floats, players: int) -> tuple[int, ...]:
    """Return a mix as whole numbers of players (by the largest remainders)."""
    exact = np.asarray(mix, dtype=np.float64) * players
    counts = np.floor(exact + 1e-9).astype(int)
    order = np.argsort(-(exact - counts), kind="stable")
    counts[order[: players - int(counts.sum())]] += 1
    return tuple(int(count) for count in counts)
