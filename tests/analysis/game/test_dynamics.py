# SPDX-License-Identifier: Apache-2.0
"""Replicator and alpha-rank, as tournaments use them, against games solved on paper."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

pytest.importorskip("open_spiel", reason="the extra `tournament`")

from ecnomy.analysis.game.dynamics import EPSILON, Flow, duels, egt, ranked, resting
from tiers import in_full

HAWK_DOVE = np.array([[-1.0, 2.0], [0.0, 1.0]])  # V = 2, C = 4
ROCK = np.array([[0.0, -1.0, 2.0], [2.0, 0.0, -1.0], [-1.0, 2.0, 0.0]])  # wins 2, loses 1
STAGS = np.array([[4.0, 0.0], [3.0, 3.0]])


def played(matrix, players=2):
    """Pay-offs by profile of a matrix game in which each player meets every other player once."""
    size = len(matrix)
    found = {}
    for chosen in itertools.combinations_with_replacement(range(size), players):
        counts = np.bincount(chosen, minlength=size)
        others = [counts - np.eye(size, dtype=int)[own] for own in range(size)]
        earned = [matrix[own] @ others[own] / (players - 1) for own in range(size)]
        found[tuple(int(n) for n in counts)] = np.where(counts > 0, earned, np.nan)
    return found


@pytest.mark.parametrize("players", [2, 4, 8])
def test_hawks_and_doves_settle_at_v_over_c(players: int) -> None:
    """Hawk-dove with V = 2, C = 4 rests at half hawks, from any start.

    Two hawks earn (V - C) / 2 = -1 each, a hawk against a dove V = 2, the dove then 0, and two
    doves V / 2 = 1. With a share x of hawks, hawks expect -x + 2 (1 - x) = 2 - 3 x and doves
    1 - x: the same at x = 1/2 = V / C. Below it hawks earn more, above it doves, so it is
    stable, and there is no other rest point inside. A player who meets all of N - 1 others, drawn
    from the population, expects the same for every N.
    """
    rests = resting(played(HAWK_DOVE, players), players, (0, 1))
    assert len(rests) == 1 and rests[0].still and rests[0].starts == 1
    assert rests[0].mix == pytest.approx([0.5, 0.5], abs=1e-4)
    flow = Flow(played(HAWK_DOVE, players), players, (0, 1))
    assert flow.fitness(np.array([0.3, 0.7])) == pytest.approx([2 - 0.9, 0.7])


def test_rock_paper_scissors_spirals_into_its_centre() -> None:
    """Rock-paper-scissors with 2 for a win and -1 for a loss rests at a third each.

    Each column sums to 1, so that the fitnesses do; their mean is (2 - 1)(xy + yz + zx). Along a
    course d/dt log(xyz) = 1 - 3 (xy + yz + zx), which is above 0 but at the centre, where
    xy + yz + zx has its maximum of 1/3: xyz rises until all are a third (Hofbauer, Sigmund 1998).
    """
    rests = resting(played(ROCK), 2, (0, 1, 2))
    assert len(rests) == 1 and rests[0].still
    assert rests[0].mix == pytest.approx([1 / 3, 1 / 3, 1 / 3], abs=1e-3)


def test_a_zero_sum_circle_comes_to_no_rest() -> None:
    """If a win is worth what a loss costs, xyz is constant, so shares circle for ever.

    The full tier tries nearly all starts, the fast tier one.
    """
    even = np.array([[0.0, -1.0, 1.0], [1.0, 0.0, -1.0], [-1.0, 1.0, 0.0]])
    if in_full():
        rests = resting(played(even), 2, (0, 1, 2))
        turning = [rest for rest in rests if not rest.still]
        assert turning and turning[0].starts > 0.9
    start = np.array([0.5, 0.3, 0.2])
    end, still = Flow(played(even), 2, (0, 1, 2)).end(start)
    assert not still and math.prod(end) == pytest.approx(math.prod(start), rel=0.05)


def test_a_hunt_has_two_ends() -> None:
    """Stag hunt (4, 0; 3, 3) ends in all stags or all hares; the border is at 3/4 stags.

    With a share x of stag hunters these expect 4 x and hare hunters 3: stags win above x = 3/4.
    """
    rests = resting(played(STAGS), 2, (0, 1))
    ends = {tuple(np.round(rest.mix, 3)): rest.starts for rest in rests if rest.still}
    assert set(ends) >= {(1.0, 0.0), (0.0, 1.0)}
    assert ends[0.0, 1.0] > ends[1.0, 0.0]
    flow = Flow(played(STAGS), 2, (0, 1))
    assert flow.end(np.array([0.76, 0.24]))[0][0] == pytest.approx(1)
    assert flow.end(np.array([0.74, 0.26]))[0][0] == pytest.approx(0)


def test_alpha_rank_of_hawks_and_of_a_circle() -> None:
    """A hawk among doves earns 2, they 0: it takes over except for eps; a circle gives thirds.

    The walk between all hawks and all doves leaves doves with 1 - eps and hawks with eps, so that
    its masses are 1 - eps and eps. In rock-paper-scissors each leaves for the one that beats it.
    """
    assert ranked(played(HAWK_DOVE), 2, 2) == pytest.approx([1 - EPSILON, EPSILON])
    assert ranked(played(ROCK), 2, 3) == pytest.approx([1 / 3, 1 / 3, 1 / 3])


def test_a_duel_is_the_mean_over_all_mixes() -> None:
    """Among four, a hawk meets 0, 1 or 2 other hawks: (2 + 1 + 0) on average is 1."""
    table = duels(played(HAWK_DOVE, 4), 4, 2)
    assert table[0] == pytest.approx([-1, (2 + 1 + 0) / 3])
    assert table[1] == pytest.approx([(0 + 1 / 3 + 2 / 3) / 3, 1])


def test_why_the_librarys_own_expected_pay_off_is_not_used() -> None:
    """At the hawk-dove equilibrium, both must expect the same, unlike in open_spiel's table.

    Its mean is over pairs with at least one hawk, and hawks who met doves are counted twice as
    often: (x a + 2 (1 - x) b) / (2 - x) = (-1/2 + 2) / (3/2) = 1 for hawks, 1/2 / (3/2) for doves.
    """
    half = np.array([0.5, 0.5])
    table = egt("heuristic_payoff_table").from_matrix_game(HAWK_DOVE)
    assert table.expected_payoff(half) == pytest.approx([1, 1 / 3])
    assert Flow(played(HAWK_DOVE), 2, (0, 1)).fitness(half) == pytest.approx([0.5, 0.5])
