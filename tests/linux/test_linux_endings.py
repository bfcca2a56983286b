# SPDX-License-Identifier: Apache-2.0
"""Faults around the Linux engine: a killed engine leaves nothing behind, a late run is reported,
and a slow market does not stop the packets.
"""

from __future__ import annotations

import os
import random
import signal
import sys
import time
from pathlib import Path
from typing import Any

import psutil
import pyarrow.parquet as pq
import pytest

from ecnomy.markets.engines.linux import LINUX_BINARY, LinuxEngine
from ecnomy.markets.session.session import open_market
from linux_world import LINK, MARKET, facts, laws_lack, machine_lacks
from processes import ended, started, wait_for
from tiers import full

pytestmark = [
    pytest.mark.skipif(bool(machine_lacks()), reason=machine_lacks()),
    pytest.mark.xdist_group("linux"),
]
SELLER = """
market:
  price_per_mark: 1 money
  agents:
    - {name: isp, role: connectivity-provider}
"""
CONTROLS = Path("/proc/sys/net/ipv4/tcp_available_congestion_control")


def _spaces(*pids: int) -> set[str]:
    """The network namespaces that processes are in or hold open."""
    spaces = set()
    for pid in pids:
        for place in (*Path(f"/proc/{pid}").glob("ns/net"), *Path(f"/proc/{pid}").glob("fd/*")):
            try:
                link = os.readlink(place)
            except OSError:
                continue
            if link.startswith("net:["):
                spaces.add(link)
    return spaces


def _routers(of: int) -> list[psutil.Process]:
    """The running engines of a process, without those that check a plan."""
    engines = []
    for child in psutil.Process(of).children(recursive=True):
        try:
            if child.name() == LINUX_BINARY and child.cmdline()[1] == "run":
                engines.append(child)
        except (psutil.Error, IndexError):  # it has just ended
            continue
    return engines


def _left(router: int, own: set[str]) -> str:
    """What a dead router has left behind, such as namespaces; "" if nothing."""
    if psutil.pid_exists(router):
        return f"process {router}"
    if extra := own & _spaces(*psutil.pids()):
        return f"namespaces {extra}"
    names = [name for name in CONTROLS.read_text().split() if name.endswith(str(router))]
    if names:
        return f"congestion controls {names}"
    devices = [name for name in os.listdir("/sys/class/net") if name.startswith("tun")]
    return f"devices {devices}" if devices else ""


@full
@pytest.mark.parametrize("victim", ["router", "market"])
@pytest.mark.parametrize("number", range(10))
def test_a_kill_leaves_nothing(victim: str, number: int, tmp_path: Path) -> None:
    """Processes, namespaces, devices and congestion controls are gone after SIGKILL."""
    rng = random.Random(f"{victim}{number}")
    file = tmp_path / "market.yaml"
    file.write_text(LINK if laws_lack() else MARKET)
    words = ["-m", "ecnomy.markets.cli", "run", file, "--engine", "linux", "--out", tmp_path / "o"]
    with started([sys.executable, *words, "--set", "duration=60 s"]) as process:
        router = wait_for(
            lambda: [p.pid for p in _routers(process.pid)],
            "a router",
            while_runs=process,
            every_s=0.002,
        )[0]
        time.sleep(rng.uniform(0, 2.5) if rng.random() < 0.7 else 0)
        own = _spaces(router) - _spaces(os.getpid())
        os.kill(router if victim == "router" else process.pid, signal.SIGKILL)
        wait_for(lambda: not _left(router, own), f"nothing left of {router}", 20)
        if victim == "router":
            assert ended(process).status == 1
    assert _left(router, own) == ""


@full
def test_a_late_run_is_not_valid(tmp_path: Path) -> None:
    """A router that stalled for half a second reports this in machine.json and in the log."""
    file = tmp_path / "flows.yaml"
    file.write_text(LINK + SELLER)
    with open_market(file, out=tmp_path / "out", engine="linux") as m:
        m.step()
        (router,) = _routers(os.getpid())
        router.suspend()
        time.sleep(0.5)
        router.resume()
        while m.running:
            m.step()
    written = facts(tmp_path / "out")
    assert written["valid"] is False and written["late_worst_s"] > 0.4
    assert "not valid: packets were late" in (tmp_path / "out" / "log.txt").read_text()


@full
def test_a_slow_market_stops_nothing(tmp_path: Path) -> None:
    """Packets continue to flow while the market decides, and no epoch is lost or moved."""
    file = tmp_path / "flows.yaml"
    file.write_text(LINK + SELLER)
    out = tmp_path / "out"
    with open_market(file, out=out, engine="linux", overrides=("duration=6 s",)) as market:
        market.step()
        time.sleep(2.3)
        while market.running:
            market.step()
    epochs = pq.read_table(out / "flow_epochs.parquet").to_pydict()
    assert sorted(set(epochs["t_ps"])) == [second * 10**12 for second in range(7)]
    sent = dict.fromkeys(epochs["t_ps"], 0)
    for t_ps, delivered in zip(epochs["t_ps"], epochs["delivered"], strict=True):
        sent[t_ps] += delivered
    assert min(sent[k * 10**12] - sent[(k - 1) * 10**12] for k in range(2, 7)) > 800
    written = facts(out)
    assert written["valid"] is True and 2 < written["slowest_decision_s"] < 4


def test_doubts_name_the_bounds() -> None:
    """The warning contains both quantiles and both bounds. A valid run has no warning."""
    late: dict[str, Any] = {"late_p99_s": 0.002, "late_p999_s": 0.03}
    late |= {"bound_p99_s": 0.001, "bound_p999_s": 0.01}
    engine = object.__new__(LinuxEngine)
    for valid in (False, True):
        engine.facts = lambda valid=valid: late | {"valid": valid}  # type: ignore[method-assign]
        lines = engine.doubts()
        assert len(lines) == (0 if valid else 1)
        assert valid or ("2 ms and 30 ms" in lines[0] and "1 ms and 10 ms" in lines[0])
