# SPDX-License-Identifier: Apache-2.0
"""Figure 3: loss rates of six algorithms in experiment 1."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ecnomy.analysis.reproduce.christin2003.controls import controls
from ecnomy.analysis.reproduce.christin2003.laws import algorithms
from ecnomy.analysis.reproduce.christin2003.panels import six_panels
from ecnomy.analysis.reproduce.judge import Samples
from ecnomy.analysis.reproduce.studies import Studies

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["draw", "figures", "losses"]


def figures(studies: Studies) -> Samples:
    """Return shares of packets lost in experiment 1, and measures of the controls, per seed."""
    return losses(studies) | controls(studies)


def losses(studies: Studies) -> dict[str, np.ndarray | float]:
    """Return shares of packets lost in experiment 1, per seed."""
    samples: dict[str, np.ndarray | float] = {}
    runs = algorithms(studies)
    drop_tail = runs["drop-tail"].sample("loss_share")
    for name, own in runs.items():
        loss = own.sample("loss_share")
        samples[f"loss.{name}"] = loss
        samples[f"loss_over_drop_tail.{name}"] = loss / drop_tail
        samples[f"lossy_windows.{name}"] = own.sample("lossy_windows")
    samples["drops.reference"] = runs["reference"].sample("drops")
    reference, heuristic = samples["loss.reference"], samples["loss.heuristic"]
    samples["loss_difference.heuristic_minus_reference"] = np.subtract(heuristic, reference)
    return samples


def draw(studies: Studies, figure: Figure) -> None:
    """Draw, for each algorithm, one seed's loss in windows of 0.25 s, with means in the titles."""
    runs = algorithms(studies)
    means = {name: own.sample("loss_share") * 100 for name, own in runs.items()}
    rows = {name: {"": own.row("loss")[0] * 100} for name, own in runs.items()}
    six_panels(figure, rows, means, "loss [%]")
