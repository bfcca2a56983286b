# SPDX-License-Identifier: Apache-2.0
"""Sections 4.3.4 and 4.4: how the marks of a connection determine its tariff.

A connection is a three-minute sample of the stream of 30 packets/s. No connection is blocked,
because quality is assumed to be independent of marks. The provider estimates p (the share of
connections whose guarantee is broken) and mu (the mean cost) from all samples of the first half of
a run. It sells the samples of the second half at V = (P + R p + mu) / (1 - p), with P = 0.2 mu and
R = V. Each connection costs its marking rate M.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from ecnomy.agents.arrays import Floats
from ecnomy.analysis.reproduce.andreassen2002.mixes import mixes
from ecnomy.analysis.reproduce.andreassen2002.stream_sets import SETS, of_set, off_in_errors
from ecnomy.analysis.reproduce.andreassen2002.stream_table import STREAMS
from ecnomy.analysis.reproduce.curve_style import band, theory_line
from ecnomy.analysis.reproduce.judge import Samples
from ecnomy.analysis.reproduce.studies import Runs, Studies

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["charge_for", "draw", "figures", "profit_off", "straightness"]

_STREAM: Final = "stream-3"
_VOICE: Final = "sources.voice.count"
_LATE: Final = 0.01  # L^G
_MARGIN: Final = 0.2  # P / mu
_BURSTS: Final = (2, 5, 100)  # peak rate over mean rate


def straightness(x: Floats, y: Floats) -> float:
    """Return R^2 of the least-squares line through the points."""
    return float(np.corrcoef(x, y)[0, 1] ** 2)


def charge_for(learnt: tuple[Floats, Floats], guarantee: float) -> float:
    """Return the charge V for samples (M, L), with R = V and P = 0.2 mu.

    The charge is NaN if at least half of the samples break the guarantee, because no charge covers
    the refunds.
    """
    cost, broken = float(learnt[0].mean()), float((learnt[1] > guarantee).mean())
    return (1 + _MARGIN) * cost / (1 - 2 * broken) if broken < 1 / 2 else float("nan")


def profit_off(
    learnt: tuple[Floats, Floats], sold: tuple[Floats, Floats], guarantee: float = _LATE
) -> float:
    """Return (mean profit of sold samples (M, L) - P) / mu, at the tariff for learnt samples.

    The result is NaN if the learnt samples have no marks, or if no tariff reaches the margin.
    """
    cost, charge = float(learnt[0].mean()), charge_for(learnt, guarantee)
    if cost == 0:
        return float("nan")
    paid = np.where(sold[1] > guarantee, -charge, charge) - sold[0]
    return float(paid.mean()) / cost - _MARGIN


def _halves(runs: Runs) -> list[tuple[tuple[Floats, Floats], tuple[Floats, Floats]]]:
    rows = zip(
        runs.row(f"sample.marking.{_STREAM}"), runs.row(f"sample.late.{_STREAM}"), strict=True
    )
    half = runs.row(f"sample.late.{_STREAM}").shape[1] // 2
    return [((m[:half], late[:half]), (m[half:], late[half:])) for m, late in rows]


def _profits(promised: Runs) -> dict[str, np.ndarray | float]:
    mixed = {int(voice): promised.at({_VOICE: voice}) for voice in promised.values(_VOICE)}
    crowded, calm = (_halves(runs) for runs in mixed.values())
    pairs = {
        "same.700": [profit_off(a, b) for a, b in crowded],
        "same.900": [profit_off(a, b) for a, b in calm],
        "changed": [profit_off(a, b) for (a, _), (_, b) in zip(crowded, calm, strict=True)],
    }
    samples: dict[str, np.ndarray | float] = {}
    for name, values in pairs.items():
        row = np.array(values)
        samples[f"profit_off.{name}"] = row
        error = off_in_errors(row)
        samples[f"errors_off.profit.{name}"] = abs(error) if name == "changed" else error
    for voice, runs in mixed.items():
        late = runs.row(f"sample.late.{_STREAM}")
        samples[f"broken.{voice}"] = (late > _LATE).mean(axis=1)
        samples[f"late.{voice}"] = late.mean(axis=1)
        samples[f"cost.{voice}"] = runs.row(f"sample.marking.{_STREAM}").mean(axis=1)
    return samples


def _costs(sets: Runs) -> tuple[Floats, Floats]:
    """Return packet rates [1/s] and marks per second [stream, seed] of the 128-byte streams."""
    rates, costs = [], []
    for name in ("rate", "large"):
        runs = of_set(sets, name)
        for rate, stream in zip(SETS[name][0], STREAMS, strict=True):
            rates.append(rate)
            costs.append(rate * runs.sample(f"marking.{stream}"))
    return np.array(rates), np.array(costs)


def figures(studies: Studies) -> Samples:
    """Return the linearity of costs in packet rates, the cost of bursts, and a tariff's profit."""
    rates, costs = _costs(studies["stream-sets"])
    samples: dict[str, np.ndarray | float] = {
        "straightness": np.array([straightness(rates, row) for row in costs.T])
    }
    sizes = of_set(studies["stream-sets"], "size")
    for number, size in enumerate(SETS["size"][1][1:], 2):
        first = sizes.sample("marking.stream-1")
        off = off_in_errors(sizes.sample(f"marking.stream-{number}") - first)
        samples[f"errors_off.size.{size}_minus_128"] = off
    steady = studies["bursts"].sample("marking.stream-1")
    for peak in _BURSTS:
        control = "control." if peak == max(_BURSTS) else ""
        over = studies["bursts"].sample(f"marking.stream-{peak}") / steady
        samples[f"{control}bursts.{peak}_over_steady"] = over
    for voice, mix in mixes(studies["streams"]).items():
        low, *_, high = mix.values()
        for name in ("marking", "late"):
            ratio = high.sample(f"{name}.{_STREAM}") / low.sample(f"{name}.{_STREAM}")
            samples[f"route.{name}.{voice}"] = np.abs(ratio - 1)
    return samples | _profits(studies["promised"])


def draw(studies: Studies, figure: Figure) -> None:
    """Draw costs against packet rates, and marking rates against the peak rate of streams."""
    figure.set_size_inches(10, 4.5)
    left, right = figure.subplots(1, 2)
    rates, costs = _costs(studies["stream-sets"])
    band(left, list(rates), list(costs), 0, "streams of 128 bytes")
    ends = np.array([0.0, rates.max()])
    factor = float((rates @ costs.mean(axis=1)) / (rates @ rates))
    theory_line(left, ends, factor * ends, "proportional")
    left.set(xlabel="packets per second", ylabel="marks per second")
    left.legend()
    runs = studies["bursts"]
    peaks = [1, *_BURSTS]
    rows = [runs.sample(f"marking.stream-{peak}") for peak in peaks]
    band(right, peaks, rows, 0, "50 packets/s on average")
    right.set_xscale("log")
    right.set_xticks(peaks, [str(peak) for peak in peaks])
    right.minorticks_off()
    right.set(xlabel="peak rate over mean rate", ylabel="marking rate")
    right.set_ylim(bottom=0)
    right.legend()
