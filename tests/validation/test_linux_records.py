# SPDX-License-Identifier: Apache-2.0
"""The built-in engine against recorded runs on the kernel's TCP (linux/README.md).

Such runs cannot be repeated to the last digit. So nothing is stale here: the built-in engine runs
each recorded seed, and no row may be different but those whose cause linux/README.md explains.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from ecnomy.analysis.compare.record import LINUX_RECORDS, SCENARIOS, against, read_record
from ecnomy.analysis.compare.recording import read_index
from ecnomy.analysis.compare.runs import BUILT_IN, LINUX, Study, to_make
from ecnomy.analysis.compare.verdicts import DIFFERENT
from ecnomy.analysis.compare.workers import make_all
from tiers import full

ROOT = Path(__file__).parents[2]
FILES = sorted((ROOT / LINUX_RECORDS).glob("*.json"))
FAST = ("reno-4",)


@pytest.mark.parametrize(
    "file",
    [file if file.stem in FAST else pytest.param(file, marks=full) for file in FILES],
    ids=[file.stem for file in FILES],
)
def test_the_built_in_engine_gives_what_the_kernel_gave(file: Path, tmp_path: Path) -> None:
    """Shares, marking and queues are not different, except where the recording says so."""
    record = read_record(file)
    config = str(ROOT / SCENARIOS / record.scenario)
    study = Study(config, record.overrides, (BUILT_IN, BUILT_IN), tmp_path)
    (tmp_path / "runs").mkdir()
    runs = make_all(study, to_make(study, study.tasks(record.seeds))[1], 1)
    rows = against(record, {task.seed: done.figures for task, done in runs.items()})
    found = {row.row.key for row in rows if row.verdict == DIFFERENT}
    assert found <= {row.row.key for row in record.rows if row.verdict == DIFFERENT}


def test_every_scenario_has_its_record() -> None:
    """The records are those of linux.yaml, each with the version of the kernel."""
    assert {file.stem for file in FILES} == {
        entry.name for entry in read_index(ROOT, LINUX).scenarios
    }
    assert all("Linux" in read_record(file).machine["system"] for file in FILES)
