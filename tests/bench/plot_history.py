# SPDX-License-Identifier: Apache-2.0
"""Draws history.png beside this file, instructions per hop of each load in each record.

Prints the change of each load since the last record of an earlier commit, and names the loads that
take 5 % more instructions.
"""

from __future__ import annotations

from pathlib import Path

import matplotlib
import pandas as pd
import seaborn as sns

import history

matplotlib.use("Agg")

import matplotlib.pyplot as plt

__all__ = ["lines", "main"]


def lines(changes: list[history.Change]) -> list[str]:
    """A line for each load, and one that names those that rose."""
    rose = [change.load for change in changes if change.rose]
    return [
        f"{c.load}: {c.now:.0f} instructions per hop, {100 * (c.now / c.before - 1):+.1f} % "
        f"since {c.commit}"
        for c in changes
    ] + [f"rose by 5 % or more: {', '.join(rose) or 'no load'}"]


def main() -> None:
    """One line per load over the records, in the order of their commits."""
    for line in lines(history.changes()):
        print(line)
    counted = pd.DataFrame(
        [
            (f"{record.date[5:]}\n{record.commit}", load, count)
            for record in history.records()
            for load, count in history.instructions(record).items()
        ],
        columns=["record", "load", "instructions"],
    )
    sns.set_theme(style="whitegrid", context="paper")
    figure, axes = plt.subplots(figsize=(8, 3), layout="constrained")
    sns.lineplot(counted, x="record", y="instructions", hue="load", marker="o", ax=axes)
    axes.set(ylim=(0, None), xlabel="date and commit of the record", ylabel="instructions per hop")
    sns.move_legend(axes, "center left", bbox_to_anchor=(1, 0.5), title=None)
    figure.savefig(Path(__file__).with_name("history.png"), dpi=110)


if __name__ == "__main__":
    main()
