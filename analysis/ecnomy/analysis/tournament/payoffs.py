# SPDX-License-Identifier: Apache-2.0
"""Computes the pay-offs of a tournament by profile and strategy, with a value for each seed.

The pay-off of a strategy in a run is the mean over its players of

    mean over time of U(x_t) - k x_t d_t  -  paid          [money/s]

where x_t is the goodput in a report's epoch, d_t the round trip at its end, and k the cost of
delay. The pay-off is NaN for a strategy without players in the profile.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from ecnomy.agents.arrays import Floats
from ecnomy.agents.errors import ResultsError
from ecnomy.analysis.game.profiles import Profile, mixed
from ecnomy.analysis.statistics.comparisons import MeanComparison, compared
from ecnomy.analysis.statistics.intervals import LEVEL, Interval, t_interval
from ecnomy.analysis.sweeps.failed_runs import refuse_failed_runs
from ecnomy.analysis.tournament.tournament import Tournament

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Payoffs", "mix_words", "payoffs_of"]


class Payoffs(msgspec.Struct, frozen=True, eq=False):
    """The pay-offs and payments in all profiles.

    Attributes:
        names: names of the strategies.
        populations: numbers of players.
        earned: profile -> pay-offs of shape (seeds, strategies) [money/s].
        paid: profile -> payments of shape (seeds, strategies) [money/s].
    """

    names: tuple[str, ...]
    populations: tuple[int, ...]
    earned: dict[Profile, Floats]
    paid: dict[Profile, Floats]

    def __len__(self) -> int:
        """Return the number of strategies."""
        return len(self.names)

    @property
    def seeds(self) -> int:
        """The number of runs per profile."""
        return int(next(iter(self.earned.values())).shape[0])

    def of(self, strategy: int, counts: dict[int, int]) -> Floats:
        """Return a strategy's pay-off in a mix with the given counts, for each seed."""
        return self.earned[mixed(counts, len(self))][:, strategy]

    def alone(self, strategy: int, players: int) -> Floats:
        """Return a strategy's pay-off if all players use it, for each seed."""
        return self.of(strategy, {strategy: players})

    def lone(self, strategy: int, other: int, players: int) -> Floats:
        """Return the pay-off of one player of a strategy if all others use `other`, per seed."""
        if strategy == other:
            return self.alone(strategy, players)
        return self.of(strategy, {strategy: 1, other: players - 1})

    def gain(self, strategy: int, other: int, players: int) -> MeanComparison:
        """Return the gain of a player who changes from `other` to a strategy while others stay."""
        before, after = self.alone(other, players), self.lone(strategy, other, players)
        return compared(before, after, paired=True, level=LEVEL)

    def interval(self, profile: Profile, strategy: int) -> Interval:
        """Return the mean pay-off over seeds, with its interval."""
        return t_interval(self.earned[profile][:, strategy], LEVEL)

    def means(self) -> dict[Profile, Floats]:
        """Return profile -> mean pay-off of each strategy over seeds."""
        return {profile: values.mean(axis=0) for profile, values in self.earned.items()}

    def seed(self, number: int) -> dict[Profile, Floats]:
        """Return profile -> pay-off of each strategy with one seed."""
        return {profile: values[number] for profile, values in self.earned.items()}

    def paid_alone(self, strategy: int, players: int) -> float:
        """Return the mean payment of a player if all players use a strategy [money/s]."""
        profile = mixed({strategy: players}, len(self))
        return float(self.paid[profile][:, strategy].mean())

    def pays(self, strategy: int) -> bool:
        """Return whether any player of a strategy made a payment in any run."""
        paid = [values[:, strategy] for profile, values in self.paid.items() if profile[strategy]]
        return bool(np.concatenate(paid).any())


def payoffs_of(tournament: Tournament, profiles: Sequence[Profile], frame: pd.DataFrame) -> Payoffs:
    """Return the pay-offs from a table of runs, which has the runs of `profiles` in their order.

    Raises:
        ResultsError: a run failed or is missing.
    """
    replicates = tournament.sweep.replicates
    wanted = len(profiles) * replicates
    refuse_failed_runs(
        frame,
        tournament.sweep.file,
        lambda number: mix_words(tournament.names, profiles[number // replicates]),
    )
    if len(frame) != wanted:
        raise ResultsError(
            f"{tournament.sweep.file}: found {len(frame)} of {wanted} runs; "
            "run `ecnomy tournament` again to complete them"
        )
    frame = frame.sort_values("number")
    most = max(sum(profile) for profile in profiles)
    columns = _Columns(tournament, frame, most)
    earned, paid = {}, {}
    for index, profile in enumerate(profiles):
        rows = slice(index * replicates, (index + 1) * replicates)
        earned[profile] = _by_strategy(columns.earned[rows], profile)
        paid[profile] = _by_strategy(columns.paid[rows], profile)
    return Payoffs(tournament.names, tournament.populations, earned, paid)


class _Columns:
    """Pay-offs and payments of shape (runs, players); NaN for players that a run lacks."""

    def __init__(self, tournament: Tournament, frame: pd.DataFrame, most: int) -> None:
        earned, paid = [], []
        epochs = 0
        while f"{tournament.player}-1.goodputs_bps[{epochs}]" in frame:
            epochs += 1
        for number in range(1, most + 1):
            name = f"{tournament.player}-{number}"
            rates = [frame[f"{name}.goodputs_bps[{epoch}]"].to_numpy() for epoch in range(epochs)]
            trips = [frame[f"{name}.round_trips_s[{epoch}]"].to_numpy() for epoch in range(epochs)]
            paid.append(frame[f"{name}.paid_per_s"].to_numpy(dtype=np.float64))
            both = (np.array(values, dtype=np.float64) for values in (rates, trips))
            worth = tournament.worth(*both).mean(axis=0)
            earned.append(worth - paid[-1])
        self.earned, self.paid = np.array(earned).T, np.array(paid).T


def _by_strategy(players: Floats, profile: Profile) -> Floats:
    """Return the mean over the players of each strategy, of shape (seeds, strategies)."""
    means = np.full((players.shape[0], len(profile)), np.nan)
    begin = 0
    for strategy, count in enumerate(profile):
        if count:
            means[:, strategy] = players[:, begin : begin + count].mean(axis=1)
        begin += count
    return means


def mix_words(names: Sequence[str], profile: Profile) -> str:
    """Return a profile in words, e.g. `3 elastic, 1 reno`."""
    return ", ".join(f"{count} {name}" for name, count in zip(names, profile, strict=True) if count)
