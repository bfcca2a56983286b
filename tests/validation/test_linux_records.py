# SPDX-License-Identifier: Apache-2.0
"""The built-in engine against recorded runs on the kernel's TCP (linux/README.md).

Such runs cannot be repeated to the last digit. So these records never become stale: the built-in
engine runs each recorded seed, and only rows that were different when they were recorded may be
different.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest

from ecnomy.analysis.compare.figures import Figures
from ecnomy.analysis.compare.record import (
    LINUX_RECORDS,
    SCENARIOS,
    ScenarioRecord,
    against,
    read_record,
)
from ecnomy.analysis.compare.recording import read_index
from ecnomy.analysis.compare.runs import BUILT_IN, LINUX, ComparedScenario, to_make
from ecnomy.analysis.compare.verdicts import DIFFERENT, EQUIVALENT
from ecnomy.analysis.compare.workers import make_all
from tiers import full

ROOT = Path(__file__).parents[2]
README = ROOT / LINUX_RECORDS / "README.md"
FILES = sorted((ROOT / LINUX_RECORDS).glob("*.json"))
NAMES = [entry.name for entry in read_index(ROOT, LINUX).scenarios]
FAST = ("reno-4", "wtp-4-2-flows")
QUANTITIES = (
    ("link/bottleneck/throughput_bps", 1e-6, ".2f"),
    ("source/heavy/goodput_share", 100, ".1f"),
    ("link/bottleneck/marking_probability", 100, ".3g"),
    ("link/bottleneck/mean_queue_packets", 1, ".1f"),
)
WORDS = {
    "goodput_share": "share",
    "marking_probability": "marking",
    "mean_queue_packets": "queue",
    "money_share": "share of money",
}


@pytest.mark.parametrize(
    "file",
    [file if file.stem in FAST else pytest.param(file, marks=full) for file in FILES],
    ids=[file.stem for file in FILES],
)
def test_the_built_in_engine_gives_what_the_kernel_gave(file: Path, tmp_path: Path) -> None:
    """Only rows recorded as different are different, and the table has this engine's means."""
    record = read_record(file)
    config = str(ROOT / SCENARIOS / record.scenario)
    study = ComparedScenario(config, record.overrides, (BUILT_IN, BUILT_IN), tmp_path)
    (tmp_path / "runs").mkdir()
    runs = make_all(study, to_make(study, study.tasks(record.seeds))[1], 1)
    figures = {task.seed: done.figures for task, done in runs.items()}
    rows = against(record, figures)
    differing = {row.row.key for row in rows if row.verdict == DIFFERENT}
    assert differing <= {row.row.key for row in record.rows if row.verdict == DIFFERENT}
    assert table_line(record, figures.values()) in README.read_text(encoding="utf-8").splitlines()


def cells(runs: Iterable[Figures]) -> list[str]:
    """Means over runs, "" for a quantity that a scenario lacks."""
    runs, texts = list(runs), []
    for key, factor, digits in QUANTITIES:
        values = [value for figures in runs if (value := figures.get(key)) is not None]
        texts.append(f"{factor * sum(values) / len(values):{digits}}" if values else "")
    return texts


def judged(record: ScenarioRecord) -> str:
    """The number of equivalent rows, and the rows that are not."""
    rows = [row for row in record.rows if row.verdict]
    other = [row for row in rows if row.verdict != EQUIVALENT]
    words = [f"{row.name}, {WORDS[row.quantity]}: {row.verdict}" for row in other]
    return "; ".join([f"{len(rows) - len(other)} of {len(rows)}", *words])


def table_line(record: ScenarioRecord, builtin: Iterable[Figures]) -> str:
    """A record's line in the table of linux/README.md: Linux and the built-in engine."""
    pairs = zip(cells(record.figures().values()), cells(builtin), strict=True)
    both = [f"{linux} and {other}" if linux else "" for linux, other in pairs]
    return f"| {' | '.join([record.name, *both, judged(record)])} |".replace("|  |", "| |")


def test_the_table_has_every_record() -> None:
    """Every scenario of linux.yaml has its record with the version of the kernel, and its line."""
    records = {file.stem: read_record(file) for file in FILES}
    assert sorted(records) == sorted(NAMES)
    assert all("Linux" in record.machine["system"] for record in records.values())
    lines = [line.strip("| ").split("|") for line in README.read_text().splitlines()]
    table = {line[0].strip(): [cell.strip() for cell in line[1:]] for line in lines}
    for name, record in records.items():
        *means, verdicts = table[name]
        assert [mean.partition(" and ")[0] for mean in means] == cells(record.figures().values())
        assert verdicts == judged(record)
