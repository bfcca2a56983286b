# SPDX-License-Identifier: Apache-2.0
"""Sections II-D and VI-A: steadiness of REM by share of packets marked, gamma and alpha."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

import msgspec
import numpy as np

from ecnomy.analysis.reproduce.athuraliya2000.forms import of_form
from ecnomy.analysis.reproduce.athuraliya2000.laws import MARKING
from ecnomy.analysis.reproduce.curve_style import band
from ecnomy.analysis.reproduce.judge import Sample, Samples
from ecnomy.analysis.reproduce.studies import Runs, Studies

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["draw", "figures", "noise"]

PRICE: Final = 4  # price for four sources of weight 12 on 12 packets/ms
SMOOTHED: Final = "sources.s1.transport.smoothed"
LABELS: Final = {"off": "plain", "unit": "smoothed"}
SAMPLES: Final = 100  # packets whose marks a source remembers
GOOD: Final = (0.05, 0.99)
Curves = dict[str, dict[float, Runs]]


def _curves(studies: Studies) -> Curves:
    """Return the runs of plain and smoothed sources, by share of packets marked in equilibrium."""
    curves: Curves = {name: {} for name in LABELS}
    for smoothed in curves:
        runs = studies["good-range"].at({SMOOTHED: smoothed})
        for value in runs.values(MARKING):
            phi = float(msgspec.json.decode(value)["phi"])
            marked = round(-math.expm1(-PRICE * math.log(phi)), 4)
            curves[smoothed][marked] = runs.at({MARKING: value})
    return curves


def _cv(runs: Runs) -> np.ndarray:
    samples = [runs.sample(f"s{source}.window_cv") for source in (1, 2, 3, 4)]
    return np.asarray(np.mean(samples, axis=0))


def figures(studies: Studies) -> Samples:
    """Return the variation of windows, the backlog and the utilisation, per seed."""
    curves = _curves(studies)
    cvs = {name: {m: _cv(runs) for m, runs in points.items()} for name, points in curves.items()}
    samples: dict[str, Sample] = {}
    for name, own in cvs.items():
        samples |= of_form(LABELS[name], _steadiness(own))
    plain, smooth = cvs["off"], cvs["unit"]
    for m in (min(plain), max(plain)):
        samples[f"cv.smoothed_minus_plain.m={m:g}"] = smooth[m] - plain[m]
    samples |= {f"control.noise_over_half.m={m:g}": noise(m) / noise(0.5) for m in plain}
    for name, points in curves.items():
        for m, runs in points.items():
            samples[f"control.use.{LABELS[name]}.m={m:g}"] = runs.sample("bottleneck.utilization")
            backlog = runs.sample("bottleneck.mean_queue_packets")
            samples[f"control.backlog.{LABELS[name]}.m={m:g}"] = backlog
    return samples | _by_gamma(studies["gamma"])


def _steadiness(cv: dict[float, np.ndarray]) -> dict[str, Sample]:
    """Return the variation of windows by share of marks, divided by the variation at share 0.5."""
    samples: dict[str, Sample] = {"few_minus_many": cv[0.02] - cv[0.98]}
    for m, value in cv.items():
        if m != 0.5:
            kind = "inside" if GOOD[0] <= m <= GOOD[1] else "outside"
            samples[f"cv_over_half.{kind}.m={m:g}"] = value / cv[0.5]
    return samples


def noise(marked: float) -> float:
    """Return the coefficient of variation of a price estimated from 100 packets, to first order.

    p = -ln(1 - m) / ln phi has dp / p = dm / (-(1 - m) ln(1 - m)). With N independent packets, m
    has variance m (1 - m) / N.
    """
    return math.sqrt(marked / (SAMPLES * (1 - marked))) / -math.log1p(-marked)


def _by_gamma(runs: Runs) -> dict[str, np.ndarray | float]:
    laws = {}
    for value in runs.values(MARKING):
        law = msgspec.json.decode(value)
        laws[f"{law['gamma']:g}", f"{law['alpha']:g}"] = runs.at({MARKING: value})
    default, strong = laws["0.005", "0.1"], laws["0.005", "1"]
    samples: dict[str, np.ndarray | float] = {
        f"cv_over_default.gamma={g}": _cv(laws[g, "0.1"]) / _cv(default) for g in ("0.001", "0.05")
    }
    slow = laws["0.0002", "0.1"].sample("bottleneck.settle_s")
    samples["settle_s.0.0002_minus_default"] = slow - default.sample("bottleneck.settle_s")
    for name, column in {"backlog": "mean_queue_packets", "use": "utilization"}.items():
        column = f"bottleneck.{column}"
        samples[f"alpha.{name}.1_minus_0.1"] = strong.sample(column) - default.sample(column)
        for (gamma, alpha), own in laws.items():
            samples[f"control.{name}.gamma={gamma}.alpha={alpha}"] = own.sample(column)
    return samples


def draw(studies: Studies, figure: Figure) -> None:
    """Draw the variation of windows, utilisation and backlog against the share of marks."""
    figure.set_size_inches(11, 4)
    axes = figure.subplots(1, 3)
    for index, (name, points) in enumerate(_curves(studies).items()):
        at = [math.log10(m / (1 - m)) for m in points]
        use = [100 * runs.sample("bottleneck.utilization") for runs in points.values()]
        backlog = [runs.sample("bottleneck.mean_queue_packets") for runs in points.values()]
        cvs = [_cv(runs) for runs in points.values()]
        for axis, samples in zip(axes, (cvs, use, backlog), strict=True):
            band(axis, at, samples, index, LABELS[name])
        for axis in axes:
            axis.set_xticks(at, [f"{m:g}" for m in points], rotation=60)
    labels = ("coefficient of variation of windows", "utilization, %", "mean backlog, packets")
    for axis, label in zip(axes, labels, strict=True):
        axis.set(xlabel="share of packets marked", ylabel=label)
    axes[2].set_yscale("log")
    axes[0].legend()
