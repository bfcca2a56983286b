# SPDX-License-Identifier: Apache-2.0
"""Records: what OMNeT++/INET gave once, kept as JSON to hold the built-in engine to later.

A record is current while the scenario, the plan of every seed and the C++ sources of laws, bridge
and INET modules are those it was made with (sources.py). What it is not held to is the built-in
engine: that is what is tested. tests/validation/README.md describes the file.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

import msgspec

from ecnomy.agents.errors import EcnomyError, ResultsError
from ecnomy.analysis.compare.comparison import Comparison
from ecnomy.analysis.compare.figures import Figures, Row
from ecnomy.analysis.compare.runs import Done
from ecnomy.analysis.compare.sources import source_digest
from ecnomy.analysis.compare.verdicts import FEWEST, Compared, compared
from ecnomy.markets.plan.make import make_plan
from ecnomy.markets.scenario import Scenario, load

__all__ = [
    "FORMAT",
    "Made",
    "RECORDS",
    "SCENARIOS",
    "SOURCES_CHANGED",
    "Currency",
    "Record",
    "RecordedRow",
    "against",
    "current",
    "new_record",
    "read_record",
    "scenario_digest",
    "seeds_within",
    "write_record",
]

FORMAT: Final = 1
RECORDS: Final = Path("tests/validation/omnet")
SCENARIOS: Final = Path("tests/validation/scenarios")
SOURCES_CHANGED: Final = "laws, bridge, host or inet have changed"


class RecordedRow(msgspec.Struct, frozen=True):
    """One quantity of one source or link: its value per seed, and the verdict when recorded."""

    kind: str
    name: str
    quantity: str
    values: tuple[float | None, ...]
    verdict: str

    @property
    def row(self) -> Row:
        """Which row of a comparison it is."""
        return Row(self.kind, self.name, self.quantity)


class Record(msgspec.Struct, frozen=True, kw_only=True):
    """A recorded comparison.

    Attributes:
        name: of the record, and of its file.
        scenario: file in tests/validation/scenarios.
        overrides: `path=value` changes to it.
        scenario_digest: of the scenario with its market, every default filled in, but for its seed.
        plan_digests: one per seed.
        source_digest: of the code of laws, bridge, host and inet (sources.py).
        versions: of ecnomy and of both engines as they say hello, the recorded one's with INET's.
        machine: where it was recorded; `date`: when (UTC).
        seeds: in the order of all values.
        duration_ps, warmup_ps: of each run; figures are over [warmup, duration].
        cpu_s: engine -> CPU time of each run.
        rows: the recorded engine's figures.
        carried: `source_digest` when it was made, where it was carried over since (carrying.py).
    """

    format: int
    name: str
    scenario: str
    overrides: tuple[str, ...]
    scenario_digest: str
    plan_digests: tuple[str, ...]
    source_digest: str
    versions: dict[str, str]
    machine: dict[str, str]
    date: str
    seeds: tuple[int, ...]
    duration_ps: int
    warmup_ps: int
    cpu_s: dict[str, tuple[float, ...]]
    rows: tuple[RecordedRow, ...]
    carried: str = ""

    def figures(self) -> dict[int, Figures]:
        """The recorded figures, by seed and row key."""
        return {
            seed: {row.row.key: row.values[i] for row in self.rows}
            for i, seed in enumerate(self.seeds)
        }


class Made(msgspec.Struct, frozen=True):
    """How a record came about: see Record."""

    versions: dict[str, str]
    machine: dict[str, str]
    date: str


class Currency(msgspec.Struct, frozen=True):
    """Whether a record is of the code as it is; `reasons` why it is not."""

    reasons: tuple[str, ...]

    @property
    def current(self) -> bool:
        """Whether there is no reason against it."""
        return not self.reasons


class _Header(msgspec.Struct, frozen=True):
    format: int


def read_record(file: Path) -> Record:
    """A record.

    Raises:
        ResultsError: it is none, or of another format.
    """
    try:
        raw = file.read_bytes()
        found = msgspec.json.decode(raw, type=_Header).format
        if found != FORMAT:
            raise ResultsError(f"{file}: record format {found}, this version reads {FORMAT}")
        record = msgspec.json.decode(raw, type=Record)
    except (OSError, msgspec.DecodeError) as error:
        raise ResultsError(f"{file}: not a record ({error})") from error
    count = len(record.seeds)
    lengths = {len(record.plan_digests), *(len(row.values) for row in record.rows)}
    if lengths != {count} or count < FEWEST or len(set(record.seeds)) < count:
        raise ResultsError(f"{file}: its seeds, plans and values do not fit together")
    return record


def write_record(record: Record, file: Path) -> None:
    """Write a record; it takes its name when it is whole.

    Raises:
        OSError: it cannot be written.
    """
    file.parent.mkdir(parents=True, exist_ok=True)
    temporary = file.with_suffix(".json.tmp")
    temporary.write_bytes(msgspec.json.format(msgspec.json.encode(record), indent=1) + b"\n")
    temporary.replace(file)


def scenario_digest(scenario: Scenario) -> str:
    """sha256 of a scenario with its market and every default filled in, its seed left out."""
    resolved = {key: value for key, value in scenario.resolved().items() if key != "seed"}
    return hashlib.sha256(msgspec.json.encode(resolved, order="sorted")).hexdigest()


def current(record: Record, checkout: Path) -> Currency:
    """Whether a record was made with the scenario, plans and sources of a checkout.

    Raises:
        InputError: it is no checkout.
    """
    reasons = []
    if record.source_digest != source_digest(checkout):
        reasons.append(SOURCES_CHANGED)
    try:
        reasons += _scenario_reasons(record, checkout)
    except EcnomyError as error:
        reasons.append(f"its scenario does not load: {error}")
    return Currency(tuple(reasons))


def _scenario_reasons(record: Record, checkout: Path) -> list[str]:
    file = checkout / SCENARIOS / record.scenario
    if not file.is_file():
        return [f"its scenario {record.scenario} is gone"]
    scenarios = [load(file, overrides=record.overrides, seed=seed) for seed in record.seeds]
    reasons = []
    if record.scenario_digest != scenario_digest(scenarios[0]):
        reasons.append(f"its scenario {record.scenario} has changed")
    digests = [make_plan(scenario).digest for scenario in scenarios]
    changed = sum(a != b for a, b in zip(digests, record.plan_digests, strict=True))
    if changed:
        reasons.append(f"the plans of {changed} of {len(digests)} seeds have changed")
    return reasons


def new_record(
    name: str,
    comparison: Comparison,
    runs: Mapping[str, Sequence[Done]],
    checkout: Path,
    made: Made,
) -> Record:
    """The record of a comparison whose second engine is the one to be recorded.

    Args:
        name: of the record.
        comparison: of a scenario below the checkout's SCENARIOS.
        runs: of both engines, in the order of the comparison's seeds.
        checkout: whose sources made the runs.
        made: how, where and when.
    """
    recorded = runs[comparison.engines[1]]
    scenario = load(checkout / SCENARIOS / comparison.scenario, overrides=comparison.overrides)
    from_ps, to_ps = comparison.window_ps
    return Record(
        format=FORMAT,
        name=name,
        scenario=comparison.scenario,
        overrides=comparison.overrides,
        scenario_digest=scenario_digest(scenario),
        plan_digests=tuple(done.plan_digest for done in recorded),
        source_digest=source_digest(checkout),
        versions=made.versions,
        machine=made.machine,
        date=made.date,
        seeds=comparison.seeds,
        duration_ps=to_ps,
        warmup_ps=from_ps,
        cpu_s={engine: tuple(done.cpu_s for done in runs[engine]) for engine in comparison.engines},
        rows=tuple(_recorded(row, recorded) for row in comparison.rows),
    )


def _recorded(row: Compared, runs: Sequence[Done]) -> RecordedRow:
    where = row.row
    values = tuple(done.figures[where.key] for done in runs)
    return RecordedRow(where.kind, where.name, where.quantity, values, row.verdict)


def against(record: Record, figures: Mapping[int, Figures]) -> list[Compared]:
    """Other runs of a record's seeds, as the reference, compared with what was recorded.

    Only the seeds of `figures` count, so that values are paired.
    """
    recorded = record.figures()
    rows = [row.row for row in record.rows]
    return compared(rows, figures, {seed: recorded[seed] for seed in sorted(figures)})


def seeds_within(record: Record, engine: str, budget_s: float, fewest: int = 4) -> tuple[int, ...]:
    """As many seeds, the first ones, as took an engine no more CPU time than a budget.

    Args:
        record: whose seeds, and whose times: nothing is measured here.
        engine: whose time counts.
        budget_s: for all of them.
        fewest: even if these take longer.
    """
    taken, count = 0.0, 0
    for cpu_s in record.cpu_s[engine]:
        taken += cpu_s
        if taken > budget_s and count >= fewest:
            break
        count += 1
    return record.seeds[:count]
