# SPDX-License-Identifier: Apache-2.0
"""Finds profitable changes of strategy by a lone player, and the loss of the other players.

In a population in which all players use j, one player changes to i while the others stay.

    gain          the player's earnings after the change minus those before
    loss          the same difference for each of the other players
    best reply    the i with the largest gain; j itself if no change gains
    exploits      whether i gains and the others lose

Comparisons are paired by seed. A gain or loss is significant if its q-value among all changes in
the tournament is at most 0.05.
"""

from __future__ import annotations

import itertools
from typing import Final

import msgspec

from ecnomy.analysis.statistics.comparisons import MeanComparison, compared, q_values
from ecnomy.analysis.statistics.intervals import LEVEL
from ecnomy.analysis.tournament.payoffs import Payoffs

__all__ = ["SURE", "Change", "Reply", "changes_of", "replies_of"]

SURE: Final = 0.05


class Change(msgspec.Struct, frozen=True):
    """A change of one player from `old` to `new`, while all others stay.

    Attributes:
        players: number of players.
        new, old: indices of the two strategies.
        gain, loss: change in the earnings of the player, and of each other player.
        q_gain, q_loss: q-values of `gain` and `loss`.
    """

    players: int
    new: int
    old: int
    gain: MeanComparison
    loss: MeanComparison
    q_gain: float
    q_loss: float

    @property
    def gains(self) -> bool:
        """Whether the player gains significantly."""
        return self.q_gain <= SURE and self.gain.difference.mean > 0

    @property
    def regrets(self) -> bool:
        """Whether the player earns significantly less than before."""
        return self.q_gain <= SURE and self.gain.difference.mean < 0

    @property
    def exploits(self) -> bool:
        """Whether the player gains and the others lose, both significantly."""
        return self.gains and self.q_loss <= SURE and self.loss.difference.mean < 0


class Reply(msgspec.Struct, frozen=True):
    """The best reply of a lone player to a population with one strategy.

    Attributes:
        players: number of players.
        to: strategy of the population.
        best: strategy with the largest gain for a lone player.
        change: the change to `best`; None if staying is best.
        stays: whether all changes are significant losses.
    """

    players: int
    to: int
    best: int
    change: Change | None
    stays: bool


def changes_of(table: Payoffs) -> tuple[Change, ...]:
    """Return all changes of a lone player, for each number of players."""
    changes = []
    each = itertools.permutations(range(len(table)), 2)
    for players, (new, old) in itertools.product(table.populations, list(each)):
        mix = {new: 1, old: players - 1}
        before, after = table.alone(old, players), table.of(old, mix)
        loss = compared(before, after, paired=True, level=LEVEL)
        changes.append((players, new, old, table.gain(new, old, players), loss))
    gains = q_values([gain.p for *_, gain, _ in changes])
    losses = q_values([loss.p for *_, loss in changes])
    return tuple(
        Change(*one, q_gain, q_loss)
        for one, q_gain, q_loss in zip(changes, gains, losses, strict=True)
    )


def replies_of(table: Payoffs, changes: tuple[Change, ...]) -> tuple[Reply, ...]:
    """Return the best reply to each strategy, for each number of players."""
    replies = []
    for players, old in itertools.product(table.populations, range(len(table))):
        own = [one for one in changes if one.players == players and one.old == old]
        best = max(own, key=lambda one: one.gain.difference.mean)
        gains = best.gain.difference.mean > 0
        stays = all(one.regrets for one in own)
        number = best.new if gains else old
        replies.append(Reply(players, old, number, best if gains else None, stays))
    return tuple(replies)
