# SPDX-License-Identifier: Apache-2.0
"""Table 7: three sets of test streams compared with all UDP traffic, with controls."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from ecnomy.analysis.reproduce.andreassen2002.blocks import ratio
from ecnomy.analysis.reproduce.andreassen2002.stream_table import STREAMS, controls
from ecnomy.analysis.reproduce.curve_style import look
from ecnomy.analysis.reproduce.judge import Samples, interval_of
from ecnomy.analysis.reproduce.studies import Runs, Studies
from ecnomy.analysis.statistics.intervals import Interval

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["SETS", "draw", "figures", "of_set", "off_in_errors"]

_LARGE_BPS: Final = 81920
_RATE: Final = "sources.stream-1.traffic.rate"
_SIZE: Final = "sources.stream-3.transport.payload"
_VOICE: Final = "sources.voice.count"
_CALLS: Final = "sources.voice.traffic"
_BY_BYTES: Final = "network.links.bottleneck.marking.byte_mark"
SETS: Final = {  # packets per second of the three streams, and their IP bytes
    "rate": ((10.0, 20.0, 30.0), (128, 128, 128)),
    "size": ((10.0, 10.0, 10.0), (128, 228, 328)),
    "large": ((80.0, 159.7, 238.9), (128, 128, 128)),
}


def of_set(runs: Runs, name: str) -> Runs:
    """Return the runs of a set of streams.

    In `steady` and `step`, which otherwise equal `rate`, calls never end; in `step`, they are
    synchronised. In `bytes`, which otherwise equals `size`, the marking probability is
    proportional to the packet length.
    """
    frame = runs.frame
    constant = frame[_VOICE] < frame[_VOICE].max()
    in_step = frame[_CALLS].astype(str).str.contains("tick")
    by_bytes = frame[_BY_BYTES].astype(str) == "True"
    large, sizes = frame[_RATE] == _LARGE_BPS, frame[_SIZE] > frame[_SIZE].min()
    kept = {
        "rate": ~constant & ~large & ~sizes,
        "size": ~by_bytes & sizes,
        "large": large,
        "steady": constant & ~in_step,
        "step": constant & in_step,
        "bytes": by_bytes,
    }[name]
    return Runs(frame[kept], batches=False, budget=runs.budget)


def off_in_errors(row: np.ndarray) -> float:
    """Return the mean divided by its standard error."""
    return float(row.mean() / (row.std(ddof=1) / np.sqrt(len(row))))


def figures(studies: Studies) -> Samples:
    """Return ratios of marking and delay rates: UDP / each stream, and each stream / the first."""
    samples: dict[str, np.ndarray | float | Interval] = {}
    sets = {name: of_set(studies["stream-sets"], name) for name in (*SETS, "steady", "step")}
    for name, runs in sets.items():
        control = "" if name in SETS else "control."
        for number, stream in enumerate(STREAMS, 1):
            for rate in ("marking", "late"):
                own = runs.sample(f"{rate}.{stream}")
                samples[f"{rate}.{name}.{number}"] = own
                over = runs.sample(f"{rate}.udp") / own
                samples[f"{control}{rate}.udp_over_stream.{name}.{number}"] = over
    first = sets["rate"].sample("marks.stream-1")
    for number, stream in enumerate(STREAMS[1:], 2):
        samples[f"marks.{number}_over_1"] = sets["rate"].sample(f"marks.{stream}") / first
        own = sets["rate"].sample(f"marking.{stream}")
        samples[f"marking.rate.{number}_over_1"] = own / sets["rate"].sample("marking.stream-1")
    by_bytes = of_set(studies["stream-sets"], "bytes")
    for number, size in enumerate(SETS["size"][1][1:], 2):
        own, smallest = (sets["size"].sample(f"marking.stream-{n}") for n in (number, 1))
        samples[f"errors_off.size.{size}_minus_128"] = off_in_errors(own - smallest)
        over = by_bytes.sample(f"marking.stream-{number}") / by_bytes.sample("marking.stream-1")
        samples[f"bytes.marking.{size}_over_128"] = over
    for name, runs in sets.items():
        samples |= _by_blocks(name, runs)
    return samples | controls(studies)


def _by_blocks(name: str, runs: Runs) -> dict[str, float | Interval]:
    """Return a set's ratios of rates by blocks of 60 s.

    `alike` is 1 if the interval of a stream's rate / the first stream's contains 1, otherwise 0.
    """
    samples: dict[str, float | Interval] = {}
    control = "" if name in SETS else "control."
    for rate in ("marking", "late"):
        for number, stream in enumerate(STREAMS, 1):
            at = f"{control}blocks.{rate}.{name}"
            samples[f"{at}.udp_over_{number}"] = ratio(runs, rate, "udp", stream)
            if number > 1:
                own = ratio(runs, rate, stream, STREAMS[0])
                samples[f"{at}.{number}_over_1"] = own
                samples[f"{control}alike.{rate}.{name}.{number}"] = float(own.low <= 1 <= own.high)
    return samples


def draw(studies: Studies, figure: Figure) -> None:
    """Draw both rates of each stream and of all UDP traffic, with one group of points per set."""
    figure.set_size_inches(9, 6)
    axes = figure.subplots(2, 1, sharex=True)
    names = {
        "rate": "10, 20, 30\npackets/s",
        "size": "128, 228,\n328 bytes",
        "large": "80, 160, 239\npackets/s",
        "steady": "10, 20, 30,\n91 endless calls",
        "step": "the same,\nall in step",
    }
    for axis, rate in zip(axes, ("late", "marking"), strict=True):
        for index, source in enumerate((*STREAMS, "udp")):
            for at, name in enumerate(names):
                each = interval_of(of_set(studies["stream-sets"], name).sample(f"{rate}.{source}"))
                if each is None:
                    continue
                style = look(index) | {"linestyle": "none"}
                label = "all udp" if source == "udp" else f"stream {index + 1}"
                axis.errorbar(
                    [at + 0.15 * (index - 1.5)], [each.mean], capsize=3,
                    yerr=[[each.mean - each.low], [each.high - each.mean]],
                    label=label if at == 0 else None, **style,
                )  # fmt: skip
        axis.set_xticks(range(len(names)), list(names.values()))
    axes[0].set_ylim(bottom=0)
    axes[1].set_yscale("log")  # synchronised calls lie far above the others
    axes[0].set_ylabel("lost or later than 15 ms")
    axes[1].set_ylabel("marked")
    axes[0].legend(ncols=4, loc="lower left")
