# SPDX-License-Identifier: Apache-2.0
"""Makes the runs of the entries that were asked for, study by study, and judges them."""

from __future__ import annotations

import concurrent.futures
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final, TypeVar

import msgspec

from ecnomy.analysis.reproduce.catalogue import Paper
from ecnomy.analysis.reproduce.entries import Measured, Outcome, measured
from ecnomy.analysis.reproduce.judge import INCONCLUSIVE
from ecnomy.analysis.reproduce.studies import (
    Form,
    Listener,
    load_study,
    make_study,
)
from ecnomy.markets.sweep.pool import Pool

__all__ = ["Reproduced", "reproduce", "studies_of"]

T = TypeVar("T")
_MOST_DOUBLINGS: Final = 2  # 10, 20, 40


class Reproduced(msgspec.Struct, frozen=True, eq=False):
    """An entry with what was measured of it."""

    paper: Paper
    item: str
    measured: Measured

    @property
    def outcomes(self) -> tuple[Outcome, ...]:
        """Of its claims."""
        return self.measured.outcomes

    @property
    def data_packets(self) -> int:
        """Sent by all its runs."""
        return self.measured.studies.data_packets

    @property
    def budget(self) -> float:
        """Data packets that its studies may send, with the seeds they have in their files."""
        entry = self.paper.entries[self.item]
        return sum(self.paper.studies[name].budget for name in entry.studies)


def studies_of(selected: Iterable[tuple[Paper, str]]) -> list[tuple[Paper, str]]:
    """The studies of the entries, each once; those with nothing to judge have none."""
    found: dict[tuple[str, str], tuple[Paper, str]] = {}
    for paper, item in selected:
        for study in paper.entries[item].studies:
            found.setdefault((paper.paper, study), (paper, study))
    return list(found.values())


def reproduce(
    selected: Sequence[tuple[Paper, str]],
    form: Form,
    pool: Callable[[], Pool],
    listener: Listener,
    *,
    resolve: bool = False,
    done: Callable[[Reproduced], None] = lambda _: None,
) -> list[Reproduced]:
    """Make what is missing and judge it, entry by entry.

    Args:
        selected: papers and entry ids.
        form: how, and where runs are kept.
        pool: starts the workers, when the first run is missing.
        listener: told how it goes.
        resolve: double the seeds of entries with an inconclusive claim, up to 40.
        done: told of each entry.

    Raises:
        EcnomyError: runs failed, or workers are gone.
    """
    results = []
    lazy = _Lazy(pool)
    try:
        for paper, item in selected:
            found = _entry(paper, item, form, lazy, listener, resolve)
            results.append(found)
            done(found)
    finally:
        lazy.close()
    return results


def _entry(
    paper: Paper, item: str, form: Form, lazy: _Lazy, listener: Listener, resolve: bool
) -> Reproduced:
    entry = paper.entries[item]
    for doublings in range(_MOST_DOUBLINGS + 1 if resolve else 1):
        grown = [name for name in entry.studies if _grows(paper, name, form, doublings)]
        if doublings and not grown:
            break
        for name in entry.studies:
            make_study(paper, name, form, lazy, listener, doublings)
        found = Reproduced(paper, item, measured(paper, item, form))
        if all(o.verdict.verdict != INCONCLUSIVE for o in found.outcomes):
            break
    return found


def _grows(paper: Paper, name: str, form: Form, doublings: int) -> bool:
    """Whether another doubling gives a study more seeds."""
    if paper.studies[name].batches:
        return False
    replicates = load_study(paper, name, form, doublings).replicates
    return replicates > load_study(paper, name, form, max(0, doublings - 1)).replicates


class _Lazy:
    """A pool whose workers are started when the first run is handed out."""

    def __init__(self, start: Callable[[], Pool]) -> None:
        self._start = start
        self._pool: Pool | None = None

    def _started(self) -> Pool:
        if self._pool is None:
            self._pool = self._start()
        return self._pool

    @property
    def workers(self) -> int:
        """See Pool."""
        return self._started().workers

    @property
    def lost(self) -> bool:
        """See Pool."""
        return self._started().lost

    def submit(self, function: Callable[..., T], task: Any) -> concurrent.futures.Future[T]:
        """See Pool."""
        return self._started().submit(function, task)

    def close(self) -> None:
        """See Pool."""
        if self._pool is not None:
            self._pool.close()
