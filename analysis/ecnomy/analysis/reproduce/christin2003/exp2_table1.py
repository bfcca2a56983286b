# SPDX-License-Identifier: Apache-2.0
"""Table 1: the guarantees of experiment 2, and how well the link kept them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ecnomy.analysis.reproduce.christin2003.classes import CLASSES
from ecnomy.analysis.reproduce.christin2003.exp2 import LABELS, by_regulation
from ecnomy.analysis.reproduce.judge import Samples, interval_of
from ecnomy.analysis.reproduce.studies import Studies

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["draw", "figures"]


def figures(studies: Studies) -> Samples:
    """Return marks, delays and losses of the classes, and ratios of mean delays, per seed."""
    samples: dict[str, np.ndarray] = {}
    for kind, own in by_regulation(studies["exp2"]).items():
        samples[f"loss.{kind}.class-1"] = own.sample("loss.1")
        samples[f"windows_at_bound.{kind}"] = own.sample("windows_at_bound")
        delays = {number: own.sample(f"delay_s.{number}") for number in CLASSES}
        for number in CLASSES:
            samples[f"delay_ms.{kind}.class-{number}"] = delays[number] * 1e3
            samples[f"marks.{kind}.class-{number}"] = own.sample(f"marks.{number}")
        for upper in (2, 3):
            ratio = delays[upper] / delays[upper + 1]
            samples[f"delay_ratio.{kind}.{upper}_over_{upper + 1}"] = ratio
    return samples


def draw(studies: Studies, figure: Figure) -> None:
    """Draw the mean delay and loss of each class, with and without regulation."""
    left, right = figure.subplots(1, 2)
    hatches = ("", "///")
    for index, (kind, runs) in enumerate(by_regulation(studies["exp2"]).items()):
        for axis, column, scale in ((left, "delay_s", 1e3), (right, "loss", 100.0)):
            known = [interval_of(runs.sample(f"{column}.{n}") * scale) for n in CLASSES]
            mean = [i.mean if i else np.nan for i in known]
            half = [i.half_width if i else np.nan for i in known]
            at = np.arange(len(CLASSES)) + 0.4 * index
            axis.bar(
                at, mean, 0.38, yerr=half, hatch=hatches[index], capsize=3,
                edgecolor="black", linewidth=0.6, label=LABELS[kind],
            )  # fmt: skip
    for axis in (left, right):
        axis.set_xticks(np.arange(len(CLASSES)) + 0.2, [f"Class {n}" for n in CLASSES])
    left.set(ylabel="mean queueing delay [ms]")
    right.set(ylabel="loss [%]")
    left.legend()
