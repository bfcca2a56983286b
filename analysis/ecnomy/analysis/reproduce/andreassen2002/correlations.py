# SPDX-License-Identifier: Apache-2.0
"""Section 4.3.3: whether a sample's marking rate predicts its delay rate or the next sample's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from ecnomy.agents.arrays import Floats
from ecnomy.agents.errors import InputError
from ecnomy.analysis import theory
from ecnomy.analysis.reproduce.andreassen2002.mixes import WEB_USERS, mixes
from ecnomy.analysis.reproduce.andreassen2002.samples import with_the_one_before
from ecnomy.analysis.reproduce.andreassen2002.stream_table import STREAMS
from ecnomy.analysis.reproduce.curve_style import look
from ecnomy.analysis.reproduce.judge import Samples
from ecnomy.analysis.reproduce.studies import Runs, Studies
from ecnomy.analysis.statistics.intervals import correlation

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["accepted_over_all", "draw", "figures", "of_long_samples"]

KINDS: Final = {
    "both": "M with L",
    "marking_before": "M with the M before",
    "late_before": "L with the M before",
}
_BLOCKED: Final = 0.1  # B^G


def accepted_over_all(marking: Floats, late: Floats) -> float:
    """Return the mean delay rate after accepted samples divided by that after all samples.

    A sample is accepted if its marking rate is at most the (1 - B^G) quantile of a Beta
    distribution fitted by moments. The result is NaN if no Beta distribution fits.
    """
    try:
        fit = theory.BetaMarking.of_moments(float(marking.mean()), float(marking.var(ddof=1)))
    except InputError:
        return float("nan")
    accepted = marking[:-1] <= fit.blocking_threshold(_BLOCKED)
    return float(late[1:][accepted].mean() / late[1:].mean())


def _correlations(marking: Floats, late: Floats) -> dict[str, float]:
    return {
        "both": correlation(marking, late),
        "marking_before": with_the_one_before(marking, marking),
        "late_before": with_the_one_before(late, marking),
    }


def of_long_samples(runs: Runs, stream: str, part: float = 1.0) -> dict[str, Floats]:
    """Return the correlations in KINDS for a stream in the first `part` of each run, per seed."""
    rows = zip(runs.row(f"sample.marking.{stream}"), runs.row(f"sample.late.{stream}"), strict=True)
    by_seed = []
    for marking, late in rows:
        count = round(part * len(marking))
        by_seed.append(_correlations(marking[:count], late[:count]))
    return {kind: np.array([each[kind] for each in by_seed]) for kind in KINDS}


def _tables(studies: Studies) -> dict[str, Floats]:
    """Return correlations of shape [setting, stream, seed] by sample length and kind."""
    settings = [runs for mix in mixes(studies["streams"]).values() for runs in mix.values()]
    tables: dict[str, list[list[Floats]]] = {}
    for runs in settings:
        whole = [of_long_samples(runs, stream) for stream in STREAMS]
        half = [of_long_samples(runs, stream, part=0.5) for stream in STREAMS]
        tables.setdefault("half.both", []).append([each["both"] for each in half])
        for kind in KINDS:
            tables.setdefault(f"long.{kind}", []).append([each[kind] for each in whole])
            short = [runs.sample(f"short.{kind}.{stream}") for stream in STREAMS]
            tables.setdefault(f"short.{kind}", []).append(short)
    return {name: np.array(rows) for name, rows in tables.items()}


def figures(studies: Studies) -> Samples:
    """Return extremes and means of the correlations, and the effect of blocking on delay rates."""
    samples: dict[str, np.ndarray | float] = {}
    tables = _tables(studies)
    for length in ("long", "short"):
        flat = {kind: np.concatenate(tables[f"{length}.{kind}"]) for kind in KINDS}
        for kind, row in flat.items():
            samples[f"{length}.most.{kind}"] = np.nanmax(row, axis=0)
            samples[f"{length}.least.{kind}"] = np.nanmin(row, axis=0)
            samples[f"{length}.mean.{kind}"] = np.nanmean(row, axis=0)
        samples[f"{length}.quantile_70.both"] = np.nanquantile(flat["both"], 0.7, axis=0)
        samples[f"{length}.most_absolute.late_before"] = np.nanmax(
            np.abs(flat["late_before"]), axis=0
        )
        samples[f"{length}.negative_share.late_before"] = np.mean(flat["late_before"] < 0, axis=0)
    both = {name: tables[f"{name}.both"] for name in ("long", "short", "half")}
    samples["both.short_minus_long"] = np.nanmean(both["short"] - both["long"], axis=(0, 1))
    samples["both.whole_minus_half"] = np.mean(both["long"] - both["half"], axis=(0, 1))
    samples["both.30_minus_10"] = np.nanmean(both["long"][:, 2] - both["long"][:, 0], axis=0)
    for voice, mix in mixes(studies["streams"]).items():
        for threshold, runs in mix.items():
            ratios = [
                [accepted_over_all(*pair) for pair in zip(*rows, strict=True)]
                for rows in (
                    (runs.row(f"sample.marking.{stream}"), runs.row(f"sample.late.{stream}"))
                    for stream in STREAMS
                )
            ]
            samples[f"accepted_over_all.{voice}.{threshold}"] = np.mean(ratios, axis=0)
    return samples


def draw(studies: Studies, figure: Figure) -> None:
    """Draw the seed mean of each stream's correlations, by setting and sample length."""
    figure.set_size_inches(9, 8)
    axes = figure.subplots(3, 1, sharex=True, sharey=True)
    tables = _tables(studies)
    names = [
        f"{voice}/{WEB_USERS[voice]}\n{threshold}"
        for voice, mix in mixes(studies["streams"]).items()
        for threshold in mix
    ]
    for axis, (kind, label) in zip(axes, KINDS.items(), strict=True):
        for side, (length, fill) in enumerate((("long", "full"), ("short", "none"))):
            for number, row in enumerate(np.nanmean(tables[f"{length}.{kind}"], axis=2).T):
                style = look(number) | {"linestyle": "none"}
                place = np.arange(len(row)) + 0.12 * (number - 1) + 0.36 * side - 0.18
                minutes = "3 min" if length == "long" else "20 s"
                text = f"{10 * (number + 1)} packets/s, {minutes}"
                axis.plot(place, row, label=text, fillstyle=fill, **style)
        axis.axhline(0, color="black", linewidth=0.8)
        axis.set_ylabel(f"correlation of\n{label}")
        axis.set_xticks(range(len(names)), names)
    axes[0].legend(ncols=3, fontsize="small", loc="lower center", bbox_to_anchor=(0.5, 1.0))
    axes[-1].set_xlabel("voice/web users, largest threshold [packets]")
