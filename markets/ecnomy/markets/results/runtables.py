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
    """The tables of a run, with the columns and units that markets/README.md lists."""

    @abstractmethod
    def table(self, name: str) -> pd.DataFrame:
        """Return the table `<name>.parquet`, read from disk at each call.

        Raises:
            ResultsError: the table cannot be read, or is missing (see RawRun.table).
        """

    @cached_property
    def flows(self) -> pd.DataFrame:
        """Return one row per flow, over the measured window."""
        return self.table("flows")

    @cached_property
    def links(self) -> pd.DataFrame:
        """Return one row per link, over the measured window."""
        return self.table("links")

    @cached_property
    def pairs(self) -> pd.DataFrame:
        """Return one row per source and link, over the whole run."""
        return self.table("pairs")

    @cached_property
    def flow_epochs(self) -> pd.DataFrame:
        """Return cumulative counters, one row per report and flow."""
        return self.table("flow_epochs")

    @cached_property
    def link_epochs(self) -> pd.DataFrame:
        """Return cumulative counters, one row per report and link."""
        return self.table("link_epochs")

    @cached_property
    def ledger(self) -> pd.DataFrame:
        """Return all postings of the ledger."""
        return self.table("ledger")

    @cached_property
    def agents(self) -> pd.DataFrame:
        """Return the decisions of agents, one value per row."""
        return self.table("agents")

    @cached_property
    def series(self) -> pd.DataFrame:
        """Return sampled series, if the scenario requests them."""
        return self.table("series")

    @cached_property
    def transfers(self) -> pd.DataFrame:
        """Return the records of transfers, if the scenario requests them."""
        return self.table("transfers")

    @cached_property
    def calls(self) -> pd.DataFrame:
        """Return the calls of telephone users, if the scenario has such users and records calls."""
        return self.table("calls")

    @cached_property
    def histograms(self) -> pd.DataFrame:
        """Return histograms over the measured window, if the scenario requests them."""
        return self.table("histograms")

    @cached_property
    def counts(self) -> pd.DataFrame:
        """Return counts in bins of time over the measured window, if the scenario requests them."""
        return self.table("counts")

    @cached_property
    def classes(self) -> pd.DataFrame:
        """Return counters of classes at links in bins of time, if the scenario requests them."""
        return self.table("classes")

    @cached_property
    def trace(self) -> pd.DataFrame:
        """Return packet events, if the scenario requests them."""
        return self.table("trace")
