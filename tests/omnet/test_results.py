# SPDX-License-Identifier: Apache-2.0
"""OMNeT++'s results of a run: their names, and their agreement with the tables."""

from __future__ import annotations

import importlib.util
import math
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import drive_omnet
from ecnomy.markets import Results as RunResults
from ecnomy.markets import run
from ecnomy.markets.omnet.export import FOLDER, SCALARS, VECTORS
from ecnomy.markets.omnet.installation import Installation
from omnet_results import Results, charts, draw, selected

pytestmark = [
    pytest.mark.skipif(bool(drive_omnet.missing()), reason=drive_omnet.missing()),
    pytest.mark.xdist_group("omnet-results"),
]

SIMULATIONS = Path(__file__).resolve().parents[2] / "omnet" / "simulations"
PROJECTS = {"gold_silver": "GoldSilver", "voip_web": "VoipWeb"}
SHORT = ["duration=20 s", "warmup=5 s"]
WARMUP_S = 5.0
SERIES = ["cwnd", "rate", "rtt", "queue", "marking_probability"]
PS = 10**12


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], RunResults]:
    """A short run of a simulation's scenario on OMNeT++, made once; `+series` asks for series."""
    made: dict[str, RunResults] = {}

    def of(name: str) -> RunResults:
        if name not in made:
            more = [f"record.series=[{', '.join(SERIES)}]", "record.every=300 ms"]
            made[name] = run(
                SIMULATIONS / name.removesuffix("+series") / "market.yaml",
                overrides=SHORT + (more if name.endswith("+series") else []),
                out=tmp_path_factory.mktemp("results") / "run",
                engine="omnet",
            )
        return made[name]

    return of


def files(result: RunResults) -> list[Path]:
    return [result.folder / FOLDER / SCALARS, result.folder / FOLDER / VECTORS]


def epochs(result: RunResults, table: str, key: str, chosen: list[int], column: str) -> np.ndarray:
    """A counter at each report from the warm-up on, summed over flows or links."""
    rows = result.table(table)
    rows = rows[rows[key].isin(chosen) & (rows["t_ps"] >= WARMUP_S * PS)]
    return rows.groupby("t_ps")[column].sum().to_numpy(float)


def flows_of(result: RunResults, source: str) -> list[int]:
    rows = result.table("flows")
    return rows.loc[rows["source"] == source, "flow"].tolist()


def link(result: RunResults, name: str) -> int:
    rows = result.table("links")
    return int(rows.loc[rows["name"] == name, "link"].iloc[0])


@pytest.mark.parametrize("name", [*PROJECTS, "gold_silver+series"])
def test_every_result_can_be_selected_and_read(
    name: str, runs: Callable[[str], RunResults], omnet: Installation
) -> None:
    """Names have no blanks, results have titles; vectors start after the warm-up, without NaN."""
    recorded = Results(omnet, files(runs(name)))
    assert len(recorded.vectors) > 30 and len(recorded.scalars) > 60
    for key, attributes in recorded.attributes.items():
        assert " " not in key[1] and attributes.get("title"), key
    for key, (times, values) in recorded.vectors.items():
        assert len(times) > 0 and times[0] >= WARMUP_S, key
        assert np.isfinite(values).all(), key
    assert [key for key, value in recorded.scalars.items() if not math.isfinite(value)] == []


@pytest.mark.parametrize("source", ["gold", "silver"])
def test_classes_vectors_are_the_tables(
    source: str, runs: Callable[[str], RunResults], omnet: Installation
) -> None:
    """Goodput, CE, marks and acknowledged rate agree in each epoch, and so do their sums."""
    result = runs("gold_silver")
    recorded, flows = Results(omnet, files(result)), flows_of(result, source)
    shop, homes = (f"Scenario.{source}{end}.app[0]" for end in ("Shop", "Homes"))

    def table(column: str) -> np.ndarray:
        return np.diff(epochs(result, "flow_epochs", "flow", flows, column))

    times, goodput = recorded.vectors[homes, "goodput:vector"]
    assert times.tolist() == list(range(6, 21))
    assert goodput == pytest.approx(8 * table("delivered_bytes"))
    assert recorded.vectors[homes, "markRate:vector"][1] == pytest.approx(table("ce"))
    share = table("ce") / table("delivered")
    assert recorded.vectors[homes, "ceShare:vector"][1] == pytest.approx(share)
    delay = table("delay_sum_ps") / PS / table("delivered")
    assert recorded.vectors[homes, "meanDelay:vector"][1] == pytest.approx(delay)
    assert recorded.vectors[shop, "rate:vector"][1] == pytest.approx(8 * table("acked_bytes"))
    cwnd = epochs(result, "flow_epochs", "flow", flows, "cwnd") / len(flows)
    assert recorded.vectors[shop, "cwnd:vector"][1] == pytest.approx(cwnd)
    for module, name, column in [
        (homes, "delivered:sum", "delivered"),
        (homes, "marked:sum", "ce"),
        (shop, "sent:sum", "sent"),
        (shop, "lost:sum", "lost"),
    ]:
        assert recorded.scalars[module, name] == table(column).sum()
    waited = table("delay_sum_ps").sum() / PS / table("delivered").sum()
    assert recorded.scalars[homes, "meanDelay:average"] == pytest.approx(waited)
    assert recorded.scalars[homes, "goodput:average"] == pytest.approx(goodput.mean())
    whole = table("ce").sum() / table("delivered").sum()
    assert recorded.scalars[homes, "ceShare:average"] == pytest.approx(whole)


def test_links_vectors_are_the_tables(
    runs: Callable[[str], RunResults], omnet: Installation
) -> None:
    """Mean queue and share of marks agree in each epoch, and scalars exclude the warm-up."""
    result = runs("gold_silver")
    recorded, queue = Results(omnet, files(result)), "Scenario.edge.ppp[2].queue"

    def table(column: str) -> np.ndarray:
        chosen = [link(result, "bottleneck")]
        return np.diff(epochs(result, "link_epochs", "link", chosen, column))

    assert recorded.vectors[queue, "queueMean:vector"][1] == pytest.approx(table("queue_integral"))
    share = table("marks") / table("arrivals")
    assert recorded.vectors[queue, "markedShare:vector"][1] == pytest.approx(share)
    mean = table("queue_integral").mean()
    assert recorded.scalars[queue, "queueLength:timeavg"] == pytest.approx(mean)
    assert recorded.scalars[queue, "marks:count"] == table("marks").sum()
    assert recorded.scalars[queue, "drops:count"] == table("drops").sum()
    idle = "Scenario.goldHomes.ppp[0].queue"
    assert recorded.scalars[idle, "queueLength:timeavg"] == 0.0


def test_series_are_vectors_of_single_flows(
    runs: Callable[[str], RunResults], omnet: Installation
) -> None:
    """Where a scenario records series, each flow and link has them as vectors, value by value."""
    result = runs("gold_silver+series")
    recorded, table = Results(omnet, files(result)), result.table("series")
    flows = result.table("flows").set_index("flow")["name"]

    def compare(series: str, subject: int, module: str, name: str) -> None:
        chosen = (table["name"] == SERIES.index(series)) & (table["subject"] == subject)
        rows = table[chosen & (table["t_ps"] > (WARMUP_S + 0.3) * PS)]
        times, values = recorded.vectors[module, f"{name}:vector"]
        both = dict(zip(np.round(times * 1e3), values, strict=True))
        wanted = [both[t] for t in np.round(rows["t_ps"].to_numpy() / 1e9)]
        assert len(wanted) == 49
        assert rows["value"].to_numpy() == pytest.approx(wanted, rel=1e-12), (series, subject)

    for flow, name in flows.items():
        source, member = name.split(".")
        for series in ("cwnd", "rate", "rtt"):
            compare(series, flow, f"Scenario.{source}Shop.app[0]", f"{series}-{member}")
    bottleneck, queue = link(result, "bottleneck"), "Scenario.edge.ppp[2].queue"
    compare("queue", bottleneck, queue, "queueSample")
    compare("marking_probability", bottleneck, queue, "markingProbabilitySample")


@pytest.mark.parametrize("name", PROJECTS)
def test_charts_draw_what_the_tables_say(
    name: str, runs: Callable[[str], RunResults], omnet: Installation
) -> None:
    """Each chart of the analysis file finds vectors; those of classes sum up to the tables."""
    result, analysis = runs(name), SIMULATIONS / name / f"{PROJECTS[name]}.anf"
    chosen = charts(analysis)
    assert len(chosen) > 4
    for chart, expression in chosen.items():
        assert selected(omnet, files(result), expression), chart
    goodput = selected(omnet, files(result), chosen["Goodput per class"])
    assert len(goodput) == 2
    bits = sum(values.sum() for _, values in goodput.values())
    sources = {"gold_silver": ("gold", "silver"), "voip_web": ("callers", "surfers")}[name]
    flows = [flow for source in sources for flow in flows_of(result, source)]
    delivered = epochs(result, "flow_epochs", "flow", flows, "delivered_bytes")
    assert bits == pytest.approx(8 * (delivered[-1] - delivered[0]))


@pytest.mark.parametrize("name", PROJECTS)
def test_charts_open_on_the_network_by_hand(name: str, omnet: Installation, tmp_path: Path) -> None:
    """opp_charttool draws every chart from the results of [General]."""
    for module in ("matplotlib", "scipy"):
        if importlib.util.find_spec(module) is None:
            pytest.skip(f"{module} is not installed: opp_charttool needs it")
    if not list(omnet.opp_run.parents[1].glob("python/omnetpp/scave/scave_bindings*.so")):
        pytest.skip("OMNeT++ is built without Python bindings: set WITH_SCAVE_PYTHON_BINDINGS=yes")
    folder = tmp_path / "simulations" / name
    shutil.copy(SIMULATIONS.parent / ".project", tmp_path / ".project")
    shutil.copytree(SIMULATIONS / name, folder, ignore=shutil.ignore_patterns("results"))
    shutil.copy(SIMULATIONS / "package.ned", folder.parent)
    drive_omnet.run_by_hand(folder, "--warmup-period=1s", "--*.market.duration=3s")
    analysis = folder / f"{PROJECTS[name]}.anf"
    assert draw(omnet, analysis, tmp_path / "drawn") == ""
    drawn = {file.stem for file in (tmp_path / "drawn").glob("*.png")}
    assert drawn == set(charts(analysis))


def test_there_is_one_warmup(tmp_path: Path) -> None:
    """The market's warm-up parameter must agree with the ini file's warmup-period."""
    folder = tmp_path / "gold_silver"
    shutil.copytree(SIMULATIONS / folder.name, folder, ignore=shutil.ignore_patterns("results"))
    shutil.copy(SIMULATIONS / "package.ned", folder.parent)
    message = "'warmup' is 2 s and the ini file's warmup-period 1 s"
    with pytest.raises(AssertionError, match=message):
        drive_omnet.run_by_hand(folder, "--warmup-period=1s", "--*.market.warmup=2s")
