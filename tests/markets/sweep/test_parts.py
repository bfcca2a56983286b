# SPDX-License-Identifier: Apache-2.0
"""Sweeps in parts, without a scheduler, and on executors of concurrent.futures."""

from __future__ import annotations

import ast
import concurrent.futures
import json
import os
import random
import re
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pandas as pd
import pytest
import yaml
from typer.testing import CliRunner

from ecnomy.agents.errors import InputError, ResultsError
from ecnomy.analysis.sweeps.open_sweep import open_sweep
from ecnomy.markets.cli.main import app, main
from ecnomy.markets.sweep.config import Sweep, load_sweep
from ecnomy.markets.sweep.driver import sweep_runs
from ecnomy.markets.sweep.executors import InlinePool
from ecnomy.markets.sweep.fingerprint import Code
from ecnomy.markets.sweep.job_files import Jobs, parts_for, write_jobs
from ecnomy.markets.sweep.making import make_part, merge, run_sweep
from ecnomy.markets.sweep.outcome import RunOutcome
from ecnomy.markets.sweep.parts import SweepPart, part_from
from ecnomy.markets.sweep.pool import PoolLost
from ecnomy.markets.sweep.store import Store
from processes import LIMIT_S, ended, started
from sweep_world import SWEEP, Watcher, go, write
from tiers import full

OURS = ["wall_s", "engine_cpu_s", "worker"]  # columns that no two runs share


def _table(folder: Path) -> pd.DataFrame:
    return open_sweep(folder).drop(columns=OURS)


def test_parts_merge_into_the_same_table(tmp_path: Path) -> None:
    """Five parts of twelve runs merge. Without the last part, its runs are listed as missing."""
    file, out = write(tmp_path), tmp_path / "parts"
    sweep = load_sweep(file)
    for number in range(1, 5):
        tally = make_part(sweep, out, SweepPart(of=5, number=number), Watcher)
        assert (tally.total, tally.present, tally.done) == (3 if number < 3 else 2, 0, tally.total)
    merged = merge(sweep, out)
    assert (merged.runs, merged.missing, merged.failed, merged.others) == (
        12,
        {SweepPart(5, 5): 2},
        0,
        0,
    )
    assert len(open_sweep(out)) == 10
    make_part(sweep, out, SweepPart(of=5, number=5), Watcher)
    assert merge(sweep, out).missing == {}
    go(file, tmp_path / "whole")
    pd.testing.assert_frame_equal(_table(out), _table(tmp_path / "whole"))
    assert go(file, out)[1].points == [], "the sweep's own command finds all runs"
    assert make_part(sweep, out, SweepPart(of=5, number=1), Watcher).present == 3


@full
def test_killed_shards_lose_no_run(tmp_path: Path) -> None:
    """Two commands are killed three times at random moments, until each ends by itself."""
    file, out = write(tmp_path, SWEEP.replace("replicates: 3", "replicates: 6")), tmp_path / "out"
    draw, left, kills = random.Random(4), ["1/2", "2/2"], 0
    until = time.monotonic() + LIMIT_S
    while left and time.monotonic() < until:
        shard = left[0]
        words = ["-m", "ecnomy.markets.cli", "sweep", file, "--shard", shard, "--out", out]
        with started([sys.executable, *words], stderr=subprocess.PIPE) as command:
            try:
                command.wait(0.8 + draw.random() if kills < 3 else LIMIT_S)
            except subprocess.TimeoutExpired:
                command.kill()
                kills += 1
            if ended(command).status == 0:
                left.pop(0)
    merged = merge(load_sweep(file), out)
    assert kills and (merged.runs, merged.missing, merged.failed) == (24, {}, 0)
    runs = open_sweep(out)
    assert runs.number.tolist() == list(range(24))


def test_later_parts_replace_runs_of_other_code(tmp_path: Path) -> None:
    """Records of a part made later replace those of the whole sweep."""
    file, out = write(tmp_path), tmp_path / "out"
    go(file, out)
    sweep = load_sweep(file)
    with closing(Store(out, sweep)) as store:
        for point in list(store.points)[::4]:
            store.add(RunOutcome(point, "", "failed", "of old code", Code("old", "", ""), {}, {}))
    assert (open_sweep(out).status == "failed").sum() == 3
    make_part(sweep, out, SweepPart(of=4, number=1), Watcher)
    assert merge(sweep, out).failed == 0
    assert (open_sweep(out).status == "done").all()
    with closing(Store(out, sweep)) as store:
        assert sorted(one.generation for one in store.records.values()) == [1] * 9 + [3] * 3
        assert (store.generation, store.put_aside) == (4, [])


def _fail_first(out: Path, sweep: Sweep, part: SweepPart, reason: str) -> None:
    """The first run of a part fails, for this reason."""
    with closing(Store(out, sweep, part)) as store:
        point = next(iter(store.points))
        store.add(RunOutcome(point, "", "failed", reason, Code("any", "", ""), {}, {}))
        store.compact()


def test_what_is_made_after_a_merge_is_newer(tmp_path: Path) -> None:
    """Later runs replace merged ones, also with another number of parts."""
    sweep, out = load_sweep(write(tmp_path)), tmp_path / "out"
    for _ in range(3):
        _fail_first(out, sweep, SweepPart(of=2, number=1), "old")
    merge(sweep, out)
    _fail_first(out, sweep, SweepPart(of=3, number=1), "new")
    merge(sweep, out)
    assert open_sweep(out).reason.tolist() == ["new"]


def test_runs_of_another_sweep_file_are_counted(tmp_path: Path) -> None:
    """Such runs are in the parts, but not among the runs of the current file."""
    out = tmp_path / "out"
    _fail_first(out, load_sweep(write(tmp_path)), SweepPart(of=2, number=1), "no matter")
    changed = SWEEP.replace("[0.1 money, 0.2 money]", "[0.3 money]")
    merged = merge(load_sweep(write(tmp_path, changed)), out)
    assert (merged.runs, sum(merged.missing.values()), merged.others) == (6, 6, 1)


def test_a_part_that_is_being_made_waits(tmp_path: Path) -> None:
    """A part in progress is skipped, and its runs are merged later."""
    sweep, out = load_sweep(write(tmp_path)), tmp_path / "out"
    one, two = SweepPart(of=2, number=1), SweepPart(of=2, number=2)
    make_part(sweep, out, one, Watcher)
    with closing(Store(out, sweep, two)):
        merged = merge(sweep, out)
    assert (merged.parts, merged.busy, merged.missing) == ((one,), (two,), {two: 6})
    with pytest.raises(
        ResultsError, match=r"found shard 1/2 of a sweep, .*; merge .*, then use .*out$"
    ):
        open_sweep(one.folder_in(out))


def test_records_of_a_killed_part_are_merged(tmp_path: Path) -> None:
    """Records of a killed part are merged although they are still single files."""
    sweep, out = load_sweep(write(tmp_path)), tmp_path / "out"
    with closing(Store(out, sweep, SweepPart(of=4, number=1))) as store:
        for point in list(store.points)[:2]:
            store.add(RunOutcome(point, "", "failed", "full disk", Code("any", "", ""), {}, {}))
    merged = merge(sweep, out)
    assert (merged.failed, sum(merged.missing.values())) == (2, 10)
    assert open_sweep(out).reason.tolist() == ["full disk"] * 2


def test_a_damaged_part_is_named(tmp_path: Path) -> None:
    """If one bit of a part's shard is changed, its runs are missing until they are repeated."""
    file, out = write(tmp_path), tmp_path / "out"
    sweep = load_sweep(file)
    one, two = SweepPart(of=2, number=1), SweepPart(of=2, number=2)
    for part in (one, two):
        make_part(sweep, out, part, Watcher)
    (shard,) = (two.folder_in(out) / "shards").glob("*.parquet")
    data = bytearray(shard.read_bytes())
    data[len(data) // 2] ^= 1
    shard.write_bytes(data)
    said = CliRunner().invoke(app, ["merge", str(file), "--out", str(out), "--json"])
    assert f"{shard.name}.corrupt is incomplete or altered" in said.stderr
    document = json.loads(said.stdout)
    assert document["runs"] == {"asked": 12, "missing": 6, "failed": 0}
    assert [Path(name).name for name in document["damaged"]] == [f"{shard.name}.corrupt"]
    assert make_part(sweep, out, two, Watcher).done == 6
    assert merge(sweep, out).missing == {} and len(open_sweep(out)) == 12


@pytest.mark.parametrize("text", ["0/3", "4/3", "3", "a/b", "1/0", "-1/3", "1/1000000"])
def test_shards_have_a_number_and_a_count(text: str) -> None:
    """Shards are numbered from 1 to their count."""
    assert part_from("3/40") == SweepPart(of=40, number=3)
    with pytest.raises(InputError, match="expected NUMBER/COUNT such as 3/40"):
        part_from(text)


def test_what_parts_cannot_do_is_refused(tmp_path: Path) -> None:
    """Sweeps whose runs depend on results, a merge without parts, another engine's folder."""
    sweep, out = load_sweep(write(tmp_path)), tmp_path / "out"
    with pytest.raises(InputError, match="found no shards"):
        merge(sweep, out)
    assert not out.exists()
    text = (
        SWEEP.replace("replicates: 3", "replicates: 5")
        + "until: {half-width: 5 %, most: 8, outcome: gold.goodput_bps}\n"
    )
    with pytest.raises(InputError, match="found 'until', which needs the results of all shards"):
        make_part(load_sweep(write(tmp_path, text)), out, SweepPart(of=2, number=1), Watcher)
    assert not out.exists()


FATAL = """
import os, pathlib, sys
from ecnomy.markets.sweep import config, driver, making, parts
from sweep_world import Watcher
driver.execute = lambda task: os._exit(9)
sweep = config.load_sweep(pathlib.Path(sys.argv[1]))
making.make_part(sweep, pathlib.Path(sys.argv[2]), parts.SweepPart(of=4, number=2), Watcher)
"""


def test_a_run_over_which_processes_die_is_abandoned(tmp_path: Path) -> None:
    """After the fifth death in a part's first run this run is abandoned; the others are made."""
    file, out = write(tmp_path), tmp_path / "out"
    sweep, part = load_sweep(file), SweepPart(of=4, number=2)
    with closing(Store(out, sweep, part)) as store:
        first, deaths = next(iter(store.points)), store.folder / "begun.json"
    deaths.write_text(json.dumps({first: 4}))
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    words = [sys.executable, "-c", FATAL, file, out]
    assert subprocess.run(words, env=env, timeout=LIMIT_S).returncode == 9
    assert json.loads(deaths.read_text()) == {first: 5}
    make_part(sweep, out, part, Watcher)
    assert merge(sweep, out).failed == 1
    runs = open_sweep(out)
    assert runs.reason[runs.status == "failed"].tolist() == [
        "the worker of this run died repeatedly"
    ]
    assert len(runs) == 3


def test_an_interrupted_run_is_not_a_death(tmp_path: Path) -> None:
    """After Ctrl-C ten times in the same run, the run is still made."""

    def interrupted(task: object) -> None:
        raise KeyboardInterrupt

    class Task:
        point = "a"

    for _ in range(10):
        with pytest.raises(KeyboardInterrupt), closing(InlinePool(tmp_path, "a")) as pool:
            pool.submit(interrupted, Task())
    with closing(InlinePool(tmp_path, "a")) as pool:
        assert pool.submit(lambda task: task.point, Task()).result(0) == "a"
    assert not list(tmp_path.iterdir())


def test_a_run_finished_before_a_kill_is_not_a_death(tmp_path: Path) -> None:
    """A run that finished before a kill does not count as a death."""
    file, out, part = write(tmp_path), tmp_path / "out", SweepPart(of=4, number=1)
    sweep = load_sweep(file)
    make_part(sweep, out, part, Watcher)
    folder = part.folder_in(out)
    with closing(Store(out, sweep, part)) as store:
        (folder / "begun.json").write_text(json.dumps({next(iter(store.points)): 1}))
    make_part(sweep, out, part, Watcher)
    assert sorted(os.listdir(folder)) == ["lock", "outcomes", "shards", "sweep.json"]


def test_any_executor_makes_a_sweep(tmp_path: Path) -> None:
    """Here threads make the same table as the sweep's own command."""
    file = write(tmp_path)
    with concurrent.futures.ThreadPoolExecutor(2) as executor:
        tally = run_sweep(file, tmp_path / "threads", executor=executor, workers=2)
    assert (tally.total, tally.done, tally.failed) == (12, 12, 0)
    go(file, tmp_path / "whole")
    pd.testing.assert_frame_equal(_table(tmp_path / "threads"), _table(tmp_path / "whole"))
    with pytest.raises(PoolLost, match="accepts no more runs.*run the same command again"):
        run_sweep(file, tmp_path / "other", executor=executor, workers=2)


def test_a_broken_executor_ends_the_sweep(tmp_path: Path) -> None:
    """A broken executor ends the sweep, and finished runs are kept."""
    file, out = write(tmp_path), tmp_path / "out"
    sweep = load_sweep(file)
    with concurrent.futures.ProcessPoolExecutor(1) as executor:
        executor.submit(os.getpid).result(LIMIT_S)

        class Dying:
            """Runs whose worker dies in the third one."""

            ahead = workers = 1
            lost = False
            runs = 0

            def submit(self, function: object, task: object) -> concurrent.futures.Future:
                self.runs += 1
                return executor.submit(*((os._exit, 9) if self.runs == 3 else (function, task)))

        with closing(Store(out, sweep)) as store, pytest.raises(PoolLost, match="executor died"):
            sweep_runs(sweep, store, Dying(), list(store.points), Watcher())
    assert len(open_sweep(out)) == 2


def _commands(kind: str, file: Path) -> list[dict[str, str]]:
    """The environment and the shell text of each command that a scheduler would start."""
    text = file.read_text()
    if kind == "slurm":
        first, last = map(int, re.search(r"--array=(\d+)-(\d+)", text).groups())
        numbers = range(first, last + 1)
        return [{"SLURM_ARRAY_TASK_ID": str(n), "text": text} for n in numbers]
    if kind == "kubernetes":
        spec = yaml.safe_load(text)["spec"]
        shell, option, command = spec["template"]["spec"]["containers"][0]["command"]
        assert (shell, option, spec["completionMode"]) == ("sh", "-c", "Indexed")
        every = range(spec["completions"])
        return [{"JOB_COMPLETION_INDEX": str(n), "text": command} for n in every]
    rules = [ast.literal_eval(shell) for shell in re.findall(r"shell: (.*)", text)]
    count = int(re.search(r"range\(1, (\d+)\)", text)[1])
    made = [{"text": rules[1].replace("{wildcards.shard}", str(n))} for n in range(1, count)]
    return [*made, {"text": rules[0]}]


@pytest.mark.parametrize("kind", ["slurm", "kubernetes", "snakemake"])
def test_job_files_start_each_shard_once(kind: str, tmp_path: Path) -> None:
    """A stand-in for the scheduler runs the file's commands; a stand-in for ecnomy notes them."""
    noted, stub = tmp_path / "noted", tmp_path / "bin" / "ecnomy"
    stub.parent.mkdir()
    stub.write_text(f'#!/bin/sh\nprintf "%s|" "$@" >> "{noted}"; echo >> "{noted}"; exit 1\n')
    stub.chmod(0o755)
    folder = tmp_path / "my results"
    file, submit = write_jobs(kind, Jobs("my sweep.yaml", str(folder), 3, 700.0, ("--quick",)))
    assert file.parent == folder / "jobs" and f"'{file}'" in submit
    for each in _commands(kind, file):
        text = each.pop("text")
        env = {**os.environ, **each, "PATH": f"{stub.parent}:{os.environ['PATH']}"}
        status = subprocess.run(["sh", "-c", text], env=env, timeout=LIMIT_S).returncode
        merges = "merge" in text and kind == "snakemake"
        wanted = 1 if kind == "slurm" or merges else 0
        assert status == wanted, "failed runs do not repeat a shard"
    lines = noted.read_text().splitlines()
    out = f"my sweep.yaml|--out|{folder}|"
    assert lines[:3] == [f"sweep|{out}--shard|{n}/3|--quick|" for n in (1, 2, 3)]
    assert lines[3:] == ([f"merge|{out}--quick|"] if kind == "snakemake" else [])


def test_jobs_take_ten_minutes_or_more() -> None:
    """Jobs are shorter only if there would be over 1,000, or if the whole sweep is shorter."""
    assert [parts_for(1000, each) for each in (0.1, 1.2, 60, 6000)] == [1, 2, 100, 1000]
    assert parts_for(10, 6000) == 10


def test_the_commands(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`sweep --shard` twice, `merge` after each, and `--emit`; bad options in one line."""
    file, out = str(write(tmp_path, SWEEP.replace("3", "1"))), str(tmp_path / "out")

    def said(*words: str) -> tuple[int, str]:
        with pytest.raises(SystemExit) as left:
            main([*words, "--out", out])
        text = capsys.readouterr()
        return int(left.value.code or 0), text.out + text.err

    status, text = said("sweep", file, "--shard", "2/2")
    assert status == 0 and f"after the last shard: ecnomy merge {file} --out {out}" in text
    status, text = said("merge", file)
    assert status == 1 and "2 of 4 runs, from 1 shard\n" in text
    again = f"to complete the sweep, run: ecnomy sweep {file}"
    assert f"2 runs are missing in shard 1/2 (2); {again}" in text
    assert said("sweep", file, "--shard", "1/2")[0] == 0
    status, text = said("merge", file)
    assert status == 0 and "4 of 4 runs, from 2 shards" in text
    status, text = said("sweep", file, "--emit", "slurm", "--shards", "3")
    assert status == 0 and "4 runs in 3 shards" in text and f"submit: sbatch {out}" in text
    status, text = said("sweep", file, "--emit", "slurm", "--json")
    assert status == 0 and json.loads(text)["shards"] == 1
    status, text = said("sweep", file, "--shard", "1/2", "--json")
    assert status == 0 and json.loads(text)["runs"] == {"asked": 2, "failed": 0, "made": 0}
    for words, wrong in (
        (("--emit", "pbs"), "expected slurm, kubernetes, snakemake"),
        (("--shard", "1/2", "-j", "2"), "--shard and --jobs exclude"),
        (("--shard", "half"), "expected NUMBER/COUNT"),
        (("--shard", "1/2", "--emit", "slurm"), "--shard and --emit exclude"),
        (("--shard", "1/2", "--dry-run"), "--shard and --dry-run exclude"),
        (("--shards", "3"), "--shards needs --emit"),
    ):
        status, text = said("sweep", file, *words)
        assert status == 2 and wrong in text and len(text.splitlines()) == 1
