# SPDX-License-Identifier: Apache-2.0
"""Figures 3 and 5: readers request fewer pages on slower links, and close slow downloads."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from ecnomy.analysis.reproduce.andreassen2002.measures import MEGABIT
from ecnomy.analysis.reproduce.curve_style import band
from ecnomy.analysis.reproduce.judge import Samples
from ecnomy.analysis.reproduce.studies import Runs, Studies

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["draw", "figures"]

_RATE: Final = "network.links.bottleneck.rate"
_PATIENCE: Final = "sources.web.traffic.patience"
_LIMIT_MS: Final = 200.0  # patience in readers-sweep.yaml


def _kinds(runs: Runs) -> tuple[dict[int, Runs], Runs]:
    """Return the runs of patient readers by link rate [2^20 bit/s], and of impatient readers."""
    unlimited, limited = runs.values(_PATIENCE)
    patient = runs.at({_PATIENCE: unlimited})
    by_rate = {
        round(float(rate) / MEGABIT): patient.at({_RATE: rate})
        for rate in sorted(patient.values(_RATE))
    }
    return by_rate, runs.at({_PATIENCE: limited})


def figures(studies: Studies) -> Samples:
    """Return download rates and times by link rate, and the longest download / the patience."""
    patient, impatient = _kinds(studies["readers"])
    samples: dict[str, np.ndarray | float] = {}
    for rate, runs in patient.items():
        samples[f"jobs_per_s.{rate}"] = runs.sample("jobs_per_s")
        samples[f"download_ms.{rate}"] = runs.sample("download_ms")
    for less, more in ((20, 40), (40, 80)):
        jobs = samples[f"jobs_per_s.{less}"] / samples[f"jobs_per_s.{more}"]
        samples[f"jobs.{less}_over_{more}"] = jobs
        times = samples[f"download_ms.{less}"] / samples[f"download_ms.{more}"]
        samples[f"times.{less}_over_{more}"] = times
    samples["closed_share.patient"] = patient[40].sample("closed_share")
    samples["closed_share.impatient"] = impatient.sample("closed_share")
    samples["longest_over_patience"] = impatient.sample("longest_ms") / _LIMIT_MS
    samples["longest_over_patience.patient"] = patient[40].sample("longest_ms") / _LIMIT_MS
    return samples


def draw(studies: Studies, figure: Figure) -> None:
    """Draw downloads per second and their mean time against link rate, for patient readers."""
    patient, _ = _kinds(studies["readers"])
    left, right = figure.subplots(1, 2)
    for axis, column in ((left, "jobs_per_s"), (right, "download_ms")):
        band(axis, list(patient), [own.sample(column) for own in patient.values()], 0, "30 users")
        axis.set(xlabel="link [2^20 bit/s]")
        axis.set_ylim(bottom=0)
    left.set_ylabel("downloads asked for [1/s]")
    right.set_ylabel("download time [ms]")
