# SPDX-License-Identifier: Apache-2.0
"""Records: earlier results of another engine, stored as JSON to check the built-in engine.

A record of OMNeT++/INET is current while the scenario, its plans, the code of agents and economy,
and the C++ sources of laws, bridge, host and INET modules are unchanged (sources.py). If they have
changed, currency.py runs the scenario to see whether outcomes have changed. The sources of the
built-in engine do not count, because the record tests that engine. Runs on the kernel's TCP are not
repeatable to the last digit, so their records have no such check. tests/validation/README.md
describes the file.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import msgspec

from ecnomy.agents.errors import ResultsError
from ecnomy.analysis.compare.comparison import Comparison
from ecnomy.analysis.compare.figures import MONEY, Figures, Row, filled
from ecnomy.analysis.compare.python_sources import economy_codes
from ecnomy.analysis.compare.runs import LINUX, Done
from ecnomy.analysis.compare.sources import INET, SHARED, laws_named, source_digest
from ecnomy.analysis.compare.verdicts import (
    BOUNDS,
    FEWEST,
    IN_REAL_TIME,
    Compared,
    compared,
)
from ecnomy.markets.compile.make import make_plan
from ecnomy.markets.scenario import load
from ecnomy.markets.session.preparing import loaded
from ecnomy.markets.support.wording import other_format

__all__ = [
    "FORMAT",
    "LINUX_RECORDS",
    "RECORDS",
    "SCENARIOS",
    "MadeOf",
    "RecordOrigin",
    "RecordedRow",
    "ScenarioRecord",
    "against",
    "changes",
    "figures_digest",
    "made_of",
    "new_record",
    "read_record",
    "seeds_within",
    "write_record",
]

FORMAT: Final = 2
RECORDS: Final = Path("tests/validation/omnet")
LINUX_RECORDS: Final = Path("tests/validation/linux")
SCENARIOS: Final = Path("tests/validation/scenarios")


class RecordedRow(msgspec.Struct, frozen=True):
    """One quantity of a source, link or kind of posting: a value per seed, and the verdict."""

    kind: str
    name: str
    quantity: str
    values: tuple[float | None, ...]
    verdict: str

    @property
    def row(self) -> Row:
        """The corresponding row of a comparison."""
        return Row(self.kind, self.name, self.quantity)


class MadeOf(msgspec.Struct, frozen=True):
    """Digests of the sources of a record.

    Attributes:
        scenario: the scenario with its market and all defaults, without its seed.
        plans: the plans for all seeds.
        shared: the code of bridge, host, and the laws that the plans name.
        inet: the code in omnet/inet.
        economy: the code of the agents and the economy; "" without a market.
    """

    scenario: str
    plans: str
    shared: str
    inet: str
    economy: str = ""


class ScenarioRecord(msgspec.Struct, frozen=True, kw_only=True):
    """A recorded comparison.

    Attributes:
        name: name of the record and of its file.
        scenario: the scenario's file, relative to tests/validation/scenarios.
        overrides: `path=value` changes to the scenario.
        made_of: digests of the sources of the record.
        probe: digest of the built-in engine's outcomes for the first seed, with the code in
            `made_of`.
        versions: versions of ecnomy and both engines; the entry of OMNeT++ includes INET's version.
        machine: the machine that made the record; `date` is the day of recording (UTC).
        seeds: the seeds, in the order of the values in each row.
        duration_ps, warmup_ps: duration and warm-up of each run [ps]; outcomes cover the time
            between warm-up and end.
        cpu_s: engine -> CPU time of each run [s].
        rows: the recorded engine's outcomes.
    """

    format: int
    name: str
    scenario: str
    overrides: tuple[str, ...]
    made_of: MadeOf
    probe: str
    versions: dict[str, str]
    machine: dict[str, str]
    date: str
    seeds: tuple[int, ...]
    duration_ps: int
    warmup_ps: int
    cpu_s: dict[str, tuple[float, ...]]
    rows: tuple[RecordedRow, ...]

    def figures(self) -> dict[int, Figures]:
        """Return the recorded outcomes, by seed and row key."""
        return {
            seed: {row.row.key: row.values[i] for row in self.rows}
            for i, seed in enumerate(self.seeds)
        }


class RecordOrigin(msgspec.Struct, frozen=True):
    """The origin of a record (see ScenarioRecord)."""

    versions: dict[str, str]
    machine: dict[str, str]
    date: str


class _Header(msgspec.Struct, frozen=True):
    format: int


def read_record(file: Path) -> ScenarioRecord:
    """Read a record.

    Raises:
        ResultsError: the file is not a record, or its format is not FORMAT.
    """
    try:
        raw = file.read_bytes()
        file_format = msgspec.json.decode(raw, type=_Header).format
        if file_format != FORMAT:
            raise ResultsError(other_format(file, "record format", file_format, FORMAT))
        record = msgspec.json.decode(raw, type=ScenarioRecord)
    except (OSError, msgspec.DecodeError) as error:
        raise ResultsError(f"{file}: not a record ({error})") from error
    count = len(record.seeds)
    lengths = {len(row.values) for row in record.rows}
    if lengths != {count} or count < FEWEST or len(set(record.seeds)) < count:
        raise ResultsError(
            f"{file}: expected at least {FEWEST} distinct seeds and one value per seed in each row"
        )
    return record


def write_record(record: ScenarioRecord, file: Path) -> None:
    """Write a record to a file, which gets its final name only when it is complete.

    Raises:
        OSError: the file cannot be written.
    """
    file.parent.mkdir(parents=True, exist_ok=True)
    temporary = file.with_suffix(".json.tmp")
    temporary.write_bytes(msgspec.json.format(msgspec.json.encode(record), indent=1) + b"\n")
    temporary.replace(file)


def made_of(
    scenario: str, overrides: Sequence[str], seeds: Sequence[int], checkout: Path
) -> MadeOf:
    """Return the current digests for a record of a scenario in a checkout.

    Raises:
        ScenarioError: the scenario does not load.
        InputError: the folder is not a checkout.
    """
    file = checkout / SCENARIOS / scenario
    own = load(file, overrides=overrides)
    plans = [make_plan(loaded(own, (), seed)) for seed in seeds]
    resolved = {key: value for key, value in own.resolved().items() if key != "seed"}
    return MadeOf(
        scenario=_digest(resolved),
        plans=_digest([plan.digest for plan in plans]),
        shared=source_digest(checkout, SHARED, laws_named(plans[:1], checkout)),
        inet=source_digest(checkout, (INET,)),
        economy=_digest(economy_codes(checkout)) if own.market is not None else "",
    )


def changes(record: ScenarioRecord, now: MadeOf) -> tuple[str, ...]:
    """Return the fields of `made_of` that have changed since the recording."""
    fields = type(now).__struct_fields__
    return tuple(f for f in fields if getattr(now, f) != getattr(record.made_of, f))


def figures_digest(figures: Figures) -> str:
    """Return the digest of a run's outcomes, which covers every digit."""
    return _digest(figures)


def _digest(what: Any) -> str:
    return hashlib.sha256(msgspec.json.encode(what, order="sorted")).hexdigest()


def new_record(
    name: str,
    scenario: str,
    comparison: Comparison,
    runs: Mapping[str, Sequence[Done]],
    checkout: Path,
    made: RecordOrigin,
) -> ScenarioRecord:
    """Return the record of a comparison with the outcomes of its second engine.

    Args:
        name: name of the record.
        scenario: the scenario's file, relative to SCENARIOS in the checkout.
        comparison: the comparison of the two engines on this scenario.
        runs: the runs of each engine, in the order of the comparison's seeds.
        checkout: the checkout with the sources that made the runs.
        made: the origin of the record.
    """
    first, recorded = (runs[engine] for engine in comparison.engines)
    figures = filled([done.figures for done in (*recorded, *first)])[: len(recorded)]
    from_ps, to_ps = comparison.window_ps
    return ScenarioRecord(
        format=FORMAT,
        name=name,
        scenario=scenario,
        overrides=comparison.overrides,
        made_of=made_of(scenario, comparison.overrides, comparison.seeds, checkout),
        probe=figures_digest(first[0].figures),
        versions=made.versions,
        machine=made.machine,
        date=made.date,
        seeds=comparison.seeds,
        duration_ps=to_ps,
        warmup_ps=from_ps,
        cpu_s={engine: tuple(done.cpu_s for done in runs[engine]) for engine in comparison.engines},
        rows=tuple(_recorded(row, figures) for row in comparison.rows),
    )


def _recorded(row: Compared, runs: Sequence[Figures]) -> RecordedRow:
    where = row.row
    values = tuple(figures[where.key] for figures in runs)
    return RecordedRow(where.kind, where.name, where.quantity, values, row.verdict)


def against(record: ScenarioRecord, figures: Mapping[int, Figures]) -> list[Compared]:
    """Compare new outcomes (the reference) with the recorded outcomes.

    Only the seeds in `figures` are compared, so that values are paired.
    """
    recorded = record.figures()
    rows = [row.row for row in record.rows if row.kind != MONEY]
    bounds = IN_REAL_TIME if LINUX in record.cpu_s else BOUNDS
    return compared(
        rows, figures, {seed: recorded[seed] for seed in sorted(figures)}, bounds=bounds
    )


def seeds_within(
    record: ScenarioRecord, engine: str, budget_s: float, fewest: int = 4
) -> tuple[int, ...]:
    """Return the first seeds whose runs fit into a CPU time, according to the recorded times.

    Args:
        record: the record with the seeds and CPU times.
        engine: the engine whose CPU time counts.
        budget_s: CPU time for all of these seeds [s].
        fewest: least number of seeds, even if their runs take longer.
    """
    taken, count = 0.0, 0
    for cpu_s in record.cpu_s[engine]:
        taken += cpu_s
        if taken > budget_s and count >= fewest:
            break
        count += 1
    return record.seeds[:count]
