# SPDX-License-Identifier: Apache-2.0
"""Runs of a sweep: outcomes, no repeated runs, damaged records, and limits."""

from __future__ import annotations

import errno
import fcntl
import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from ecnomy.agents.errors import InputError
from ecnomy.analysis.sweeps.open_sweep import open_sweep, parameter_units
from ecnomy.markets import load as load_scenario
from ecnomy.markets import run
from ecnomy.markets.cli.main import main
from ecnomy.markets.sweep import driver
from ecnomy.markets.sweep.config import load_sweep
from ecnomy.markets.sweep.driver import SweepError
from ecnomy.markets.sweep.head import head_of
from ecnomy.markets.sweep.outcome import DONE, FAILED, RunOutcome
from ecnomy.markets.sweep.store import Store, identified
from sweep_world import SCENARIO, SWEEP, Here, go, write
from tiers import rare


def test_outcomes_are_those_of_single_runs(tmp_path: Path) -> None:
    """A row of the sweep has the means of the tables of `ecnomy run` for the same run."""
    tally, _, _ = go(write(tmp_path), tmp_path / "out")
    assert (tally.done, tally.failed, tally.left) == (12, 0, 0)
    runs = open_sweep(tmp_path / "out")
    assert len(runs) == 12 == runs.run.nunique() and (runs.status == "done").all()
    assert parameter_units(tmp_path / "out") == {"market.price_per_mark": "money"}
    for row in (0, 7, 11):
        at = runs.iloc[row]
        overrides = [
            f"market.price_per_mark={at['market.price_per_mark']} money",
            f"sources.gold.count={int(at['sources.gold.count'])}",
        ]
        scenario = load_scenario(tmp_path / "scenario.yaml", overrides=overrides, seed=int(at.seed))
        result = run(scenario, out=tmp_path / f"single-{row}")
        for source in ("gold", "silver"):
            own = result.raw.flows[result.raw.flows.source == source]
            assert at[f"{source}.goodput_bps"] == pytest.approx(own.goodput_bps.mean(), rel=1e-12)
            assert at[f"{source}.marks_per_s"] == pytest.approx(own.marks_per_s.mean(), rel=1e-12)
            charge = own.mark_charge_micro.mean() / 1e6 / 2.0
            assert at[f"{source}.charge_per_s"] == pytest.approx(charge, rel=1e-12)
        wire = result.raw.links[result.raw.links.name == "wire"].iloc[0]
        assert at["wire.utilization"] == pytest.approx(wire.utilization, rel=1e-12)
        paid = result.raw.ledger[result.raw.ledger.credit == "isp"].amount_micro.sum() / 1e6
        assert at["balance.isp"] == pytest.approx(paid, rel=1e-12)


def test_a_dry_run_tries_the_first_the_middle_and_the_last_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A dry run makes runs 0, 6 and 11 of 12, of which 6 fails, and keeps nothing."""
    file = write(tmp_path)
    places = [(point.params, point.seed) for point in load_sweep(file).points()]
    failing = {6}

    def made(task: Any) -> RunOutcome:
        number = places.index((task.params, task.seed))
        status = FAILED if number in failing else DONE
        return RunOutcome(task.point, "", status, "why", task.code, {}, {}, wall_s=float(number))

    monkeypatch.setattr(driver, "execute", made)
    monkeypatch.chdir(tmp_path)

    def said(*options: str) -> tuple[int | str | None, str]:
        with pytest.raises(SystemExit) as ended:
            main(["sweep", str(file), "--dry-run", *options])
        out, err = capsys.readouterr()
        return ended.value.code, out + err

    printed = "12 runs\nabout 5.5 s per run, 33 s on 2 workers\n"
    assert said("--workers", "2") == (0, printed)
    assert json.loads(said("--json")[1])["each_s"] == 5.5
    failing.update({0, 11})
    status, printed = said()
    assert status == 1 and "the test runs failed: why" in printed
    assert not (tmp_path / "results").exists()


def test_nothing_is_made_twice(tmp_path: Path) -> None:
    """A repeated sweep makes no runs; with more replicates it makes only the new ones."""
    file = write(tmp_path)
    go(file, tmp_path / "out")
    tally, pool, _ = go(file, tmp_path / "out")
    assert pool.points == [] and tally.present == 12
    (tmp_path / "sweep.yaml").write_text(SWEEP.replace("replicates: 3", "replicates: 4"))
    tally, pool, _ = go(file, tmp_path / "out")
    assert len(pool.points) == 4 and len(open_sweep(tmp_path / "out")) == 16
    (tmp_path / "sweep.yaml").write_text(SWEEP.replace("replicates: 3", "replicates: 2"))
    assert len(go(file, tmp_path / "out")[1].points) == 0
    runs = open_sweep(tmp_path / "out")
    assert runs.number.tolist() == list(range(8)) and runs.replicate.tolist() == [0, 1] * 4
    assert (runs.seed == runs.replicate + 1).all(), "numbers are those of the sweep as it is now"


def test_samples_that_coincide_each_count(tmp_path: Path) -> None:
    """Twenty draws of one, two or three give twenty rows with their drawn weights."""
    text = (
        "version: 1\nscenario: scenario.yaml\nparameters:\n  random:\n    samples: 20\n"
        "    over: {sources.gold.count: {from: 1, to: 3}}\n"
    )
    file = write(tmp_path, text)
    go(file, tmp_path / "out")
    runs = open_sweep(tmp_path / "out")
    drawn = [point.params["sources.gold.count"] for point in load_sweep(file).points()]
    assert runs["sources.gold.count"].tolist() == drawn and runs.number.nunique() == 20
    assert go(file, tmp_path / "out")[1].points == []


def test_a_failed_run_is_a_row_with_its_reason(tmp_path: Path) -> None:
    """A failed run does not stop the sweep, and is repeated only on request."""
    text = SWEEP.replace("[1, 2]", "[1, 0]")
    file = write(tmp_path, text)
    tally, _, watcher = go(file, tmp_path / "out")
    assert (tally.done, tally.failed) == (6, 6) and len(watcher.failures) == 6
    runs = open_sweep(tmp_path / "out")
    failed = runs[runs.status == "failed"]
    assert len(failed) == 6 and failed.reason.str.contains("sources.gold.count").all()
    assert failed["gold.goodput_bps"].isna().all()
    assert go(file, tmp_path / "out")[1].points == []
    assert len(go(file, tmp_path / "out", retry=True)[1].points) == 6
    assert len(open_sweep(tmp_path / "out")) == 12


COUNTS = "sources.gold.count: [1, 2]"
TIMES = "duration: [3 s, 9 s]\n    warmup: [1 s, 4 s]"  # 4 s of 3 s are too many


@pytest.mark.parametrize(
    ("grid", "named", "status", "said"),
    [
        (COUNTS, "gold.goodput_bps", 0, ""),
        (TIMES, "gold.goodput_bps", 1, "run failed: "),
        (
            TIMES,
            "gold.goodput",
            2,
            "found 'gold.goodput', expected a column of the runs ('gold.goodput_bps', or one",
        ),
    ],
    ids=["whole", "failed", "unknown-outcome"],
)
def test_the_command_ends_with_a_status(
    grid: str, named: str, status: int, said: str, tmp_path: Path, capsys, monkeypatch
) -> None:
    """The status is 1 with failed runs, and 2 if the first run lacks a named outcome."""
    monkeypatch.setattr("ecnomy.markets.sweep.pool.DaskPool", lambda *_: Here())
    text = SWEEP.replace(COUNTS, grid) + f"outcomes: [{named}]\n"
    file = write(tmp_path, text)
    for message in (said, ""):  # the second one finds all runs
        with pytest.raises(SystemExit) as left:
            main(["sweep", str(file), "--out", str(tmp_path / "out")])
        assert int(left.value.code or 0) == status
        out, err = capsys.readouterr()
        assert "page: ecnomy report" in out and ("gold.goodput'" in err) == (status == 2)
        assert message in err


def test_means_over_nothing_are_empty(tmp_path: Path) -> None:
    """A source that has not started delivers nothing: its mean delay is empty, not a lost run."""
    late = SCENARIO.replace("{name: silver,", "{name: silver, start: 2.999 s,")
    go(write(tmp_path, scenario=late), tmp_path / "out")
    runs = open_sweep(tmp_path / "out")
    assert len(runs) == 12 and (runs.status == "done").all()
    assert runs["silver.mean_delay_s"].isna().all() and runs["gold.mean_delay_s"].notna().all()


def test_damaged_shards_and_records_are_made_again(tmp_path: Path) -> None:
    """A shard with a changed bit and half a record are put aside, and their runs repeated once."""
    file, out = write(tmp_path), tmp_path / "out"
    go(file, out)
    whole = open_sweep(out)
    (shard,) = (out / "shards").glob("*.parquet")
    data = bytearray(shard.read_bytes())
    data[len(data) // 2] ^= 1
    shard.write_bytes(bytes(data))
    half = out / "outcomes" / f"{'a' * 32}.json"
    half.write_text('{"point": "aa')
    (out / "outcomes" / "x.json.tmp").write_text("left over")
    tally, pool, _ = go(file, out)
    assert len(pool.points) == 12 and tally.done == 12
    assert sorted(p.suffix for p in out.rglob("*.corrupt")) == [".corrupt", ".corrupt"]
    assert not list(out.rglob("*.tmp"))
    again = open_sweep(out)
    shown = [c for c in whole.columns if c not in ("wall_s", "engine_cpu_s")]
    assert again[shown].equals(whole[shown])


def test_records_beside_their_shard_do_not_double(tmp_path: Path) -> None:
    """Records whose shard exists, as after a kill in between, do not count twice."""
    file, out = write(tmp_path), tmp_path / "out"
    kept: dict[str, bytes] = {}
    compact = Store.compact

    def keep_first(self: Store) -> None:
        kept.update({f.name: f.read_bytes() for f in (out / "outcomes").glob("*.json")})
        compact(self)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Store, "compact", keep_first)
        go(file, out)
    assert len(kept) == 12
    for name, data in kept.items():
        (out / "outcomes" / name).write_bytes(data)
    assert go(file, out)[1].points == []
    runs = open_sweep(out)
    assert len(runs) == 12 == runs.number.nunique()


def test_a_sweep_can_be_queried_while_it_runs(tmp_path, monkeypatch) -> None:
    """Records beside shards are rows like all others, with parameters as numbers."""
    file, out = write(tmp_path), tmp_path / "out"
    with monkeypatch.context() as patch:
        patch.setattr(Store, "compact", lambda self: None)
        go(file, out)
    assert len(list((out / "outcomes").glob("*.json"))) == 12
    early = open_sweep(out)
    go(file, out)
    assert not list((out / "outcomes").glob("*.json"))
    late = open_sweep(out)
    assert early[sorted(early.columns)].equals(late[sorted(late.columns)])
    (tmp_path / "sweep.yaml").write_text(SWEEP.replace("0.2 money", "0.3 money"))
    with monkeypatch.context() as patch:
        patch.setattr(Store, "compact", lambda self: None)
        go(file, out)
    assert len(open_sweep(out)) == 12 and open_sweep(out)["market.price_per_mark"].max() == 0.3


def test_a_full_disk_ends_the_sweep_in_one_line(tmp_path, monkeypatch) -> None:
    """Finished runs are kept; the same command makes the rest."""
    from ecnomy.markets.sweep import store as module

    file, out = write(tmp_path), tmp_path / "out"
    replace, written = module.write_synced, []

    def full(target: Path, data: bytes) -> None:
        if target.parent.name == "outcomes":
            written.append(target)
            if len(written) > 5:
                raise OSError(errno.ENOSPC, "No space left on device")
        replace(target, data)

    with monkeypatch.context() as patch:
        patch.setattr(module, "write_synced", full)
        with pytest.raises(SweepError, match="disk is full") as error:
            go(file, out)
    assert "\n" not in str(error.value)
    tally, pool, _ = go(file, out)
    assert tally.present == 5 and len(pool.points) == 7
    assert len(open_sweep(out)) == 12


def test_only_one_driver_at_a_time(tmp_path: Path) -> None:
    """A second driver on the same folder is refused, and so is a folder with other contents."""
    file = write(tmp_path)
    sweep = load_sweep(file)
    store = Store(tmp_path / "out", sweep)
    with pytest.raises(InputError, match="another sweep is writing to it"):
        Store(tmp_path / "out", sweep)
    store.close()
    Store(tmp_path / "out", sweep).close()
    with pytest.raises(InputError, match="is not a sweep; choose another with out=$") as refused:
        Store(tmp_path, sweep)
    assert refused.value.on_command_line.endswith("is not a sweep; choose another with --out")


def test_engines_do_not_mix_whatever_comes_before_the_lock(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A driver of another engine finishes a folder before the first driver locks it."""
    sweep, lock = load_sweep(write(tmp_path)), fcntl.flock

    def flock(*words: Any) -> None:
        monkeypatch.setattr(fcntl, "flock", lock)
        Store(tmp_path / "out", msgspec.structs.replace(sweep, engine="omnet")).close()
        lock(*words)

    monkeypatch.setattr(fcntl, "flock", flock)
    with pytest.raises(InputError, match="found runs of the engine omnet"):
        Store(tmp_path / "out", sweep)
    assert head_of(tmp_path / "out")["engine"] == "omnet"


SLOW = """
import time
from dataclasses import dataclass
from ecnomy.agents.decision import FlowDecision

@dataclass
class Slow:
    def decide(self, view):
        {body}
        return FlowDecision()
"""


@pytest.mark.parametrize(
    "body", [rare("while True: pass"), "while True: time.sleep(0.001)", "time.sleep(0.2)"]
)
def test_time_limits_end_a_run(tmp_path, monkeypatch, body) -> None:
    """A strategy that never returns, and one that is too slow, fail their runs, but no others."""
    name = f"slow_lab_{len(body)}"
    (tmp_path / f"{name}.py").write_text(SLOW.format(body=body))
    monkeypatch.syspath_prepend(str(tmp_path))
    kinds = f"[{{kind: constant-charge}}, {{kind: '{name}:Slow'}}]"
    text = SWEEP.replace("sources.gold.count: [1, 2]", f"market.agents.shop.strategy: {kinds}")
    text = text.replace("replicates: 3", "limits: {time: 1 s}")
    text = text.replace("[0.1 money, 0.2 money]", "[0.1 money]")
    tally, _, watcher = go(write(tmp_path, text), tmp_path / "out")
    reasons = [outcome.reason for outcome in watcher.failures]
    assert tally.done == 1 and reasons == ["over its time limit of 1 s"]


def test_a_balance_of_zero_is_a_number(tmp_path: Path) -> None:
    """An agent without income has earned 0, not an unknown amount: means over runs depend on it."""
    quiet = SCENARIO.replace("probability: 0.05", "probability: 0")
    go(write(tmp_path, scenario=quiet), tmp_path / "out")
    runs = open_sweep(tmp_path / "out")
    assert (runs["balance.isp"] == 0).all() and (runs["balance.shop"] > 0).all()


def test_memory_limits_end_a_run(tmp_path: Path) -> None:
    """An engine that exceeds its memory limit fails its run with that reason."""
    text = "version: 1\nscenario: scenario.yaml\nlimits: {memory: 40 MB}\n"
    crowd = SCENARIO.replace("count: 2,", "count: 60000,").replace("2 Mbps", "100 Gbps")
    tally, _, watcher = go(write(tmp_path, text, crowd), tmp_path / "out")
    assert tally.failed == 1
    assert "bad_alloc" in watcher.failures[0].reason or "memory" in watcher.failures[0].reason


def test_results_folders_are_kept_where_wanted(tmp_path: Path) -> None:
    """`keep: results` leaves each run's tables in runs/<point>."""
    text = SWEEP.replace("replicates: 3", "keep: results")
    go(write(tmp_path, text), tmp_path / "out")
    manifests = list((tmp_path / "out" / "runs").glob("*/manifest.json"))
    assert len(manifests) == 4
    assert all(json.loads(m.read_text())["complete"] for m in manifests)


def test_a_driver_that_waits_shows_no_progress_twice(tmp_path: Path) -> None:
    """Points are submitted in order, each exactly once."""
    pool = Here()
    go(write(tmp_path), tmp_path / "out", pool)
    sweep = load_sweep(tmp_path / "sweep.yaml")
    assert pool.points == [point for point, _ in identified(sweep)]
