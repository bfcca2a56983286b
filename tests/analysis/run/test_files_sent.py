# SPDX-License-Identifier: Apache-2.0
"""The numbers of files that began and finished, and their completion times."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest
import typer
from typer.testing import CliRunner

import carrier_world as world
from ecnomy.analysis.run.files_sent import files_of
from ecnomy.analysis.show.command import show_command
from ecnomy.markets.results.rawrun import open_raw

MakeRun = Callable[..., Path]
S = world.S
TOOK_S = (0.5, 1.5, 1.0, 4.0, 2.0)


def _write(folder: Path, given_up: bool = False) -> None:
    """Five finished files of flows 4 to 6, and one more in progress for flows 4 and 8."""
    rows = [
        (4 + i % 3, 1 + i // 3, (70 + i) * S, int((70 + i + took) * S), 9600, 0, 0, 1)
        for i, took in enumerate(TOOK_S)
    ]
    if given_up:
        rows.append((7, 1, 90 * S, 99 * S, 50_000, 0, 0, 0))
    names = ["flow", "number", "start_ps", "end_ps", "bytes", "retransmitted", "ece", "complete"]
    pd.DataFrame(rows, columns=names).to_parquet(folder / "transfers.parquet", index=False)
    epochs = pd.read_parquet(folder / "flow_epochs.parquet")
    epochs["file_left"] = 700 * epochs["flow"].isin([4, 8])
    epochs.to_parquet(folder / "flow_epochs.parquet", index=False)


def test_files_are_counted_and_timed(make_run: MakeRun) -> None:
    """Finished files are counted from the table, two in progress by their remaining bytes."""
    folder = make_run()
    _write(folder)
    (files,) = files_of(open_raw(folder))
    assert files.label == "background"
    assert (files.finished, files.given_up, files.under_way, files.began) == (5, 0, 2, 7)
    assert files.all_seen
    ordered = sorted(TOOK_S)
    assert files.median_s == pytest.approx(ordered[2])
    assert files.slow_s == pytest.approx(ordered[3] + 0.8 * (ordered[4] - ordered[3]))


def test_abandoned_files_are_counted_apart(make_run: MakeRun) -> None:
    """A file given up began, did not finish, and has no completion time."""
    folder = make_run()
    _write(folder, given_up=True)
    (files,) = files_of(open_raw(folder))
    assert (files.finished, files.given_up, files.all_seen) == (5, 1, True)
    assert files.slow_s < 4.0  # its 9 s are not a completion time


def _show(folder: Path) -> str:
    app = typer.Typer()
    app.command()(show_command)
    done = CliRunner().invoke(app, [str(folder), "--no-plot"])
    assert done.exit_code == 0, done.output
    return " ".join(done.output.split())


def test_show_prints_files_or_says_what_is_missing(make_run: MakeRun) -> None:
    """The output has columns began, finished, median and 95 %, or explains how to record files."""
    folder = make_run()
    assert "not recorded; to count them, set `record: {transfers: true}`" in _show(folder)
    _write(folder)
    assert "background 7 5 1.50 3.60" in _show(folder)
    _write(folder, given_up=True)
    said = _show(folder)
    assert "background 8 5" in said
    assert "users gave up 1 of the files that began)" in said
