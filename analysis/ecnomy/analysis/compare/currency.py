# SPDX-License-Identifier: Apache-2.0
"""Checks whether a record still holds for the current code.

Digests show which sources have changed since the recording. If any has, the record holds only if a
run with its first seed passes a test:

    laws, bridge, host, plans    the built-in engine, which shares them, repeats its outcomes to the
    agents, economy              last digit; if not, OMNeT++/INET repeats the record's values
    omnet/inet                   OMNeT++/INET repeats the record's values to the last digit

If only a run of INET could confirm a record and none is made, the record counts as stale.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import msgspec

from ecnomy.agents.errors import EcnomyError, InputError
from ecnomy.analysis.compare.figures import Figures, filled
from ecnomy.analysis.compare.record import (
    SCENARIOS,
    MadeOf,
    ScenarioRecord,
    changes,
    figures_digest,
    made_of,
)
from ecnomy.analysis.compare.runs import (
    BUILT_IN,
    OMNET,
    ComparedScenario,
    Simulate,
    check_engine,
    make,
    simulated,
)
from ecnomy.markets.support.temporary import temporary_folder

__all__ = ["Currency", "carried", "currency", "has_omnet", "moved"]

_WORDS: Final = {
    "scenario": "its scenario has changed",
    "plans": "its plans have changed",
    "shared": "laws, bridge or host have changed",
    "inet": "omnet/inet has changed",
    "economy": "agents or economy have changed",
}


class Currency(msgspec.Struct, frozen=True):
    """Whether a record holds for the current code.

    Attributes:
        reasons: why the record does not hold; empty if it holds.
        made_of: the current digests; None if the scenario does not load.
        probe: digest of the built-in engine's current outcomes; "" without a probe run.
        probed: number of probe runs.
    """

    reasons: tuple[str, ...]
    made_of: MadeOf | None = None
    probe: str = ""
    probed: int = 0

    @property
    def current(self) -> bool:
        """Whether the record holds."""
        return not self.reasons


def has_omnet() -> bool:
    """Return whether OMNeT++ and INET are installed."""
    try:
        check_engine(OMNET)
    except EcnomyError:
        return False
    return True


def currency(
    record: ScenarioRecord, checkout: Path, *, omnet: bool = False, simulate: Simulate = simulated
) -> Currency:
    """Check whether a record is current, with probe runs if its sources have changed.

    Args:
        record: the record to check.
        checkout: the checkout with the scenario and the sources.
        omnet: whether to run OMNeT++/INET if needed, which takes tens of seconds.
        simulate: function that simulates a run.

    Raises:
        EcnomyError: a run failed.
    """
    try:
        now = made_of(record.scenario, record.overrides, record.seeds, checkout)
    except InputError as error:
        return Currency((f"its scenario does not load: {error}",))
    changed = changes(record, now)
    if not changed:
        return Currency((), now)
    reasons = tuple(_WORDS[part] for part in changed)
    figures = first_seed(record, checkout, BUILT_IN, simulate)
    probe = figures_digest(figures)
    if "inet" not in changed and probe == record.probe:
        return Currency((), now, probe, 1)
    if omnet:
        other = moved(record, first_seed(record, checkout, OMNET, simulate))
        reason = f"INET now gives different values for {', '.join(other[:3])}" if other else ""
        return Currency((*reasons, reason) if other else (), now, probe, 2)
    needed = "run OMNeT++/INET to see whether its values changed"
    return Currency((*reasons, needed), now, probe, 1)


def carried(record: ScenarioRecord, status: Currency) -> ScenarioRecord:
    """Return the record with the digests of the current code; unchanged if it is not current."""
    if not status.current or status.made_of is None:
        return record
    return msgspec.structs.replace(
        record, made_of=status.made_of, probe=status.probe or record.probe
    )


def first_seed(record: ScenarioRecord, checkout: Path, engine: str, simulate: Simulate) -> Figures:
    """Return the outcomes of an engine for the record's first seed."""
    config = str(checkout / SCENARIOS / record.scenario)
    with temporary_folder() as folder:
        engines = (engine, engine)
        study = ComparedScenario(config, record.overrides, engines, folder, simulate=simulate)
        (folder / "runs").mkdir()
        return make(study, study.tasks(record.seeds[:1])[0]).figures


def moved(record: ScenarioRecord, now: Figures) -> list[str]:
    """Return the keys of the outcomes that differ between a record's first seed and a new run."""
    then, now = filled([record.figures()[record.seeds[0]], now])
    return sorted(key for key in then.keys() | now.keys() if then.get(key) != now.get(key))
