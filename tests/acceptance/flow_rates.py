# SPDX-License-Identifier: Apache-2.0
"""Figures of runs for tests of strategies: rates, charges and activity of flows."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import pandas as pd

from ecnomy.markets import load, run

__all__ = ["EXAMPLES", "Rates"]

EXAMPLES = Path(__file__).parents[2] / "configs" / "examples"
PS = 10**12


class Rates:
    """A run of an example.

    Attributes:
        result: the run; the tables below are already read.
        agents, flows, epochs, ledger: tables of the run.
        transfers: table of transfers, empty if the example does not record them.
    """

    def __init__(self, example: str, seed: int, *overrides: str) -> None:
        with tempfile.TemporaryDirectory() as folder:
            given = load(EXAMPLES / example, overrides=overrides, seed=seed)
            self.result = run(given, out=Path(folder) / "run")
            self.agents, self.flows = self.result.raw.agents, self.result.raw.flows
            self.epochs = self.result.flow_epochs
            self.ledger = self.result.raw.ledger
            recorded = (Path(folder) / "run" / "transfers.parquet").exists()
            self.transfers = self.result.transfers if recorded else pd.DataFrame()

    def grown(self, source: str, column: str) -> pd.DataFrame:
        """A counter of the source's flows: one row per time [s], one column per flow."""
        own = self.flows["flow"][self.flows["source"] == source]
        rows = self.epochs[self.epochs["flow"].isin(own)]
        table = rows.pivot(index="t_ps", columns="flow", values=column).astype(float)
        table.index = table.index / PS
        return table

    def per_s(self, source: str, column: str, first_s: float, last_s: float) -> np.ndarray:
        """The counter's mean growth per second, for each flow."""
        table = self.grown(source, column)
        return ((table.loc[last_s] - table.loc[first_s]) / (last_s - first_s)).to_numpy()

    def mbps(self, source: str, first_s: float, last_s: float) -> np.ndarray:
        """Goodput of each flow."""
        return 8 * self.per_s(source, "acked_bytes", first_s, last_s) / 1e6

    def charge(self, source: str, first_s: float, last_s: float) -> np.ndarray:
        """The cost of each flow's marks, money/s."""
        return self.per_s(source, "mark_charge_micro", first_s, last_s) / 1e6

    def on(self, flow: int, first_s: float, last_s: float) -> list[tuple[float, float]]:
        """The times at which a flow is on, cut to these limits."""
        said = self.agents[(self.agents["name"] == "active") & (self.agents["flow"] == flow)]
        times = [0.0, *(said["t_ps"] / PS), np.inf]
        states = [1.0, *said["value"]]
        spans = [
            (max(a, first_s), min(b, last_s))
            for a, b, state in zip(times[:-1], times[1:], states, strict=True)
            if state
        ]
        return [(a, b) for a, b in spans if b > a]
