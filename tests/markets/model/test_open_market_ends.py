# SPDX-License-Identifier: Apache-2.0
"""A stepped market leaves nothing behind, however it ends. Simultaneous ones are independent."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import os
import random
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import market_world as world
from ecnomy.agents.errors import EngineError, NotRunningError
from ecnomy.markets import open_market, run
from ecnomy.markets.model.market import Market
from open_world import SCENARIO, held, identity, manifest, there
from processes import started, wait_for
from tiers import full, in_full
from warm_python import FORKS, ended_python


def test_closed_before_the_end(scene: Path, tmp_path: Path, pids: list[int]) -> None:
    """The folder has the time; its tables are complete until then; a second close has no effect."""
    market = open_market(scene, out=tmp_path / "r")
    for _ in range(3):
        market.step()
    result = market.close()
    assert result is not None and not result.complete and market.close() == result
    assert not market.running and not there(pids[0])
    document = manifest(tmp_path / "r")
    assert (document["complete"], document["reason"]) == (False, "closed at 3 s")
    assert document["measured"]["to_ps"] == 3 * world.PS
    assert result.flow_epochs["t_ps"].max() == 3 * world.PS
    assert result.raw.ledger["t_ps"].max() == 3 * world.PS
    with pytest.raises(NotRunningError, match="^the run has ended: closed at 3 s$"):
        market.step()


def test_the_last_step_closes_the_results(scene: Path, tmp_path: Path, pids: list[int]) -> None:
    """No engine or open file is left; a later error does not make the run incomplete."""
    before = held()
    with pytest.raises(ZeroDivisionError), open_market(scene, out=tmp_path / "r") as market:
        market.run_model()
        assert held() == before and not there(pids[0])
        raise ZeroDivisionError
    assert manifest(tmp_path / "r")["complete"] is True
    with pytest.raises(NotRunningError, match="^the run has ended: complete$"):
        market.step()


def by_exception(market: Market, steps: int, pid: int) -> str:
    with pytest.raises(ValueError, match="mine"), market:
        for _ in range(steps):
            market.step()
        raise ValueError("mine")
    return "ValueError: mine"


def by_break(market: Market, steps: int, pid: int) -> str:
    with market:
        while market.running:
            if market.steps == steps:
                break
            market.step()
    return f"closed at {steps} s"


def by_del(market: Market, steps: int, pid: int) -> str:
    for _ in range(steps):
        market.step()
    return f"abandoned at {steps} s"  # nobody refers to it once this returns


def by_kill(market: Market, steps: int, pid: int) -> str:
    for _ in range(steps):
        market.step()
    os.kill(pid, signal.SIGKILL)
    with pytest.raises(EngineError, match="SIGKILL"):
        market.step()
    with pytest.raises(NotRunningError, match="^the run has ended: .*SIGKILL"):
        market.step()
    return "SIGKILL"


def by_kill_unseen(market: Market, steps: int, pid: int) -> str:
    for _ in range(steps):
        market.step()
    os.kill(pid, signal.SIGKILL)
    os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)  # no limit: it was killed
    market.close()
    return "SIGKILL"


WAYS = (by_exception, by_break, by_del, by_kill, by_kill_unseen)


def abandoned(scene: Path, out: Path, draws: random.Random, pids: list[int]) -> None:
    """Open a market, leave it at a random moment in a random way, and look for what is left."""
    before, way = held(), draws.choice(WAYS)
    reason = way(open_market(scene, out=out), draws.randrange(20), pids[-1])
    gc.collect()
    document = manifest(out)
    assert document["complete"] is False and reason in document["reason"], way.__name__
    assert held() == before and not there(pids[-1]), way.__name__
    assert not list(out.glob("*.tmp")) and (out / "flows.parquet").exists()


def test_abandoned_markets_leave_nothing(
    scene: Path, tmp_path: Path, scratch: Path, pids: list[int]
) -> None:
    """At 15 random moments (100 in the full tier), no process or file is left; the reason is."""
    draws, count = random.Random(100), 100 if in_full() else 15
    with open_market(scene, tables=False):
        pass  # what the first one opens for good (libraries, time zones) is not counted
    gc.collect()
    gc.freeze()  # what other tests left need not be looked through each time
    try:
        for number in range(count):
            abandoned(scene, tmp_path / f"r{number}", draws, pids)
    finally:
        gc.unfreeze()
    assert len(pids) == 1 + count and not list(scratch.iterdir())


def stepped(scene: Path, seed: int, out: Path) -> dict[str, bytes]:
    """A market stepped to its end, and its results."""
    with open_market(scene, seed=seed, out=out) as market:
        while market.running:
            market.step()
    return identity(out)


def test_eight_at_once_in_threads(scene: Path, tmp_path: Path, scratch: Path) -> None:
    """Eight markets in threads run as if alone. Signal handlers and environment stay the same."""
    alone = [identity(run(scene, seed=n, out=tmp_path / f"run{n}").folder) for n in range(1, 9)]
    before = dict(os.environ), [signal.getsignal(n) for n in signal.valid_signals()]
    threads = threading.active_count()
    with ThreadPoolExecutor(8) as pool:
        jobs = [pool.submit(stepped, scene, n, tmp_path / f"steps{n}") for n in range(1, 9)]
        assert [job.result(120) for job in jobs] == alone
    assert before == (dict(os.environ), [signal.getsignal(n) for n in signal.valid_signals()])
    assert threading.active_count() == threads and not list(scratch.iterdir())


def test_several_in_turn_in_one_thread(scene: Path, tmp_path: Path) -> None:
    """Three markets stepped in turn give the results of each alone, ended in another order."""
    with contextlib.ExitStack() as stack:
        markets = [
            stack.enter_context(open_market(scene, seed=n, out=tmp_path / f"s{n}")) for n in (1, 2)
        ]
        while any(market.running for market in markets):
            for market in markets:
                market.step()
    for n in (1, 2):
        alone = run(scene, seed=n, out=tmp_path / f"run{n}").folder
        assert identity(tmp_path / f"s{n}") == identity(alone)


def test_another_thread_ends_what_one_began(scene: Path, tmp_path: Path, pids: list[int]) -> None:
    """A market may move between threads, because no part of it belongs to one."""
    market = open_market(scene, out=tmp_path / "r")
    with ThreadPoolExecutor(1) as pool:
        pool.submit(market.step).result(30)
        result = pool.submit(market.close).result(30)
    assert result is not None and not result.complete and not there(pids[0])


def test_steps_within_a_running_event_loop(scene: Path, tmp_path: Path) -> None:
    """Steps work within a running event loop, as in notebooks."""

    async def cell() -> dict[str, bytes]:
        await asyncio.sleep(0)
        return stepped(scene, 3, tmp_path / "steps")

    assert asyncio.run(cell()) == identity(run(scene, seed=3, out=tmp_path / "run").folder)


@pytest.fixture(scope="module")
def forks() -> Iterator[subprocess.Popen[str]]:
    """A Python process whose forks are programs (warm_python.py)."""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with started([sys.executable, "-c", FORKS], env=environment, **pipes) as process:
        yield process


SCRIPT = """
import os, signal, sys, threading
from ecnomy.markets import open_market
market = open_market(sys.argv[1], out=sys.argv[2])
for _ in range(3):
    market.step()
children = open(f"/proc/self/task/{os.getpid()}/children").read()
print(children, flush=True)
"""


@pytest.mark.parametrize(
    ("last", "reason"),
    [
        pytest.param("", "the program ended at 3 s", marks=full),
        pytest.param("sys.exit(3)", "the program ended at 3 s", marks=full),
        ("raise RuntimeError('mine')", "the program ended at 3 s"),
        pytest.param(
            "threading.Thread(target=market.run_model, daemon=True).start()",
            "the program ended",
            marks=full,
        ),
        ("os.fork() or sys.exit(); os.wait(); market.step()", "the program ended at 4 s"),
        pytest.param("os.kill(os.getpid(), signal.SIGTERM)", "the run has not ended", marks=full),
        ("os.kill(os.getpid(), signal.SIGKILL)", "the run has not ended"),
    ],
    ids=["end", "exit", "error", "thread", "fork", "terminated", "killed"],
)
def test_python_that_ends_takes_the_engine_with_it(
    last: str,
    reason: str,
    scene: Path,
    tmp_path: Path,
    scratch: Path,
    forks: subprocess.Popen[str],
) -> None:
    """After any end there is no engine or temporary file, and the folder is marked incomplete."""
    slow = SCENARIO.replace("duration: 20 s", "duration: 100000 s")
    scene.write_text(slow, encoding="utf-8")
    more = {"TMPDIR": str(scratch)}
    words = (scene, tmp_path / "r")
    done = ended_python(forks, tmp_path, SCRIPT + last, *words, environment=more)
    (pid,) = map(int, done.out.split())
    wait_for(lambda: not there(pid), "the engine's end")
    assert not list(scratch.iterdir())
    assert ("mine" in done.err) == ("mine" in last), done.err
    document = manifest(tmp_path / "r")
    assert document["complete"] is False and document["reason"].startswith(reason)
    if reason == "the program ended at 3 s":
        assert document["measured"]["to_ps"] == 3 * world.PS


def test_killed_before_the_engine_speaks(
    scene: Path, tmp_path: Path, scratch: Path, forks: subprocess.Popen[str]
) -> None:
    """At that time the plan is being passed to the engine, in a file without a name."""
    engine = tmp_path / "engine"
    read = tmp_path / "read"
    engine.write_text(f'#!/bin/sh\ncat "$3" > {read} && kill -9 $PPID\n')
    engine.chmod(0o755)
    more = {"TMPDIR": str(scratch), "ECNOMY_ENGINE": str(engine)}
    done = ended_python(forks, tmp_path, SCRIPT, scene, tmp_path / "r", environment=more)
    assert done.status == -signal.SIGKILL, done.err
    assert "digest" in read.read_text() and not list(scratch.iterdir())


def test_a_fork_is_refused(scene: Path, tmp_path: Path) -> None:
    """A child can neither step nor close its parent's market; the parent goes on."""
    with open_market(scene, out=tmp_path / "r") as market:
        child = os.fork()
        if child == 0:
            refused = 0
            for deed in (market.step, market.close):
                try:
                    deed()
                except NotRunningError as error:
                    refused += "belongs to process" in str(error)
            os._exit(refused)
        status: list[int] = []

        def over() -> bool:
            pid, code = os.waitpid(child, os.WNOHANG)
            status.append(os.waitstatus_to_exitcode(code))
            return pid == child

        wait_for(over, "the child's end")
        assert status[-1] == 2
        market.run_model()
    assert manifest(tmp_path / "r")["complete"] is True


def test_interrupt_between_steps_spares_the_engine(
    scene: Path, tmp_path: Path, forks: subprocess.Popen[str]
) -> None:
    """A notebook's interrupt goes to the whole process group, but the market can continue."""
    code = (
        "import os, signal, sys\n"
        "from ecnomy.markets import open_market\n"
        "with open_market(sys.argv[1], tables=False) as market:\n"
        "    market.step()\n"
        "    try:\n"
        "        os.killpg(0, signal.SIGINT)\n"
        "    except KeyboardInterrupt:\n"
        "        market.run_model()\n"
        "        print(market.time)\n"
    )
    done = ended_python(forks, tmp_path, code, scene, environment={})
    assert done.out == "20.0\n", done.err
