# SPDX-License-Identifier: Apache-2.0
"""Figure 7: loss rates of the classes with and without regulation."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ecnomy.analysis.reproduce.christin2003.classes import CLASSES
from ecnomy.analysis.reproduce.christin2003.exp2 import (
    LABELS,
    by_regulation,
    control_figures,
    draw_classes,
    fifo_figures,
)
from ecnomy.analysis.reproduce.judge import Samples
from ecnomy.analysis.reproduce.studies import Studies

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["draw", "figures"]


def figures(studies: Studies) -> Samples:
    """Return the classes' loss rates over the run and the ratios of these rates, per seed."""
    samples: dict[str, np.ndarray] = {}
    for kind, own in by_regulation(studies["exp2"]).items():
        for number in CLASSES:
            samples[f"loss.{kind}.class-{number}"] = own.sample(f"loss.{number}")
            samples[f"marks.{kind}.class-{number}"] = own.sample(f"marks.{number}")
            samples[f"drops.{kind}.class-{number}"] = own.sample(f"drops.{number}")
            samples[f"drops_after_10.{kind}.class-{number}"] = own.sample(
                f"drops_after_10.{number}"
            )
    for upper in (2, 3):
        loss = samples[f"loss.unregulated.class-{upper}"]
        below = samples[f"loss.unregulated.class-{upper + 1}"]
        samples[f"loss_ratio.unregulated.{upper}_over_{upper + 1}"] = loss / below
    return samples | control_figures(studies, ("large", "room")) | fifo_figures(studies)


def draw(studies: Studies, figure: Figure) -> None:
    """Draw one seed's loss over the current busy period, every 0.5 s, by regulation."""
    panels = figure.subplots(1, 2, sharey=True)
    for axis, (kind, runs) in zip(panels, by_regulation(studies["exp2"]).items(), strict=True):
        draw_classes(axis, runs, "busy_loss", 100)
        axis.axhline(1, color="black", linewidth=0.8, linestyle=":", label="Class 1's bound")
        axis.set_title(LABELS[kind])
    panels[0].set_ylabel("loss over the busy period [%]")
    panels[0].legend()
