# SPDX-License-Identifier: Apache-2.0
"""Marking rates M and delay rates L of test streams, in samples of three minutes and of 20 s.

M is marked / sent, and L is (lost or later than 15 ms) / sent. Both count the packets of one stream
in one sample (Andreassen 2002, 4.1 and 4.3). The test streams are the sources whose names begin
with `stream`. The epoch must divide a short sample.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from ecnomy.agents.arrays import Floats
from ecnomy.agents.times import PS_PER_S
from ecnomy.analysis.statistics.intervals import correlation

if TYPE_CHECKING:
    from ecnomy.markets.results.rawrun import RawRun

__all__ = [
    *("SHORT_S", "SampledStream", "counts_of", "of_counts", "streams"),
    "with_the_one_before",
]

LONG_S: Final = 180
SHORT_S: Final = 20
LATE: Final = "late_1"  # the threshold of 15 ms, the second threshold in one-queue.yaml


class SampledStream(NamedTuple):
    """Samples of one stream, in order of time.

    Attributes:
        marking: M of each sample.
        late: L of each sample.
    """

    marking: Floats
    late: Floats


def of_counts(sent: Floats, marked: Floats, late: Floats, steps: int) -> SampledStream:
    """Return samples of `steps` epochs, from cumulative counts at the ends of epochs.

    Args:
        sent: packets sent, at the beginning and after each epoch.
        marked: packets marked, at the same times.
        late: packets lost or late, at the same times.
        steps: number of epochs in a sample. The remaining epochs at the end are dropped.
    """
    whole = (len(sent) - 1) // steps * steps + 1
    packets, marks, lates = (np.diff(row[:whole:steps]) for row in (sent, marked, late))
    return SampledStream(marks / packets, lates / packets)


def with_the_one_before(x: Floats, before: Floats) -> float:
    """Return the correlation of samples of x with the preceding samples of `before`."""
    return correlation(x[1:], before[:-1])


def streams(results: Path) -> Mapping[str, float | list[float] | None]:
    """Return marking and delay rates of each source, and the samples of each test stream.

    Returns:
        marks (number of marked packets), marking (M) and late (L) over the measured window, of each
        stream, of `udp` (calls and streams), `voice` and `web`. For each stream: sample.marking
        and sample.late, rows of samples of three minutes; and short.both, short.marking_before and
        short.late_before, the correlations in samples of 20 s of M with L, of M with the previous
        M, and of L with the previous M.
    """
    from ecnomy.markets.results.rawrun import open_raw

    run = open_raw(results)
    counts = counts_of(run)
    tests = [name for name in counts if name.startswith("stream")]
    columns: dict[str, float | list[float] | None] = {}
    for name, (sent, marked, late) in counts.items():
        total = float(sent[-1] - sent[0])
        columns[f"marks.{name}"] = float(marked[-1] - marked[0])
        columns[f"marking.{name}"] = float(marked[-1] - marked[0]) / total
        columns[f"late.{name}"] = float(late[-1] - late[0]) / total
    for name in tests:
        columns |= _of_stream(name, *counts[name])
    return columns


def _of_stream(
    name: str, sent: Floats, marked: Floats, late: Floats
) -> dict[str, float | list[float] | None]:
    long = of_counts(sent, marked, late, LONG_S // SHORT_S)
    short = of_counts(sent, marked, late, 1)
    pairs = {
        "both": correlation(short.marking, short.late),
        "marking_before": with_the_one_before(short.marking, short.marking),
        "late_before": with_the_one_before(short.late, short.marking),
    }
    return {
        f"sample.marking.{name}": long.marking.tolist(),
        f"sample.late.{name}": long.late.tolist(),
        **{f"short.{key}.{name}": r if np.isfinite(r) else None for key, r in pairs.items()},
    }


def counts_of(run: RawRun) -> dict[str, Floats]:
    """Return cumulative packets sent, marked, and late or lost, by source and `udp`: [3, time]."""
    table: Any = run.table("flow_epochs")
    table = table[(table["t_ps"] - run.measured.from_ps) % (SHORT_S * PS_PER_S) == 0]
    table = table[table["t_ps"] >= run.measured.from_ps].sort_values("t_ps")
    by_source: dict[str, Floats] = {}
    flows: Any = run.table("flows")
    for flow, source in zip(flows["flow"], flows["source"], strict=True):
        own = table[table["flow"] == flow]
        columns = (own["sent"], own["ce"], own[LATE] + own["lost"])
        counts = np.array([column.to_numpy(dtype=np.float64) for column in columns])
        by_source[source] = by_source[source] + counts if source in by_source else counts
    udp = [name for name in by_source if name.startswith("stream") or name == "voice"]
    by_source["udp"] = sum((by_source[name] for name in udp), start=0 * by_source["voice"])
    return by_source
