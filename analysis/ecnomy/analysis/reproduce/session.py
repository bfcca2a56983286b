# SPDX-License-Identifier: Apache-2.0
"""Makes the runs of the selected entries, study by study, and judges the entries."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Final

import msgspec

from ecnomy.analysis.reproduce.calibrations import make_any
from ecnomy.analysis.reproduce.catalogue import Paper
from ecnomy.analysis.reproduce.entries import ClaimOutcome, MeasuredEntry, measured
from ecnomy.analysis.reproduce.grid import Variant, touched, variants_of
from ecnomy.analysis.reproduce.judge import CONFIRMED, INCONCLUSIVE, REFUTED
from ecnomy.analysis.reproduce.studies import (
    GRID_SEEDS,
    Form,
    StudyProgress,
    changed_points,
    load_study,
    seeds_of,
)
from ecnomy.markets.sweep.pool import LazyPool, Pool

__all__ = [
    "Reproduced",
    "StudyCost",
    "cost_of",
    "reproduce",
    "studies_of",
    "undecided",
    "variants_in",
]

_MOST_DOUBLINGS: Final = 2  # 10, 20, 40


class Reproduced(msgspec.Struct, frozen=True, eq=False):
    """An entry with its runs, quantities and outcomes."""

    paper: Paper
    item: str
    measured: MeasuredEntry

    @property
    def outcomes(self) -> tuple[ClaimOutcome, ...]:
        """The outcomes of its claims."""
        return self.measured.outcomes

    @property
    def data_packets(self) -> int:
        """The number of data packets sent by all its runs at the chosen settings."""
        return self.measured.studies.data_packets

    @property
    def budget(self) -> float:
        """The number of data packets that its studies may send with the seeds in their files."""
        entry = self.paper.entries[self.item]
        return sum(self.paper.studies[name].budget for name in entry.studies)


def studies_of(selected: Iterable[tuple[Paper, str]]) -> list[tuple[Paper, str]]:
    """Return the studies of the entries, without repeats."""
    studies: dict[tuple[str, str], tuple[Paper, str]] = {}
    for paper, item in selected:
        for study in paper.entries[item].studies:
            studies.setdefault((paper.paper, study), (paper, study))
    return list(studies.values())


class StudyCost(msgspec.Struct, frozen=True):
    """The cost of entries: numbers of studies, of runs, and of data packets that runs may send."""

    studies: int
    runs: int
    packets: float


def cost_of(selected: Sequence[tuple[Paper, str]], form: Form) -> tuple[StudyCost, StudyCost]:
    """Return the cost of the entries' studies, and the additional cost of their grids.

    Raises:
        InputError, ScenarioError: a sweep or a variant is invalid.
    """
    studies, sweeps = studies_of(selected), {}
    for paper, name in studies:
        sweeps[paper.paper, name] = load_study(paper, name, form)
    own = StudyCost(
        len(studies),
        sum(map(len, sweeps.values())),
        sum(paper.studies[name].budget for paper, name in studies),
    )
    count, runs, packets = 0, 0, 0.0
    for paper, name, variant in variants_in(selected) if form.grid else ():
        changed = len(changed_points(load_study(paper, name, form, variant=variant)))
        count, runs = count + 1, runs + changed
        share = changed / len(sweeps[paper.paper, name])
        packets += share * paper.studies[name].budget
    return own, StudyCost(count, runs, packets)


def variants_in(selected: Iterable[tuple[Paper, str]]) -> list[tuple[Paper, str, Variant]]:
    """Return the studies that must run again for the entries' grids, once per variant."""
    variants: dict[tuple[str, str, str], tuple[Paper, str, Variant]] = {}
    for paper, item in selected:
        for variant in variants_of(paper, item):
            for name in touched(paper, paper.entries[item].studies, variant):
                variants.setdefault((paper.paper, name, variant.name), (paper, name, variant))
    return list(variants.values())


def reproduce(
    selected: Sequence[tuple[Paper, str]],
    form: Form,
    pool: Callable[[], Pool],
    listener: StudyProgress,
    *,
    resolve: bool = False,
    done: Callable[[Reproduced], None] = lambda _: None,
) -> list[Reproduced]:
    """Make the missing runs of each entry, and judge the entry.

    Args:
        selected: papers and entry ids.
        form: the form of the runs, and their folder.
        pool: starts the workers at the first missing run.
        listener: receives progress.
        resolve: whether to double the seeds of entries with an inconclusive claim, up to 40.
        done: called after each entry.

    Raises:
        EcnomyError: runs failed, or workers were lost.
    """
    results = []
    lazy = LazyPool(pool)
    try:
        for paper, item in selected:
            reproduction = _entry(paper, item, form, lazy, listener, resolve)
            results.append(reproduction)
            done(reproduction)
    finally:
        lazy.close()
    return results


def _entry(
    paper: Paper, item: str, form: Form, lazy: LazyPool, listener: StudyProgress, resolve: bool
) -> Reproduced:
    entry = paper.entries[item]
    for doublings in range(_MOST_DOUBLINGS + 1 if resolve else 1):
        grown = [name for name in entry.studies if _grows(paper, name, form, doublings)]
        if doublings and not grown:
            break
        for name in entry.studies:
            make_any(paper, name, form, lazy, listener, doublings)
        for variant in variants_of(paper, item) if form.grid else ():
            for name in touched(paper, entry.studies, variant):
                make_any(paper, name, form, lazy, listener, doublings, variant)
        reproduction = Reproduced(paper, item, measured(paper, item, form))
        if all(o.verdict.verdict != INCONCLUSIVE for o in reproduction.outcomes):
            break
    return _settled(reproduction, form, lazy, listener) if form.grid else reproduction


def _settled(
    reproduction: Reproduced, form: Form, lazy: LazyPool, listener: StudyProgress
) -> Reproduced:
    """Add seeds to alternatives that are undecided while the chosen settings are decided.

    An alternative has few seeds at first. They are doubled, up to GRID_SEEDS, until the alternative
    is decided. The studies at the chosen settings get as many seeds, because quantities of a
    variant may be compared with theirs. Alternatives with a calibration keep their seeds, because
    more seeds would change the search.
    """
    paper, item = reproduction.paper, reproduction.item
    studies = [name for name in paper.entries[item].studies if not paper.studies[name].batches]
    seeds: dict[str, int] = {}
    while True:
        more = []
        for variant in undecided(reproduction):
            names = touched(paper, studies, variant)
            if any(load_study(paper, name, form).calibrate for name in names):
                continue
            has = min((seeds_of(paper, name, form, variant) for name in names), default=GRID_SEEDS)
            if has < GRID_SEEDS:
                seeds[variant.name] = min(GRID_SEEDS, 2 * has)
                more.append(variant)
        if not more:
            return reproduction
        most = max(seeds[variant.name] for variant in more)
        for name in studies:
            make_any(paper, name, form, lazy, listener, least=most)
        for variant in more:
            for name in touched(paper, studies, variant):
                least = seeds[variant.name]
                make_any(paper, name, form, lazy, listener, variant=variant, least=least)
        reproduction = Reproduced(paper, item, measured(paper, item, form))


def undecided(reproduction: Reproduced) -> list[Variant]:
    """Return the variants that leave a claim open although the chosen settings decide it."""
    names = {
        (at.setting, at.alternative)
        for outcome in reproduction.outcomes
        if outcome.verdict.alone in (CONFIRMED, REFUTED)
        for at in outcome.verdict.grid
        if at.verdict.verdict == INCONCLUSIVE
    }
    variants = variants_of(reproduction.paper, reproduction.item)
    return [v for v in variants if v.changes and (v.setting, v.alternative) in names]


def _grows(paper: Paper, name: str, form: Form, doublings: int) -> bool:
    """Return whether this number of doublings gives a study more seeds than one doubling fewer."""
    if paper.studies[name].batches:
        return False
    replicates = load_study(paper, name, form, doublings).replicates
    return replicates > load_study(paper, name, form, max(0, doublings - 1)).replicates
