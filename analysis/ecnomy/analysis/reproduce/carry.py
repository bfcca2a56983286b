# SPDX-License-Identifier: Apache-2.0
"""Carrying papers.json over a change of the engine that moves no figure (`make carry-papers`).

    python -m ecnomy.analysis.reproduce.carry tests/validation/papers.json

Where only the code of the engine has changed (made_of.py) and the probes of all studies of an entry
(probes.py) give the same digests as before, its claims count as current again, and `carried` keeps
the engine that they were measured with. All others stay stale.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

import msgspec

from ecnomy.agents.errors import EcnomyError, InputError
from ecnomy.analysis.compare.sources import find_checkout
from ecnomy.analysis.reproduce.made_of import ENGINE_CHANGED, Sources
from ecnomy.analysis.reproduce.papers import load_paper
from ecnomy.analysis.reproduce.probes import probes_of
from ecnomy.analysis.reproduce.record import (
    Recorded,
    read_probes,
    read_record,
    stale,
    stale_lines,
    write_record,
)

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
) -> list[Recorded]:
    """The records, those carried over whose figures no changed engine has moved.

    Args:
        records: as papers.json has them.
        then: its probes.
        sources: of the checkout as it is.
        probes: makes the probes of studies anew.
    """
    records = list(records)
    why = stale(records, sources)
    moved = {claim for claim, reasons in why.items() if reasons == (ENGINE_CHANGED,)}
    studies = _studies_of(moved)
    now = probes(sorted({study for names in studies.values() for study in names}))

    def carried(record: Recorded) -> Recorded:
        needed = studies.get(record.claim, ())
        if not needed or any(study not in then or then[study] != now[study] for study in needed):
            return record
        made_of = msgspec.structs.replace(record.made_of, engine=sources.engine)
        first = record.carried or record.made_of.engine
        return msgspec.structs.replace(record, made_of=made_of, carried=first)

    return [carried(record) for record in records]


def main(arguments: list[str]) -> int:
    """Carry the records of a file over, and name what stays stale."""
    file = Path(arguments[0])
    try:
        checkout = find_checkout(file.parent) or find_checkout()
        if checkout is None:
            raise InputError(f"{file}: found no checkout of ecnomy around it, expected one")
        sources, then = Sources(checkout), read_probes(file)
        records = carried_over(read_record(file), then, sources)
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
