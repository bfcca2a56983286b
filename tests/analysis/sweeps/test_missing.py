# SPDX-License-Identifier: Apache-2.0
"""Every reader of an incomplete sweep reports the missing runs, their shards and the remedy."""

from __future__ import annotations

from pathlib import Path

import pytest

from command_line import ecnomy
from ecnomy.agents.errors import ResultsError
from ecnomy.analysis.diff.groups import open_group
from ecnomy.analysis.sweep_report.points import open_swept
from ecnomy.analysis.sweeps.missing import missing_runs
from ecnomy.analysis.sweeps.open_sweep import open_sweep
from ecnomy.markets.sweep.config import load_sweep
from ecnomy.markets.sweep.making import make_part, merge
from ecnomy.markets.sweep.parts import SweepPart
from sweep_world import SWEEP, Watcher, write

LINE = (
    "4 of 8 runs are missing, in shard 2/2 (4); run the shards again and merge them "
    "(`ecnomy merge`), or run the sweep's command"
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Eight runs in two shards; one bit of the second shard changed before the merge."""
    home = tmp_path_factory.mktemp("sweep")
    sweep = load_sweep(write(home, SWEEP.replace("replicates: 3", "replicates: 2")))
    out = home / "out"
    for number in (1, 2):
        make_part(sweep, out, SweepPart(of=2, number=number), Watcher)
    (shard,) = (out / "parts" / "2-of-2" / "shards").glob("*.parquet")
    data = bytearray(shard.read_bytes())
    data[len(data) // 2] ^= 1
    shard.write_bytes(data)
    assert merge(sweep, out).missing == {SweepPart(of=2, number=2): 4}
    return out


def test_a_query_reports_missing_runs(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The line is on standard error, so that the table stays as it is."""
    assert ecnomy("query", folder, "select count(*) as n from runs", "--csv") == 0
    assert capsys.readouterr() == ("n\n4\n", f"ecnomy: {folder}: {LINE}\n")


def test_open_sweep_reports_missing_runs(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Callers that expect missing runs get no line."""
    assert len(open_sweep(folder)) == 4
    assert capsys.readouterr() == ("", f"ecnomy: {folder}: {LINE}\n")
    assert len(open_sweep(folder, partial=True)) == 4
    assert capsys.readouterr() == ("", "")


def test_show_and_report_name_the_shard(folder: Path) -> None:
    """The notes of `show` and `report` name the shard of missing runs."""
    assert open_swept(folder).notes[0] == f"{LINE}."


def test_a_comparison_names_the_shard(folder: Path) -> None:
    """`diff` names the shard of missing runs."""
    left_out = open_group([f"{folder}:sources.gold.count=1"]).left_out
    assert left_out == (f"{folder}: {LINE}",)


def test_shards_that_are_not_merged(tmp_path: Path) -> None:
    """If shards are not merged, the reader says so."""
    make_part(load_sweep(write(tmp_path)), tmp_path / "out", SweepPart(of=12, number=1), Watcher)
    with pytest.raises(
        ResultsError, match=r"found shards, .* merge the shards with `ecnomy merge`"
    ):
        open_sweep(tmp_path / "out")


def test_a_sweep_without_shards(tmp_path: Path) -> None:
    """Without shards, or with shards of two divisions, a run belongs to no shard."""
    line = "1 of 3 runs is missing; run the sweep's command again"
    assert missing_runs(tmp_path, 3, [0, 2]) == line
    for name in ("1-of-2", "1-of-3"):
        (tmp_path / "parts" / name).mkdir(parents=True)
    assert missing_runs(tmp_path, 3, [0, 2]) == line
    assert missing_runs(tmp_path, 3, [2, 1, 0]) == ""


def test_commands_on_shards_keep_the_options(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With --quick and --engine, the printed commands are on the same runs."""
    file, out = write(tmp_path, SWEEP + "quick: {replicates: 1}\n"), tmp_path / "out"
    options = ("--out", out, "--quick", "--engine", "builtin")
    assert ecnomy("sweep", file, "--shard", "2/2", *options) == 0
    wanted = f"{file} --out {out} --quick --engine builtin\n"
    assert f"after the last shard: ecnomy merge {wanted}" in capsys.readouterr().out
    assert ecnomy("merge", file, *options) == 1
    again = f"to complete the sweep, run: ecnomy sweep {wanted}"
    assert f"2 runs are missing in shard 1/2 (2); {again}" in capsys.readouterr().out
