# SPDX-License-Identifier: Apache-2.0
"""Tests the stability of a rest point of the replicator dynamics by linearisation.

One population plays itself:    x_i' = x_i ((A x)_i - x A x)
Two populations play:           x_i' = x_i ((A y)_i - x A y)      y_j' = y_j ((B^T x)_j - x B y)

Small changes of the shares, with a constant sum, grow or shrink according to the eigenvalues of the
Jacobian. The rest point is stable if all real parts are below 0, and unstable if one is above 0.
Otherwise, the linear part does not decide. With two populations, the stable equilibria are the
strict equilibria (Hofbauer, Sigmund 1998, chapters 7 and 10).
"""

from __future__ import annotations

import numpy as np

from ecnomy.agents.arrays import Floats

__all__ = ["stable_in_one", "stable_in_two"]

_STILL = 1e-6  # as a share of the range of pay-offs, per unit of time


def stable_in_one(pays: Floats, mix: Floats) -> bool | None:
    """Return whether a population's mix is stable; None if the linear part does not decide.

    Args:
        pays: pay-offs A of shape (n, n), scaled to a range of 1.
        mix: a rest point of shape (n,).
    """
    fitness = pays @ mix
    jacobian = np.diag(fitness - mix @ fitness)
    jacobian += mix[:, None] * (pays - (fitness + pays.T @ mix)[None, :])
    return _verdict(jacobian, _changes(len(mix)))


def stable_in_two(first: Floats, second: Floats, row: Floats, column: Floats) -> bool | None:
    """Return whether two populations' mixes are stable; None if the linear part does not decide.

    Args:
        first: pay-offs A of shape (m, n), scaled to a range of 1.
        second: pay-offs B, of the same shape and scale.
        row: mix of the row players, of shape (m,); with `column`, a rest point.
        column: mix of the column players, of shape (n,).
    """
    rows, columns = first @ column, second.T @ row
    m, n = first.shape
    jacobian = np.zeros((m + n, m + n))
    jacobian[:m, :m] = np.diag(rows - row @ rows) - row[:, None] * rows[None, :]
    jacobian[m:, m:] = np.diag(columns - column @ columns) - column[:, None] * columns[None, :]
    jacobian[:m, m:] = row[:, None] * (first - (first.T @ row)[None, :])
    jacobian[m:, :m] = column[:, None] * (second.T - (second @ column)[None, :])
    kept = np.zeros((m + n, m + n - 2))
    kept[:m, : m - 1], kept[m:, m - 1 :] = _changes(m), _changes(n)
    return _verdict(jacobian, kept)


def _changes(count: int) -> Floats:
    """Return orthonormal changes of the shares that keep their sum, one per column."""
    whole = np.hstack([np.ones((count, 1)), np.eye(count)[:, 1:]])
    return np.asarray(np.linalg.qr(whole)[0][:, 1:], dtype=np.float64)


def _verdict(jacobian: Floats, changes: Floats) -> bool | None:
    growth = float(np.linalg.eigvals(changes.T @ jacobian @ changes).real.max())
    return None if abs(growth) <= _STILL else growth < 0
