# SPDX-License-Identifier: Apache-2.0
"""Opening results folders: good, partial, unreadable and broken ones."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from ecnomy.agents.errors import ResultsError
from ecnomy.analysis import open_run, open_sweep
from processes import LIMIT_S

MakeRun = Callable[..., Path]


@pytest.fixture
def copy(gold_silver: Path, tmp_path: Path) -> Path:
    """A results folder that a test may damage."""
    return Path(shutil.copytree(gold_silver, tmp_path / "run"))


def _change(folder: Path, **changes: object) -> None:
    file = folder / "manifest.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), **changes}))


def test_a_complete_run_opens(gold_silver: Path) -> None:
    """A complete run has manifest, plan and tables, and no note."""
    run = open_run(gold_silver)
    assert run.note is None
    assert run.plan.flow_names()[:3] == ["gold.0", "gold.1", "silver.0"]
    assert len(run.flow_epochs) == 181 * 24
    assert run.flow_epochs is run.flow_epochs
    assert run.measured.to_ps == run.plan.duration_ps


def test_a_partial_run_opens_with_its_reason(make_run: MakeRun) -> None:
    """The note of a partial run has the manifest's reason."""
    assert open_run(make_run(until_s=100)).note == "partial results: the engine died at t = 100 s"


def test_newer_keys_are_ignored(copy: Path) -> None:
    """A manifest with unknown keys still opens."""
    _change(copy, weather="fine")
    assert open_run(copy).title.startswith("Gold")


def _no_folder(folder: Path) -> None:
    shutil.rmtree(folder)


def _no_manifest(folder: Path) -> None:
    (folder / "manifest.json").unlink()


def _garbage(folder: Path) -> None:
    (folder / "manifest.json").write_bytes(b"\x00\xff not json")


def _format(folder: Path) -> None:
    _change(folder, format=2, plan="something else")


def _plan(folder: Path) -> None:
    plan = json.loads((folder / "manifest.json").read_text())["plan"]
    _change(folder, plan={**plan, "plan": 9})


@pytest.mark.parametrize(
    ("spoil", "says"),
    [
        (_no_folder, "no such results folder"),
        (_no_manifest, "no manifest.json"),
        (_garbage, "not a results manifest"),
        (_format, "results format 2"),
        (_plan, "plan version 9"),
    ],
)
def test_what_cannot_be_read_is_refused_in_one_line(
    copy: Path, spoil: Callable[[Path], None], says: str
) -> None:
    """Opening an unreadable folder of any kind raises ResultsError with one line that names it."""
    spoil(copy)
    with pytest.raises(ResultsError, match=says) as caught:
        open_run(copy)
    assert str(copy) in str(caught.value)
    assert "\n" not in str(caught.value)
    assert caught.value.exit_status == 2


def test_a_file_is_not_a_results_folder(gold_silver: Path) -> None:
    """The path of a table is refused like any other."""
    with pytest.raises(ResultsError, match="not a results folder"):
        open_run(gold_silver / "flows.parquet")


def test_a_folder_of_results_names_one_of_them(copy: Path) -> None:
    """The folder above a run, and a run in place of a sweep, are refused with the right name."""
    with pytest.raises(ResultsError, match=f"{copy.name} is one$"):
        open_run(copy.parent)
    with pytest.raises(ResultsError, match="results of a run, expected the results of `ecnomy sw"):
        open_sweep(copy)


def test_a_cut_table_is_named(copy: Path) -> None:
    """A Parquet file without its end is refused by name; a missing one too."""
    file = copy / "flow_epochs.parquet"
    file.write_bytes(file.read_bytes()[:-100])
    with pytest.raises(ResultsError, match="flow_epochs.parquet: not a readable"):
        _ = open_run(copy).flow_epochs
    file.unlink()
    with pytest.raises(ResultsError, match="flow_epochs.parquet is missing"):
        _ = open_run(copy).flow_epochs


def test_tables_a_run_may_lack_are_empty(make_run: MakeRun) -> None:
    """Without a market the ledger is empty but has its columns, in memory and on disk."""
    run = open_run(make_run(market=False))
    assert run.ledger.empty and "amount" in run.ledger.columns
    assert run.raw.ledger.empty and "amount_micro" in run.raw.ledger.columns


def test_import_is_light() -> None:
    """Importing ecnomy.analysis loads neither pandas nor matplotlib nor scipy."""
    code = (
        "import sys, ecnomy.analysis, ecnomy.analysis.show.command;"
        "print([m for m in ('pandas', 'matplotlib', 'seaborn', 'scipy', 'pyarrow', 'mesa')"
        " if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=LIMIT_S
    )
    assert done.stdout.strip() == "[]"


def test_all_exported_names_load() -> None:
    """Every name in __all__ exists, and others are refused."""
    import ecnomy.analysis as package

    assert [name for name in package.__all__ if getattr(package, name) is None] == []
    assert set(package.__all__) == set(dir(package))
    with pytest.raises(AttributeError, match="nothing_like_this"):
        _ = package.nothing_like_this
