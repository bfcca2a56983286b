# SPDX-License-Identifier: Apache-2.0
"""Figure 9: two flows on a slow link with a long round trip, with and without slow start."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ecnomy.analysis.reproduce.antoniadis2000.ratios import Ratios, ratios
from ecnomy.analysis.reproduce.curve_style import band, theory_line
from ecnomy.analysis.reproduce.judge import Sample, Samples
from ecnomy.analysis.reproduce.ranks import rank_correlation
from ecnomy.analysis.reproduce.studies import Studies

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["draw", "figures"]

_SLOW_START: Final = "sources.light.transport.slow_start"


def _measured(studies: Studies) -> dict[bool, Ratios]:
    runs = studies["fig9"]
    measured = {}
    for value in runs.values(_SLOW_START):
        measured[str(value).lower() in ("true", "1", "1.0")] = ratios(
            runs.at({_SLOW_START: value}), "goodput_bps"
        )
    return measured


def figures(studies: Studies) -> Samples:
    """Return throughput ratios / r, with and without slow start, and the ratio of the two."""
    measured = _measured(studies)
    samples: dict[str, Sample] = {"rank_correlation": rank_correlation(measured[False])}
    for r, ratio in measured[False].items():
        size = "large" if r >= 6 else "small"
        samples[f"ratio_over_r.{size}.r={r:g}"] = ratio / r
        samples[f"proxy.ratio_over_r.{size}.r={r:g}"] = measured[True][r] / r
        samples[f"proxy.over_simulation.r={r:g}"] = measured[True][r] / ratio
    return samples


def draw(studies: Studies, figure: Figure) -> None:
    """Draw the ratio of throughputs against the ratio of weights."""
    axis = figure.subplots()
    measured = _measured(studies)
    labels = {False: "no slow start (simulation)", True: "slow start (for the test-bed)"}
    for index, (slow, label) in enumerate(labels.items()):
        own = measured[slow]
        band(axis, list(own), list(own.values()), index, label)
    ends = [1, max(own)]
    theory_line(axis, ends, ends, "equal ratios")
    axis.set(xlabel="ratio of willingness to pay, heavy / light")
    axis.set(ylabel="ratio of throughput, heavy / light")
    axis.set_ylim(bottom=0)
    axis.legend(loc="upper left")
