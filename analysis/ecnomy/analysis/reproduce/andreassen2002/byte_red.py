# SPDX-License-Identifier: Apache-2.0
"""Section 3.3: RED by bytes, and the threshold that keeps the voice delay rate at a target.

The smallest threshold is f times the bytes that the link sends in 15 ms. The largest threshold is
six times the smallest, except in one variant. For each seed and mix, a line in f is fitted to log10
of the delay rate. The line reaches the target at f*.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from ecnomy.agents.arrays import Floats
from ecnomy.analysis.reproduce.andreassen2002.mixes import BYTES_15_MS
from ecnomy.analysis.reproduce.andreassen2002.stream_sets import off_in_errors
from ecnomy.analysis.reproduce.curve_style import look
from ecnomy.analysis.reproduce.judge import Samples
from ecnomy.analysis.reproduce.studies import Runs, Studies

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["RateLine", "draw", "figures", "line_of"]

LINK: Final = "network.links.bottleneck.marking"
_USERS: Final = ("sources.voice.count", "sources.web.count")
_TARGET: Final = 0.005  # voice delay rate: share of packets later than 16 ms
_BASE: Final = "700/30"


class RateLine(NamedTuple):
    """log10(delay rate) = slope f + zero, per seed."""

    slope: Floats
    zero: Floats

    def f_at(self, rate: float) -> Floats:
        """Return the f at which the line has this delay rate."""
        return np.asarray((np.log10(rate) - self.zero) / self.slope)

    def rate_at(self, f: Floats) -> Floats:
        """Return the delay rate at f."""
        return np.asarray(10 ** (self.slope * f + self.zero))


def line_of(rates: dict[float, Floats]) -> RateLine:
    """Return each seed's least-squares line through log10 of the rates (f -> rates per seed).

    Points without late packets do not count. A line is NaN if fewer than two points remain.
    """
    f, lines = np.array(list(rates)), []
    for row in np.array(list(rates.values())).T:
        late = row > 0
        enough = late.sum() >= 2
        pair = np.polyfit(f[late], np.log10(row[late]), 1) if enough else [float("nan")] * 2
        lines.append(tuple(pair))
    slope, zero = np.array(lines).T
    return RateLine(slope, zero)


def _rates(runs: Runs, **wanted: Any) -> dict[float, Floats]:
    """Return f -> voice delay rates of the runs whose link marks by bytes with these parameters."""
    by_f: dict[float, Floats] = {}
    for text in runs.values(LINK):
        link = json.loads(text)
        size, unit = link["min_threshold"].split()
        link["ratio"] = round(float(link["max_threshold"].split()[0]) / float(size))
        if unit == "bytes" and all(link[name] == value for name, value in wanted.items()):
            by_f[float(size) / BYTES_15_MS] = runs.at({LINK: text}).sample("voice_late")
    return dict(sorted(by_f.items()))


def _by_packets(runs: Runs) -> Floats:
    [text] = [text for text in runs.values(LINK) if "packets" in text]
    return runs.at({LINK: text}).sample("voice_late")


def _mixes(studies: Studies) -> dict[str, Runs]:
    runs = studies["byte-red"]
    pairs = zip(*(runs.frame[name] for name in _USERS), strict=True)
    return {
        f"{voice:g}/{web:g}": runs.at(dict(zip(_USERS, (voice, web), strict=True)))
        for voice, web in dict.fromkeys(pairs)
    }


def figures(studies: Studies) -> Samples:
    """Return delay rates and spreads over mixes, f*, and rates at the f* of another seed."""
    samples: dict[str, np.ndarray | float] = {}
    rates = {mix: _rates(runs) for mix, runs in _mixes(studies).items()}
    packets = np.array([_by_packets(runs) for runs in _mixes(studies).values()])
    samples["decades.packets"] = np.log10(packets.max(axis=0) / packets.min(axis=0))
    for f in rates[_BASE]:
        own = np.array([each[f] for each in rates.values()])
        samples[f"decades.bytes.{f:.2f}"] = np.log10(own.max(axis=0) / own.min(axis=0))
        for mix, row in zip(rates, own, strict=True):
            samples[f"late.{mix}.{f:.2f}"] = row
    lines = {mix: line_of(each) for mix, each in rates.items()}
    learnt = lines[_BASE].f_at(_TARGET)
    for mix, line in lines.items():
        samples[f"f.{mix}"] = line.f_at(_TARGET)
        if mix != _BASE:
            off = off_in_errors(line.f_at(_TARGET) - learnt)
            samples[f"errors_off.mix.{mix}"] = off
        samples[f"sampled.{mix}"] = line.rate_at(np.roll(learnt, 1)) / _TARGET
    samples |= {f"late.{mix}.packets": row for mix, row in zip(rates, packets, strict=True)}
    return samples | _variants(studies, learnt)


def _variants(studies: Studies, base: Floats) -> dict[str, np.ndarray | float]:
    """Return f* of other marking curves, and its distance from `base` in standard errors."""
    runs = studies["byte-red-variants"]
    curves: dict[str, dict[str, Any]] = {
        "ratio": {"ratio": 3},
        "average": {"ratio": 6, "max_probability": 1.0},
        "probability": {"max_probability": 0.5},
    }
    samples: dict[str, np.ndarray | float] = {}
    for name, wanted in curves.items():
        own = line_of(_rates(runs, **wanted)).f_at(_TARGET)
        samples[f"f.{name}"] = own
        samples[f"errors_off.curve.{name}"] = abs(off_in_errors(own - base))
    return samples


def draw(studies: Studies, figure: Figure) -> None:
    """Draw the delay rate against f for each mix, and the target."""
    axis = figure.subplots()
    for index, (mix, runs) in enumerate(_mixes(studies).items()):
        rates = _rates(runs)
        means = [float(row.mean()) or float("nan") for row in rates.values()]
        axis.plot(list(rates), means, label=mix, **look(index))
        for f, row in rates.items():
            seeds = row[row > 0]
            style = look(index) | {"linestyle": "none", "markersize": 2}
            axis.plot(np.full(len(seeds), f + 0.002 * (index + 1)), seeds, **style)
    axis.axhline(_TARGET, color="black", linewidth=0.9, linestyle="--", label="target")
    axis.set_yscale("log")
    axis.set(xlabel="lowest threshold / data that the link sends in 15 ms")
    axis.set_ylabel("voice packets later than 16 ms")
    axis.legend(title="voice/web users", loc="upper left", bbox_to_anchor=(1.0, 1.0))
