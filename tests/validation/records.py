# SPDX-License-Identifier: Apache-2.0
"""Checks whether the records of the engines and of the papers' claims fit the current code.

    python tests/validation/records.py [--budget S] [--carry] [--strict]

    records: 36 of 36 of the engines, 374 of 374 claims are current

If digests show a change, probes are run: new quick runs are compared with the recorded ones.
Stale records are listed above the line.

    --budget S   at most about S seconds of CPU time for probes of claims; studies beyond it
                 count as stale (default 120)
    --carry      no budget; OMNeT++/INET is also run, if installed; unaffected records take
                 the digests of the current code, so that the next check needs no probe
    --strict     exit status 1 if any record is stale
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import msgspec

from ecnomy.agents.errors import EcnomyError
from ecnomy.analysis.compare import currency as engines
from ecnomy.analysis.compare.record import RECORDS
from ecnomy.analysis.compare.record import read_record as read_engine
from ecnomy.analysis.compare.record import write_record as write_engine
from ecnomy.analysis.compare.recording import read_index
from ecnomy.analysis.reproduce.claim_digests import Sources
from ecnomy.analysis.reproduce.currency import carried, look, stale_lines
from ecnomy.analysis.reproduce.papers import PAPERS
from ecnomy.analysis.reproduce.quick_results import KEPT, read_rows
from ecnomy.analysis.reproduce.record import claims_of
from ecnomy.analysis.reproduce.record_file import read_record, write_record

__all__ = ["Counted", "Looked", "main", "of_claims", "of_engines"]

ROOT = Path(__file__).parents[2]
BUDGET_S = 120.0


class Counted(msgspec.Struct, frozen=True):
    """The numbers of current and of all records, and a line for each stale one."""

    current: int
    all: int
    stale: tuple[str, ...]
    claims: Mapping[str, tuple[str, ...]] = {}  # stale records


class Looked(msgspec.Struct, frozen=True):
    """The results of the check of all records."""

    engines: Counted
    claims: Counted

    @property
    def stale(self) -> tuple[str, ...]:
        """Reasons for stale records, one line each."""
        return self.engines.stale + self.claims.stale

    def __str__(self) -> str:
        lines = [f"ecnomy: {line}" for line in self.stale]
        lines.append(
            f"records: {self.engines.current} of {self.engines.all} of the engines, "
            f"{self.claims.current} of {self.claims.all} claims are current"
        )
        return "\n".join(lines)


def of_engines(checkout: Path = ROOT, *, carry: bool = False, jobs: int = 2) -> Counted:
    """The records of the engines; `carry` rewrites those that changes do not affect.

    A scenario of the index without a record is stale.
    """
    files = sorted((checkout / RECORDS).glob("*.json"))
    names = [scenario.name for scenario in read_index(checkout).scenarios]
    gone = tuple(f"{name} not recorded" for name in sorted(set(names) - {f.stem for f in files}))
    omnet = carry and engines.has_omnet()

    def reasons_of(file: Path) -> tuple[str, ...]:
        record = read_engine(file)
        currency = engines.currency(record, checkout, omnet=omnet)
        if carry and currency.current and (new := engines.carried(record, currency)) != record:
            write_engine(new, file)
        return currency.reasons

    with ThreadPoolExecutor(jobs) as pool:
        reasons = dict(zip(files, pool.map(reasons_of, files), strict=True))
    stale = tuple(f"{file.stem} stale ({'; '.join(why)})" for file, why in reasons.items() if why)
    return Counted(len(files) - len(stale), len(files) + len(gone), stale + gone)


def of_claims(checkout: Path = ROOT, *, carry: bool = False, budget_s: float = BUDGET_S) -> Counted:
    """The records of the claims; a claim without one is stale."""
    file = checkout / "tests" / "validation" / "papers.json"
    kept, sources, tables = read_record(file), Sources(checkout), read_rows(file.parent / KEPT)
    budget_s = math.inf if carry else budget_s
    currency = look(kept.records, kept.studies, tables, sources, budget_s=budget_s)
    if carry:
        write_record(file, *carried(kept.records, kept.studies, currency, sources))
    claims = [claim for paper in PAPERS for claim in claims_of(sources.paper(paper))]
    recorded = {record.claim for record in kept.records}
    why = {claim: ("not recorded",) for claim in claims if claim not in recorded} | currency.stale
    fresh = sum(claim in recorded and claim not in currency.stale for claim in claims)
    return Counted(fresh, len(claims), tuple(stale_lines(why)), why)


def main(arguments: list[str] | None = None) -> int:
    """Check the records, list stale ones, and print the summary line."""
    parser = argparse.ArgumentParser(prog="records", description="Which records are current.")
    parser.add_argument("--budget", type=float, default=BUDGET_S, help="CPU seconds of probes")
    parser.add_argument("--carry", action="store_true", help="probe all and rewrite digests")
    parser.add_argument("--strict", action="store_true", help="exit status 1 if any is stale")
    given = parser.parse_args(arguments)
    try:
        looked = Looked(
            of_engines(carry=given.carry), of_claims(carry=given.carry, budget_s=given.budget)
        )
    except EcnomyError as error:
        print(f"ecnomy: {error}", file=sys.stderr)
        return error.exit_status
    print(looked)
    return int(given.strict and bool(looked.stale))


if __name__ == "__main__":
    raise SystemExit(main())
