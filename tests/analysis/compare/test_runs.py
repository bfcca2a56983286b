# SPDX-License-Identifier: Apache-2.0
"""Comparisons of the built-in engine with itself, with other seeds or another gain."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

import compare_world as world
from ecnomy.agents.errors import EngineError, InputError
from ecnomy.analysis.compare import comparison
from ecnomy.analysis.compare.comparison import Comparison, compare
from ecnomy.analysis.compare.figures import figures_of, rows_of
from ecnomy.analysis.compare.runs import (
    BUILT_IN,
    LINUX,
    Done,
    SimulationTask,
    claim,
    simulated,
    to_make,
)
from ecnomy.analysis.compare.verdicts import DIFFERENT, EQUIVALENT, NOT_JUDGED, UNDECIDED
from ecnomy.markets.results.rawrun import open_raw
from ecnomy.markets.session.runner import run
from processes import alive, started, wait_for
from tiers import full, in_full

SHORT = ("duration=6 s", "warmup=2 s")
SEEDS = 10 if in_full() else 6


def verdicts(found: Comparison) -> dict[str, str]:
    return {row.row.key: row.verdict for row in found.rows if row.verdict != NOT_JUDGED}


def calls_of(record: list[tuple[str, int]]):
    def simulate(task: SimulationTask, folder: Path) -> None:
        record.append((task.engine, task.seed))
        world.other_seeds(task, folder)

    return simulate


def test_only_one_comparison_at_a_time(tmp_path: Path) -> None:
    """A second comparison in one folder is refused, since it would remove unfinished results."""
    study = world.study(tmp_path / "c")
    with (
        claim(study.folder),
        pytest.raises(InputError, match="another comparison is writing to it"),
    ):
        compare(study, 2)
    claim(study.folder).close()
    (tmp_path / "thesis.tex").touch()
    with pytest.raises(InputError, match="not a comparison"):
        claim(tmp_path)


def test_delays_of_a_source_may_add_up_beyond_an_int64(tmp_path: Path) -> None:
    """The delays of five flows, of 4e18 ps each, give a mean of 4 s without an overflow."""
    study = world.study(tmp_path / "c")
    simulated(study.tasks([3])[0], tmp_path / "run")
    run = open_raw(tmp_path / "run")
    run.flows["delay_sum_ps"] = 4 * 10**18
    run.flows["delivered"] = 10**6
    assert figures_of(run)["source/light/mean_delay_s"] == pytest.approx(4.0)


def test_figures_are_the_runs_own(tmp_path: Path) -> None:
    """Every figure of a run agrees with its epoch tables and counters over the window."""
    study = world.study(tmp_path / "c")
    simulated(study.tasks([3])[0], tmp_path / "run")
    run = open_raw(tmp_path / "run")
    figures = figures_of(run)
    assert list(figures) == [row.key for row in rows_of(run.plan)]
    flows = run.flow_epochs.set_index(["t_ps", "flow"])
    window = [t * 10**12 for t in (20, 80)]
    first, last = (flows.loc[t] for t in window)
    sums = (last - first).groupby(lambda flow: "light" if flow < 5 else "heavy").sum()
    for name in ("light", "heavy"):
        row, key = sums.loc[name], f"source/{name}"
        assert figures[f"{key}/goodput_bps"] == pytest.approx(8 * row["acked_bytes"] / 60)
        assert figures[f"{key}/marking_probability"] == pytest.approx(row["ce"] / row["delivered"])
        delay_s = row["delay_sum_ps"] / row["delivered"] / 1e12
        assert figures[f"{key}/mean_delay_s"] == pytest.approx(delay_s)
        share = row["acked_bytes"] / sums["acked_bytes"].sum()
        assert figures[f"{key}/goodput_share"] == pytest.approx(share)
    links = run.link_epochs.set_index(["t_ps", "link"])
    number = [link.name for link in run.plan.links].index("bottleneck")
    change = links.loc[window[1], number] - links.loc[window[0], number]
    key = "link/bottleneck"
    assert figures[f"{key}/mean_queue_packets"] == pytest.approx(change["queue_integral"] / 60)
    probability = change["marks"] / change["arrivals"]
    assert figures[f"{key}/marking_probability"] == pytest.approx(probability)
    assert figures[f"{key}/throughput_bps"] == pytest.approx(8 * change["departed_bytes"] / 60)


def test_money_is_the_ledgers_own(tmp_path: Path) -> None:
    """Money of each kind of posting equals the changes of its two accounts' balances."""
    config = str(world.ROOT / "configs" / "examples" / "live.yaml")
    run(config, overrides=("duration=8 s", "warmup=3 s"), out=tmp_path / "run")
    results = open_raw(tmp_path / "run")
    figures = figures_of(results)
    moved: dict[str, int] = {}
    for posting in results.ledger.to_dict("records"):
        if 3 * 10**12 < posting["t_ps"] <= 8 * 10**12:
            name = f"{posting['kind']}: {posting['debit']} to {posting['credit']}"
            moved[name] = moved.get(name, 0) + posting["amount_micro"]
    assert moved and min(moved.values()) > 0
    whole = sum(moved.values())
    wanted = {f"money/{name}/money_per_s": amount / 5e6 for name, amount in moved.items()}
    wanted |= {f"money/{name}/money_share": amount / whole for name, amount in moved.items()}
    wanted["money/all postings/money_per_s"] = whole / 5e6
    assert {key: value for key, value in figures.items() if key in wanted} == pytest.approx(wanted)


def test_an_engine_is_equivalent_to_itself(tmp_path: Path) -> None:
    """With different seeds, every judged row of one engine is equivalent."""
    found = compare(world.study(tmp_path / "c"), SEEDS)
    assert set(verdicts(found).values()) == {EQUIVALENT}
    assert len(verdicts(found)) == 8
    assert found.costs[0].cpu_s > 0 and found.costs[0].data_packets > 10_000


def test_another_gain_is_found_different(tmp_path: Path) -> None:
    """Four times the gain lets windows vary more, so marking probabilities differ by a fifth."""
    gain = [f"sources.{name}.transport.gain=2" for name in ("light", "heavy")]
    by_row = verdicts(compare(world.study(tmp_path / "c", world.changed(*gain)), SEEDS))
    assert by_row["link/bottleneck/marking_probability"] == DIFFERENT
    assert by_row["source/heavy/marking_probability"] == DIFFERENT


def test_what_straddles_gets_more_seeds(tmp_path: Path) -> None:
    """A row undecided after two seeds is decided or gets 40 seeds; no seed is run twice."""
    made: list[tuple[str, int]] = []
    study = world.study(tmp_path / "c", calls_of(made))
    assert UNDECIDED in verdicts(compare(study, 2)).values()
    found = compare(study, 2, double=True)
    assert len(found.seeds) in (4, 8, 16, 32, 40)
    assert UNDECIDED not in verdicts(found).values() or len(found.seeds) == 40
    assert sorted(made) == [(e, s) for e in (BUILT_IN, world.OTHER) for s in found.seeds]


@full
def test_no_more_than_forty_seeds(tmp_path: Path) -> None:
    """A row is called undecided after 40 seeds."""
    assert comparison.MOST_SEEDS == 40
    # Four seconds of ten flows that have just begun: shares vary by tens of per cent.
    found = compare(world.study(tmp_path / "c", world.other_seeds, *SHORT), 30, double=True)
    assert len(found.seeds) == 40
    assert found.undecided


def test_a_comparison_goes_on(tmp_path: Path) -> None:
    """Existing rows stay. Only missing, damaged and outdated ones are made again."""
    made: list[tuple[str, int]] = []
    study = world.study(tmp_path / "c", calls_of(made), *SHORT)
    before = compare(study, 4)
    lost, damaged, old = (study.row_file(task) for task in study.tasks([1, 2, 3])[:3])
    lost.unlink()
    damaged.write_text(damaged.read_text()[:100])
    row = msgspec.json.decode(old.read_bytes(), type=Done)
    old.write_bytes(msgspec.json.encode(msgspec.structs.replace(row, key="of other code")))
    made.clear()
    after = compare(study, 4)
    assert made == [(BUILT_IN, 1), (BUILT_IN, 2), (BUILT_IN, 3)]
    assert after.rows == before.rows


def test_another_scenario_is_another_run(tmp_path: Path) -> None:
    """Rows of a scenario do not count for a changed scenario in the same folder."""
    compare(world.study(tmp_path / "c", world.other_seeds, *SHORT), 2)
    changed = world.study(tmp_path / "c", world.other_seeds, *SHORT, "sources.light.count=4")
    tasks = changed.tasks([1, 2])
    assert to_make(changed, tasks) == ({}, tasks)


@full
def test_processes_give_the_same(tmp_path: Path) -> None:
    """Two worker processes make the rows that this process makes."""
    here = compare(world.study(tmp_path / "a", world.other_seeds, *SHORT), 3)
    there = compare(world.study(tmp_path / "b", world.other_seeds, *SHORT), 3, jobs=2)
    assert here.rows == there.rows


def test_a_failed_run_is_named(tmp_path: Path) -> None:
    """An engine that dies ends the comparison with its name; earlier runs are kept."""

    def simulate(task: SimulationTask, folder: Path) -> None:
        if task.engine == world.OTHER and task.seed == 2:
            raise EngineError("it died")
        world.other_seeds(task, folder)

    study = world.study(tmp_path / "c", simulate, *SHORT)
    with pytest.raises(EngineError, match="other, seed 2: it died"):
        compare(study, 3)
    there, missing = to_make(study, study.tasks([1, 2, 3]))
    assert len(there) == 4 and [task.seed for task in missing] == [2, 3]


def test_a_killed_worker_is_said(tmp_path: Path) -> None:
    """A killed worker ends the comparison with an error."""
    with pytest.raises(EngineError, match="a worker process died"):
        compare(world.study(tmp_path / "c", world.die), 2, jobs=2)


KILLED = """
import os, sys
from pathlib import Path
sys.path.insert(0, sys.argv[2])
import compare_world as world
from ecnomy.analysis.compare.comparison import compare

def simulate(task, folder):
    (Path(sys.argv[3]) / str(os.getpid())).touch()
    world.other_seeds(task, folder)

if __name__ == "__main__":
    compare(world.study(Path(sys.argv[1]), simulate), int(sys.argv[4]), jobs=2)
"""


@full
def test_a_killed_comparison_goes_on(tmp_path: Path) -> None:
    """After SIGKILL its workers also end, its rows stay, and only the rest is made."""
    seeds = 40 if in_full() else 6
    script, folder, pids = tmp_path / "killed.py", tmp_path / "c", tmp_path / "pids"
    script.write_text(KILLED)
    pids.mkdir()
    here = str(Path(world.__file__).parent)
    words = [str(script), str(folder), here, str(pids), str(seeds)]
    with started([sys.executable, *words]) as process:
        wait_for(lambda: len(rows(folder)) >= 4, "four rows", while_runs=process)
        assert process.poll() is None, "it ended before it could be killed"
        process.kill()
        workers = [int(file.name) for file in pids.iterdir()]
        assert workers
        wait_for(lambda: not any(alive(pid) for pid in workers), "the workers' end")
    kept = {file: file.stat().st_mtime_ns for file in rows(folder)}
    assert 4 <= len(kept) < 2 * seeds
    found = compare(world.study(folder), seeds, jobs=2 if in_full() else 1)
    assert len(found.seeds) == seeds and len(rows(folder)) == 2 * seeds
    assert {file: file.stat().st_mtime_ns for file in kept} == kept


def rows(folder: Path) -> list[Path]:
    return sorted((folder / "runs").glob("*.json")) if folder.is_dir() else []


def test_bad_input_is_refused(tmp_path: Path) -> None:
    """A single seed, a file as folder, an unreadable folder and a missing engine fail."""
    with pytest.raises(InputError, match="seeds: found 1"):
        compare(world.study(tmp_path / "c"), 1)
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="found a file, expected a folder"):
        compare(world.study(tmp_path / "file"), 2)
    (tmp_path / "taken").mkdir()
    (tmp_path / "taken" / "thesis.tex").write_text("")
    with pytest.raises(InputError, match="not a comparison"):
        compare(world.study(tmp_path / "taken"), 2)
    with pytest.raises(InputError, match="'other', expected one of builtin, omnet"):
        compare(world.study(tmp_path / "c", simulated), 2)


def test_a_mean_of_each_engine_is_over_its_own_seeds(tmp_path: Path) -> None:
    """The table's means equal those of the rows on disk."""
    study = world.study(tmp_path / "c", world.other_seeds, *SHORT)
    found = compare(study, 3)
    key = "link/bottleneck/mean_queue_packets"
    row = next(row for row in found.rows if row.row.key == key)
    for which, engine in enumerate(study.engines):
        tasks = [task for task in study.tasks([1, 2, 3]) if task.engine == engine]
        kept = [msgspec.json.decode(study.row_file(t).read_bytes(), type=Done) for t in tasks]
        mean = row.means[which]
        assert mean is not None
        assert mean.mean == pytest.approx(np.mean([done.figures[key] for done in kept]))


@pytest.mark.parametrize("late", [2, 3])
def test_a_late_run_is_repeated(late: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A late run is repeated up to three times, and then ends the comparison."""
    made: list[str] = []

    def in_real_time(scenario: object, out: Path, **how: Any) -> None:
        made.append(how["engine"])
        (out / "machine.json").write_text(json.dumps({"engine": {"valid": len(made) > late}}))

    monkeypatch.setattr("ecnomy.analysis.compare.runs.run", in_real_time)
    monkeypatch.setattr("ecnomy.analysis.compare.runs.engine_kind", lambda engine: None)
    task = SimulationTask(str(world.SCENARIOS / "linux-reno.yaml"), (), LINUX, 1)
    if late < 3:
        simulated(task, tmp_path)
    else:
        with pytest.raises(EngineError, match="late in all 3 attempts"):
            simulated(task, tmp_path)
    assert made == [LINUX] * 3


def test_runs_in_real_time_are_made_one_by_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Runs in real time are made one by one, and marking is judged within 15 %, not 10 %."""
    batches: list[tuple[set[str], int]] = []
    made = comparison.make_all

    def make_all(study: Any, tasks: Any, jobs: int, progress: Any) -> dict[SimulationTask, Done]:
        batches.append(({task.engine for task in tasks}, jobs))
        return made(study, tasks, 1, progress)

    monkeypatch.setattr(comparison, "make_all", make_all)
    study = msgspec.structs.replace(
        world.study(tmp_path / "c", world.other_seeds, *SHORT), engines=(BUILT_IN, LINUX)
    )
    found = compare(study, 2, jobs=4)
    assert batches == [({BUILT_IN}, 4), ({LINUX}, 1)]
    bounds = {row.bound.relative for row in found.rows if row.row.quantity == "marking_probability"}
    assert bounds == {0.15}
