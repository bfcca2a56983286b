# SPDX-License-Identifier: Apache-2.0
"""The built-in engine against recorded runs on the kernel's TCP (linux/README.md).

Such runs cannot be repeated to the last digit. So nothing is stale here: the built-in engine runs
each recorded seed, and no row may be different but those that were so when they were recorded.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from ecnomy.analysis.compare.record import LINUX_RECORDS, SCENARIOS, Record, against, read_record
from ecnomy.analysis.compare.recording import read_index
from ecnomy.analysis.compare.runs import BUILT_IN, LINUX, Study, to_make
from ecnomy.analysis.compare.verdicts import DIFFERENT, EQUIVALENT
from ecnomy.analysis.compare.workers import make_all
from tiers import full

ROOT = Path(__file__).parents[2]
FILES = sorted((ROOT / LINUX_RECORDS).glob("*.json"))
NAMES = [entry.name for entry in read_index(ROOT, LINUX).scenarios]
FAST = ("reno-4", "wtp-4-2-flows")
QUANTITIES = (
    ("link/bottleneck/throughput_bps", 1e-6, ".2f"),
    ("source/heavy/goodput_share", 100, ".1f"),
    ("link/bottleneck/marking_probability", 100, ".3g"),
    ("link/bottleneck/mean_queue_packets", 1, ".1f"),
)


@pytest.mark.parametrize(
    "file",
    [file if file.stem in FAST else pytest.param(file, marks=full) for file in FILES],
    ids=[file.stem for file in FILES],
)
def test_the_built_in_engine_gives_what_the_kernel_gave(file: Path, tmp_path: Path) -> None:
    """Shares, marking and queues are not different, except where they were so when recorded."""
    record = read_record(file)
    config = str(ROOT / SCENARIOS / record.scenario)
    study = Study(config, record.overrides, (BUILT_IN, BUILT_IN), tmp_path)
    (tmp_path / "runs").mkdir()
    runs = make_all(study, to_make(study, study.tasks(record.seeds))[1], 1)
    rows = against(record, {task.seed: done.figures for task, done in runs.items()})
    found = {row.row.key for row in rows if row.verdict == DIFFERENT}
    assert found <= {row.row.key for row in record.rows if row.verdict == DIFFERENT}


def table_line(record: Record) -> str:
    """A record's line in the table of linux/README.md: means over its runs."""
    runs = record.figures().values()
    cells = [f"| {record.name} "]
    for key, factor, digits in QUANTITIES:
        values = [figures[key] for figures in runs if figures.get(key) is not None]
        mean = sum(values) / len(values) if values else None
        cells.append("| " if mean is None else f"| {factor * mean:{digits}} ")
    judged = [row for row in record.rows if row.verdict]
    other = [
        f"{r.row.subject}, {r.quantity}: {r.verdict}" for r in judged if r.verdict != EQUIVALENT
    ]
    equal = f"{len(judged) - len(other)} of {len(judged)}"
    return "".join([*cells, f"| {equal}", *(f"; {one}" for one in other), " |"])


def test_the_table_is_that_of_the_records() -> None:
    """Every scenario of linux.yaml has its record with the version of the kernel, and its line."""
    records = {file.stem: read_record(file) for file in FILES}
    assert sorted(records) == sorted(NAMES)
    assert all("Linux" in record.machine["system"] for record in records.values())
    text = (ROOT / LINUX_RECORDS / "README.md").read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if line.startswith(tuple(f"| {n} " for n in NAMES))]
    assert lines == [table_line(records[name]) for name in NAMES]
