# SPDX-License-Identifier: Apache-2.0
"""Solves a game: rest points and their stability, best replies, and alpha-rank.

Rest points are Nash equilibria. In a symmetric game, both players belong to one population, so its
rest points are the symmetric equilibria, and other equilibria are listed separately. In other
games, each player belongs to a separate population.
"""

from __future__ import annotations

import itertools
import math
from typing import Final

import msgspec
import numpy as np

from ecnomy.agents.arrays import Floats
from ecnomy.analysis.game.dynamics import alpha_rank, resting
from ecnomy.analysis.game.equilibria import best_replies, equilibria, scaled, small, symmetric
from ecnomy.analysis.game.matrix import Game
from ecnomy.analysis.game.profiles import Profile
from ecnomy.analysis.game.stability import stable_in_one, stable_in_two

__all__ = ["RestPoint", "Solution", "profiles_of", "solve"]

_STEPS: Final = {1: 0, 2: 200, 3: 20, 4: 9}  # steps of the grid of starts, by number of strategies
_SAME: Final = 0.02  # a drift that ends this close to a rest point counts as ending at it


class RestPoint(msgspec.Struct, frozen=True, eq=False):
    """A Nash equilibrium, with its pay-offs and its stability.

    Attributes:
        row, column: mixes of the two players, of shapes (rows,) and (columns,).
        pay_offs: expected pay-offs of the row player and the column player.
        stable: whether the point is stable under replicator dynamics; None if the linear part does
            not decide.
        starts: share of mixed starts from which the population drifts to the point; NaN if not
            computed.
    """

    row: Floats
    column: Floats
    pay_offs: tuple[float, float]
    stable: bool | None
    starts: float = math.nan


class Solution(msgspec.Struct, frozen=True, eq=False):
    """The solution of a game.

    Attributes:
        game: the game.
        rest_points: rest points, the stable ones first.
        others: equilibria of a symmetric game in which the mixes of the players differ.
        complete: whether the search covered mixed equilibria as well as pure ones.
        mixtures: whether mixtures of some equilibria are also equilibria.
        replies: the best rows against each column, and the best columns against each row.
        mass: alpha-rank's mass, of shape (strategies,), or (rows, columns) if the game is not
            symmetric.
    """

    game: Game
    rest_points: tuple[RestPoint, ...]
    others: tuple[RestPoint, ...]
    complete: bool
    mixtures: bool
    replies: tuple[tuple[tuple[int, ...], ...], tuple[tuple[int, ...], ...]]
    mass: Floats

    @property
    def stable(self) -> tuple[RestPoint, ...]:
        """The stable rest points."""
        return tuple(one for one in self.rest_points if one.stable)


def solve(game: Game) -> Solution:
    """Solve a game.

    Raises:
        InputError: open_spiel is not installed.
    """
    every = equilibria(game)
    replies = (best_replies(game.first), best_replies(game.second.T))
    if not game.symmetric:
        points = _sorted(_points(game, every.mixes))
        mass = alpha_rank(scaled(game.first), scaled(game.second)).reshape(game.first.shape)
        return Solution(game, points, (), small(game), every.mixtures, replies, mass)
    alike = symmetric(game)
    points = _sorted(_drifted(game, _points(game, alike.mixes)))
    apart = tuple(pair for pair in every.mixes if not np.allclose(*pair))
    others = _sorted(_points(game, apart, two=True))
    mixtures = alike.mixtures or every.mixtures
    mass = alpha_rank(scaled(game.first))
    return Solution(game, points, others, small(game), mixtures, replies, mass)


def _points(
    game: Game, mixes: tuple[tuple[Floats, Floats], ...], *, two: bool = False
) -> list[RestPoint]:
    first, second = scaled(game.first), scaled(game.second)
    points = []
    for row, column in mixes:
        if game.symmetric and not two:
            stable = stable_in_one(first, row)
        else:
            stable = stable_in_two(first, second, row, column)
        pays = (float(row @ game.first @ column), float(row @ game.second @ column))
        points.append(RestPoint(row, column, pays, stable))
    return points


def _sorted(points: list[RestPoint]) -> tuple[RestPoint, ...]:
    rank = {True: 0, None: 1, False: 2}
    return tuple(sorted(points, key=lambda one: (rank[one.stable], -np.nan_to_num(one.starts))))


def _drifted(game: Game, points: list[RestPoint]) -> list[RestPoint]:
    """Add each point's share of starts if the game is small and has a stable rest point."""
    count = len(game.rows)
    if count not in _STEPS or not any(one.stable for one in points):
        return points
    rests = resting(profiles_of(scaled(game.first)), 2, tuple(range(count)), _STEPS[count])
    return [
        msgspec.structs.replace(
            one,
            starts=sum(
                rest.starts
                for rest in rests
                if rest.still and float(np.abs(rest.mix - one.row).max()) < _SAME
            ),
        )
        for one in points
    ]


def profiles_of(pays: Floats) -> dict[Profile, Floats]:
    """Return two players' pay-offs by profile, as in tournaments; NaN for unplayed strategies."""
    count = len(pays)
    earned_by_profile = {}
    for i, j in itertools.combinations_with_replacement(range(count), 2):
        earned = np.full(count, np.nan)
        earned[i], earned[j] = pays[i, j], pays[j, i]
        earned_by_profile[tuple(int((i == k) + (j == k)) for k in range(count))] = earned
    return earned_by_profile
