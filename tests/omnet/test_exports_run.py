# SPDX-License-Identifier: Apache-2.0
"""Exported projects, run by the commands of their README, including opp_runall."""

from __future__ import annotations

import re
import shlex
import subprocess
from pathlib import Path

import pytest

from drive_omnet import environment
from ecnomy.markets import load, make_plan, run
from ecnomy.markets.cli.main import main
from ecnomy.markets.omnet.export import project, write_new
from ecnomy.markets.omnet.installation import Installation
from omnet_world import CONFIGS
from tiers import full

GOLD_SILVER = CONFIGS / "examples/gold-silver.yaml"
SHORT = ["duration=20 s", "warmup=5 s"]
SWEEP = """version: 1
scenario: {file}
set: {{duration: 66 s, warmup: 5 s}}
parameters: {{grid: {{sources.gold.count: [1, 3]}}}}
replicates: 2
seed: 7
"""


COUNTED = ("sent:sum", "delivered:sum", "marked:sum")


def exported(folder: Path, omnet: Installation, seed: int = 1) -> Path:
    """The example as a project, twenty seconds long."""
    plan = make_plan(load(GOLD_SILVER, overrides=SHORT, seed=seed))
    write_new(folder, project(plan, str(omnet.modules)))
    return folder


def by_readme(folder: Path, omnet: Installation, program: str, *more: str) -> str:
    """The output of a program's README command, with extra arguments; it must succeed."""
    text = (folder / "README.txt").read_text()
    setting = re.search(r"^  (export OMNETPP_NED.*)$", text, re.MULTILINE)
    command = re.search(rf"^  ({program} .*?omnetpp\.ini)$", text, re.MULTILINE | re.DOTALL)
    assert setting is not None and command is not None
    words = command[1].replace("-u Qtenv", "-u Cmdenv").replace("-j2", "-j1")
    done = subprocess.run(
        ["bash", "-c", f"{setting[1]}\n{words} {shlex.join(more)}"],
        cwd=folder,
        env=environment(omnet) | {"INET_ROOT": str(omnet.inet.folder)},
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert done.returncode == 0, (done.stdout + done.stderr)[-2000:]
    return done.stdout


def totals(file: Path) -> dict[str, float]:
    """Packets sent by sources, received by sinks, and marked among them."""
    rows = [shlex.split(line) for line in file.read_text().splitlines()]
    scalars = [row for row in rows if row[:1] == ["scalar"] and row[2] in COUNTED]
    return {f"{row[1]} {row[2]}": float(row[3]) for row in scalars}


def test_repetitions_under_opp_runall_differ(tmp_path: Path, omnet: Installation) -> None:
    """By the README's command, repetition k is the run of `ecnomy run` with the seed + k."""
    folder = exported(tmp_path / "p", omnet, seed=4)
    by_readme(folder, omnet, "opp_runall", "--repeat=2")
    sums = [totals(folder / f"results/Repetitions-#{k}.sca") for k in (0, 1)]
    assert sums[0] != sums[1] and any(
        value > 0 for name, value in sums[0].items() if name.endswith("delivered:sum")
    )
    for k in (0, 1):
        made = run(
            GOLD_SILVER, overrides=SHORT, seed=4 + k, market=False, engine="omnet",
            out=tmp_path / f"run{k}",
        )  # fmt: skip
        assert totals(made.folder / "omnet/run.sca") == sums[k]


def test_without_a_market_comes_first(tmp_path: Path, omnet: Installation) -> None:
    """Qtenv and the IDE preselect the configuration after [General], which runs as [General]."""
    folder = exported(tmp_path / "p", omnet)
    names = re.findall(r"^Config (\w+)", by_readme(folder, omnet, "opp_run", "-a"), re.MULTILINE)
    assert next(name for name in names if name != "General") == "WithoutMarket"
    by_readme(folder, omnet, "opp_run", "-c", "WithoutMarket")
    by_readme(folder, omnet, "opp_run", "-c", "General")
    one, other = (totals(folder / f"results/{c}-#0.sca") for c in ("WithoutMarket", "General"))
    assert one == other and one


def test_a_sweeps_iterations_run(tmp_path: Path, omnet: Installation) -> None:
    """opp_runall makes all points and replicates, and no two are the same."""
    sweep = tmp_path / "sweep.yaml"
    sweep.write_text(SWEEP.format(file=GOLD_SILVER))
    with pytest.raises(SystemExit) as left:
        main(["export", str(sweep), str(tmp_path / "p")])
    assert not left.value.code
    by_readme(tmp_path / "p", omnet, "opp_runall")
    files = sorted((tmp_path / "p/results").glob("*.sca"))
    assert len(files) == 4
    assert len({tuple(totals(file).items()) for file in files}) == 4


def test_quantities_are_read_by_both_names(tmp_path: Path, omnet: Installation) -> None:
    """`interval = 0.5s` and, as in older exports, `interval_s = 0.5` give the same run."""
    marking = "network.links.bottleneck.marking={law: load-based, threshold: 0.1}"
    plan = make_plan(load(GOLD_SILVER, overrides=[*SHORT, marking]))
    folder = tmp_path / "p"
    write_new(folder, project(plan, str(omnet.modules)))
    text, sums = (folder / "omnetpp.ini").read_text(), []
    assert text.count("interval = 0.5s\n") == 1
    for line in ("interval = 0.5s", "interval_s = 0.5", "interval = 250ms"):
        (folder / "omnetpp.ini").write_text(text.replace("interval = 0.5s", line))
        by_readme(folder, omnet, "opp_run", "-c", "WithoutMarket")
        sums.append(totals(folder / "results/WithoutMarket-#0.sca"))
    assert sums[0] == sums[1] != sums[2]
    assert any(value > 0 for name, value in sums[0].items() if name.endswith("marked:sum"))


def test_a_market_that_is_not_there_can_be_started(tmp_path: Path, omnet: Installation) -> None:
    """OMNeT++'s message gives the command that starts the market."""
    folder = exported(tmp_path / "p", omnet)
    with pytest.raises(AssertionError) as caught:
        by_readme(
            folder, omnet, "opp_run", "-c", "Serve",
            f'--Scenario.market.connect="unix:{tmp_path}/nobody"',
        )  # fmt: skip
    assert f"ecnomy serve SCENARIO.yaml --listen unix:{tmp_path}/nobody" in str(caught.value)
    assert "without a market" in str(caught.value)


@full
@pytest.mark.parametrize("file", sorted(CONFIGS.glob("examples/*.yaml")), ids=lambda f: f.stem)
def test_every_example_runs(file: Path, tmp_path: Path, omnet: Installation) -> None:
    """Two short repetitions of each example run to their end."""
    plan = make_plan(load(file))
    write_new(tmp_path / "p", project(plan, str(omnet.modules)))
    by_readme(tmp_path / "p", omnet, "opp_runall", "--repeat=2", "--sim-time-limit=2s")
    outputs = [p.read_text() for p in sorted((tmp_path / "p/results").glob("*.out"))]
    assert len(outputs) == 2 and all("limit reached -- at t=2s" in text for text in outputs)
