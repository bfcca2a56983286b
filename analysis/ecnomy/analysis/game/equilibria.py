# SPDX-License-Identifier: Apache-2.0
"""Finds the extreme equilibria of a small two-player game at vertices of best-reply polyhedra.

For pay-offs A (rows, columns), the polyhedron of the column player's mixes y is

    Q(A) = {(y, v):  y >= 0,  sum y = 1,  A y <= v}        and P = Q(B^T), with x and u

Each tight bound is a label: column j is unplayed (y_j = 0), or row i is a best reply ((A y)_i = v).
A pair of points of P and Q is an equilibrium if every row and every column is unplayed or a best
reply (Mangasarian 1964). A symmetric equilibrium of A is one point of Q(A) at which each strategy
is unplayed or a best reply.

The set of Nash equilibria is a union of faces of these polyhedra. The pairs of vertices in it are
the extreme equilibria, even in degenerate games. If the common labels of two such pairs suffice for
an equilibrium, the pairs span a face, and their mixtures are also equilibria. The vertices come
from all choices of tight bounds, so the number of strategies is limited (MOST_BASES). In larger
games, only equilibria in pure strategies are found.
"""

from __future__ import annotations

import itertools
import math
from typing import Final

import msgspec
import numpy as np

from ecnomy.agents.arrays import Floats
from ecnomy.agents.observation import Truths
from ecnomy.analysis.game.matrix import Game

__all__ = ["MOST_BASES", "Equilibria", "best_replies", "equilibria", "scaled", "small", "symmetric"]

MOST_BASES: Final = 20_000  # choices of tight bounds: 8 strategies against 8 have 12,870
_CLOSE: Final = 1e-9  # as a share of the range of pay-offs
_SINGULAR: Final = 1e10  # condition number of bounds that are not independent


class Equilibria(msgspec.Struct, frozen=True, eq=False):
    """Equilibria of a game.

    Attributes:
        mixes: the mixes of the row player and the column player, for each equilibrium.
        mixtures: whether mixtures of some equilibria are also equilibria.
    """

    mixes: tuple[tuple[Floats, Floats], ...]
    mixtures: bool


def small(game: Game) -> bool:
    """Return whether a game is small enough to search for mixed equilibria."""
    rows, columns = game.first.shape
    return math.comb(rows + columns, rows) <= MOST_BASES


def scaled(pays: Floats) -> Floats:
    """Scale pay-offs to [0, 1], which preserves equilibria, replies and ranks."""
    low, spread = float(pays.min()), float(np.ptp(pays))
    return np.asarray((pays - low) / (spread or 1.0), dtype=np.float64)


def best_replies(pays: Floats) -> tuple[tuple[int, ...], ...]:
    """Return the best rows against each column of a pay-off matrix."""
    own = scaled(pays)
    best = own >= own.max(axis=0) - _CLOSE
    return tuple(tuple(int(row) for row in np.flatnonzero(each)) for each in best.T)


def symmetric(game: Game) -> Equilibria:
    """Return the equilibria of a symmetric game in which both players use the same mix."""
    if small(game):
        mixes, labels = _vertices(scaled(game.first))
        unplayed, best = _halves(labels, len(game.columns))
        kept = np.flatnonzero((unplayed | best).all(axis=1))
        pairs = itertools.combinations(kept, 2)
        between = any(((unplayed[a] & unplayed[b]) | (best[a] & best[b])).all() for a, b in pairs)
        return Equilibria(tuple((mixes[k], mixes[k]) for k in kept), between)
    replies = best_replies(game.first)
    pure = [i for i in range(len(game.rows)) if i in replies[i]]
    return Equilibria(tuple((each, each) for each in np.eye(len(game.rows))[pure]), False)


def equilibria(game: Game) -> Equilibria:
    """Return the equilibria of a game, including those in which the players' mixes differ."""
    if small(game):
        return _extreme(game)
    first, second = best_replies(game.first), best_replies(game.second.T)
    rows, columns = np.eye(len(game.rows)), np.eye(len(game.columns))
    pure = tuple(
        (rows[i], columns[j]) for j, best in enumerate(first) for i in best if j in second[i]
    )
    return Equilibria(pure, False)


def _extreme(game: Game) -> Equilibria:
    """Return the pairs of vertices at which every strategy is unplayed or a best reply."""
    ys, y_labels = _vertices(scaled(game.first))
    xs, x_labels = _vertices(scaled(game.second.T))
    no_column, best_row = _halves(y_labels, len(game.columns))
    no_row, best_column = _halves(x_labels, len(game.rows))
    pairs = [
        (int(a), int(b))
        for a in range(len(xs))
        for b in np.flatnonzero(
            (no_row[a] | best_row).all(axis=1) & (best_column[a] | no_column).all(axis=1)
        )
    ]

    def spans(one: tuple[int, int], other: tuple[int, int]) -> bool:
        (a, b), (c, d) = one, other
        rows = (no_row[a] & no_row[c]) | (best_row[b] & best_row[d])
        columns = (no_column[b] & no_column[d]) | (best_column[a] & best_column[c])
        return bool(rows.all() and columns.all())

    mixtures = any(spans(one, other) for one, other in itertools.combinations(pairs, 2))
    return Equilibria(tuple((xs[a], ys[b]) for a, b in pairs), mixtures)


def _halves(labels: Truths, played: int) -> tuple[Truths, Truths]:
    """Return the labels of unplayed strategies, and of the other player's best replies."""
    return labels[:, :played], labels[:, played:]


def _vertices(pays: Floats) -> tuple[Floats, Truths]:
    """Return the vertices of Q(A): mixes of shape (vertices, n), and labels (vertices, n + m).

    Args:
        pays: pay-offs A of shape (m, n), scaled to a range of 1.
    """
    m, n = pays.shape
    bounds = np.vstack(
        [np.hstack([np.eye(n), np.zeros((n, 1))]), np.hstack([pays, np.full((m, 1), -1.0)])]
    )
    chosen = np.array(list(itertools.combinations(range(n + m), n)))
    whole = np.broadcast_to(np.append(np.ones(n), 0.0), (len(chosen), 1, n + 1))
    systems = np.concatenate([bounds[chosen], whole], axis=1)
    systems = systems[np.linalg.cond(systems) < _SINGULAR]
    right = np.zeros((len(systems), n + 1, 1))
    right[:, -1] = 1.0
    points = np.linalg.solve(systems, right)[:, :, 0]
    slack = points @ bounds.T * np.append(np.ones(n), np.full(m, -1.0))
    inside = (slack >= -_CLOSE).all(axis=1)
    mixes, labels = points[inside, :n], slack[inside] <= _CLOSE
    mixes = np.where(labels[:, :n], 0.0, mixes)
    mixes = mixes / mixes.sum(axis=1, keepdims=True)
    _, first = np.unique(labels, axis=0, return_index=True)
    mixes, labels = mixes[first], labels[first]
    order = np.lexsort(-mixes.T[::-1])  # mixes with more of the first strategies come first
    return mixes[order], labels[order]
