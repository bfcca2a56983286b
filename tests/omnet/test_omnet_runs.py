# SPDX-License-Identifier: Apache-2.0
"""Whole runs on OMNeT++: the same tables, times to the picosecond, sudden deaths, runs by hand."""

from __future__ import annotations

import gc
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from ecnomy.agents.errors import EngineError
from ecnomy.markets import load, make_plan, open_market, run
from ecnomy.markets.engines.process import EngineProcess
from ecnomy.markets.omnet.export import project, write_new
from ecnomy.markets.omnet.installation import Installation
from ecnomy.markets.scenario import scenario_from_text
from omnet_world import CONFIGS, EVERYTHING
from processes import LIMIT_S, ended, line_of, started, wait_for

GOLD_SILVER = CONFIGS / "examples/gold-silver.yaml"
ODD = """
version: 1
title: Times that are no round numbers
duration: 3.123456789012 s
warmup: 0.777777777777 s
seed: 18446744073709551615
network:
  links:
    - {name: in-out, from: network, to: market, rate: 7.654321 Mbps, delay: 1.234567 us,
       framing: 13 bytes, buffer: 20 packets}
    - {name: gates, from: market, to: far-away, rate: 3 Mbps, delay: 9.000000001 ms,
       duplex: false, marking: {law: fixed, probability: 0.3}}
sources:
  - {name: one-way, count: 2, from: network, to: far-away, start: 0.1 s, stagger: 33.333333 ms,
     traffic: {kind: poisson, rate: 1 Mbps}, transport: {law: udp, ecn: ect}}
  - {name: calls, count: 9, from: network, to: far-away,
     traffic: {kind: voip, idle: 1 s, call: 0.7 s}, transport: {law: udp}}
market:
  epoch: 0.5 s
  price_per_mark: 0.01 money
  agents: [{name: isp, role: connectivity-provider}]
record: {delay_thresholds: [10 ms], trace: true, counts: {of: [marks, sent], every: 99 ms}}
"""


@pytest.fixture(autouse=True)
def installed(omnet: Installation) -> Installation:
    """Skip these tests without OMNeT++."""
    return omnet


def test_datagrams_give_the_built_in_engines_tables(
    tmp_path: Path, installed: Installation
) -> None:
    """Although wire times, delays and starts are not round numbers, all tables are the same.

    Traces hold the same rows; those of one moment may stand in another order.
    """
    scenario = scenario_from_text(ODD)
    ours = run(scenario, out=tmp_path / "builtin")
    theirs = run(scenario, out=tmp_path / "omnet", engine="omnet")
    names = {file.stem for file in ours.folder.glob("*.parquet")}
    assert names >= {"flow_epochs", "link_epochs", "calls", "ledger", "counts", "trace"}
    assert len(ours.table("calls")) > 5 and ours.table("flows")["ce"].sum() > 30
    for name in names - {"trace"}:
        assert theirs.table(name).equals(ours.table(name)), name
    columns = list(ours.table("trace").columns)
    rows = [t.table("trace").sort_values(columns, ignore_index=True) for t in (ours, theirs)]
    assert rows[0].equals(rows[1])
    machine = json.loads((theirs.folder / "machine.json").read_text())
    assert machine["engine"]["t_ps"] == 3_123_456_789_012
    version = json.loads((theirs.folder / "manifest.json").read_text())["versions"]["engine"]
    wanted = f"(OMNeT++ {installed.omnetpp.version}, INET {installed.inet.version})"
    assert version.startswith("omnet ") and version.endswith(wanted)


def test_market_decides_on_omnet_as_ever(tmp_path: Path) -> None:
    """Gold and silver with live agents run completely, with exact fees and more for gold."""
    result = run(GOLD_SILVER, overrides=["duration=75 s"], out=tmp_path / "r", engine="omnet")
    flows = result.raw.flows.set_index("name")
    wanted = {"gold.0": 75 * 4_000_000, "silver.0": 75 * 1_000_000}
    fees = result.table("flow_epochs").groupby("flow")["fee_micro"].max()
    assert {name: fees[flows.loc[name, "flow"]] for name in wanted} == wanted
    late = result.table("flow_epochs").query("t_ps >= 65_000_000_000_000").groupby("flow")
    acked = late["acked_bytes"].max() - late["acked_bytes"].min()
    assert acked[0] > 1.5 * acked[2]  # 2.5 and more in the long run; ten seconds are noisy
    assert (tmp_path / "r/omnet/run.sca").exists()


def test_steps_on_omnet_give_the_bytes_of_run(tmp_path: Path) -> None:
    """A stepped market is the same over either engine: every table, and the manifest."""
    short = ["duration=4 s", "warmup=1.5 s"]
    there = run(GOLD_SILVER, overrides=short, out=tmp_path / "run", engine="omnet")
    with open_market(GOLD_SILVER, overrides=short, out=tmp_path / "r", engine="omnet") as market:
        while market.running:
            market.step()
        result = market.close()
    assert result is not None and result.complete
    for file in [*there.folder.glob("*.parquet"), there.folder / "manifest.json"]:
        assert (result.folder / file.name).read_bytes() == file.read_bytes(), file.name


@pytest.mark.parametrize("tables", [True, False])
def test_abandoned_omnet_leaves_nothing(
    tables: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """When a market goes out of scope, opp_run ends, and its temporary folder is removed."""
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(scratch))
    children = Path(f"/proc/self/task/{os.getpid()}/children")
    before, out = children.read_text(), tmp_path / "r" if tables else None
    market = open_market(GOLD_SILVER, out=out, tables=tables, engine="omnet")
    market.step()
    assert children.read_text() != before
    del market
    gc.collect()
    runs = scratch / f"ecnomy-{os.getuid()}" / "runs"  # which stays
    assert children.read_text() == before
    assert {path for path in scratch.rglob("*") if path not in (runs, runs.parent)} == set()
    if tables:
        document = json.loads((tmp_path / "r/manifest.json").read_text())
        assert document["reason"] == "abandoned at 1 s"


@pytest.mark.parametrize("text", ["everything", "examples"])
def test_every_kind_of_module_starts(text: str, tmp_path: Path) -> None:
    """With every feature, and for each example, OMNeT++ accepts every type and line of ini."""
    if text == "everything":
        file = tmp_path / "scene.yaml"
        file.write_text(EVERYTHING)
        files = [file]
    else:
        files = sorted(CONFIGS.glob("examples/*.yaml"))
        assert len(files) > 4
    for file in files:
        if file.stem == "abilene":
            pytest.importorskip("topohub")
        short = ["warmup=0 s", "duration=100 ms"]
        assert run(file, overrides=short, out=tmp_path / file.stem, engine="omnet").complete


def test_killed_omnet_is_named(tmp_path: Path) -> None:
    """After kill -9 of opp_run, the error names signal and time, and results are partial."""
    start, pids, log = EngineProcess.__init__, [], tmp_path / "r/omnet/log.txt"

    def noted(self: EngineProcess, *args: object, **words: object) -> None:
        start(self, *args, **words)  # type: ignore[arg-type]
        pids.append(self.pid)

    def kill() -> None:
        under_way(log)
        os.kill(pids[0], signal.SIGKILL)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(EngineProcess, "__init__", noted)
        killer = threading.Thread(target=kill)
        killer.start()
        began = time.monotonic()
        with pytest.raises(EngineError, match=r"opp_run\S* .*SIGKILL.* at simulated time"):
            run(GOLD_SILVER, overrides=["duration=3 h"], out=tmp_path / "r", engine="omnet")
        killer.join(LIMIT_S)
    assert time.monotonic() - began < 60
    assert json.loads((tmp_path / "r/manifest.json").read_text())["complete"] is False


def test_error_of_a_module_is_passed_on(tmp_path: Path) -> None:
    """One line has OMNeT++'s message, module and time."""
    large = ["sources.gold.transport.ack=64 bytes"]  # INET's ACKs have 40 bytes
    with pytest.raises(EngineError, match=r"opp_run\S* .* status 1: Error: .*ack") as raised:
        run(GOLD_SILVER, overrides=large, out=tmp_path / "r", engine="omnet")
    assert "\n" not in str(raised.value)


def test_cmdenv_logs_a_killed_market(tmp_path: Path) -> None:
    """After kill -9 of ecnomy, OMNeT++ ends within seconds, and its log gives the reason."""
    words = [sys.executable, "-m", "ecnomy.markets.cli", "run", str(GOLD_SILVER)]
    words += ["--engine", "omnet", "--set", "duration=3 h", "--out", str(tmp_path / "r")]
    log = tmp_path / "r/omnet/log.txt"
    with started(words, stderr=subprocess.DEVNULL) as market:
        under_way(log, market)
        time.sleep(1.0)
        market.kill()
        wait_for(lambda: "End." in log.read_text(), "OMNeT++'s end")
    assert re.search(
        r"<!> Error: the market: hung-up: .* -- in module .*Scenario\.market", log.read_text()
    )


def under_way(log: Path, market: subprocess.Popen[str] | None = None) -> None:
    """Wait until OMNeT++ simulates."""
    wait_for(
        lambda: log.exists() and "Running simulation" in log.read_text(),
        "a simulation under way",
        while_runs=market,
    )


def by_hand(folder: Path, *more: str) -> subprocess.CompletedProcess[str]:
    """The command that an exported project's README names, in Cmdenv."""
    text = (folder / "README.txt").read_text()
    command = re.search(r"^  opp_run -u Qtenv (.*?omnetpp\.ini)$", text, re.MULTILINE | re.DOTALL)
    assert command is not None
    bin_folder = Path(os.environ.get("OMNETPP_ROOT", "")) / "bin"
    path = f"{bin_folder}:{os.environ['PATH']}"
    return subprocess.run(
        ["bash", "-c", f"opp_run -u Cmdenv {command[1]} {' '.join(more)}"],
        cwd=folder,
        env=os.environ | {"PATH": path},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_exported_project_runs_by_hand(tmp_path: Path, installed: Installation) -> None:
    """The project runs as its README says, without a market and with one run by `ecnomy serve`."""
    scenario = load(GOLD_SILVER, overrides=["duration=12 s"])
    folder = tmp_path / "project"
    write_new(folder, project(make_plan(scenario), str(installed.modules)))
    alone = by_hand(folder)
    assert alone.returncode == 0, alone.stderr
    words = [sys.executable, "-m", "ecnomy.markets.cli", "serve", str(GOLD_SILVER), "--once"]
    words += ["--set", "duration=12 s", "--out", str(tmp_path / "out")]
    words += ["--listen", "unix:.market.sock"]
    with started(words, stdout=subprocess.PIPE, cwd=folder) as market:
        line_of(market)
        served = by_hand(folder, "-c", "Serve")
        assert served.returncode == 0, served.stderr
        assert ended(market).status == 0
    run(scenario, out=tmp_path / "own", engine="omnet")
    for name in ("flow_epochs", "link_epochs", "ledger"):
        ours = (tmp_path / "own" / f"{name}.parquet").read_bytes()
        assert (tmp_path / "out/001" / f"{name}.parquet").read_bytes() == ours


def test_same_seed_gives_the_same_bytes(tmp_path: Path) -> None:
    """Two runs on OMNeT++ have equal tables and manifests; another seed gives another result."""
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        run(
            GOLD_SILVER, seed=seed, overrides=["duration=65 s"], out=tmp_path / name, engine="omnet"
        )
    names = [*sorted(p.name for p in (tmp_path / "a").glob("*.parquet")), "manifest.json"]
    assert len(names) > 8
    for name in names:
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes(), name
    assert (tmp_path / "a/flows.parquet").read_bytes() != (
        tmp_path / "c/flows.parquet"
    ).read_bytes()


def test_interrupt_ends_omnet_too(tmp_path: Path) -> None:
    """Ctrl-C leaves partial results, status 130 and no opp_run."""
    words = [sys.executable, "-m", "ecnomy.markets.cli", "run", str(GOLD_SILVER)]
    words += ["--engine", "omnet", "--set", "duration=3 h", "--out", str(tmp_path / "r")]
    with started(words, stderr=subprocess.PIPE) as market:
        under_way(tmp_path / "r/omnet/log.txt", market)
        time.sleep(1.0)
        market.send_signal(signal.SIGINT)
        status, _, errors = ended(market)
        assert status == 130 and "Traceback" not in errors
        manifest = json.loads((tmp_path / "r/manifest.json").read_text())
        assert manifest["reason"] == "interrupted"
        here = str((tmp_path / "r/omnet").resolve())
        left = [p for p in Path("/proc").glob("[0-9]*/cwd") if _links(p) == here]
        assert not left


def _links(place: Path) -> str:
    try:
        return os.readlink(place)
    except OSError:
        return ""
