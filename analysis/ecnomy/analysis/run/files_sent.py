# SPDX-License-Identifier: Apache-2.0
"""Files that sources sent: how many began and ended, and their transfer times.

The table `transfers` has a row for each file that ended. A file that was still in progress at the
end of the run has no row, but its flow has bytes left (`file_left` of the last report). If many
flows share a row, `file_left` shows that such files exist, but not how many.
"""

from __future__ import annotations

from typing import Final

import msgspec
import numpy as np

from ecnomy.agents.times import PS_PER_S
from ecnomy.analysis.run.families import MOST_GROUPS, family_of
from ecnomy.analysis.run.windows import Epochs
from ecnomy.markets.results.rawrun import RawRun
from ecnomy.markets.results.results import Results

__all__ = ["FilesSent", "files_of", "recorded", "senders_of_files"]

_LAWS: Final = ("file", "on-off", "web")


class FilesSent(msgspec.Struct, frozen=True):
    """The files of a source, or of a family of sources, in the whole run.

    Attributes:
        label: name of the source or family.
        finished: number of complete files.
        given_up: number of files abandoned by impatient users.
        under_way: number of files in progress at the end; a lower bound if `all_seen` is false.
        all_seen: whether all files in progress could be counted.
        median_s, slow_s: median and 95th percentile of transfer times, s; NaN without complete
            files.
    """

    label: str
    finished: int
    given_up: int
    under_way: int
    all_seen: bool
    median_s: float
    slow_s: float

    @property
    def began(self) -> int:
        """Return the number of files that are known to have begun."""
        return self.finished + self.given_up + self.under_way


def senders_of_files(run: RawRun) -> dict[str, list[int]]:
    """Return source (or family, if sources are many) -> rows of its flows that transfer files."""
    rows, sources = run.plan.row_sources(), run.plan.sources
    own = [s.name for s in sources if s.traffic.law in _LAWS]
    family = family_of(run) if len(own) > MOST_GROUPS else {name: name for name in own}
    senders: dict[str, list[int]] = {}
    for row, source in enumerate(rows):
        if source.traffic.law in _LAWS:
            senders.setdefault(family[source.name], []).append(row)
    return senders


def files_of(run: RawRun | Results) -> tuple[FilesSent, ...]:
    """Return the numbers and times of files by source or family; () if files were not recorded.

    Raises:
        ResultsError: a table is missing or unreadable.
    """
    run = run.raw
    senders = senders_of_files(run)
    if not senders or not recorded(run):
        return ()
    return tuple(_files(run, label, rows) for label, rows in senders.items())


def recorded(run: RawRun) -> bool:
    """Return whether the run recorded the table `transfers`."""
    return run.plan.record.transfers and run.file("transfers").is_file()


def _files(run: RawRun, label: str, rows: list[int]) -> FilesSent:
    table = run.transfers
    own = table[table["flow"].isin(rows)]
    whole = own["complete"].to_numpy() == 1
    took_s = ((own["end_ps"] - own["start_ps"]).to_numpy(dtype=np.float64) / PS_PER_S)[whole]
    under_way, all_seen = _under_way(run, rows)
    median, slow = np.percentile(took_s, [50, 95]) if took_s.size else (np.nan, np.nan)
    return FilesSent(
        label=label,
        finished=int(whole.sum()),
        given_up=int((~whole).sum()),
        under_way=under_way,
        all_seen=all_seen,
        median_s=float(median),
        slow_s=float(slow),
    )


def _under_way(run: RawRun, rows: list[int]) -> tuple[int, bool]:
    """Return the number of files in progress at the last report, and whether it is exact."""
    sources = run.plan.row_sources()
    epochs = Epochs(run.flow_epochs, "flow", len(sources))
    if not len(epochs.t_ps):
        return 0, False
    sending = [row for row in rows if epochs.column("file_left")[-1][row] > 0]
    return len(sending), all(sources[row].row_flows == 1 for row in sending)
