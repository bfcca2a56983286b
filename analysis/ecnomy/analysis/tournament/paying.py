# SPDX-License-Identifier: Apache-2.0
"""Evaluates a tournament: stable mixes, entries of outsiders, and whether paying pays off.

A strategy pays if any of its players made a payment in any run. Among N players, the mixes of the
finalists drift from a grid of mixed starts to stable populations. Paying pays off to the extent
that paying strategies have a share of these populations. The agreement of single seeds shows how
certain the result is.
"""

from __future__ import annotations

from typing import Final

import msgspec
import numpy as np

from ecnomy.agents.arrays import Floats
from ecnomy.analysis.game.dynamics import Rest, ranked, resting
from ecnomy.analysis.game.profiles import Profile, mixed
from ecnomy.analysis.statistics.comparisons import MeanComparison, compared, q_values
from ecnomy.analysis.statistics.intervals import LEVEL
from ecnomy.analysis.tournament.payoffs import Payoffs
from ecnomy.analysis.tournament.playing import finalists_of, rounded
from ecnomy.analysis.tournament.replies import SURE, Change, Reply, changes_of, replies_of

__all__ = ["Invasion", "PopulationOutcome", "TournamentFindings", "findings_in"]

_ALL: Final = 0.99


class Invasion(msgspec.Struct, frozen=True):
    """The entry of a lone player with another strategy into a stable mix.

    Attributes:
        stranger: the strategy of the lone player.
        profile: the mix with the lone player.
        gain: the lone player's earnings minus the mean earnings in the mix without that player.
        q: q-value of the gain, among all entries in populations of this size.
    """

    stranger: int
    profile: Profile
    gain: MeanComparison
    q: float

    @property
    def enters(self) -> bool:
        """Whether the lone player earns significantly more than the players of the mix."""
        return self.q <= SURE and self.gain.difference.mean > 0

    @property
    def loses(self) -> bool:
        """Whether the lone player earns significantly less than the players of the mix."""
        return self.q <= SURE and self.gain.difference.mean < 0


class PopulationOutcome(msgspec.Struct, frozen=True, eq=False):
    """The outcome in populations of one size.

    Attributes:
        players: the number of players, N.
        mass: alpha-rank's mass of each strategy.
        masses: alpha-rank's masses from each seed alone, of shape (seeds, strategies).
        rests: the states in which mixes of the finalists end.
        entries: the entries of the other strategies into each rest point.
        paying: share of players with a paying strategy at rest, as a mean over all starts.
        by_seed: `paying` from each seed alone.
        paid: mean payments of a player in the mix to which most starts lead [money/s].
        earned: mean earnings of a player in that mix [money/s].
    """

    players: int
    mass: Floats
    masses: Floats
    rests: tuple[Rest, ...]
    entries: tuple[tuple[Invasion, ...], ...]
    paying: float
    by_seed: tuple[float, ...]
    paid: float
    earned: float

    @property
    def verdict(self) -> int:
        """1 if paying pays off, -1 if it does not, 0 if only some players pay at rest."""
        return _verdict(self.paying)

    @property
    def agree(self) -> int:
        """The number of seeds that give this verdict on their own."""
        return sum(_verdict(share) == self.verdict for share in self.by_seed)

    @property
    def open(self) -> tuple[Invasion, ...]:
        """The entries that gain significantly."""
        return tuple(one for entries in self.entries for one in entries if one.enters)


class TournamentFindings(msgspec.Struct, frozen=True, eq=False):
    """The results of a tournament.

    Attributes:
        table: the pay-offs.
        finalists: indices of the finalists in the list of strategies.
        payers: indices of the strategies that pay.
        changes, replies: gains of lone players who change their strategy, and best replies.
        outcomes: the outcome for each number of players.
    """

    table: Payoffs
    finalists: tuple[int, ...]
    payers: tuple[int, ...]
    changes: tuple[Change, ...]
    replies: tuple[Reply, ...]
    outcomes: tuple[PopulationOutcome, ...]

    @property
    def ranking(self) -> list[int]:
        """The strategies by mean alpha-rank mass, then by `mean_alone`, the best first."""
        mass = np.mean([one.mass for one in self.outcomes], axis=0)
        earned = [self.mean_alone(number) for number in range(len(self.table))]
        return sorted(range(len(earned)), key=lambda n: (-round(float(mass[n]), 9), -earned[n]))

    def mean_alone(self, strategy: int) -> float:
        """Return a strategy's mean over populations of its earnings if all use it [money/s]."""
        alone = [self.table.alone(strategy, players).mean() for players in self.table.populations]
        return float(np.mean(alone))


def findings_in(table: Payoffs, finalists: int) -> TournamentFindings:
    """Evaluate the pay-offs of all rounds.

    Raises:
        InputError: open_spiel is not installed.
    """
    members = finalists_of(table, finalists)
    payers = tuple(number for number in range(len(table)) if table.pays(number))
    changes = changes_of(table)
    outcomes = tuple(_outcome(table, players, members, payers) for players in table.populations)
    return TournamentFindings(table, members, payers, changes, replies_of(table, changes), outcomes)


def _outcome(
    table: Payoffs, players: int, members: tuple[int, ...], payers: tuple[int, ...]
) -> PopulationOutcome:
    rests = resting(table.means(), players, members)
    shares = []
    for seed in range(table.seeds):
        shares.append(_paying(resting(table.seed(seed), players, members), members, payers))
    counts = dict(zip(members, rounded(rests[0].mix, players), strict=True))
    profile = mixed(counts, len(table))
    return PopulationOutcome(
        players=players,
        mass=ranked(table.means(), players, len(table)),
        masses=np.array([ranked(table.seed(n), players, len(table)) for n in range(table.seeds)]),
        rests=rests,
        entries=_entries(table, players, members, rests),
        paying=_paying(rests, members, payers),
        by_seed=tuple(shares),
        paid=float(_mean_player(table.paid[profile], profile).mean()),
        earned=float(_mean_player(table.earned[profile], profile).mean()),
    )


def _paying(rests: tuple[Rest, ...], members: tuple[int, ...], payers: tuple[int, ...]) -> float:
    pays = np.array([float(member in payers) for member in members])
    return float(sum(rest.starts * float(rest.mix @ pays) for rest in rests))


def _mean_player(values: Floats, profile: Profile) -> Floats:
    counts = np.array(profile, dtype=np.float64)
    return np.asarray(np.nan_to_num(values) @ counts / counts.sum(), dtype=np.float64)


def _entries(
    table: Payoffs, players: int, members: tuple[int, ...], rests: tuple[Rest, ...]
) -> tuple[tuple[Invasion, ...], ...]:
    """Return the entries into each rest point, with q-values over all of these entries."""
    tried: list[list[tuple[int, Profile, MeanComparison]]] = []
    for rest in rests:
        whole = mixed(dict(zip(members, rounded(rest.mix, players), strict=True)), len(table))
        held = dict(zip(members, rounded(rest.mix, players - 1), strict=True))
        before = _mean_player(table.earned[whole], whole)
        own = []
        for stranger in range(len(table)):
            if stranger not in members:
                profile = mixed({**held, stranger: 1}, len(table))
                after = table.earned[profile][:, stranger]
                gain = compared(before, after, paired=True, level=LEVEL)
                own.append((stranger, profile, gain))
        tried.append(own)
    qs = iter(q_values([gain.p for own in tried for *_, gain in own]))
    return tuple(tuple(Invasion(*one, next(qs)) for one in own) for own in tried)


def _verdict(share: float) -> int:
    return 1 if share >= _ALL else -1 if share <= 1 - _ALL else 0
