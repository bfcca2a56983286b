# SPDX-License-Identifier: Apache-2.0
"""Finds payers on the same links whose packets are marked with different probabilities.

A price per mark is a price of capacity only if the links mark the packets of all users alike. A law
that counts packets or follows a varying queue can mark the packets of one user more often than
those of another, for example because they arrive at different times of the law's cycle. The users
then pay different prices for the same capacity.

The shares of marked packets are compared within each report, because users may be active at
different times. The ratio over all reports is that of Mantel and Haenszel (J. National Cancer
Institute 22, 1959). Its standard error is that of the delete-one jackknife over blocks of reports.
"""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import Final

import msgspec
import numpy as np

from ecnomy.agents.arrays import Floats
from ecnomy.markets.plan import Source
from ecnomy.markets.results.groups import background_rows
from ecnomy.markets.results.rawrun import RawRun
from ecnomy.markets.results.window_reports import WindowReports

__all__ = ["UnequalMarks", "unequal_marks"]

_RATIO: Final = 1.1  # smaller ratios are not reported
_CHANCE: Final = 0.001  # probability of a false report for a group of sources (Bonferroni)
_MARKS: Final = 100  # least number per source; with fewer, a ratio is too uncertain
_BLOCKS: Final = 20  # blocks of reports; with fewer reports, nothing is compared


class UnequalMarks(msgspec.Struct, frozen=True):
    """Two sources on the same marking links whose shares of marked packets differ by over 10 %.

    Attributes:
        source: name of the source with the larger share of marked packets.
        other: name of the source with the smaller share.
        links: names of the links on their paths that marked packets.
        share: share of the source's packets that were marked [0 to 1]. A report in which the two
            sources delivered n and m packets has the weight n m / (n + m), so the share refers to
            their common time.
        other_share: share of the other source's packets that were marked in the same time [0 to 1].
    """

    source: str
    other: str
    links: tuple[str, ...]
    share: float
    other_share: float

    @property
    def ratio(self) -> float:
        """Return the ratio of the larger share to the smaller share."""
        return self.share / self.other_share

    def __str__(self) -> str:
        """Return a one-line warning about the pair."""
        links = f"{'link' if len(self.links) == 1 else 'links'} {', '.join(self.links)}"
        return (
            f"{self.source}: {links} marked {100 * self.share:.3g} % of its packets, but only "
            f"{100 * self.other_share:.3g} % of the packets of {self.other} in the same time. A "
            f"packet of {self.source} thus costs {self.ratio:.3g} times as many marks: packets "
            "that arrive in bursts, or at regular times, can meet more or fewer marks than others"
        )


def unequal_marks(run: RawRun) -> list[UnequalMarks]:
    """Return the most unequal pair of each group of payers, if its ratio is significantly above 1.

    Ratios up to 1.1 are left out. The payers of a group have the same marking links, classes,
    codepoint and packet size.

    Raises:
        ResultsError: a table is missing or unreadable.
    """
    groups = [group for group in _comparable(run).items() if len(group[1]) > 1]
    reports = WindowReports.of(run, "delivered", "ce") if groups else None
    if reports is None or len(reports.t_ps) <= _BLOCKS:
        return []
    pairs = (_extremes(links, sources, reports) for (links, _), sources in groups)
    return [pair for pair in pairs if pair is not None]


def _comparable(run: RawRun) -> dict[tuple[tuple[str, ...], object], list[Source]]:
    """Return the payers with enough marks, by marking links, class, codepoint and packet size."""
    if len(run.plan.sources) < 2:
        return {}
    links = run.table("links", ("name", "marks"))
    if "ce" not in run.flows or "marks" not in links or not run.file("ledger").is_file():
        return {}  # the run ended before it had totals
    marking = set(links["name"][links["marks"] > 0])
    flows = run.flows[~run.flows["flow"].isin(background_rows(run))]
    marks = flows.groupby("source")[["ce", "mark_charge_micro"]].sum()
    paying = set(marks[(marks["ce"] >= _MARKS) & (marks["mark_charge_micro"] > 0)].index)
    groups: dict[tuple[tuple[str, ...], object], list[Source]] = {}
    for source in run.plan.sources:
        if source.name not in paying:
            continue
        classes = source.classes or [-1] * len(source.path)
        names = [run.plan.links[link].name for link in source.path]
        passed = [(name, of) for name, of in zip(names, classes, strict=True) if name in marking]
        # laws may mark by bytes, so sizes must be equal
        alike = (tuple(of for _, of in passed), source.codepoint, source.packet_bytes)
        groups.setdefault((tuple(name for name, _ in passed), alike), []).append(source)
    return groups


def _extremes(
    links: tuple[str, ...], sources: list[Source], reports: WindowReports
) -> UnequalMarks | None:
    """Return the pair with the largest and smallest shares, or None if they differ too little."""
    counts = np.stack([_counts(reports, source) for source in sources])
    rest = counts.sum(axis=0) - counts
    ratios = [_compare(one, others)[0] for one, others in zip(counts, rest, strict=True)]
    high, low = int(np.argmax(ratios)), int(np.argmin(ratios))
    ratio, error, shares = _compare(counts[high], counts[low])
    chance = _CHANCE / (len(sources) * (len(sources) - 1) / 2)  # for each pair
    if ratio <= max(math.log(_RATIO), NormalDist().inv_cdf(1 - chance) * error):
        return None
    return UnequalMarks(sources[high].name, sources[low].name, links, *shares)


def _counts(reports: WindowReports, source: Source) -> Floats:
    """Return the packets delivered by a source and their marks, [2, interval of reports]."""
    own = reports.own(source)
    totals = np.stack([values[:, own].sum(axis=1) for values in reports.columns.values()])
    return np.diff(totals, axis=1)


def _compare(one: Floats, other: Floats) -> tuple[float, float, tuple[float, float]]:
    """Return the logarithm of the ratio of two shares, its standard error, and the shares.

    Args:
        one: packets and marks, [2, interval of reports].
        other: packets and marks of the other source or sources, [2, interval of reports].
    """
    (packets, marks), (other_packets, other_marks) = one, other
    both = packets + other_packets
    products = np.stack([packets * other_packets, marks * other_packets, other_marks * packets])
    parts = np.divide(products, both, out=np.zeros_like(products), where=both > 0)
    blocks = np.stack([block.sum(axis=1) for block in np.array_split(parts, _BLOCKS, axis=1)])
    weight, first, second = (float(total) for total in blocks.sum(axis=0))
    rest = blocks.sum(axis=0) - blocks  # the sums without each block in turn
    if rest.min() <= 0:  # too short a common time
        return 0.0, math.inf, (0.0, 0.0)
    error = math.sqrt((_BLOCKS - 1) * float(np.var(np.log(rest[:, 1] / rest[:, 2]))))
    return math.log(first / second), error, (first / weight, second / weight)
