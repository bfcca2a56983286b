# SPDX-License-Identifier: Apache-2.0
"""Reports the mixes at rest on each network of a tournament."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from ecnomy.agents.arrays import Floats
from ecnomy.analysis.tournament.paying import PopulationOutcome, TournamentFindings
from ecnomy.analysis.tournament.wording import money

if TYPE_CHECKING:
    from rich.table import Table

__all__ = ["NETWORKS", "resting_table", "shares_of", "write_networks"]

NETWORKS: Final = "networks.csv"


def shares_of(findings: TournamentFindings, outcome: PopulationOutcome) -> Floats:
    """Return each strategy's share of the players at rest, as a mean over all mixed starts.

    Returns:
        Shares of shape (strategies,), which sum to 1.
    """
    shares = np.zeros(len(findings.table))
    for rest in outcome.rests:
        shares[list(findings.finalists)] += rest.starts * np.asarray(rest.mix)
    return shares


def write_networks(networks: Mapping[str, TournamentFindings], file: Path) -> None:
    """Write a CSV of each strategy's share at rest, and of a player's earnings and payments."""
    with file.open("w", encoding="utf-8", newline="") as out:
        rows = csv.writer(out, lineterminator="\n")
        rows.writerow(("network", "players", "strategy", "share", "earns_per_s", "pays_per_s"))
        for name, findings in networks.items():
            for outcome in findings.outcomes:
                shares = shares_of(findings, outcome)
                for strategy, share in zip(findings.table.names, shares, strict=True):
                    cells = (f"{value:.6g}" for value in (share, outcome.earned, outcome.paid))
                    rows.writerow((name, outcome.players, strategy, *cells))


def resting_table(title: str, networks: Mapping[str, TournamentFindings]) -> Table:
    """Return a table of shares at rest, earnings and payments, by network and population."""
    from ecnomy.markets.cli.table_fit import titled_table

    caption = (
        "strategies: share of players at rest, the mean over starts from mixes of the finalists; "
        "earns, pays: money/s of a player in the mix to which most starts lead"
    )
    table = titled_table(title, caption=caption, caption_justify="left")
    table.add_column("network")
    table.add_column("players", justify="right")
    names = next(iter(networks.values())).table.names
    for column in (*names, "earns", "pays"):
        table.add_column(column, justify="right")
    for name, findings in networks.items():
        for outcome in findings.outcomes:
            shares = [f"{share:.0%}" for share in shares_of(findings, outcome)]
            own = (money(outcome.earned), money(outcome.paid))
            table.add_row(name, str(outcome.players), *shares, *own)
    return table
