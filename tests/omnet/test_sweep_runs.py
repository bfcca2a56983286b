# SPDX-License-Identifier: Apache-2.0
"""Exported sweeps, run by the commands of their README: each run is the sweep's run."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from ecnomy.markets import run
from ecnomy.markets.cli.main import main
from ecnomy.markets.compile.make import make_plan
from ecnomy.markets.omnet.installation import Installation
from ecnomy.markets.omnet.names import SERVED
from ecnomy.markets.results.rawrun import open_raw
from ecnomy.markets.sweep.config import load_sweep
from processes import line_of, started
from sweep_world import SCENARIO, write

SWEEP = "version: 1\nscenario: scenario.yaml\n"
DRAWS = SCENARIO.partition("market:")[0]  # nobody decides; marks are drawn


def all_runs(folder: Path, omnet: Installation, *options: str) -> None:
    """Make all runs by the command in README.txt, with more options."""
    readme = (folder / "README.txt").read_text()
    words = re.findall(r"^  ((?:export|opp_runall) .*?)\n\n", readme, re.MULTILINE | re.DOTALL)
    assert len(words) == 2, readme
    lines = "\n".join(words).replace("-u Cmdenv", " ".join(("-u Cmdenv", *options)))
    path = {"PATH": f"{omnet.opp_run.parent}:{os.environ['PATH']}"}
    made = subprocess.run(
        ["bash", "-ec", lines], cwd=folder, env=os.environ | path, text=True,
        capture_output=True, timeout=240, check=False,
    )  # fmt: skip
    assert made.returncode == 0, made.stdout + made.stderr


def exported(file: Path, folder: Path) -> Path:
    """The project of a sweep file."""
    with pytest.raises(SystemExit) as left:
        main(["export", str(file), str(folder)])
    assert not left.value.code
    return folder


def test_all_runs_are_made_as_the_readme_says(tmp_path: Path, omnet: Installation) -> None:
    """opp_runall succeeds; each run delivers as much as the sweep's run of that number."""
    text = SWEEP + "parameters: {grid: {sources.gold.count: [1, 3]}}\n"
    file = write(tmp_path, text + "replicates: 2\nseed: 11\n", DRAWS)
    folder = exported(file, tmp_path / "out")
    all_runs(folder, omnet)
    scalars = sorted((folder / "results").glob("*.sca"))
    delivered = r"^scalar Scenario\.\S+\.app\[0\] delivered:sum (\d+)$"
    counts = sorted(int(re.findall(delivered, one.read_text(), re.MULTILINE)[0]) for one in scalars)
    sweep, wanted = load_sweep(file), []
    for point in sweep.points():
        out = tmp_path / "own" / str(point.number)
        scenario = sweep.scenario_at(point.params, point.seed)
        run(scenario, out=out)
        epochs = open_raw(out).flow_epochs
        own = epochs[epochs["flow"] < int(str(point.params["sources.gold.count"]))]
        at = own.groupby("t_ps")["delivered"].sum()
        wanted.append(int(at.iloc[-1] - at.get(make_plan(scenario).warmup_ps, 0)))
    assert counts == sorted(wanted) and len(set(counts)) == 4, "repetitions differ"


def test_agents_decide_in_all_runs(tmp_path: Path, omnet: Installation) -> None:
    """Each run with a market has the packets and the money of the run at the sweep's point."""
    grid = "{grid: {sources.gold.count: [1, 3], market.price_per_mark: [0.1 money, 0.3 money]}}"
    file = write(tmp_path, SWEEP + f"parameters: {grid}\nseed: 11\n")
    folder = exported(file, tmp_path / "out")
    words = ("serve", file, "--listen", f"unix:{folder / SERVED}", "--out", tmp_path / "runs")
    command = (sys.executable, "-m", "ecnomy.markets.cli", *words)
    with started(command, stdout=subprocess.PIPE) as market:
        assert line_of(market).startswith("listening on ")
        all_runs(folder, omnet, "-c", "Serve")
        assert all(": complete (" in line_of(market) for _ in range(4))
    sweep = load_sweep(file)
    for point in sweep.points():
        run(sweep.scenario_at(point.params, point.seed), out=tmp_path / "own" / str(point.number))
    sales, wanted = (sorted(map(sold, (tmp_path / each).iterdir())) for each in ("runs", "own"))
    assert sales == wanted and len(set(sales)) == 4


def sold(folder: Path) -> tuple[int, int]:
    """Packets delivered and micro-units moved in a run."""
    raw = open_raw(folder)
    last = raw.flow_epochs[raw.flow_epochs.t_ps == raw.flow_epochs.t_ps.max()]
    return int(last.delivered.sum()), int(raw.ledger.amount_micro.sum())
