# SPDX-License-Identifier: Apache-2.0
"""The tables of a run by name, as pandas frames that are read on first use."""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["RunTables"]


class RunTables(ABC):
    """A run's tables. Columns and units: markets/README.md."""

    @abstractmethod
    def table(self, name: str) -> pd.DataFrame:
        """Read `<name>.parquet` anew.

        Raises:
            ResultsError: it cannot be read, or this run must have it and has not.
        """

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
        """Decisions of agents, one value per row."""
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
    def calls(self) -> pd.DataFrame:
        """Calls of telephone users, if there are any and the scenario wants them recorded."""
        return self.table("calls")

    @cached_property
    def histograms(self) -> pd.DataFrame:
        """Histograms over the measured window, if the scenario asked for any."""
        return self.table("histograms")

    @cached_property
    def counts(self) -> pd.DataFrame:
        """Counts in bins of time over the measured window, if the scenario asked for any."""
        return self.table("counts")

    @cached_property
    def classes(self) -> pd.DataFrame:
        """Classes of links with a scheduler, in bins of time over the whole run."""
        return self.table("classes")

    @cached_property
    def trace(self) -> pd.DataFrame:
        """Packet events, if the scenario asked for them."""
        return self.table("trace")
