# SPDX-License-Identifier: Apache-2.0
"""Section 3.1.2: effects of queue averaging on delays, and of smooth marking on runs of marks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ecnomy.agents.observation import Truths
from ecnomy.analysis.reproduce.curve_style import look
from ecnomy.analysis.reproduce.judge import Samples
from ecnomy.analysis.reproduce.studies import Runs, Studies

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["draw", "figures", "mean_run", "packets"]

WEIGHT: Final = "network.links.bottleneck.marking.weight"
THRESHOLD: Final = "network.links.bottleneck.marking.max_threshold"
MOST: Final = "network.links.bottleneck.marking.max_probability"
_ENQUEUED: Final = 1  # an event of the trace
_STEPS: Final = 40
_STEP_MS: Final = 1.0


def mean_run(marked: Truths) -> float:
    """Return the mean length of runs of True, or NaN if there is no run."""
    begins = marked & ~np.concatenate([[False], marked[:-1]])
    return float(marked.sum() / begins.sum()) if begins.any() else float("nan")


def packets(results: Path) -> Mapping[str, float | list[float] | None]:
    """Return delays of voice packets, and the lengths of runs of marks at the bottleneck.

    Returns:
        delay_ms and delay_sd_ms, the mean and standard deviation of voice delays; mean_run, the
        mean number of packets in a run of marks (None without marks); marking, the share of packets
        marked; and delay.cdf, a row with the shares of voice packets delayed by at most 1, 2, ...
        40 ms.
    """
    from ecnomy.markets.results.rawrun import open_raw

    run = open_raw(results)
    link = [each.name for each in run.plan.links].index("bottleneck")
    trace: Any = run.table("trace")
    joined = trace[(trace["event"] == _ENQUEUED) & (trace["link"] == link)]
    marked = joined[joined["t_ps"] >= run.measured.from_ps]["ce"].to_numpy() == 1
    table: Any = run.table("histograms")
    own = table[(table["name"] == "delay") & (table["subject"] == "voice")]
    low_ms, count = (own[name].to_numpy(dtype=np.float64) for name in ("low", "count"))
    low_ms = low_ms * 1e3
    at_ms = low_ms + (low_ms[1] - low_ms[0]) / 2
    mean = float(np.average(at_ms, weights=count))
    upto = _STEP_MS * (1 + np.arange(_STEPS))
    length = mean_run(marked)
    return {
        "delay_ms": mean,
        "delay_sd_ms": float(np.sqrt(np.average((at_ms - mean) ** 2, weights=count))),
        "mean_run": length if np.isfinite(length) else None,
        "marking": float(marked.mean()),
        "delay.cdf": [float(count[low_ms < each - 1e-9].sum() / count.sum()) for each in upto],
    }


def _at_threshold(studies: Studies, which: Callable[[list[float]], float]) -> Runs:
    runs = studies["instant"]
    return runs.at({THRESHOLD: which(runs.values(THRESHOLD))})


def _variants(studies: Studies) -> dict[str, Runs]:
    runs = _at_threshold(studies, max)
    weights, curves = sorted(runs.values(WEIGHT)), sorted(runs.values(MOST))
    return {
        f"{queue}.{curve}": runs.at({WEIGHT: weight, MOST: most})
        for queue, weight in zip(("average", "instant"), weights, strict=True)
        for curve, most in zip(("abrupt", "smooth"), curves, strict=True)
    }


def figures(studies: Studies) -> Samples:
    """Return delays, their deviations and mean runs of marks, and ratios of variants, per seed."""
    variants = _variants(studies)
    samples: dict[str, np.ndarray | float] = {}
    for name, runs in variants.items():
        for column in ("delay_ms", "delay_sd_ms", "mean_run", "marking"):
            samples[f"{column}.{name}"] = runs.sample(column)
    for curve, control in (("smooth", ""), ("abrupt", "control.")):
        for column in ("delay_ms", "delay_sd_ms"):
            ratio = samples[f"{column}.instant.{curve}"] / samples[f"{column}.average.{curve}"]
            samples[f"{control}{column}.instant_over_average"] = np.asarray(ratio)
    for queue, control in (("instant", ""), ("average", "control.")):
        ratio = samples[f"mean_run.{queue}.smooth"] / samples[f"mean_run.{queue}.abrupt"]
        samples[f"{control}mean_run.smooth_over_abrupt"] = np.asarray(ratio)
    low = _at_threshold(studies, min)
    abrupt, smooth = (low.at({MOST: most}).sample("mean_run") for most in sorted(low.values(MOST)))
    samples["control.low.mean_run.smooth_over_abrupt"] = smooth / abrupt
    for name, row in (("abrupt", abrupt), ("smooth", smooth)):
        samples[f"control.low.mean_run.{name}"] = row
    return samples


def draw(studies: Studies, figure: Figure) -> None:
    """Draw the distributions of voice packet delays, and the mean runs of marks."""
    figure.set_size_inches(10, 4.5)
    left, right = figure.subplots(1, 2)
    labels = {
        "instant.smooth": "instantaneous, up to 1",
        "average.smooth": "average, up to 1",
        "instant.abrupt": "instantaneous, up to 0.1",
        "average.abrupt": "average, up to 0.1",
    }
    upto = _STEP_MS * (1 + np.arange(_STEPS))
    for index, (name, label) in enumerate(labels.items()):
        runs = _variants(studies)[name]
        left.plot(upto, 1 - runs.row("delay.cdf").mean(axis=0), label=label, **look(index))
        sample = runs.sample("mean_run")
        style = look(index) | {"linestyle": "none"}
        right.plot(np.full(len(sample), index), sample, **style)
    left.set_yscale("log")
    left.set(xlabel="delay of a voice packet [ms]", ylabel="share delayed longer")
    left.legend(fontsize="small")
    right.set_xticks(range(len(labels)), [each.replace(", ", ",\n") for each in labels.values()])
    right.set_ylabel("marked packets in a row, mean of a run")
    right.set_xlim(-0.5, len(labels) - 0.5)
    right.set_ylim(bottom=0.99)  # a run has at least one packet
