# SPDX-License-Identifier: Apache-2.0
"""Carrying records over a change of the sources that moves no figure (`make carry-omnet`).

    python -m ecnomy.analysis.compare.carrying [NAME ...]

Where only the code of laws, bridge, host or inet has changed, and OMNeT++/INET gives every figure
of the record's first seed as before, to the last digit, the record counts as current again; its
`carried` keeps the digest of the sources that it was made with. All others stay stale.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec

from ecnomy.agents.errors import EcnomyError, InputError
from ecnomy.analysis.compare.record import (
    RECORDS,
    SCENARIOS,
    SOURCES_CHANGED,
    Record,
    current,
    read_record,
    write_record,
)
from ecnomy.analysis.compare.runs import OMNET, Simulate, Study, check_engine, make, simulated
from ecnomy.analysis.compare.sources import find_checkout, source_digest

__all__ = ["carried_over", "main", "moved"]


def moved(record: Record, checkout: Path, simulate: Simulate = simulated) -> list[str]:
    """The rows that differ from the record's in a run of its first seed made now.

    Raises:
        EcnomyError: the run failed.
    """
    config = str(checkout / SCENARIOS / record.scenario)
    with TemporaryDirectory(prefix="ecnomy-carry-") as folder:
        study = Study(config, record.overrides, (OMNET, OMNET), Path(folder), simulate=simulate)
        (Path(folder) / "runs").mkdir()
        now = make(study, study.tasks(record.seeds[:1])[0]).figures
    then = {row.row.key: row.values[0] for row in record.rows}
    return sorted(key for key in then.keys() | now.keys() if then.get(key) != now.get(key))


def carried_over(record: Record, checkout: Path, simulate: Simulate = simulated) -> Record | None:
    """The record as one of the present sources; None where it is not, or figures have moved.

    Raises:
        EcnomyError: the run failed, or it is no checkout.
    """
    if current(record, checkout).reasons != (SOURCES_CHANGED,):
        return None
    if moved(record, checkout, simulate):
        return None
    first = record.carried or record.source_digest
    return msgspec.structs.replace(record, source_digest=source_digest(checkout), carried=first)


def main(arguments: Sequence[str] | None = None) -> None:
    """Carry over all records, or those that are named, and say what became of each."""
    parser = argparse.ArgumentParser(prog="carry-omnet", description="Carry INET records over.")
    parser.add_argument("names", nargs="*", help="records; default all")
    parser.add_argument("--jobs", type=int, default=1, help="runs at a time")
    given = parser.parse_args(arguments)
    try:
        check_engine(OMNET)
        checkout = find_checkout()
        if checkout is None:
            raise InputError(f"{Path.cwd()}: not in a checkout of ecnomy")
        known = {file.stem: file for file in sorted((checkout / RECORDS).glob("*.json"))}
        for name in given.names:
            if name not in known:
                raise InputError(f"{name}: no such record, expected one of {', '.join(known)}")
        files = [known[name] for name in given.names or known]
        with ThreadPoolExecutor(max(given.jobs, 1)) as pool:
            for line in pool.map(lambda file: _carry(file, checkout), files):
                print(line, flush=True)
    except EcnomyError as error:
        print(f"ecnomy: {error}", file=sys.stderr)
        raise SystemExit(error.exit_status) from None


def _carry(file: Path, checkout: Path) -> str:
    record = read_record(file)
    state = current(record, checkout)
    if state.current:
        return f"{record.name}: current"
    carried = carried_over(record, checkout)
    if carried is None:
        return f"{record.name}: stays stale ({'; '.join(state.reasons)})"
    write_record(carried, file)
    return f"{record.name}: carried over"


if __name__ == "__main__":
    main()
