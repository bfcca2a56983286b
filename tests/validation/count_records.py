# SPDX-License-Identifier: Apache-2.0
"""Prints how many records of the engines and of the papers' claims are of the code as it is.

records: 36 of 36 of the engines, 374 of 374 claims are current
"""

from __future__ import annotations

from pathlib import Path

from ecnomy.analysis.compare.record import RECORDS, current
from ecnomy.analysis.compare.record import read_record as read_engines
from ecnomy.analysis.reproduce.made_of import Sources
from ecnomy.analysis.reproduce.papers import PAPERS, load_paper
from ecnomy.analysis.reproduce.record import claims_of, stale
from ecnomy.analysis.reproduce.record_file import read_record as read_claims

__all__ = ["main", "records_line"]

ROOT = Path(__file__).parents[2]


def records_line(checkout: Path = ROOT) -> str:
    """The line for a checkout."""
    engines = [read_engines(file) for file in sorted((checkout / RECORDS).glob("*.json"))]
    held = sum(current(record, checkout).current for record in engines)
    claims = {claim for paper in PAPERS for claim in claims_of(load_paper(paper))}
    recorded = read_claims(checkout / "tests" / "validation" / "papers.json")
    kept = [record for record in recorded if record.claim in claims]
    fresh = len(kept) - len(stale(kept, Sources(checkout)))
    return (
        f"records: {held} of {len(engines)} of the engines, "
        f"{fresh} of {len(claims)} claims are current"
    )


def main() -> None:
    """Print the line."""
    print(records_line())


if __name__ == "__main__":
    main()
