# SPDX-License-Identifier: Apache-2.0
"""Table 8: delay and marking rates of three test streams in eight settings."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ecnomy.analysis.reproduce.andreassen2002.blocks import ratio
from ecnomy.analysis.reproduce.andreassen2002.mixes import WEB_USERS, columns, mixes
from ecnomy.analysis.reproduce.curve_style import look
from ecnomy.analysis.reproduce.judge import Samples, interval_of
from ecnomy.analysis.reproduce.studies import Studies
from ecnomy.analysis.statistics.intervals import Interval

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["STREAMS", "controls", "draw", "figures"]

STREAMS = ("stream-1", "stream-2", "stream-3")  # 10, 20 and 30 packets per second
_RATES = ("late", "marking")


def figures(studies: Studies) -> Samples:
    """Return the table's rates, their spread over streams, and ratios by threshold and mix."""
    samples: dict[str, np.ndarray | float | Interval] = {}
    table = mixes(studies["streams"])
    lowest: dict[int, np.ndarray] = {}
    for voice, mix in table.items():
        means = {
            name: np.mean([columns(mix, f"{name}.{stream}") for stream in STREAMS], axis=0)
            for name in _RATES
        }
        for name in _RATES:
            samples[f"{name}.last_over_first.{voice}"] = means[name][-1] / means[name][0]
        lowest[voice] = means["late"][0]
        for threshold, runs in mix.items():
            at = f"{voice}.{threshold}"
            marking = np.array([runs.sample(f"marking.{stream}") for stream in STREAMS])
            samples[f"marking.most_over_least.{at}"] = marking.max(axis=0) / marking.min(axis=0)
            for number, stream in enumerate(STREAMS, 1):
                for name in _RATES:
                    samples[f"{name}.{at}.{number}"] = runs.sample(f"{name}.{stream}")
            for rate in _RATES:
                for number, under in ((2, 1), (3, 1), (3, 2)):
                    pair = f"stream-{number}", f"stream-{under}"
                    samples[f"blocks.{rate}.{at}.{number}_over_{under}"] = ratio(runs, rate, *pair)
            for other in ("voice", "web"):
                samples[f"control.marking.{other}.{at}"] = runs.sample(f"marking.{other}")
    samples |= controls(studies)
    users = sorted(lowest)
    for fewer, more in zip(users, users[1:], strict=False):
        samples[f"late.lowest.{more}_over_{fewer}"] = lowest[more] / lowest[fewer]
    return samples


def controls(studies: Studies) -> dict[str, np.ndarray | float]:
    """Return rates of the 30 packets/s stream with receive windows of 16 kB, and their ratios."""
    samples: dict[str, np.ndarray | float] = {}
    for voice, mix in mixes(studies["narrow-streams"]).items():
        for name in _RATES:
            rows = columns(mix, f"{name}.{STREAMS[-1]}")
            samples[f"control.{name}.last_over_first.{voice}"] = rows[-1] / rows[0]
            for threshold, row in zip(mix, rows, strict=True):
                samples[f"control.{name}.{voice}.{threshold}"] = row
    return samples


def draw(studies: Studies, figure: Figure) -> None:
    """Draw delay and marking rates, with three points per setting."""
    figure.set_size_inches(9, 6)
    axes = figure.subplots(2, 1, sharex=True)
    settings = [
        (f"{voice}/{WEB_USERS[voice]}\n{threshold}", runs)
        for voice, mix in mixes(studies["streams"]).items()
        for threshold, runs in mix.items()
    ]
    for axis, name in zip(axes, _RATES, strict=True):
        for index, stream in enumerate(STREAMS):
            intervals = [interval_of(runs.sample(f"{name}.{stream}")) for _, runs in settings]
            known = [(at, each) for at, each in enumerate(intervals) if each is not None]
            style = look(index) | {"linestyle": "none"}
            axis.errorbar(
                [at + 0.2 * (index - 1) for at, _ in known],
                [each.mean for _, each in known],
                yerr=[[max(each.mean - each.low, 0) for _, each in known],
                      [each.high - each.mean for _, each in known]],
                label=f"{10 * (index + 1)} packets/s", capsize=3, **style,
            )  # fmt: skip
        axis.set_yscale("log")
        axis.set_xticks(range(len(settings)), [label for label, _ in settings])
    axes[0].set_ylabel("lost or later than 15 ms")
    axes[1].set_ylabel("marked")
    axes[1].set_xlabel("voice/web users, largest threshold [packets]")
    axes[0].legend()
