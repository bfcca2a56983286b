# SPDX-License-Identifier: Apache-2.0
"""What a run hands back: its folder, and its tables as pandas frames, read when first asked for."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from ecnomy.agents.errors import ResultsError

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["RunResult"]


@dataclass(frozen=True)
class RunResult:
    """The results of one run. Columns and units: markets/README.md.

    Attributes:
        folder: where they are.
        complete: whether the run came to its end.
    """

    folder: Path
    complete: bool

    def table(self, name: str) -> pd.DataFrame:
        """Read a table anew.

        Raises:
            ResultsError: this run has no such table.
        """
        import pandas as pd

        file = self.folder / f"{name}.parquet"
        if not file.is_file():
            raise ResultsError(f"{file}: this run has no such table")
        return pd.read_parquet(file)

    @cached_property
    def flows(self) -> pd.DataFrame:
        """One row per flow, over the measured window."""
        return self.table("flows")

    @cached_property
    def links(self) -> pd.DataFrame:
        """One row per link, over the measured window."""
        return self.table("links")

    @cached_property
    def pairs(self) -> pd.DataFrame:
        """One row per source and link, over the whole run."""
        return self.table("pairs")

    @cached_property
    def flow_epochs(self) -> pd.DataFrame:
        """Cumulative counters, one row per report and flow."""
        return self.table("flow_epochs")

    @cached_property
    def link_epochs(self) -> pd.DataFrame:
        """Cumulative counters, one row per report and link."""
        return self.table("link_epochs")

    @cached_property
    def ledger(self) -> pd.DataFrame:
        """All postings."""
        return self.table("ledger")

    @cached_property
    def agents(self) -> pd.DataFrame:
        """What agents decided, one value a row."""
        return self.table("agents")

    @cached_property
    def series(self) -> pd.DataFrame:
        """Sampled series, if the scenario asked for any."""
        return self.table("series")

    @cached_property
    def transfers(self) -> pd.DataFrame:
        """Finished transfers, if the scenario asked for them."""
        return self.table("transfers")

    @cached_property
    def trace(self) -> pd.DataFrame:
        """Packet events, if the scenario asked for them."""
        return self.table("trace")
