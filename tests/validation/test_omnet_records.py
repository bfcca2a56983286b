# SPDX-License-Identifier: Apache-2.0
"""The built-in engine against OMNeT++/INET's results, for every current record.

All records together get BUDGET_S of CPU time of the built-in engine, by their recorded times,
shared evenly, with at least four seeds each; with run starts that is under two minutes
on two cores. Over all seeds of a record, rows recorded as equivalent must be equivalent again. Over
fewer seeds, no row may be different. The fast tier takes four seeds: a record is current only if
the built-in engine gives the first one's figures to the last digit.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from ecnomy.analysis.compare.currency import currency
from ecnomy.analysis.compare.record import (
    RECORDS,
    SCENARIOS,
    against,
    read_record,
    seeds_within,
)
from ecnomy.analysis.compare.runs import BUILT_IN, ComparedScenario, to_make
from ecnomy.analysis.compare.verdicts import DIFFERENT, EQUIVALENT
from ecnomy.analysis.compare.workers import make_all
from tiers import full, in_full

ROOT = Path(__file__).parents[2]
FILES = sorted((ROOT / RECORDS).glob("*.json"))
BUDGET_S = 60.0 if in_full() else 0.0
# The fast tier takes WTP with a weight of four, each of its laws once, other TCP over RED, of
# agents those of gold-silver, and nothing that takes seconds or whose laws laws/ holds.
AGENTS = (
    *("gsp", "two-gsps", "gsp-insured", "streaming", "two-carriers", "cost-plus"),
    *("strategy-menu", "file-budget", "tuned-marking", "switching"),
)
LONG = ("two-classes", "voip-web", "reference-dumbbell", "two-links")
NEWRENO = ("newreno-codel", "newreno-droptail", "newreno-pi", "newreno-pie")
SHARED = ("projection-heuristic", "rem-links", "service-classes")
WTP = ("-1", "-10", "-4-paced", "pi-lb-4", "id-red-4", "pi-vq-4")
REST = (*WTP, *NEWRENO, *SHARED, *AGENTS, *LONG)
RECORDED = [pytest.param(f, marks=full) if f.stem.endswith(REST) else f for f in FILES]


@pytest.mark.parametrize("file", RECORDED, ids=[file.stem for file in FILES])
def test_the_built_in_engine_gives_what_inet_gave(file: Path, tmp_path: Path) -> None:
    """No row of a current record is different, and equivalent rows stay equivalent."""
    record = read_record(file)
    state = currency(record, ROOT)
    if not state.current:
        pytest.skip(f"{record.name} is stale ({'; '.join(state.reasons)}): make record-omnet")
    seeds = seeds_within(record, BUILT_IN, BUDGET_S / len(FILES))
    config = str(ROOT / SCENARIOS / record.scenario)
    study = ComparedScenario(config, record.overrides, (BUILT_IN, BUILT_IN), tmp_path)
    (tmp_path / "runs").mkdir()
    runs = make_all(study, to_make(study, study.tasks(seeds))[1], 1)
    rows = against(record, {task.seed: done.figures for task, done in runs.items()})
    verdicts = {row.row.key: row.verdict for row in rows}
    assert not [key for key, verdict in verdicts.items() if verdict == DIFFERENT]
    if seeds == record.seeds:
        then = [row.row.key for row in record.rows if row.verdict == EQUIVALENT]
        assert not [key for key in then if verdicts[key] != EQUIVALENT]


def test_there_are_records() -> None:
    """Every scenario of the index has its record."""
    if not FILES:
        pytest.skip(f"no records in {RECORDS}: make record-omnet (needs OMNeT++ and INET)")
    from ecnomy.analysis.compare.recording import read_index

    names = {entry.name for entry in read_index(ROOT).scenarios}
    assert {file.stem for file in FILES} == names
