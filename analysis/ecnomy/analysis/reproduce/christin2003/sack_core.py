# SPDX-License-Identifier: Apache-2.0
"""Section 6: the reference algorithm with delayed ACKs and with selective ACKs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from ecnomy.analysis.reproduce.christin2003.laws import algorithms, by_options
from ecnomy.analysis.reproduce.judge import Samples, interval_of
from ecnomy.analysis.reproduce.studies import Runs, Studies

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["draw", "figures"]

_LABELS: Final = {
    "every-packet": "NewReno",
    "delayed": "delayed ACKs",
    "sack": "SACK",
}


def variants(studies: Studies) -> dict[str, Runs]:
    """Return the reference algorithm's runs by form of acknowledgement."""
    found = {"every-packet": algorithms(studies)["reference"]}
    for name in ("delayed", "sack"):
        found[name] = by_options(studies[f"exp1-{name}"])["reference"]
    return found


def figures(studies: Studies) -> Samples:
    """Return loss, queue, marks and goodput, per seed."""
    found: dict[str, np.ndarray] = {}
    for name, runs in variants(studies).items():
        found[f"loss.{name}"] = runs.sample("loss_share")
        found[f"queue_kB.{name}"] = runs.sample("queue_mean_bytes") / 1e3
        found[f"marks.{name}"] = runs.sample("marks_share")
        found[f"goodput_share.{name}"] = runs.sample("goodput_share")
    return found


def draw(studies: Studies, figure: Figure) -> None:
    """Draw the loss and the mean queue by form of acknowledgement."""
    panels = figure.subplots(1, 2)
    own = variants(studies)
    scales = (("loss_share", 100.0, "loss [%]"), ("queue_mean_bytes", 1e-3, "mean queue [kB]"))
    for axis, (column, scale, label) in zip(panels, scales, strict=True):
        known = [interval_of(runs.sample(column) * scale) for runs in own.values()]
        mean = [i.mean if i else np.nan for i in known]
        half = [i.half_width if i else np.nan for i in known]
        axis.bar(
            [_LABELS[name] for name in own], mean, 0.6, yerr=half, capsize=4,
            color="0.75", edgecolor="black", linewidth=0.6,
        )  # fmt: skip
        axis.set_ylabel(label)
