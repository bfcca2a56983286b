# SPDX-License-Identifier: Apache-2.0
"""All sources over all link algorithms: checks that every pair must pass, and a table."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec
import numpy as np

from ecnomy.analysis.reproduce.judge import Samples
from ecnomy.analysis.reproduce.studies import Runs, Studies
from ecnomy.analysis.statistics.intervals import jain
from ecnomy.markets.results.rawrun import open_raw

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["balances", "draw", "figures"]

LINK: Final = "network.links.bottleneck.marking"
SOURCE: Final = "sources.flows.transport"
COLUMNS: Final = {
    "utilization": "utilization",
    "delay_s": "mean_wait_s",
    "loss": "loss",
    "jain": "jain",
}


def balances(results: Path) -> dict[str, float]:
    """Return the number of packets that a run cannot account for, the loss, and the fairness.

    Returns:
        `unaccounted`, the largest |arrivals - drops - departures - waiting| of a link since the
        start, plus the largest number of packets that a flow delivered and lost beyond those it
        sent; `bottleneck.loss`, drops / arrivals; `bottleneck.jain`, Jain's index of goodputs.
    """
    run = open_raw(results)
    epochs = run.table("link_epochs")
    last = epochs[epochs["t_ps"] == epochs["t_ps"].max()]
    left = last["arrivals"] - last["drops"] - last["departures"] - last["queue_packets"]
    rows = run.table("flow_epochs")
    flows = rows[rows["t_ps"] == rows["t_ps"].max()]
    over = (flows["delivered"] + flows["lost"] - flows["sent"]).clip(lower=0)
    names = [link.name for link in run.plan.links]
    bottleneck = last[last["link"] == names.index("bottleneck")].iloc[0]
    return {
        "unaccounted": float(left.abs().max() + over.max()),
        "bottleneck.loss": float(bottleneck["drops"] / max(bottleneck["arrivals"], 1)),
        "bottleneck.jain": jain(run.table("flows")["goodput_bps"].to_numpy()),
    }


def _cells(studies: Studies) -> dict[tuple[str, str], Runs]:
    runs = studies["matrix"]
    return {
        (_short(source), _short(link)): runs.at({LINK: link, SOURCE: source})
        for source in runs.values(SOURCE)
        for link in runs.values(LINK)
    }


def _short(value: str) -> str:
    """Return the name of a law, with the option that distinguishes its variants."""
    law: dict[str, str] = msgspec.json.decode(value)
    variant = law.get("variant") or law.get("form")
    return law["law"] + (f":{variant}" if variant else "")


def figures(studies: Studies) -> Samples:
    """Return the columns by source and link algorithm, and the extremes over all runs."""
    samples: dict[str, np.ndarray | float] = {}
    for (source, link), runs in _cells(studies).items():
        for short, column in COLUMNS.items():
            samples[f"{short}.{source}.{link}"] = runs.sample(f"bottleneck.{column}")
    frame = studies["matrix"].frame
    for short in ("utilization", "jain"):
        samples[f"least.{short}"] = float(frame[f"bottleneck.{short}"].min())
        samples[f"most.{short}"] = float(frame[f"bottleneck.{short}"].max())
    samples["most.unaccounted"] = float(frame["unaccounted"].max())
    return samples


def draw(studies: Studies, figure: Figure) -> None:
    """Draw four tables of means, with one row per source and one column per link algorithm."""
    figure.set_size_inches(13, 8)
    cells = _cells(studies)
    sources = list(dict.fromkeys(source for source, _ in cells))
    links = list(dict.fromkeys(link for _, link in cells))
    titles = ("utilization, %", "mean wait, ms", "loss, %", "Jain's index")
    factors = (100, 1000, 100, 1)
    panels = zip(figure.subplots(2, 2).flat, COLUMNS.values(), titles, factors, strict=True)
    for axis, column, title, factor in panels:
        means = np.array(
            [
                [factor * cells[s, link].sample(f"bottleneck.{column}").mean() for link in links]
                for s in sources
            ]
        )
        axis.imshow(means, cmap="Greys", aspect="auto", alpha=0.4)
        for row, values in enumerate(means):
            for place, value in enumerate(values):
                axis.text(place, row, f"{value:.3g}", ha="center", va="center", fontsize="small")
        axis.set_xticks(range(len(links)), links, rotation=35, ha="right", fontsize="small")
        axis.set_yticks(range(len(sources)), sources, fontsize="small")
        axis.set_title(title)
        axis.grid(visible=False)
