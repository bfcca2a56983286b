# SPDX-License-Identifier: Apache-2.0
"""Writes papers.json: the outcome of every claim, in full and quick form, with its digests.

    python -m ecnomy.analysis.reproduce.record results/reproduce tests/validation/papers.json

The command judges existing runs. The only new runs are the first run under each alternative and
the probes (probes.py). A claim keeps its recorded outcome if its runs are missing or were made by
other code. The command lists stale outcomes (currency.py). It writes the results of the quick runs
to a second file (quick_results.py). recorded.py defines the contents, and record_file.py the
format.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from ecnomy.agents.errors import EcnomyError, InputError, ResultsError
from ecnomy.analysis.compare.sources import find_checkout
from ecnomy.analysis.reproduce.calibrations import unmade_of_any
from ecnomy.analysis.reproduce.catalogue import Paper
from ecnomy.analysis.reproduce.claim_digests import Sources, StudyMade, digest
from ecnomy.analysis.reproduce.currency import look, place_of, stale_lines
from ecnomy.analysis.reproduce.entries import ClaimOutcome, measured
from ecnomy.analysis.reproduce.grid import Variant, touched, variants_of
from ecnomy.analysis.reproduce.papers import PAPERS
from ecnomy.analysis.reproduce.probes import Probe, all_studies, made, probes_of
from ecnomy.analysis.reproduce.quick_results import (
    KEPT,
    read_rows,
    rows_digest,
    table_of,
    unmoved,
    write_rows,
)
from ecnomy.analysis.reproduce.record_file import RecordFile, read_record, write_record
from ecnomy.analysis.reproduce.recorded import RecordedClaim, recorded
from ecnomy.analysis.reproduce.studies import Form, study_folder
from ecnomy.analysis.sweeps.open_sweep import open_sweep

if TYPE_CHECKING:
    import pandas as pd

    from ecnomy.markets.sweep.outcome import RunOutcome as Ran

__all__ = ["claims_of", "main", "outcomes_of", "versions"]

Tables = Mapping[str, "pd.DataFrame"]


def outcomes_of(paper: Paper, form: Form) -> dict[str, ClaimOutcome]:
    """Return the outcome of each claim whose runs exist and were made by the current code."""
    outcomes: dict[str, ClaimOutcome] = {}
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
            outcomes |= {one.claim: one for one in measured(paper, item, form).outcomes}
        except ResultsError as error:
            quick = " (quick)" if form.quick else ""
            print(f"ecnomy: {paper.paper}.{item}{quick}: {error}", file=sys.stderr)
    return outcomes


def _unmade(paper: Paper, name: str, form: Form, variant: Variant | None) -> str:
    """Return why the runs of a study cannot be judged, or ""."""
    try:
        left = unmade_of_any(paper, name, form, variant)
    except ResultsError as error:
        return str(error)
    study = f"{name}@{variant.name}" if variant else name
    runs = "1 run is" if left == 1 else f"{left} runs are"
    return f"{paper.paper} {study}: {runs} missing or of other code" if left else ""


def _quick_rows(
    runs: Path, sources: Sources, studies: Mapping[str, StudyMade], tables: Tables
) -> tuple[dict[str, StudyMade], dict[str, pd.DataFrame]]:
    """Return digests and tables, updated for studies whose quick runs are of the current code."""
    form, digests, rows = Form(runs, quick=True), dict(studies), dict(tables)
    new: dict[str, list[Probe]] = {}
    for name in all_studies():
        paper, study = sources.paper(name.partition("/")[0]), name.partition("/")[2]
        if _unmade(paper, study, form, None):
            continue
        quick = open_sweep(study_folder(paper, study, form), raw=True)
        table = unmoved(table_of(quick), tables.get(name))
        if name in rows and name in digests and rows_digest(rows[name]) == rows_digest(table):
            then = digests[name]
            now = sources.of_study(name, then.laws)
            if msgspec.structs.replace(now, plans=then.plans, rows=then.rows) == then:
                continue
        rows[name] = table
        new[name] = [p for p in probes_of(paper, study, rows) if p.table != name]
        for gone in [table for table in rows if table.startswith(f"{name}@")]:
            del rows[gone]
    probes = [probe for own in new.values() for probe in own]
    for probe, ran in zip(probes, made(probes), strict=True):
        rows[probe.table] = unmoved(_row(probe, ran), tables.get(probe.table))
    for name in new:
        own = [
            rows_digest(rows[table]) for table in sorted(rows) if table.partition("@")[0] == name
        ]
        of = sources.of_study(name)
        plans = sources.plans_of(name)
        digests[name] = msgspec.structs.replace(of, plans=plans, rows=digest(own))
    known = set(all_studies())
    rows = {table: frame for table, frame in rows.items() if table.partition("@")[0] in known}
    return {name: of for name, of in digests.items() if name in known}, rows


def _row(probe: Probe, ran: Ran) -> pd.DataFrame:
    import pandas as pd

    values = {name: float("nan") if v is None else v for name, v in sorted(ran.values.items())}
    return pd.DataFrame([{"number": probe.number, "data_packets": ran.data_packets, **values}])


def main(arguments: list[str]) -> int:
    """Judge the runs in a folder, write the record and list the stale claims."""
    runs, file = Path(arguments[0]), Path(arguments[1])
    records: list[RecordedClaim] = []
    try:
        checkout = find_checkout(file.parent) or find_checkout()
        if checkout is None:
            raise InputError(f"{file}: not in a checkout of ecnomy")
        sources, kept = Sources(checkout), file.parent / KEPT
        then = read_record(file) if file.is_file() else RecordFile(0, [])
        studies, tables = _quick_rows(runs, sources, then.studies, read_rows(kept))
        old = {record.claim: record for record in then.records}
        for name in PAPERS:
            paper = sources.paper(name)
            whole = outcomes_of(paper, Form(runs, grid=True))
            quick = outcomes_of(paper, Form(runs, quick=True))
            for claim in claims_of(paper):
                if claim in whole and claim in quick:
                    made_of = sources.of_claim(*place_of(claim), studies)
                    records.append(recorded(whole[claim], quick[claim], versions(), made_of))
                elif claim in old:
                    records.append(old[claim])
        for line in stale_lines(look(records, studies, tables, sources).stale):
            print(f"ecnomy: {line}", file=sys.stderr)
    except EcnomyError as error:
        print(f"ecnomy: {error}", file=sys.stderr)
        return 2
    write_rows(kept, tables)
    write_record(file, records, studies)
    return 0


def claims_of(paper: Paper) -> list[str]:
    """Return the names of all claims of a paper, in order."""
    return [
        f"{paper.paper}.{item}.{number}"
        for item, entry in paper.entries.items()
        for number in entry.claims
    ]


def versions() -> dict[str, str]:
    """Return the engine of new runs and the version of ecnomy."""
    import importlib.metadata

    return {"engine": "ecnomy-engine", "ecnomy": importlib.metadata.version("ecnomy")}


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
