# SPDX-License-Identifier: Apache-2.0
"""Finds the records that changes to the code, to scenarios or to claims have made stale.

Digests (claim_digests.py) show which parts have changed. Each change is then tested:

    laws, host, engine, economy,   the study's probe (probes.py): claims are stale if their
    measuring code, plans          quantities depend on a row that changed
    scenarios as written           the plans of all points; if these differ, claims are stale
    an entry's module              its quantities, computed again from the stored quick runs
    points, seeds, regions, grid   no test; the record is of another measurement, so it is stale

To find the quantities that depend on a row, currency.py replaces the row's values several times and
computes the quantities again each time.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec
import numpy as np

from ecnomy.agents.errors import EcnomyError, ResultsError
from ecnomy.analysis.reproduce.catalogue import Paper
from ecnomy.analysis.reproduce.causes import cause_now
from ecnomy.analysis.reproduce.claim_digests import ClaimMade, Sources, StudyMade
from ecnomy.analysis.reproduce.entries import ClaimOutcome, measured
from ecnomy.analysis.reproduce.grid import grid_of, touched
from ecnomy.analysis.reproduce.probes import Probe, made, moved_in, params_of, probes_of, within
from ecnomy.analysis.reproduce.quick_results import KeptRuns
from ecnomy.analysis.reproduce.recorded import RecordedClaim, gives_again, quick_figures
from ecnomy.analysis.reproduce.studies import Form
from ecnomy.markets.sweep.outcome import RunOutcome as Ran

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["CurrencyCheck", "carried", "look", "place_of", "stale_lines"]

_SPREADS: Final = (0.02, 0.02, 0.5, 0.5, 2.0, 2.0)  # deviation of the log of a factor
_NO_OUTCOMES: Final = ("number", "point", "replicate", "seed", "data_packets")
Tables = Mapping[str, "pd.DataFrame"]
Make = Callable[[Sequence[Probe]], list[Ran]]


class CurrencyCheck(msgspec.Struct, frozen=True):
    """The result of a search for stale records.

    Attributes:
        stale: claim -> reasons.
        reworded: claim -> its cause in the current words, for claims that are stale only because
            the words of the cause have changed.
        same: study -> its current digests, if its code or scenarios have changed without effect on
            the quantities of claims. Rows that no claim uses may have changed.
        probed: number of probe runs.
    """

    stale: dict[str, tuple[str, ...]]
    same: dict[str, StudyMade]
    probed: int
    reworded: dict[str, str] = {}


class _Of(msgspec.Struct, frozen=True):
    """The state of a changed study: the rows that changed, or why these are unknown."""

    moved: dict[str, tuple[int, ...]] = {}
    reason: str = ""


def place_of(claim: str) -> tuple[str, str, str]:
    """Return the paper, the entry and the number of a claim from its name."""
    name, _, rest = claim.partition(".")
    item, _, number = rest.rpartition(".")
    return name, item, number


def look(
    records: Iterable[RecordedClaim],
    studies: Mapping[str, StudyMade],
    tables: Tables,
    sources: Sources,
    *,
    budget_s: float = math.inf,
    make: Make = made,
) -> CurrencyCheck:
    """Find the stale records, and run the probes that this requires.

    Args:
        records: the records of papers.json.
        studies: the recorded digests of their studies.
        tables: the results of the quick runs (quick_results.py).
        sources: computes the digests of the current checkout.
        budget_s: CPU time for probes, seconds. Claims that use a study whose probes do not fit
            count as stale.
        make: runs the probes.

    Raises:
        ResultsError: a run of a probe failed.
    """
    records = list(records)
    stale: dict[str, tuple[str, ...]] = {}
    by_entry: dict[tuple[str, str], list[RecordedClaim]] = {}
    now: dict[str, StudyMade | str] = {}
    for record in records:
        name, item, number = place_of(record.claim)
        if not sources.has(name, item, number):
            stale[record.claim] = ("there is no such claim any more",)
            continue
        own = [f"{name}/{study}" for study in sources.paper(name).entries[item].studies]
        for study in own:
            if study not in now:
                now[study] = _as_it_is(study, studies, sources)
        if why := _others(record, own, studies, now, sources):
            stale[record.claim] = why
        else:
            by_entry.setdefault((name, item), []).append(record)
    used = [study for study in now if _is_used(study, by_entry, sources)]
    changed = {s: of for s in used if isinstance(of := now[s], StudyMade) and of != _of(studies, s)}
    states, probed = _probed(changed, studies, tables, sources, budget_s, make)
    upset: set[str] = set()  # studies with moved rows and stale claims
    for (name, item), own_records in by_entry.items():
        paper = sources.paper(name)
        own_stale = _stale_in(paper, item, own_records, states, studies, tables, sources)
        stale |= own_stale
        if own_stale:
            upset |= {study for study in _studies_of(paper, item) if states.get(study, _Of()).moved}
    same = {
        study: msgspec.structs.replace(changed[study], plans=_of(studies, study).plans)
        for study, of in states.items()
        if not of.reason and study not in upset
    }
    reworded = _reworded([r for r in records if r.claim not in stale], stale, sources)
    return CurrencyCheck(stale, same, probed, reworded)


def _reworded(
    records: Iterable[RecordedClaim], stale: dict[str, tuple[str, ...]], sources: Sources
) -> dict[str, str]:
    """Return reworded causes of records, and add the claims with changed causes to `stale`."""
    causes: dict[str, str] = {}
    for record in records:
        cause = cause_now(record, sources.paper(place_of(record.claim)[0]))
        if cause is None:
            stale[record.claim] = ("its cause names figures that are not recorded",)
        elif cause != record.cause:
            stale[record.claim] = ("its cause has been reworded",)
            causes[record.claim] = cause
    return causes


def _of(studies: Mapping[str, StudyMade], study: str) -> StudyMade:
    return studies.get(study, StudyMade())


def _as_it_is(study: str, studies: Mapping[str, StudyMade], sources: Sources) -> StudyMade | str:
    """Return a study's current digests with the recorded plans and rows, or an error message."""
    then = _of(studies, study)
    try:
        now = sources.of_study(study, then.laws)
    except EcnomyError as error:
        return f"its scenarios do not load: {error}"
    return msgspec.structs.replace(now, plans=then.plans, rows=then.rows)


def _others(
    record: RecordedClaim,
    own: Iterable[str],
    studies: Mapping[str, StudyMade],
    now: Mapping[str, StudyMade | str],
    sources: Sources,
) -> tuple[str, ...]:
    if record.made_of == ClaimMade():
        return ("its sources are not recorded",)
    if broken := tuple(fault for study in own if isinstance(fault := now[study], str)):
        return broken
    name, item, number = place_of(record.claim)
    why: list[str] = []
    made_now = {s: of for s, of in now.items() if isinstance(of, StudyMade)}
    if any(made_now[study].runs != _of(studies, study).runs for study in own):
        why.append("points or seeds have changed")
    of = sources.of_claim(name, item, number, studies)
    if record.made_of.studies != of.studies:
        why.append("its studies were recorded again")
    if record.made_of.claim != of.claim:
        why.append("regions or grid have changed")
    return tuple(why)


def _is_used(study: str, by_entry: Iterable[tuple[str, str]], sources: Sources) -> bool:
    paper, _, name = study.partition("/")
    return any(
        p == paper and name in sources.paper(p).entries[item].studies for p, item in by_entry
    )


def _probed(
    changed: Mapping[str, StudyMade],
    studies: Mapping[str, StudyMade],
    tables: Tables,
    sources: Sources,
    budget_s: float,
    make: Make,
) -> tuple[dict[str, _Of], int]:
    """Probe the changed studies, and return the state of each study and the number of runs."""
    states: dict[str, _Of] = {}
    due: dict[str, list[Probe]] = {}
    for study, now in changed.items():
        then = studies[study]
        if now.base != then.base and sources.plans_of(study) != then.plans:
            states[study] = _Of(reason="scenarios have changed")
            continue
        try:
            name, _, own = study.partition("/")
            due[study] = probes_of(sources.paper(name), own, tables)
        except ResultsError as error:
            states[study] = _Of(reason=str(error))
    held = within(due, tables, budget_s)
    probes = [probe for study in held for probe in due[study]]
    moved = moved_in(probes, make(probes), tables)
    for study in due:
        if study not in held:
            states[study] = _Of(reason=f"not probed within {budget_s:g} s of CPU time")
        else:
            own_rows = {t: n for t, n in moved.items() if t.partition("@")[0] == study}
            states[study] = _Of(moved=own_rows)
    return states, len(probes)


def _stale_in(
    paper: Paper,
    item: str,
    records: Sequence[RecordedClaim],
    states: Mapping[str, _Of],
    studies: Mapping[str, StudyMade],
    tables: Tables,
    sources: Sources,
) -> dict[str, tuple[str, ...]]:
    own = {s: states[s] for s in _studies_of(paper, item) if s in states}
    unknown = tuple(dict.fromkeys(of.reason for of in own.values() if of.reason))
    if unknown:
        return {record.claim: unknown for record in records}
    stale: dict[str, tuple[str, ...]] = {}
    of = {r.claim: sources.of_claim(*place_of(r.claim), studies) for r in records}
    others = [r for r in records if r.made_of.module != of[r.claim].module]
    if others:
        try:
            now = _outcomes(paper, item, tables)
        except EcnomyError as error:
            return {record.claim: (str(error),) for record in records}
        for record in others:
            outcome = now.get(record.claim)
            if outcome is None or not gives_again(record, outcome):
                stale[record.claim] = ("the entry's code gives other figures",)
    moved = {t: numbers for each in own.values() for t, numbers in each.moved.items()}
    if moved:
        for claim in _that_depend(paper, item, moved, tables) & {r.claim for r in records}:
            stale[claim] = (*stale.get(claim, ()), "runs give other figures")
    return stale


def _studies_of(paper: Paper, item: str) -> list[str]:
    return [f"{paper.paper}/{study}" for study in paper.entries[item].studies]


def _that_depend(
    paper: Paper, item: str, moved: Mapping[str, tuple[int, ...]], tables: Tables
) -> set[str]:
    """Return the claims of an entry whose quantities depend on rows that changed.

    A row under an alternative stands for all rows of the study under that alternative.
    """
    chosen = {table: numbers for table, numbers in moved.items() if "@" not in table}
    dependents = _depend_on(paper, item, chosen, tables) if chosen else set()
    for table in (table for table in moved if "@" in table):
        study, _, under = table.partition("@")
        whole = {study: tuple(tables[study]["number"].tolist())}
        claims = {
            f"{paper.paper}.{item}.{number}"
            for number in paper.entries[item].claims
            if any(
                variant.name == under and touched(paper, [study.partition("/")[2]], variant)
                for variant in grid_of(paper, item, number)
            )
        }
        if claims - dependents:
            dependents |= claims & _depend_on(paper, item, whole, tables)
    return dependents


def _depend_on(
    paper: Paper, item: str, rows: Mapping[str, tuple[int, ...]], tables: Tables
) -> set[str]:
    then = _outcomes(paper, item, tables)
    params = {study: params_of(paper, study.partition("/")[2], tables) for study in rows}
    claims: set[str] = set()
    for tried in range(len(_SPREADS)):
        other = {study: tables[study] for study in _studies_of(paper, item) if study in tables}
        for study, numbers in rows.items():
            other[study] = _replaced(tables[study], numbers, params[study], tried)
        try:
            now = _outcomes(paper, item, other)
        except Exception:  # code that rejects impossible values depends on them
            return set(then)
        claims |= {
            claim for claim in then if quick_figures(then[claim]) != quick_figures(now[claim])
        }
    return claims


def _replaced(
    table: pd.DataFrame, numbers: tuple[int, ...], params: frozenset[str], tried: int
) -> pd.DataFrame:
    """Return the table with other measured values in all runs at the points of these rows."""
    rows = table["point"].isin(set(table["point"][table["number"].isin(numbers)])).to_numpy()
    draws = np.random.default_rng(tried)
    other_table = table.copy()
    for name in table.columns:
        if name in _NO_OUTCOMES or name in params or table[name].dtype.kind not in "iuf":
            continue
        values = table[name].to_numpy(dtype=float, na_value=np.nan).copy()
        factors = np.exp(draws.normal(0.0, _SPREADS[tried], rows.sum()))
        own = values[rows] * factors
        if tried % 2:
            own = np.where(own == 0, factors, own)
        values[rows] = own
        other_table[name] = values
    return other_table


def _outcomes(paper: Paper, item: str, tables: Tables) -> dict[str, ClaimOutcome]:
    studies = KeptRuns(paper, paper.entries[item].studies, tables)
    measurement = measured(paper, item, Form(Path(), quick=True), studies)
    return {outcome.claim: outcome for outcome in measurement.outcomes}


def carried(
    records: Iterable[RecordedClaim],
    studies: Mapping[str, StudyMade],
    currency: CurrencyCheck,
    sources: Sources,
) -> tuple[list[RecordedClaim], dict[str, StudyMade]]:
    """Return the records and studies with current digests and causes if no result has changed."""
    studies = {**studies, **currency.same}

    def over(record: RecordedClaim) -> RecordedClaim:
        if record.claim in currency.stale and record.claim not in currency.reworded:
            return record
        return msgspec.structs.replace(
            record,
            cause=currency.reworded.get(record.claim, record.cause),
            made_of=sources.of_claim(*place_of(record.claim), studies),
        )

    return [over(record) for record in records], studies


def stale_lines(reasons: Mapping[str, tuple[str, ...]]) -> list[str]:
    """Return one line for each group of an entry's claims that are stale for the same reasons."""
    groups: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for claim, why in reasons.items():
        entry, _, number = claim.rpartition(".")
        groups.setdefault((entry, why), []).append(number)
    return [f"{e}: {', '.join(c)} stale ({'; '.join(why)})" for (e, why), c in groups.items()]
