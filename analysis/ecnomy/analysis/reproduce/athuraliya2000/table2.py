# SPDX-License-Identifier: Apache-2.0
"""Table II: four REM sources that estimate their round-trip times with errors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from ecnomy.analysis.reproduce.athuraliya2000.fig5 import CAPACITY, RTT_MS
from ecnomy.analysis.reproduce.curve_style import band, theory_line
from ecnomy.analysis.reproduce.judge import Samples
from ecnomy.analysis.reproduce.studies import Runs, Studies

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["columns", "draw", "figures", "optimum"]

BITS_PER_PACKET_MS: Final = 8e6  # bit/s of a packet of 1000 bytes per ms


def columns(runs: Runs) -> dict[str, tuple[Runs, dict[int, float]]]:
    """Return the runs of each column of the table, and the constant error [ms] of each source."""
    names = [f"sources.s{s}.transport.rtt_error" for s in (1, 2, 3, 4)]
    noise = "sources.s1.transport.rtt_error_std"
    by_column: dict[str, tuple[Runs, dict[int, float]]] = {}
    for row in runs.frame[[*names, noise]].drop_duplicates().to_dict("records"):
        errors = {s: _ms(row[name]) for s, name in zip((1, 2, 3, 4), names, strict=True)}
        constant = set(errors.values())
        if _ms(row[noise]) > 0:
            name = "random1"
        else:
            name = f"{constant.pop():g}" if len(constant) == 1 else "random2"
        by_column[name] = (runs.at({str(key): value for key, value in row.items()}), errors)
    return by_column


def _ms(value: object) -> float:
    return float(str(value).removesuffix(" ms"))


def optimum(errors: dict[int, float]) -> dict[int, float]:
    """Return the rates [packets/ms] that maximise distorted utilities of equal weight (Eq. 15, 16).

    U(x) = (1 + e) w log(x / (1 + e)) with e = error / RTT makes x proportional to 1 + e.
    """
    factors = {s: 1 + errors[s] / RTT_MS[s] for s in errors}
    return {s: CAPACITY * factor / sum(factors.values()) for s, factor in factors.items()}


def figures(studies: Studies) -> Samples:
    """Return windows, rates and backlogs by column and source, per seed."""
    samples: dict[str, np.ndarray | float] = {}
    backlogs: list[np.ndarray] = []
    for name, (runs, errors) in columns(studies["table2"]).items():
        samples[f"use.{name}"] = runs.sample("bottleneck.utilization")
        samples[f"backlog.{name}"] = runs.sample("bottleneck.mean_queue_packets")
        backlogs.append(np.asarray(samples[f"backlog.{name}"]))
        wait_ms = (backlogs[-1] + 1) / CAPACITY  # waits for the backlog and its own transmission
        samples[f"control.wait_ms.{name}"] = wait_ms
        samples[f"backlog_max.{name}"] = runs.sample("bottleneck.backlog_max")
        rates = {s: runs.sample(f"s{s}.goodput_bps") for s in RTT_MS}
        total, best = np.sum(list(rates.values()), axis=0), optimum(errors)
        corrected = {s: rates[s] / (1 + errors[s] / RTT_MS[s]) for s in RTT_MS}
        mean = np.mean(list(corrected.values()), axis=0)
        for s in RTT_MS:
            window = samples[f"window.{name}.s{s}"] = runs.sample(f"s{s}.window")
            in_flight = rates[s] / BITS_PER_PACKET_MS * (RTT_MS[s] + wait_ms)
            samples[f"control.window_over_in_flight.{name}.s{s}"] = window / in_flight
            samples[f"corrected_over_mean.{name}.s{s}"] = corrected[s] / mean
            samples[f"rate_over_optimum.{name}.s{s}"] = rates[s] / total * CAPACITY / best[s]
    backlogs.sort(key=lambda sample: float(sample.mean()))  # single seeds are noisy
    samples["backlog_range"] = backlogs[-1] - backlogs[0]
    return samples


def draw(studies: Studies, figure: Figure) -> None:
    """Draw windows and corrected throughput of the four sources by column of the table."""
    figure.set_size_inches(10, 4.5)
    left, right = figure.subplots(1, 2)
    table = columns(studies["table2"])
    constant = len([name for name in table if not name.startswith("random")])
    groups = [list(range(constant)), *([i] for i in range(constant, len(table)))]
    places = list(table.values())
    for source in RTT_MS:
        windows = [runs.sample(f"s{source}.window") for runs, _ in places]
        levels = [optimum(errors)[source] * RTT_MS[source] for _, errors in places]
        shares = [
            runs.sample(f"s{source}.goodput_bps")
            / BITS_PER_PACKET_MS
            / (1 + errors[source] / RTT_MS[source])
            for runs, errors in places
        ]
        for group in groups:
            label = f"S{source}, {RTT_MS[source]} ms" if group == groups[0] else "_nolegend_"
            band(left, group, [windows[i] for i in group], source - 1, label)
            band(right, group, [shares[i] for i in group], source - 1, label)
            ends = group if len(group) > 1 else [group[0] - 0.2, group[0] + 0.2]
            known = [levels[i] for i in group] * (1 if len(group) > 1 else 2)
            last = source == 4 and group == groups[0]
            theory_line(left, ends, known, "theory" if last else "_nolegend_")
    left.set(ylabel="mean window, packets")
    right.set(ylabel="throughput / (1 + ε), packets/ms", ylim=(0, None))
    for axis in (left, right):
        axis.set_xticks(range(len(table)), list(table))
        axis.set_xlabel("error in the round-trip time, ms")
    left.legend(ncols=2, fontsize="small")
