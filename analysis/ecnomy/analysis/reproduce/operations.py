# SPDX-License-Identifier: Apache-2.0
"""Measures the cost of a packet in a marking law: the number of basic blocks executed.

operations.cc runs the unchanged laws, instrumented by the compiler, and documents the counts. It
needs g++ (or the compiler that CXX names) and the laws' headers. Without them, claims about counts
are not measured.
"""

from __future__ import annotations

import functools
import os
import shutil
import subprocess
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np

from ecnomy.agents.errors import ResultsError
from ecnomy.markets.omnet.installation import project_folder
from ecnomy.markets.support.temporary import temporary_folder

__all__ = ["SOURCE_SHA256", "Count", "blocks", "most_over_least", "slope"]

# Counts depend on this source, so a change to the source changes the digests of entries that use
# counts.
SOURCE_SHA256: Final = "bf8d09e312b295a1646176afcbd4c918606b548e3b1a1497488213f004892396"
_SOURCE: Final = Path(__file__).with_name("operations.cc")
_FLAGS: Final = ("-std=c++20", "-O1", "-ffp-contract=off")
_COUNTED: Final = "-fsanitize-coverage=trace-pc"
_LIMIT_S: Final = 240.0  # a compilation or a count takes seconds


class Count(NamedTuple):
    """The number of basic blocks that a law executes under one load.

    Attributes:
        law: name of the law.
        load: `projection`, `marking`, `packet` (an arrival and a departure), or `timer`.
        flows: number of flows that send in turn.
        waiting: number of packets in the queue.
        mean: blocks per arrival, or per call of the timer.
    """

    law: str
    load: str
    flows: int
    waiting: int
    mean: float


@functools.cache
def blocks() -> tuple[Count, ...]:
    """Return all counts, or () without a compiler or the laws' headers.

    Raises:
        ResultsError: the laws do not compile or do not run.
    """
    compiler = os.environ.get("CXX", "g++").split()
    laws = project_folder() / "laws"
    if shutil.which(compiler[0]) is None or not (laws / "marking/marking.h").is_file():
        return ()
    with temporary_folder() as folder:
        counter, program = folder / "counter.o", folder / "operations"
        _run([*compiler, *_FLAGS, "-DCOUNTER", "-c", str(_SOURCE), "-o", str(counter)])
        made = [str(_SOURCE), str(counter), "-o", str(program)]
        _run([*compiler, *_FLAGS, f"-I{laws}", _COUNTED, *made])
        lines = _run([str(program)]).splitlines()
    return tuple(_count(line.split()) for line in lines)


def _count(words: list[str]) -> Count:
    law, load, flows, waiting, mean, _ = words
    return Count(law, load, int(flows), int(waiting), float(mean))


def _run(command: list[str]) -> str:
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_LIMIT_S)
    except subprocess.TimeoutExpired:
        reason = f"counting a law's operations took longer than {_LIMIT_S:g} s"
        raise ResultsError(f"{command[0]}: {reason}") from None
    if done.returncode:
        said = " ".join(done.stderr.split())[:300]
        raise ResultsError(f"{command[0]}: counting a law's operations failed: {said}")
    return done.stdout


def most_over_least(law: str, load: str, waiting: int | None = None) -> float:
    """Return a law's largest count under a load divided by the smallest, or NaN without counts."""
    means = [
        count.mean
        for count in blocks()
        if (count.law, count.load) == (law, load) and waiting in (None, count.waiting)
    ]
    return max(means) / min(means) if means else float("nan")


def slope(law: str, load: str, flows: int) -> float:
    """Return the exponent with which a count grows with the number of packets waiting, or NaN."""
    means = {
        count.waiting: count.mean
        for count in blocks()
        if (count.law, count.load, count.flows) == (law, load, flows)
    }
    if len(means) < 2:
        return float("nan")
    return float(np.polyfit(np.log(list(means)), np.log(list(means.values())), 1)[0])
