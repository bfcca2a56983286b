# SPDX-License-Identifier: Apache-2.0
"""Replicator dynamics and alpha-rank of a population, by open_spiel's `egt`.

With N players, a strategy's fitness in a large population with shares x is the expected pay-off of
one of its players against N - 1 others drawn from that population:

    f_i(x) = sum over n of  P(n; N - 1, x)  pay-off of i in the profile n + e_i      P multinomial

The shares follow x_i' = x_i (f_i - x f), which is open_spiel's `replicator`. open_spiel's
`expected_payoff` of a heuristic pay-off table (Tuyls et al. 2018) is not used, because it averages
over groups with any number of players of i. For two players, it gives a_ii the weight x_i / (2 -
x_i) instead of x_i, so its rest points are not the equilibria of the game.

Alpha-rank (Omidshafiei et al. 2019; without noise except for a small eps) is a random walk between
populations of a single strategy. A mutant r replaces s if r earns more than s while both are
present. The compared pay-offs are means over all mixes of the two among N players. The mass of a
strategy is the share of time that the walk spends in its population.
"""

from __future__ import annotations

import importlib
import itertools
import math
from collections.abc import Mapping
from typing import Any, Final

import msgspec
import numpy as np

from ecnomy.agents.arrays import Floats
from ecnomy.agents.errors import InputError
from ecnomy.analysis.game.profiles import Profile, alone, mixed
from ecnomy.analysis.support.first_use import scipy_part
from ecnomy.markets.inputs.missing_packages import extras

__all__ = ["EPSILON", "Flow", "Rest", "alpha_rank", "duels", "egt", "ranked", "resting"]

EPSILON: Final = 0.01  # probability that a mutant takes over although it earns less
_STARTS: Final = 6  # steps of the grid of starts from corner to corner
_LONG: Final = 2000.0  # duration, in units of 1 / the largest difference of pay-offs
_STEPS: Final = 100_000  # steps of LSODA; a circling population requires a few thousand
_GONE: Final = 0.005  # a share that counts as 0 at the end
_STILL: Final = 1e-4  # speed that counts as rest, as a share of the largest difference of pay-offs


def egt(part: str) -> Any:
    """Return a module of open_spiel.python.egt.

    Raises:
        InputError: open_spiel is not installed.
    """
    try:
        return importlib.import_module(f"open_spiel.python.egt.{part}")
    except ImportError:
        needs = "alpha-rank and replicator dynamics need open_spiel"
        raise InputError(f"{needs}; to install, run: {extras()}") from None


class Flow:
    """The replicator dynamics of a population that plays a game of N players.

    Args:
        means: profile -> mean pay-off of each strategy, for all mixes of `members`.
        players: the number of players, N.
        members: the strategies in the population.
    """

    def __init__(
        self, means: Mapping[Profile, Floats], players: int, members: tuple[int, ...]
    ) -> None:
        self._replicator = egt("dynamics").replicator
        entrants = len(next(iter(means)))
        drawn = itertools.combinations_with_replacement(range(len(members)), players - 1)
        others = [[each.count(member) for member in range(len(members))] for each in drawn]
        self._others = np.array(others, dtype=np.float64)
        self._ways = np.array(
            [
                math.factorial(players - 1) / math.prod(math.factorial(n) for n in row)
                for row in others
            ]
        )
        self._earned = np.array(
            [
                [
                    means[_with_one(members, row, member, entrants)][members[member]]
                    for member in range(len(members))
                ]
                for row in others
            ]
        )
        self.spread = float(np.ptp(self._earned)) or 1.0

    def fitness(self, shares: Floats) -> Floats:
        """Return the expected pay-off of a player of each strategy, in the unit of `means`."""
        chances = self._ways * np.multiply.reduce(shares**self._others, axis=1)
        return np.asarray(chances @ self._earned, dtype=np.float64)

    def __call__(self, shares: Floats) -> Floats:
        """Return the time derivative of the shares."""
        whole = np.minimum(np.maximum(shares, 0.0), 1.0)
        whole = whole / np.add.reduce(whole)
        return np.asarray(self._replicator(whole, self.fitness(whole)), dtype=np.float64)

    def end(self, start: Floats) -> tuple[Floats, bool]:
        """Return the final shares for initial shares, and whether they are at rest."""
        course = scipy_part("integrate").odeint(
            lambda _, shares: self(shares), start, (0.0, _LONG / self.spread),
            tfirst=True, rtol=1e-8, atol=1e-10, mxstep=_STEPS,
        )  # fmt: skip
        last = np.clip(course[-1], 0.0, 1.0)
        last = np.where(last < _GONE, 0.0, last)
        last = last / last.sum()
        still = bool(np.abs(self(last)).max() < _STILL * self.spread)
        return last, still


class Rest(msgspec.Struct, frozen=True, eq=False):
    """The final state of a population from some of the starts.

    Attributes:
        mix: final shares of the members, at rest or not.
        starts: the share of all starts that end in this state.
        still: whether the population is at rest.
    """

    mix: Floats
    starts: float
    still: bool


def _with_one(members: tuple[int, ...], others: list[int], member: int, entrants: int) -> Profile:
    counts = dict(zip(members, others, strict=True))
    counts[members[member]] += 1
    return mixed(counts, entrants)


def resting(
    means: Mapping[Profile, Floats],
    players: int,
    members: tuple[int, ...],
    steps: int = _STARTS,
) -> tuple[Rest, ...]:
    """Return the rest points that a grid of mixed starts leads to, the most frequent first.

    All starts that do not lead to a rest point form one entry. `steps` is the number of grid steps
    from corner to corner.
    """
    flow = Flow(means, players, members)
    ends: list[tuple[Floats, bool, int]] = []
    starts = _grid(len(members), steps)
    for start in starts:
        mix, still = flow.end(start)
        for index, (other, rested, count) in enumerate(ends):
            if still == rested and (not still or float(np.abs(other - mix).max()) < 0.02):
                ends[index] = (other, rested, count + 1)
                break
        else:
            ends.append((mix, still, 1))
    ends.sort(key=lambda one: -one[2])
    return tuple(Rest(mix, count / len(starts), still) for mix, still, count in ends)


def _grid(members: int, steps: int) -> list[Floats]:
    """Return evenly spread mixed starts, each at the centre of an equal part of the simplex."""
    drawn = itertools.product(range(steps + 1), repeat=members)
    return [(np.array(each) + 1 / members) / (steps + 1) for each in drawn if sum(each) == steps]


def duels(means: Mapping[Profile, Floats], players: int, entrants: int) -> Floats:
    """Return the mean pay-off of each row strategy in mixes with each column strategy."""
    pay_offs = np.empty((entrants, entrants))
    for i, j in itertools.product(range(entrants), repeat=2):
        if i == j:
            pay_offs[i, i] = means[alone(i, players, entrants)][i]
            continue
        mixes = [mixed({i: count, j: players - count}, entrants) for count in range(1, players)]
        pay_offs[i, j] = np.mean([means[mix][i] for mix in mixes])
    return pay_offs


def ranked(means: Mapping[Profile, Floats], players: int, entrants: int) -> Floats:
    """Return alpha-rank's mass of each strategy."""
    return alpha_rank(duels(means, players, entrants))


def alpha_rank(*tables: Floats) -> Floats:
    """Return the mass that alpha-rank gives each strategy, for one or two pay-off matrices.

    Args:
        tables: one matrix of shape (S, S) for one population, with the pay-offs of row strategies
            against column strategies; or two matrices of shape (R, C) for two populations, with the
            pay-offs of the row player and the column player.

    Returns:
        The mass of each strategy, of shape (S,). For two matrices, the mass of each pair of
        strategies, of shape (R C,), in which the column player's strategy varies fastest.
    """
    compute = egt("alpharank").compute
    masses = compute(list(tables), use_inf_alpha=True, inf_alpha_eps=EPSILON)[2]
    return np.asarray(masses, dtype=np.float64)
