# SPDX-License-Identifier: Apache-2.0
"""Results of a run that writes no tables (`open_market(tables=False)`), kept in memory.

They contain the tables `flows`, `links` and `pairs`, the summary, the balances and the manifest.
All other tables require a folder.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import msgspec
import numpy as np
import numpy.typing as npt

from ecnomy.agents.errors import ResultsError
from ecnomy.markets.bridge.messages import Record, Report
from ecnomy.markets.economy.journal import ACTIVE
from ecnomy.markets.economy.market_like import MarketLike
from ecnomy.markets.plan import Plan
from ecnomy.markets.results.flows_and_links import Measuring
from ecnomy.markets.results.groups import GroupMeans, groups_of
from ecnomy.markets.results.manifest import Manifest
from ecnomy.markets.results.rawrun import RawRun
from ecnomy.markets.results.results import Results
from ecnomy.markets.results.switches import Switches
from ecnomy.markets.results.table_writer import Taken
from ecnomy.markets.results.writer import UNFINISHED, manifest_head
from ecnomy.markets.terms.ledger_kinds import MARKS

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

__all__ = ["InMemory"]

_NOWHERE: Final = Path("(in memory)")


class InMemory:
    """Receives the output of a run, message by message, as ResultsWriter does.

    Attributes:
        results: results of the run, which have no tables before the run ends.
    """

    def __init__(self, plan: Plan, scenario: dict[str, Any]) -> None:
        """Start with empty results.

        Args:
            plan: plan of the run.
            scenario: the scenario as plain values, for the manifest.
        """
        self._head = manifest_head(plan, scenario) | {"complete": False, "reason": UNFINISHED}
        self._plan, self._measuring = plan, Measuring(plan)
        self._background: set[int] = set()
        self._switched: list[tuple[npt.NDArray[Any], ...]] = []
        self.results = Results(_InMemoryRun(self._manifest(), {}, []))

    def log(self, line: str) -> None:
        """Ignore a line of the log."""

    def engine(self, name: str, version: str) -> None:
        """See Sink."""
        self._head["versions"]["engine"] = f"{name} {version}"

    def report(self, report: Report, market: MarketLike) -> None:
        """See Sink."""
        self._measuring.report(report, market)
        self._take(market)

    def record(self, record: Record) -> None:
        """Ignore recorded rows."""

    def finish(
        self, market: MarketLike, machine: dict[str, Any], *, reason: str | None = None
    ) -> None:
        """Build the results. `reason` explains an incomplete run; None means a complete run."""
        self._take(market)
        self._head |= self._measuring.ending(market)
        self._head |= {"complete": reason is None, "reason": reason}
        manifest, tables = self._manifest(), self._measuring.tables(market)
        self.results = Results(_InMemoryRun(manifest, tables, self._groups(manifest, tables)))

    def close(self) -> None:
        """Do nothing, because nothing is open."""

    def _manifest(self) -> Manifest:
        return msgspec.convert(self._head, Manifest)

    def _take(self, market: MarketLike) -> None:
        """Collect background flows from postings, and switches of flows from decisions."""
        names = market.ledger.names
        for rows in market.ledger.take():
            if rows.kind == MARKS:
                own = [names[i].startswith("source:") for i in rows.debit.tolist()]
                self._background.update(rows.flow[np.array(own, dtype=np.bool_)].tolist())
        for entry in market.journal.take():
            if entry.name == ACTIVE:
                t_ps = np.full(len(entry.flow), entry.t_ps, dtype=np.int64)
                self._switched.append((t_ps, entry.flow, entry.value))

    def _groups(self, manifest: Manifest, tables: dict[str, dict[str, Any]]) -> list[GroupMeans]:
        none = np.zeros(0, dtype=np.int64)
        columns = zip(*self._switched, strict=True) if self._switched else ([none],) * 3
        switches = Switches(self._plan, *(np.concatenate(column) for column in columns))
        measured = manifest.measured
        assert measured is not None
        if measured.to_ps <= measured.from_ps:
            return []
        return groups_of(tables["flows"], self._background, switches, measured)


class _InMemoryRun(RawRun):
    def __init__(
        self, manifest: Manifest, tables: dict[str, dict[str, Any]], groups: list[GroupMeans]
    ) -> None:
        super().__init__(_NOWHERE, manifest)
        self._tables, self._rows = tables, groups

    def groups(self) -> list[GroupMeans]:
        """See RawRun."""
        return self._rows

    def table(self, name: str, columns: Sequence[str] | None = None) -> pd.DataFrame:
        """See RawRun.

        Raises:
            ResultsError: the table is not in memory.
        """
        import pandas as pd

        if name not in self._tables:
            raise ResultsError(
                (
                    f"the table {name} is not kept with tables=False; available: "
                    f"{', '.join(self._tables)}. Open the market without tables=False to keep all"
                )
                if self._tables
                else "the run has not ended; close the market before you read its results"
            )
        there = self._tables[name].items()
        return pd.DataFrame(
            {key: _plain(column) for key, column in there if columns is None or key in columns}
        )


def _plain(column: Any) -> Any:
    return [column.names[i] for i in column.index] if isinstance(column, Taken) else column
