# SPDX-License-Identifier: Apache-2.0
"""Figure 1: marking probability against price, and rate against the share of packets marked."""

from __future__ import annotations

from decimal import Decimal, localcontext
from typing import TYPE_CHECKING, Final

import numpy as np

from ecnomy.analysis.reproduce.athuraliya2000.rem import marking, rate
from ecnomy.analysis.reproduce.judge import Samples
from ecnomy.analysis.reproduce.studies import Studies

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["draw", "figures"]

PHI: Final = 1.2
WEIGHT: Final = 2.0
PRICES: Final = np.linspace(0, 25, 251)
MARKS: Final = np.linspace(0.01, 0.99, 99)


def figures(studies: Studies) -> Samples:
    """Return the shapes of the plotted functions, and their errors against 50-digit values."""
    m, x = marking(PRICES, PHI), rate(MARKS, PHI, WEIGHT)
    slope = np.abs(np.diff(x))
    return {
        "error.marking": float(np.abs(m - _exact_marking()).max()),
        "error.rate": float(np.abs(x / _exact_rate() - 1).max()),
        "rise.marking": float(np.diff(m).min()),
        "bend.marking": float(np.diff(m, 2).max()),
        "fall.rate": float(np.diff(x).max()),
        "steepest_at": float(MARKS[int(np.argmax(slope))]),
        "least_mark": float(MARKS[0]),
    }


def _exact_marking() -> np.ndarray:
    with localcontext() as context:
        context.prec = 50
        phi = Decimal(str(PHI))
        return np.array([float(1 - phi ** -Decimal(float(p))) for p in PRICES])


def _exact_rate() -> np.ndarray:
    with localcontext() as context:
        context.prec = 50
        top = Decimal(str(WEIGHT)) * Decimal(str(PHI)).ln()
        return np.array([float(top / -(1 - Decimal(float(m))).ln()) for m in MARKS])


def draw(studies: Studies, figure: Figure) -> None:
    """Draw (a) the marking probability of a link and (b) the rate of a source."""
    left, right = figure.subplots(1, 2)
    left.plot(PRICES, marking(PRICES, PHI), color="black")
    left.set(
        xlabel="price of the link", ylabel="marking probability", title="(a) 1 - φ^-p, φ = 1.2"
    )
    right.plot(MARKS, rate(MARKS, PHI, WEIGHT), color="black")
    right.set(
        xlabel="share of packets marked on the path",
        ylabel="rate, packets/ms",
        title="(b) utility 2 ln x",
    )
