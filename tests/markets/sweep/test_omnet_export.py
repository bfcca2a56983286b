# SPDX-License-Identifier: Apache-2.0
"""A sweep as a project with iteration variables: each run has its point's ini, seeds are paired."""

from __future__ import annotations

import itertools
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from ecnomy.agents.errors import InputError
from ecnomy.markets.bridge.messages import Hello
from ecnomy.markets.cli.main import main
from ecnomy.markets.compile.make import make_plan
from ecnomy.markets.omnet.export import INI, NED, project
from ecnomy.markets.omnet.inifile import omnetpp_ini
from ecnomy.markets.omnet.layout import placed
from ecnomy.markets.omnet.network import channel_settings, network_ned
from ecnomy.markets.omnet.wiring import wired
from ecnomy.markets.plan import Plan
from ecnomy.markets.plan.network_plan import differences
from ecnomy.markets.scenario import load
from ecnomy.markets.sweep.config import Sweep, load_sweep
from ecnomy.markets.sweep.omnet.export import not_exported, sweep_project
from ecnomy.markets.sweep.omnet.serving import SweepOffer
from processes import LIMIT_S
from sweep_world import SCENARIO, write

SWEEP = """version: 1
scenario: scenario.yaml
parameters:
  grid:
    sources.gold.count: [1, 2]
    network.links.wire.rate: [2 Mbps, 3 Mbps, 4.5 Mbps]
  list:
    - {network.links.wire.marking: {law: fixed, probability: 0.1}, duration: 4 s}
    - {network.links.wire.marking: {law: virtual-queue, buffer: 20 packets}, duration: 5 s}
replicates: 2
seed: 11
"""
WIRE = "network.links.wire"
DRAWS = SCENARIO.partition("market:")[0]  # nobody decides; marks are drawn
SEED = "Scenario.market.seed"
Lines = dict[str, str]


def split(text: str) -> list[str]:
    """The items of a list; quoted items stay whole."""
    return re.findall(r'"(?:[^"\\]|\\.)*"|[^,"]+', text) or [""]


def runs_in(ini: str) -> list[Lines]:
    """The lines of each run of [General], with iteration variables replaced as OMNeT++ does."""
    ini = ini.split("\n[Config ")[0]
    lines = dict(line.split(" = ", 1) for line in ini.splitlines() if " = " in line[1:])
    given = dict(re.findall(r"\$\{(\w+)=(.*?)\}", lines.get("description", "")))
    order = lines.get("iteration-nesting-order", "").split(", ") if given else []
    assert sorted(order) == sorted(given)
    counts = [range(len(split(given[name]))) for name in order]
    runs = []
    for chosen in itertools.product(*counts, range(int(lines["repeat"]))):
        at = dict(zip(order, chosen, strict=False))

        def put(match: re.Match[str], at: dict[str, int] = at) -> str:
            values, _, name = match[1].rpartition(" ! ")
            return split(values)[at[name]]

        own = {k: re.sub(r"\$\{(.*? ! \w+)\}", put, v) for k, v in lines.items()}
        own[SEED] = own[SEED].replace("${repetition}", str(chosen[-1]))
        runs.append(own)
    return runs


def lines_of(plan: Plan) -> Lines:
    """The ini of a plan as it is written for that plan alone, and its channels."""
    wiring = wired(plan)
    text = omnetpp_ini(plan, wiring, served=False).replace("description = ", "# ")
    lines = dict(line.split(" = ", 1) for line in text.splitlines() if " = " in line)
    return lines | {f"Scenario.{k}": v for k, v in channel_settings(plan, wiring)}


def checked(sweep: Sweep) -> None:
    """Run n of the project is the sweep's run n, seed and all, and the network is its network."""
    files = sweep_project(sweep, "modules")
    made, points = runs_in(files[INI]), sweep.points()
    assert len(made) == len(points)
    for lines, point in zip(made, points, strict=True):
        plan = make_plan(sweep.scenario_at(point.params, point.seed))
        wanted = lines_of(plan)
        first, _, more = lines[SEED].partition(" + ")
        assert int(first) + int(more) == int(wanted.pop(SEED)) == point.seed
        assert {key: lines[key] for key in wanted} == wanted
        assert files[NED] == network_ned(plan, wired(plan), placed(plan), channels=False)


def test_each_run_has_the_ini_of_its_point(tmp_path: Path) -> None:
    """Each run has its point's counts, rates, laws and durations, in the sweep's order."""
    sweep = load_sweep(write(tmp_path, SWEEP))
    checked(sweep)
    ini = sweep_project(sweep, "modules")[INI]
    assert 'description = "goldCount ${goldCount=1,2}, wireRate ${wireRate=' in ini
    assert "iteration-nesting-order = goldCount, wireRate, wireMarkingDuration\nrepeat = 2" in ini
    assert "Scenario.a.app[0].count = ${1,2 ! goldCount}\n" in ini


def test_agents_parameters_vary_where_a_market_decides(tmp_path: Path) -> None:
    """Agents' parameters vary only in the configuration Serve, with an address for each run."""
    agents = "sources.silver.count: [1, 2], market.price_per_mark: [1 money, 2 money, 3 money]"
    text = f"version: 1\nscenario: scenario.yaml\nparameters: {{grid: {{{agents}}}}}\nseed: 11\n"
    sweep = load_sweep(write(tmp_path, text))
    general, serve = sweep_project(sweep, "modules")[INI].split("[Config Serve]\n")
    assert [lines[SEED] for lines in runs_in(general)] == ["11 + 0"] * 2
    assert serve.splitlines() == [
        'description = "silverCount ${silverCount}, pricePerMark '
        '${pricePerMark="1 money","2 money","3 money"}"',
        "iteration-nesting-order = silverCount, pricePerMark",
        'Scenario.market.connect = "unix:" + absFilePath(".market-${1,2,3 ! pricePerMark}.sock")',
    ]
    offer = SweepOffer(sweep)
    assert offer.addresses("unix:here/m.sock") == [f"unix:here/m-{n}.sock" for n in (1, 2, 3)]
    for point in sweep.points():
        wanted = sweep.scenario_at(point.params, 12)
        door = point.number % 3
        served = offer.of(door, hello(make_plan(wanted)))
        assert served.scenario.resolved() == wanted.resolved() and served.plan.seed == 12
        assert served.name == ", ".join(f"{path} {v}" for path, v in point.params.items())
    other = make_plan(sweep.scenario_at({"sources.silver.count": 7}, 11))
    assert differences(offer.of(0, hello(other)).plan, other.to_json().decode()) == [
        "sources.silver.count is 7 in the network and 1 in the scenario"
    ]
    with pytest.raises(InputError, match="each of the 3 combinations"):
        offer.addresses("tcp://127.0.0.1:0")


def hello(plan: Plan) -> Hello:
    """The hello of an engine with this network."""
    return Hello((1, 0), "test", "1", "", plan.seed, "", network=plan.to_json().decode())


def test_what_several_parameters_decide_goes_by_point(tmp_path: Path) -> None:
    """Samples, and lines that depend on two lists of a grid, are written point by point."""
    sizes = "sources.*.transport.mss: [460 bytes, 960 bytes]"
    grid = f"  grid: {{{WIRE}.rate: [2 Mbps, 3 Mbps], {sizes}}}"
    head, tail = SWEEP.split("parameters:\n")[0] + "parameters:\n", "\nreplicates: 3\n"
    sweep = load_sweep(write(tmp_path, head + grid + tail))
    checked(sweep)
    assert "${point=1,2,3,4}" in sweep_project(sweep, "modules")[INI]
    drawn = f"  random: {{samples: 5, over: {{{WIRE}.delay: {{from: 1 ms, to: 9 ms}}}}}}"
    checked(load_sweep(write(tmp_path, head + drawn + tail)))
    checked(load_sweep(write(tmp_path, head.replace("parameters:\n", "") + tail)))


LINK = "{name: wire, from: a, to: b, rate: 2 Mbps}"
OTHER = "{name: more, from: b, to: c, rate: 2 Mbps}"


@pytest.mark.parametrize(
    ("parameters", "said"),
    [
        ("{zip: {sources.gold.count: [1, 2], market.price_per_mark: [1 money, 2 money]}}",
         "market.price_per_mark: found a parameter that only agents see in a block with sources"),
        (f"{{grid: {{network.links: [[{LINK}], [{LINK}, {OTHER}]]}}}}",
         "network.links: found other nodes or links"),
        ("{grid: {sources.gold.count: [1, 2]}}\nseeds: independent",
         "found independent, expected paired"),
    ],
)  # fmt: skip
def test_what_cannot_be_expressed_is_refused(
    tmp_path: Path, capsys, parameters: str, said: str
) -> None:
    """One line names the parameter that cannot be expressed, and no folder is made."""
    text = f"version: 1\nscenario: scenario.yaml\nparameters: {parameters}\n"
    with pytest.raises(SystemExit) as left:
        main(["export", str(write(tmp_path, text)), str(tmp_path / "out")])
    lines = capsys.readouterr().err.splitlines()
    assert left.value.code == 2 and len(lines) == 1 and said in lines[0]
    assert not (tmp_path / "out").exists()


def test_what_nobody_sees_is_refused(tmp_path: Path) -> None:
    """Without a market, each parameter must change the OMNeT++ project."""
    grid = "{grid: {sources.gold.group: [one, another]}}"
    text = f"version: 1\nscenario: scenario.yaml\nparameters: {grid}\n"
    with pytest.raises(InputError, match="group: found a parameter that does not change the OMNeT"):
        sweep_project(load_sweep(write(tmp_path, text, DRAWS)), "modules")
    files = sweep_project(load_sweep(write(tmp_path, SWEEP, DRAWS)), "modules")
    assert "Serve" not in files[INI] + files["README.txt"]


def test_reports_are_omnetpps_too(tmp_path: Path) -> None:
    """The reporting interval is a setting of the bridge, though it is the market's epoch."""
    epochs = "{grid: {market.epoch: [0.5 s, 1 s]}}"
    checked(load_sweep(write(tmp_path, SWEEP.split("parameters")[0] + f"parameters: {epochs}\n")))


def test_what_is_not_in_it_is_said(tmp_path: Path, capsys) -> None:
    """Limits are refused with a reason, and so is --set, which is for scenarios."""
    file = write(tmp_path, SWEEP + "limits: {time: 1 min}\n")
    assert list(not_exported(load_sweep(file))) == ["limits of runs"]
    with pytest.raises(SystemExit) as left:
        main(["export", str(file), str(tmp_path / "out"), "--seed", "3"])
    assert left.value.code == 2 and "found --set or --seed" in capsys.readouterr().err
    with pytest.raises(SystemExit) as left:
        main(["export", str(file), str(tmp_path / "out")])
    assert not left.value.code
    assert {"README.txt", NED, INI, ".project"} <= set(os.listdir(tmp_path / "out"))


def test_repetitions_of_a_scenario_differ(tmp_path: Path) -> None:
    """Each repetition has the next seed, with a market too."""
    (tmp_path / "scenario.yaml").write_text(SCENARIO)
    plan = make_plan(load(tmp_path / "scenario.yaml", seed=5))
    general, serve = project(plan, "modules")[INI].split("[Config Serve]")
    assert f"{SEED} = 5 + ${{repetition}}\n" in general
    assert SEED not in serve
    last = make_plan(load(tmp_path / "scenario.yaml", seed=2**64 - 1))
    assert f"{SEED} = -1 + ${{repetition}}\n" in project(last, "modules")[INI]


def test_omnetpp_reads_the_variables_so(tmp_path: Path) -> None:
    """opp_run lists the sweep's runs, in its order, with its seeds."""
    root = os.environ.get("OMNETPP_ROOT")
    program = shutil.which("opp_run", path=f"{root}/bin" if root else None)
    if program is None:
        pytest.skip("opp_run is not here: set OMNETPP_ROOT")
    sweep = load_sweep(write(tmp_path, SWEEP))
    ini = sweep_project(sweep, "modules")[INI]
    (tmp_path / INI).write_text(ini)
    library = {"LD_LIBRARY_PATH": str(Path(program).parents[1] / "lib")}
    words = [program, "-q", "runconfig", INI]
    printed = subprocess.run(
        words,
        cwd=tmp_path,
        env=os.environ | library,
        capture_output=True,
        text=True,
        check=True,
        timeout=LIMIT_S,
    ).stdout
    runs = printed.split("\nRun ")[1:]
    listed = [
        dict(line.strip().split(" = ", 1) for line in run.splitlines()[1:] if " = " in line)
        for run in runs
    ]
    wanted = runs_in(ini)
    assert len(listed) == len(wanted) == len(sweep)
    skipped = {"description", "seed-set"}
    for ours, theirs in zip(wanted, listed, strict=True):
        assert {k: v for k, v in ours.items() if k not in skipped} == {
            k: v for k, v in theirs.items() if k not in skipped
        }
