# SPDX-License-Identifier: Apache-2.0
"""A tournament's runs, in rounds: pairs, the finalists, outsiders among those that stay.

Each round is the sweep of all profiles asked for so far, kept in one folder, so that the same
command goes on after a kill. What a round asks for is a function of the runs that are there.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import numpy.typing as npt

from ecnomy.analysis.game.dynamics import ranked, resting
from ecnomy.analysis.game.profiles import Profile, mixed
from ecnomy.analysis.sweeps.open_sweep import open_sweep
from ecnomy.analysis.tournament.payoffs import Payoffs, payoffs_of
from ecnomy.analysis.tournament.profiles import pairs, simplex, sweep_of
from ecnomy.analysis.tournament.tournament import Tournament
from ecnomy.markets.sweep.config import Sweep
from ecnomy.markets.sweep.driver import Observer, missing, sweep_runs
from ecnomy.markets.sweep.pool import Pool
from ecnomy.markets.sweep.store import Store

__all__ = ["beginning", "finalists_of", "outsiders", "played", "rounded"]

Told = Callable[[int, int], Observer]  # runs asked for so far, of them to make -> who is told


def played(
    tournament: Tournament, folder: Path, pool: Pool, told: Told, *, accept_old_code: bool = False
) -> Payoffs:
    """Play until no round asks for more.

    Args:
        tournament: its file.
        folder: of its runs.
        pool: makes them.
        told: of each round.
        accept_old_code: let runs of other code or strategies stand.

    Raises:
        ResultsError: runs failed.
        SweepError, PoolLost: as ecnomy.markets.sweep.driver.sweep_runs.
    """
    asked = beginning(tournament)
    rounds = (_finals, outsiders)
    for further in (*rounds, None):
        _make(sweep_of(tournament, asked), folder, pool, told, accept_old_code)
        table = payoffs_of(tournament, asked, open_sweep(folder))
        if further is not None:
            asked = list(dict.fromkeys([*asked, *further(tournament, table)]))
    return table


def _make(sweep: Sweep, folder: Path, pool: Pool, told: Told, accept_old_code: bool) -> None:
    """The runs that are missing."""
    store = Store(folder, sweep)
    try:
        store.compact()
        points = missing(
            store, retry_failed=True, accept_old_code=accept_old_code, engine=sweep.engine
        )
        if points:
            sweep_runs(sweep, store, pool, points, told(len(sweep), len(points)))
    finally:
        store.close()


def beginning(tournament: Tournament) -> list[Profile]:
    """Every strategy alone and every pair, in each population."""
    entrants = len(tournament.entrants)
    return [profile for players in tournament.populations for profile in pairs(players, entrants)]


def finalists_of(table: Payoffs, many: int) -> tuple[int, ...]:
    """The strategies with the most alpha-rank mass, over all populations; in their own order.

    Among equals the one that earns more among itself goes first.
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
    """All mixes of the finalists."""
    members = finalists_of(table, tournament.finalists)
    return [
        profile
        for players in tournament.populations
        for profile in simplex(members, players, len(table))
    ]


def outsiders(tournament: Tournament, table: Payoffs) -> list[Profile]:
    """A lone player of every other strategy in each mix of finalists that stays."""
    members = finalists_of(table, tournament.finalists)
    found = []
    for players in tournament.populations:
        for rest in resting(table.means(), players, members):
            counts = rounded(rest.mix, players - 1)
            held = dict(zip(members, counts, strict=True))
            for stranger in range(len(table)):
                if stranger not in members:
                    found.append(mixed({**held, stranger: 1}, len(table)))
            whole = rounded(rest.mix, players)
            found.append(mixed(dict(zip(members, whole, strict=True)), len(table)))
    return found


def rounded(mix: npt.NDArray[np.float64], players: int) -> tuple[int, ...]:
    """The mix among so many players, in whole ones (largest remainders)."""
    exact = np.asarray(mix, dtype=np.float64) * players
    counts = np.floor(exact + 1e-9).astype(int)
    order = np.argsort(-(exact - counts), kind="stable")
    counts[order[: players - int(counts.sum())]] += 1
    return tuple(int(count) for count in counts)
