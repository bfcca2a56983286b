# SPDX-License-Identifier: Apache-2.0
"""Section 3.1: multistage filters and the correction factor, on the traffic of both experiments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from ecnomy.analysis.reproduce.curve_style import band, theory_line
from ecnomy.analysis.reproduce.judge import Samples
from ecnomy.analysis.reproduce.studies import Runs, Studies

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["LAW", "draw", "figures"]

LAW: Final = "network.links.bottleneck.marking.law"
_COLUMNS: Final = (
    *(
        "heavy_flows",
        "active_flows",
        "intervals_with_rho_below_1",
        "share_times_rho",
        "rho_is_1_iff_all",
    ),
    *("top_fifth_bytes", "missed.serial", "missed.parallel", "missed.serial_eighth"),
    *("false_positives.serial", "false_positives.parallel"),
)
_MORE: Final = ("1", "2", "4")
_LABELS: Final = {"exp1": "experiment 1, 1 s", "exp2": "experiment 2, 0.1 s"}


def traffic(studies: Studies) -> dict[str, Runs]:
    """Return the traced runs by experiment."""
    return {
        "exp1": studies["exp1-trace"].at({LAW: "flow-projection"}),
        "exp2": studies["exp2-trace"],
    }


def figures(studies: Studies) -> Samples:
    """Return the measures of the filters and of the flows that they record, per seed."""
    samples: dict[str, np.ndarray] = {}
    for name, runs in traffic(studies).items():
        for column in _COLUMNS:
            samples[f"{column}.{name}"] = runs.sample(column)
        serial, parallel = (runs.sample(f"false_positives.{k}") for k in ("serial", "parallel"))
        samples[f"false_positives.parallel_minus_serial.{name}"] = parallel - serial
        for less, more in zip(_MORE[:-1], _MORE[1:], strict=True):
            at = f"{name}.M={more}_minus_M={less}"
            change = runs.sample(f"recorded.M={more}") - runs.sample(f"recorded.M={less}")
            samples[f"recorded_change.{at}"] = change
            rho = runs.sample(f"rho.M={more}") - runs.sample(f"rho.M={less}")
            samples[f"rho_change.{at}"] = rho
    traced = traffic(studies)["exp1"]
    samples["marks_on_heavy.exp1"] = traced.sample("marks_on_heavy")
    samples["marks_on_larger_half.exp1"] = traced.sample("marks_on_larger_half")
    samples["control.missed_by_16_M.exp1"] = traced.sample("missed_by_16_M")
    return samples


def draw(studies: Studies, figure: Figure) -> None:
    """Draw bytes by rank of flows and, against M, the flows that the serial filter records."""
    left, right = figure.subplots(1, 2)
    for index, (name, runs) in enumerate(traffic(studies).items()):
        label = _LABELS[name]
        shares = runs.row("bytes_by_rank")
        band(left, list(np.arange(1, 21) * 5.0), list(shares.T * 100), index, label)
        least = [25.0 * float(more) for more in _MORE]
        recorded = [
            100 * runs.sample(f"recorded.M={more}") / runs.sample("active_flows") for more in _MORE
        ]
        band(right, least, recorded, index, label)
    theory_line(left, [0, 100], [0, 100], "all alike")
    left.set(xlabel="largest flows [%]", ylabel="bytes [%]")
    right.set(xlabel="M [kB per interval]", ylabel="flows recorded [%]", ylim=(0, 105))
    left.legend()
