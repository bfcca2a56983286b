# SPDX-License-Identifier: Apache-2.0
"""Renews the records: `python -m ecnomy.analysis.compare.recording` (make record-omnet).

Both engines run every scenario of tests/validation/scenarios/index.yaml. While a row is undecided,
the number of seeds is doubled, up to 40. The outcomes on INET are written to
tests/validation/omnet/<name>.json. Runs are kept in build/record-omnet, so the same command resumes
an interrupted recording.

With `--engine linux` (make record-linux), the scenarios are those of linux.yaml. The outcomes on
the kernel's TCP are written to tests/validation/linux/<name>.json, and seeds are not doubled.
Record on an otherwise idle machine.
"""

from __future__ import annotations

import argparse
import datetime
import importlib.metadata
import os
import platform
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Final

import msgspec

from ecnomy.agents.errors import EcnomyError, InputError
from ecnomy.analysis.compare.comparison import Comparison, compare
from ecnomy.analysis.compare.record import (
    LINUX_RECORDS,
    RECORDS,
    SCENARIOS,
    RecordOrigin,
    ScenarioRecord,
    new_record,
    write_record,
)
from ecnomy.analysis.compare.runs import (
    BUILT_IN,
    LINUX,
    OMNET,
    ComparedScenario,
    Simulate,
    check_engine,
    simulated,
    to_make,
)
from ecnomy.analysis.compare.sources import find_checkout
from ecnomy.analysis.compare.table import cost_line, sentence
from ecnomy.markets.inputs.amounts import Number
from ecnomy.markets.inputs.reading import read
from ecnomy.markets.inputs.variants import load_tree

__all__ = ["RecordedScenario", "RecordingIndex", "main", "read_index", "record_scenario"]

INDEX: Final = {OMNET: "index.yaml", LINUX: "linux.yaml"}  # by recorded engine
FOLDER: Final = {OMNET: RECORDS, LINUX: LINUX_RECORDS}
WORK: Final = Path("build/record-omnet")
LINUX_WORK: Final = Path("build/record-linux")
_Seeds = Annotated[int, Number(what="a whole number", least=2, most=1000, whole=True)]
_Version = Annotated[int, Number(what="a version", least=1, most=1, whole=True)]


class RecordedScenario(msgspec.Struct, frozen=True, kw_only=True):
    """A scenario to record: a file, relative to the index, and changes to its values."""

    name: str
    file: str
    changes: tuple[str, ...] = msgspec.field(name="set", default=())


class RecordingIndex(msgspec.Struct, frozen=True, kw_only=True):
    """All scenarios to record, and the number of seeds before it is doubled."""

    version: _Version
    seeds: _Seeds
    scenarios: tuple[RecordedScenario, ...]


def read_index(checkout: Path, engine: str = OMNET) -> RecordingIndex:
    """Read the index of the scenarios that a checkout records for an engine.

    Raises:
        ScenarioError: the index is invalid; the message names the place.
    """
    return read(load_tree(checkout / SCENARIOS / INDEX[engine]), RecordingIndex, "", {})


def record_scenario(
    entry: RecordedScenario,
    seeds: int,
    checkout: Path,
    *,
    engines: tuple[str, str] = (BUILT_IN, OMNET),
    jobs: int = 1,
    simulate: Simulate = simulated,
) -> tuple[ScenarioRecord, Comparison]:
    """Compare two engines on a scenario and write the record of the second engine.

    Raises:
        InputError: the sources changed during the recording.
        EcnomyError: as for ecnomy.analysis.compare.comparison.compare.
        OSError: the record cannot be written.
    """
    file = checkout / SCENARIOS / entry.file
    real_time = LINUX in engines
    work = checkout / (LINUX_WORK if real_time else WORK) / entry.name
    study = ComparedScenario(str(file), entry.changes, engines, work, simulate=simulate)
    comparison = compare(study, seeds, jobs=jobs, double=not real_time)
    tasks = study.tasks(comparison.seeds)
    done, missing = to_make(study, tasks)
    if missing:
        raise InputError(f"{entry.name}: sources changed during the recording; record it again")
    runs = {engine: [done[t] for t in tasks if t.engine == engine] for engine in engines}
    record = new_record(entry.name, entry.file, comparison, runs, checkout, _made(comparison))
    write_record(record, checkout / FOLDER.get(engines[1], RECORDS) / f"{entry.name}.json")
    return record, comparison


def _made(comparison: Comparison) -> RecordOrigin:
    first, second = comparison.engines
    versions = {first: comparison.costs[0].engine, second: comparison.costs[1].engine}
    return RecordOrigin(
        versions={"ecnomy": importlib.metadata.version("ecnomy"), **versions},
        machine={
            "system": platform.platform(),
            "cpus": str(os.cpu_count()),
            "python": platform.python_version(),
        },
        date=datetime.datetime.now(datetime.UTC).date().isoformat(),
    )


def main(arguments: Sequence[str] | None = None) -> None:
    """Renew all records, or the named ones."""
    parser = argparse.ArgumentParser(prog="recording", description="Renew records.")
    parser.add_argument("names", nargs="*", help="Records to renew. Default: all.")
    parser.add_argument(
        "--engine",
        default=OMNET,
        choices=[*INDEX],
        help="Engine to compare with the built-in engine.",
    )
    parser.add_argument("--jobs", type=int, default=1, help="Number of parallel runs.")
    given = parser.parse_args(arguments)
    try:
        check_engine(given.engine)
        _record(given.names, given.engine, max(given.jobs, 1))
    except EcnomyError as error:
        print(f"ecnomy: {error}", file=sys.stderr)
        raise SystemExit(error.exit_status) from None


def _record(names: Sequence[str], engine: str, jobs: int) -> None:
    checkout = find_checkout()
    if checkout is None:
        raise InputError(f"{Path.cwd()}: not in a checkout of ecnomy, which this command needs")
    index, engines = read_index(checkout, engine), (BUILT_IN, engine)
    known = {entry.name: entry for entry in index.scenarios}
    for name in names:
        if name not in known:
            raise InputError(f"{name}: no such record, expected one of {', '.join(known)}")
    for name in names or known:
        _, comparison = record_scenario(
            known[name], index.seeds, checkout, engines=engines, jobs=jobs
        )
        print(f"{name}: {sentence(comparison)}")
        for row in comparison.rows:
            if row.verdict not in ("", "equivalent"):
                print(f"  {row.verdict}: {row.row.subject}, {row.row.quantity}")
        print(f"  {cost_line(comparison)}", flush=True)


if __name__ == "__main__":
    main()
