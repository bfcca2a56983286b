# SPDX-License-Identifier: Apache-2.0
"""Calls from an unlimited population, and how many of them found all lines busy."""

from __future__ import annotations

import msgspec

from ecnomy.markets.compile.line_load import erlang_b, is_pooled, load
from ecnomy.markets.results.rawrun import RawRun

__all__ = ["BusyLines", "lines_of"]

_NO_LINE = -1  # the user number of a call that found all lines busy (PROTOCOL.md)


class BusyLines(msgspec.Struct, frozen=True):
    """Counts of a source's calls that began in the measured window.

    Attributes:
        source: name of the source.
        lines: number of lines of the source.
        calls: number of calls.
        lost: number of calls that found all lines busy.
        erlang_b: share of lost calls that Erlang's B formula predicts; None if the call rate
            follows a profile, or if a provider may refuse calls.
    """

    source: str
    lines: int
    calls: int
    lost: int
    erlang_b: float | None

    def __str__(self) -> str:
        """Return a one-line summary for users."""
        share = f" ({self.lost / self.calls:.2%})" if self.calls else ""
        lines = "the only line" if self.lines == 1 else f"all {self.lines} lines"
        theory = "" if self.erlang_b is None else f"; Erlang's B formula gives {self.erlang_b:.2%}"
        return (
            f"{self.source}: {self.lost:,} of {self.calls:,} calls{share} found {lines} "
            f"of the source busy{theory}"
        )


def lines_of(run: RawRun) -> list[BusyLines]:
    """Return call counts by source with an unlimited population; [] if calls were not recorded.

    Raises:
        ResultsError: a table is missing or unreadable.
    """
    sources = [source for source in run.plan.sources if is_pooled(source)]
    if not sources or not run.file("calls").is_file():
        return []
    calls = run.calls
    calls = calls[calls.start_ps >= run.measured.from_ps]
    source_of = run.flows.set_index("flow").source.reindex(calls.flow).to_numpy()
    lines = []
    for source in sources:
        own = calls[source_of == source.name]
        free = not source.profile.steps and not source.calls.ask
        lines.append(
            BusyLines(
                source=source.name,
                lines=source.count,
                calls=len(own),
                lost=int((own.user == _NO_LINE).sum()),
                erlang_b=erlang_b(load(source), source.count) if free else None,
            )
        )
    return lines
