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
    runs_by_form = {"every-packet": algorithms(studies)["reference"]}
    for name in ("delayed", "sack"):
        runs_by_form[name] = by_options(studies[f"exp1-{name}"])["reference"]
    return runs_by_form


def figures(studies: Studies) -> Samples:
    """Return loss, queue, marks and goodput, per seed."""
    samples: dict[str, np.ndarray] = {}
    for name, runs in variants(studies).items():
        samples[f"loss.{name}"] = runs.sample("loss_share")
        samples[f"queue_kB.{name}"] = runs.sample("queue_mean_bytes") / 1e3
        samples[f"marks.{name}"] = runs.sample("marks_share")
        samples[f"goodput_share.{name}"] = runs.sample("goodput_share")
    return samples


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
