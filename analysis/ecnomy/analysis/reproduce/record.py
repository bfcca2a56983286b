# SPDX-License-Identifier: Apache-2.0
"""papers.json: the outcome of every claim, whole and quick, with what it was measured with.

    python -m ecnomy.analysis.reproduce.record results/reproduce tests/validation/papers.json

judges the runs that are there and makes none. A claim whose runs are missing, or were made by other
code than the present, keeps its old outcome; where that is stale (made_of.py) it is named.

What is in it: recorded.py; how it is written: record_file.py. For `probes` see probes.py, for
`carried` carry.py.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path

from ecnomy.agents.errors import EcnomyError, InputError, ResultsError
from ecnomy.analysis.compare.sources import find_checkout
from ecnomy.analysis.reproduce.calibrations import unmade_of_any
from ecnomy.analysis.reproduce.catalogue import Paper
from ecnomy.analysis.reproduce.entries import Outcome, measured
from ecnomy.analysis.reproduce.grid import Variant, touched, variants_of
from ecnomy.analysis.reproduce.made_of import MadeOf, Sources, changes
from ecnomy.analysis.reproduce.papers import PAPERS, load_paper
from ecnomy.analysis.reproduce.probes import all_studies, probes_of
from ecnomy.analysis.reproduce.record_file import read_record, write_record
from ecnomy.analysis.reproduce.recorded import Recorded, recorded
from ecnomy.analysis.reproduce.studies import Form

__all__ = ["claims_of", "main", "outcomes_of", "stale", "stale_lines", "versions"]


def stale(records: Iterable[Recorded], sources: Sources) -> dict[str, tuple[str, ...]]:
    """Why records are not of the code, the scenarios and the claims as they are, by claim."""
    found = {}
    for record in records:
        if reasons := _changes(record, sources):
            found[record.claim] = reasons
    return found


def _changes(record: Recorded, sources: Sources) -> tuple[str, ...]:
    name, _, rest = record.claim.partition(".")
    item, _, number = rest.rpartition(".")
    if not sources.has(name, item, number):
        return ("there is no such claim any more",)
    if record.made_of == MadeOf():
        return ("what it was made of is not known",)
    try:
        return changes(record.made_of, sources.of(name, item, number))
    except EcnomyError as error:
        return (f"its scenarios do not load: {error}",)


def stale_lines(reasons: dict[str, tuple[str, ...]]) -> list[str]:
    """One line for the claims of an entry that are stale for the same reasons."""
    groups: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for claim, why in reasons.items():
        entry, _, number = claim.rpartition(".")
        groups.setdefault((entry, why), []).append(number)
    return [f"{e}: {', '.join(c)} stale ({'; '.join(why)})" for (e, why), c in groups.items()]


def outcomes_of(paper: Paper, form: Form) -> dict[str, Outcome]:
    """The outcomes of all claims whose runs are there, by claim."""
    found: dict[str, Outcome] = {}
    known: dict[str, str] = {}
    for item, entry in paper.entries.items():
        try:
            needed: list[tuple[str, Variant | None]] = [(name, None) for name in entry.studies]
            for variant in variants_of(paper, item) if form.grid else ():
                needed += [(name, variant) for name in touched(paper, entry.studies, variant)]
            for name, of in needed:
                study = f"{name}@{of.name}" if of else name
                if study not in known:
                    known[study] = _unmade(paper, name, form, of)
                if known[study]:
                    raise ResultsError(known[study])
            found |= {one.claim: one for one in measured(paper, item, form).outcomes}
        except ResultsError as error:
            quick = " (quick)" if form.quick else ""
            print(f"ecnomy: {paper.paper}.{item}{quick}: {error}", file=sys.stderr)
    return found


def _unmade(paper: Paper, name: str, form: Form, variant: Variant | None) -> str:
    """Why the runs of a study cannot be judged, "" where they can."""
    try:
        left = unmade_of_any(paper, name, form, variant)
    except ResultsError as error:
        return str(error)
    study = f"{name}@{variant.name}" if variant else name
    return f"{paper.paper} {study}: {left} runs are missing or of other code" if left else ""


def main(arguments: list[str]) -> int:
    """Judge the runs in a folder, write the record and name what is stale in it."""
    runs, file = Path(arguments[0]), Path(arguments[1])
    records: list[Recorded] = []
    try:
        checkout = find_checkout(file.parent) or find_checkout()
        if checkout is None:
            raise InputError(f"{file}: found no checkout of ecnomy around it, expected one")
        sources = Sources(checkout)
        old = {record.claim: record for record in read_record(file)} if file.is_file() else {}
        for name in PAPERS:
            paper = load_paper(name)
            whole = outcomes_of(paper, Form(runs, grid=True))
            quick = outcomes_of(paper, Form(runs, quick=True))
            for claim in claims_of(paper):
                if claim in whole:
                    item, _, number = claim.partition(".")[2].rpartition(".")
                    made_of = sources.of(name, item, number)
                    outcome = whole[claim]
                    records.append(recorded(outcome, quick.get(claim), versions(), made_of))
                elif claim in old:
                    records.append(old[claim])
        for line in stale_lines(stale(records, sources)):
            print(f"ecnomy: {line}", file=sys.stderr)
        probes = probes_of(all_studies())
    except EcnomyError as error:
        print(f"ecnomy: {error}", file=sys.stderr)
        return 2
    write_record(file, records, probes)
    return 0


def claims_of(paper: Paper) -> list[str]:
    """The ids of all claims of a paper, in order."""
    return [
        f"{paper.paper}.{item}.{number}"
        for item, entry in paper.entries.items()
        for number in entry.claims
    ]


def versions() -> dict[str, str]:
    """Engine and version that runs are made with now."""
    import importlib.metadata

    return {"engine": "ecnomy-engine", "ecnomy": importlib.metadata.version("ecnomy")}


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
