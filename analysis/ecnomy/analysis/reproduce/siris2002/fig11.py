# SPDX-License-Identifier: Apache-2.0
"""Figure 11: compares willingness to pay with MulTCP on a link with RED."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from ecnomy.agents.arrays import Floats
from ecnomy.analysis.reproduce.curve_style import band, theory_line
from ecnomy.analysis.reproduce.judge import Sample, Samples
from ecnomy.analysis.reproduce.ranks import rank_correlation
from ecnomy.analysis.reproduce.siris2002.ratios import Ratios
from ecnomy.analysis.reproduce.studies import Runs, Studies
from ecnomy.analysis.statistics.intervals import jain

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["draw", "figures", "log_slope"]

_FLOWS: Final = 5  # flows of each group in runs with different weights
_LABELS: Final = {
    "wtp": "WTP",
    "multcp": "MulTCP, 1 - 1/(2w)",
    "halve": "MulTCP, halved",
    "accurate": "MulTCP, a reaction to each mark",
}


def _laws(studies: Studies) -> dict[str, tuple[Runs, str]]:
    """Return the runs of each window law, and the name of its weight parameter."""
    laws = {"wtp": (studies["fig11-wtp"], "weight")}
    multcp = studies["fig11-multcp"]
    for decrease in multcp.values("sources.light.transport.decrease"):
        own = multcp.at({"sources.light.transport.decrease": decrease})
        for echo in own.values("sources.light.transport.ecn"):
            name = "halve" if decrease == "halve" else "multcp"
            name = name if echo == "rfc3168" else "accurate"
            laws[name] = (own.at({"sources.light.transport.ecn": echo}), "flows")
    return laws


def _pairs(runs: Runs, key: str, *, equal: bool) -> dict[float, Runs]:
    """Return the runs by weight of heavy flows; light flows have 1, or the same if `equal`."""
    runs = runs.where(sources__light__count=_FLOWS)
    light, heavy = (f"sources.{name}.transport.{key}" for name in ("light", "heavy"))
    pairs = {}
    for weight in sorted(runs.values(heavy)):
        kept = runs.at({heavy: weight})
        other = weight if equal else 1.0
        if other in kept.values(light):
            pairs[weight] = kept.at({light: other})
    return pairs


def _throughput(runs: Runs, key: str) -> Ratios:
    return {
        r: own.sample("heavy.goodput_bps") / own.sample("light.goodput_bps")
        for r, own in _pairs(runs, key, equal=False).items()
    }


def _loads(runs: Runs, key: str) -> Ratios:
    pairs = _pairs(runs, key, equal=True)
    return {weight: own.sample("bottleneck.utilization") for weight, own in pairs.items()}


def figures(studies: Studies) -> Samples:
    """Return throughput ratios, utilisation, fairness, and the exponent of throughput in p."""
    samples: dict[str, Sample] = {}
    laws = _laws(studies)
    ratios = {name: _throughput(*law) for name, law in laws.items()}
    loads = {name: _loads(*law) for name, law in laws.items()}
    for name, (runs, key) in laws.items():
        for r, ratio in ratios[name].items():
            if r >= 2:
                samples[f"ratio_over_r.{name}.r={r:g}"] = ratio / r
        for weight, load in loads[name].items():
            samples[f"utilization.{name}.w={weight:g}"] = load
        samples[f"utilization_rank.{name}"] = rank_correlation(loads[name])
        for power in log_slope(runs, key):
            samples.setdefault(f"power.{name}", power)
    for r, multcp in ratios["multcp"].items():
        if r >= 2:
            off = [np.abs(ratio / r - 1) for ratio in (multcp, ratios["wtp"][r])]
            samples[f"farther_than_wtp.r={r:g}"] = off[0] - off[1]
    control = studies["fig11-controls"]
    for weight in sorted(control.values("sources.light.transport.weight")):
        own = control.where(sources__light__transport__weight=weight)
        samples[f"control.small_gain.w={weight:g}"] = own.sample("bottleneck.utilization")
    return samples | _differences(loads) | _fairness(laws)


def _differences(loads: dict[str, Ratios]) -> dict[str, Floats]:
    """Return WTP's utilisation minus MulTCP's at each weight w.

    The result also contains half of this difference at w = 1 minus the difference at larger w.
    """
    samples: dict[str, Floats] = {}
    less = {w: loads["wtp"][w] - load for w, load in loads["multcp"].items()}
    for weight, difference in less.items():
        samples[f"wtp_minus_multcp.w={weight:g}"] = difference
    for weight in (5.0, 10.0):
        if weight in less:
            samples[f"half_of_w=1_less_that_of.w={weight:g}"] = less[1.0] / 2 - less[weight]
    return samples


def _fairness(laws: dict[str, tuple[Runs, str]]) -> dict[str, Floats]:
    """Return Jain's index of throughput / weight, MulTCP's minus WTP's, at unequal weights."""
    samples: dict[str, Floats] = {}
    index = {
        name: {r: _jain(own, r) for r, own in _pairs(*laws[name], equal=False).items() if r > 1}
        for name in ("wtp", "multcp")
    }
    for r, values in index["multcp"].items():
        samples[f"jain.multcp_minus_wtp.r={r:g}"] = values - index["wtp"][r]
    return samples


def _jain(runs: Runs, r: float) -> Floats:
    weights = np.repeat([1.0, r], _FLOWS)
    goodput = runs.row("goodput")[:, : 2 * _FLOWS]
    return np.array([jain(row / weights) for row in goodput])


def log_slope(runs: Runs, key: str) -> list[Floats]:
    """Return the slope of log throughput against log p, with one point per number of flows.

    All flows have weight 1. The result is a list of one array, with a value per seed, or [] for a
    single number of flows.
    """
    light, heavy = (f"sources.{name}.transport.{key}" for name in ("light", "heavy"))
    own = runs.at({light: 1.0, heavy: 1.0})
    points = [own.where(sources__light__count=n) for n in own.values("sources.light.count")]
    if len(points) < 2:
        return []
    x = np.log([point.sample("light.goodput_bps") for point in points])
    p = np.log([point.sample("bottleneck.marking_probability") for point in points])
    return [np.array([np.polyfit(p[:, i], x[:, i], 1)[0] for i in range(x.shape[1])])]


def draw(studies: Studies, figure: Figure) -> None:
    """Draw (a) the ratio of throughputs against that of weights, (b) utilisation by weight."""
    left, right = figure.subplots(1, 2)
    for index, (name, law) in enumerate(_laws(studies).items()):
        ratios, loads = _throughput(*law), _loads(*law)
        band(left, list(ratios), list(ratios.values()), index, _LABELS[name])
        band(right, list(loads), list(loads.values()), index, _LABELS[name])
    ends = [1, max(ratios)]
    theory_line(left, ends, ends, "equal ratios")
    left.set(xlabel="ratio of weights, heavy / light", ylabel="ratio of throughput")
    left.set(xscale="log", yscale="log")
    left.set_xticks([1, 2, 5, 10], ["1", "2", "5", "10"])
    left.set_yticks([1, 2, 5, 10, 20, 50], ["1", "2", "5", "10", "20", "50"])
    left.set_title("(a)")
    right.set(xlabel="weight of all ten flows", ylabel="utilization")
    right.set_title("(b)")
    left.legend()
