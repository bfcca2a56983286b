# SPDX-License-Identifier: Apache-2.0
"""Figure 2b and Eq. 3: compares the share of marks on a path with the marking of its links."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ecnomy.analysis.reproduce.athuraliya2000.chains import by_length
from ecnomy.analysis.reproduce.athuraliya2000.rem import path_marking
from ecnomy.analysis.reproduce.athuraliya2000.series import RecordedSeries
from ecnomy.analysis.reproduce.curve_style import band, theory_line
from ecnomy.analysis.reproduce.judge import Samples
from ecnomy.analysis.reproduce.studies import Studies

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["draw", "figures", "probe", "standard_errors"]


def probe(results: Path) -> dict[str, float]:
    """Return the marked share of a probe's packets, and the mean 1 - prod(1 - m_l) of its links.

    The probe is Poisson, so its arrivals see time averages. The product is computed at each sample
    before averaging, because the prices of the links on a path vary together.

    Returns:
        `path.marked` and `path.expected`; `path.error`, their difference in binomial standard
        errors.
    """
    recorded = RecordedSeries(results)
    start, end = recorded.measured_s
    flows = recorded.run.table("flows")
    own = flows[flows["source"] == "probe"].iloc[0]
    links = [name for name in recorded.links if name.startswith("shared-")]
    links = [name for name in links if not name.endswith(".reverse")]
    [path] = [source.path for source in recorded.run.plan.sources if source.name == "probe"]
    crossed = [name for name in links if recorded.links[name] in path]
    samples = [recorded.marking(name) for name in crossed]
    inside = (samples[0][0] > start) & (samples[0][0] <= end)
    expected = float(path_marking(np.stack([m[inside] for _, m in samples], axis=-1)).mean())
    marked, packets = float(own["marking_rate"]), float(own["delivered"])
    return {
        "path.marked": marked,
        "path.expected": expected,
        "path.error": standard_errors(marked, expected, packets),
    }


def standard_errors(marked: float, expected: float, packets: float) -> float:
    """Return the measured share minus the expected share, in binomial standard errors."""
    return (marked - expected) / float(np.sqrt(expected * (1 - expected) / packets))


def figures(studies: Studies) -> Samples:
    """Return the errors by number of links, per seed."""
    lengths = by_length(studies["product"])
    return {f"error.n={n}": runs.sample("path.error") for n, runs in lengths.items()}


def draw(studies: Studies, figure: Figure) -> None:
    """Draw the probe's share of marks and the product over links against the number of links."""
    axis = figure.subplots()
    lengths = by_length(studies["product"])
    band(axis, list(lengths), [r.sample("path.marked") for r in lengths.values()], 0, "probe")
    levels = [float(r.sample("path.expected").mean()) for r in lengths.values()]
    theory_line(axis, list(lengths), levels, "1 - Π(1 - m) over links")
    axis.set(xlabel="links crossed", ylabel="share of packets marked", ylim=(0, 1.02))
    axis.set_xticks(list(lengths))
    axis.legend()
