# SPDX-License-Identifier: Apache-2.0
"""Section 3.1: WTP changed at the sender only, compared with WTP with an accurate echo.

Over a round of W ACKs at a constant window W, half of them marked, both change the window equally:

    accurate      W gain w / W - (W / 2) gain                = gain (w - W / 2)
    sender only   (W / 2) gain w / W + gain (w - W) / 2      = gain (w - W / 2)
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Final

import msgspec
import numpy as np

from ecnomy.analysis.reproduce.antoniadis2000.ratios import Ratios
from ecnomy.analysis.reproduce.curve_style import band, theory_line
from ecnomy.analysis.reproduce.judge import Sample, Samples
from ecnomy.analysis.reproduce.ranks import rank_correlation
from ecnomy.analysis.reproduce.studies import Runs, Studies

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["draw", "figures", "round_change"]

_LIGHT: Final = "sources.light.transport"
_HEAVY: Final = "sources.heavy.transport"
_NUMBERS: Final = {1: "two", 5: "ten"}


def round_change(window: Fraction, weight: Fraction, gain: Fraction, *, sender: bool) -> Fraction:
    """Return the change of a constant window in a round in which half of the ACKs are marked."""
    if sender:
        return window / 2 * gain * weight / window + gain * (weight - window) / 2
    return window * gain * weight / window - window / 2 * gain


def _measured(runs: Runs) -> dict[tuple[str, str], Ratios]:
    by_law: dict[tuple[str, str], Ratios] = {}
    for value in runs.values(_HEAVY):
        written = msgspec.json.decode(value)
        r = float(str(written["weight"]).split()[0])
        for count, number in _NUMBERS.items():
            own = runs.at({_HEAVY: value, "sources.light.count": count})
            light = own.frame[_LIGHT].map(lambda text: msgspec.json.decode(text)["law"])
            frame = own.frame[light == written["law"]]
            kept = Runs(frame, batches=own.batches, budget=own.budget)
            ratio = kept.sample("heavy.goodput_bps") / kept.sample("light.goodput_bps")
            by_law.setdefault((written["law"], number), {})[r] = ratio
    return by_law


def _most_share(runs: Runs) -> dict[str, np.ndarray]:
    """Return each law's largest throughput divided by the mean, for ten flows of equal weight."""
    largest = {}
    for value in runs.values(_HEAVY):
        written = msgspec.json.decode(value)
        if value in runs.values(_LIGHT):  # weight 1, as for light flows
            own = runs.at({_HEAVY: value, _LIGHT: value, "sources.light.count": 5})
            largest[written["law"]] = own.sample("most_share")
    return largest


def figures(studies: Studies) -> Samples:
    """Return the throughput ratios of both laws, their quotient, and the error of the identity."""
    measured = _measured(studies["sender"])
    samples: dict[str, Sample] = {"identity.difference": _difference()}
    for law, share in _most_share(studies["sender"]).items():
        samples[f"most_share.{law}.ten.r=1"] = share
    for number in _NUMBERS.values():
        own, accurate = measured["wtp-sender", number], measured["wtp", number]
        samples[f"{number}.rank_correlation"] = rank_correlation(own)
        for r, ratio in own.items():
            size = "small" if r <= 4 else "large"
            samples[f"over_accurate.{size}.{number}.r={r:g}"] = ratio / accurate[r]
            samples[f"{number}.ratio.r={r:g}"] = ratio
            samples[f"accurate.{number}.ratio.r={r:g}"] = accurate[r]
    return samples


def _difference() -> float:
    """Return the largest difference of the two window changes over windows, weights and gains."""
    numbers = [Fraction(n, 7) for n in (3, 7, 20, 100)]
    return max(
        float(abs(round_change(*args, sender=True) - round_change(*args, sender=False)))
        for args in ((w, weight, gain) for w in numbers for weight in numbers for gain in numbers)
    )


def draw(studies: Studies, figure: Figure) -> None:
    """Draw the ratio of throughputs against the ratio of weights, for two flows and for ten."""
    figure.set_size_inches(9.5, 4.5)
    measured = _measured(studies["sender"])
    labels = {"wtp": "accurate echo", "wtp-sender": "sender only, RFC 3168 echo"}
    titles = {"two": "two flows", "ten": "five and five flows"}
    for axis, (number, title) in zip(figure.subplots(1, 2), titles.items(), strict=True):
        for index, (law, label) in enumerate(labels.items()):
            own = measured[law, number]
            band(axis, list(own), list(own.values()), index, label)
        ends = [1, max(own)]
        theory_line(axis, ends, ends, "equal ratios")
        axis.set(xlabel="ratio of weights, heavy / light", title=title)
        axis.set(ylabel="ratio of throughput, heavy / light")
        axis.set_ylim(bottom=0)
        axis.legend(loc="upper left")
