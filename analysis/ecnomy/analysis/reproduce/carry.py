# SPDX-License-Identifier: Apache-2.0
"""Carrying papers.json over a change of code that moves no figure (`make carry-papers`).

    python -m ecnomy.analysis.reproduce.carry results/reproduce tests/validation/papers.json

Where only code has changed since a claim was recorded (made_of.py), and nothing that the claim is
of, its records count as current again if nothing moved; `carried` keeps the engine that they were
measured with. Whether something moved is seen in the quick form:

    the engine alone     the probes of all studies of the entry (probes.py) give the same digests
    other code too       the quick runs, which must be there, give each figure of the claim to nine
                         digits as it was, and its verdict

All others stay stale.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

import msgspec

from ecnomy.agents.errors import EcnomyError, InputError
from ecnomy.analysis.compare.sources import find_checkout
from ecnomy.analysis.reproduce.entries import Outcome
from ecnomy.analysis.reproduce.made_of import CODE_CHANGED, ENGINE_CHANGED, Sources
from ecnomy.analysis.reproduce.papers import PAPERS, load_paper
from ecnomy.analysis.reproduce.probes import probes_of
from ecnomy.analysis.reproduce.record import outcomes_of, stale, stale_lines
from ecnomy.analysis.reproduce.record_file import read_probes, read_record, write_record
from ecnomy.analysis.reproduce.recorded import Recorded, quick_figures
from ecnomy.analysis.reproduce.studies import Form

__all__ = ["carried_over", "main"]


def _studies_of(claims: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Claim -> the studies of its entry, as `paper/study`."""
    found = {}
    for claim in claims:
        name, _, rest = claim.partition(".")
        entry = load_paper(name).entries[rest.rpartition(".")[0]]
        found[claim] = tuple(f"{name}/{study}" for study in entry.studies)
    return found


def carried_over(
    records: Iterable[Recorded],
    then: Mapping[str, str],
    sources: Sources,
    *,
    probes: Callable[[Iterable[str]], Mapping[str, str]] = probes_of,
    quick: Callable[[str], Mapping[str, Outcome]] | None = None,
) -> list[Recorded]:
    """The records, those carried over whose figures no changed code has moved.

    Args:
        records: as papers.json has them.
        then: its probes.
        sources: of the checkout as it is.
        probes: makes the probes of studies anew.
        quick: the outcomes of the quick runs of a paper as they are now, by claim; None where
            there are no such runs.
    """
    records = list(records)
    why = {claim: set(reasons) for claim, reasons in stale(records, sources).items()}
    by_engine = {claim for claim, reasons in why.items() if reasons == {ENGINE_CHANGED}}
    by_code = {claim for claim, reasons in why.items() if reasons <= CODE_CHANGED} - by_engine
    same = _same_probes(by_engine, then, probes)
    if quick is not None:
        same |= _same_figures([r for r in records if r.claim in by_code], quick)

    def carried(record: Recorded) -> Recorded:
        if record.claim not in same:
            return record
        name, _, rest = record.claim.partition(".")
        item, _, number = rest.rpartition(".")
        first = record.carried or record.made_of.engine
        made_of = sources.of(name, item, number)
        return msgspec.structs.replace(record, made_of=made_of, carried=first)

    return [carried(record) for record in records]


def _same_probes(
    claims: Iterable[str],
    then: Mapping[str, str],
    probes: Callable[[Iterable[str]], Mapping[str, str]],
) -> set[str]:
    """The claims whose studies give the same probes as before."""
    studies = _studies_of(claims)
    now = probes(sorted({study for names in studies.values() for study in names}))
    return {
        claim
        for claim, names in studies.items()
        if names and all(study in then and then[study] == now[study] for study in names)
    }


def _same_figures(
    records: Iterable[Recorded], quick: Callable[[str], Mapping[str, Outcome]]
) -> set[str]:
    """The claims whose quick figures and verdicts are as they were."""
    outcomes: dict[str, Outcome] = {}
    records = list(records)
    for paper in PAPERS:
        if any(record.claim.startswith(f"{paper}.") for record in records):
            outcomes |= quick(paper)
    return {
        record.claim
        for record in records
        if record.claim in outcomes
        and (then := quick_figures(record))[1]
        and then == quick_figures(outcomes[record.claim])
    }


def main(arguments: list[str]) -> int:
    """Carry the records of a file over, and name what stays stale."""
    runs, file = Path(arguments[0]), Path(arguments[1])

    def quick(paper: str) -> Mapping[str, Outcome]:
        return outcomes_of(load_paper(paper), Form(runs, quick=True))

    try:
        checkout = find_checkout(file.parent) or find_checkout()
        if checkout is None:
            raise InputError(f"{file}: found no checkout of ecnomy around it, expected one")
        sources, then = Sources(checkout), read_probes(file)
        records = carried_over(read_record(file), then, sources, quick=quick)
        left = stale(records, sources)
    except EcnomyError as error:
        print(f"ecnomy: {error}", file=sys.stderr)
        return 2
    for line in stale_lines(left):
        print(f"ecnomy: {line}", file=sys.stderr)
    write_record(file, records, then)
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
