# SPDX-License-Identifier: Apache-2.0
"""`ecnomy diff`: whether RED or the virtual queue gives the shop more profit, with certainty."""

from __future__ import annotations

import json
import math
import shlex
import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from typer.testing import CliRunner

from ecnomy.agents.errors import InputError, ResultsError
from ecnomy.analysis import open_sweep
from ecnomy.analysis.diff import Diff, diff
from ecnomy.analysis.diff.command import diff_app
from ecnomy.analysis.diff.curves import curves_of
from ecnomy.analysis.diff.outcomes import outcomes_of
from ecnomy.markets import run
from ecnomy.markets.results.rawrun import open_raw
from ecnomy.markets.scenario import scenario_from_text
from sweep_world import go
from undigested import undigested

CONFIG = Path(__file__).parents[3] / "configs" / "examples" / "gold-silver.yaml"
SWEEP = f"""
version: 1
title: RED against the virtual queue
scenario: {CONFIG}
set: {{duration: 16 s, warmup: 4 s, sources.background.start: 2 s, sources.background.spread: 1 s,
  sources.gold.traffic.until: 2 s, sources.silver.traffic.until: 2 s, record.series: []}}
parameters:
  list:
    - network.links.bottleneck.marking: {{law: red, min_threshold: 5 packets, max_threshold: 15 packets}}
    - network.links.bottleneck.marking: {{law: virtual-queue, theta: 0.9, buffer: 30 packets}}
replicates: 3
keep: results
"""  # noqa: E501
PATH = "network.links.bottleneck.marking"
TWO_WAYS = """
version: 1
duration: 6 s
network:
  links:
    - {name: road, from: west, to: east, rate: 4 Mbps, delay: 5 ms,
       marking: {law: fixed, probability: 0.05},
       reverse: {rate: 3 Mbps, marking: {law: fixed, probability: 0.15}}}
sources:
  - {name: out, count: 2, from: west, to: east, transport: {law: wtp, ect: all}}
  - {name: home, from: east, to: west, transport: {law: wtp, ect: all}}
  - {name: deaf, from: east, to: west, traffic: {kind: cbr, interval: 20 ms},
     transport: {law: udp, payload: 200 bytes, ecn: off}}
market:
  epoch: 6 s
  price_per_mark: 0.001 money
  agents:
    - {name: isp, role: connectivity-provider}
    - {name: us, role: customer, sources: [out, home]}
record: {trace: true}
"""


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the sweep `laws`, and its runs as `red/<seed>` and `vq/<seed>`."""
    home = tmp_path_factory.mktemp("diff")
    (home / "sweep.yaml").write_text(SWEEP)
    _, _, watcher = go(home / "sweep.yaml", home / "laws")
    assert not watcher.failures
    for kept in (home / "laws" / "runs").iterdir():
        manifest = open_raw(kept).manifest
        law = manifest.scenario["network"]["links"][1]["marking"]["law"]
        shutil.copytree(
            kept, home / {"red": "red", "virtual-queue": "vq"}[law] / str(manifest.seed)
        )
    return home


@pytest.fixture(scope="module")
def found(world: Path) -> Diff:
    """The comparison of both folders."""
    return diff(world / "red", world / "vq")


def _ran(*words: str | Path) -> tuple[int, str]:
    result = CliRunner().invoke(diff_app, [str(word) for word in words])
    return result.exit_code, result.output


def test_outcomes_of_a_stored_run_are_the_sweeps(world: Path) -> None:
    """The outcomes of a stored run equal the sweep's columns to the last digit."""
    frame = open_sweep(world / "laws")
    folders = {open_raw(f).manifest.seed: f for f in (world / "vq").iterdir()}
    rows = frame[frame[PATH].str.contains("virtual-queue")]
    assert len(rows) == 3
    for _, row in rows.iterrows():
        own = outcomes_of(open_raw(folders[int(row["seed"])]))
        kept = {c for c in frame.columns if "." in c and not c.startswith("network.")} | {"price"}
        assert set(own) == kept
        for column in kept:
            value = own[column]
            assert pd.isna(row[column]) if value is None else row[column] == value


def test_the_profit_of_the_shop_by_scipy(found: Diff, world: Path) -> None:
    """Difference, interval, p and effect size follow from the balances in the manifests."""
    profit = {
        law: np.array(
            [
                (open_raw(world / law / str(seed)).manifest.balances_micro or {})["shop"] / 1e6
                for seed in (1, 2, 3)
            ]
        )
        for law in ("red", "vq")
    }
    one = next(one for one in found.outcomes if one.column == "balance.shop")
    apart = profit["vq"] - profit["red"]
    test = stats.ttest_rel(profit["vq"], profit["red"])
    interval = test.confidence_interval(0.95)
    assert one.difference == pytest.approx(apart.mean())
    assert (one.low, one.high) == pytest.approx((interval.low, interval.high))
    assert one.p == pytest.approx(test.pvalue)
    pooled = math.sqrt((profit["vq"].var(ddof=1) + profit["red"].var(ddof=1)) / 2)
    assert one.effect == pytest.approx((1 - 3 / 15) * apart.mean() / pooled)
    assert (found.pairs, one.named.what, one.named.unit) == (3, "profit of the run", "money")


def test_q_values_are_over_all_rows_and_what_differs_comes_first(found: Diff) -> None:
    """q-values equal scipy's, constants have no row, and significant rows come first."""
    qs = stats.false_discovery_control([one.p for one in found.outcomes])
    assert [one.q for one in found.outcomes] == pytest.approx(list(qs))
    assert {"gold.flows", "gold.fee_per_s"} <= set(found.same)
    assert not set(found.same) & {one.column for one in found.outcomes}
    sure = [one.differs for one in found.outcomes]
    assert sure == sorted(sure, reverse=True) and any(sure)
    frame = found.frame()
    assert list(frame["column"]) == [one.column for one in found.outcomes]


def test_the_only_setting_that_differs_is_the_law(found: Diff) -> None:
    """The law is one setting, not one per parameter; the seed does not count."""
    (setting,) = found.settings.differs
    assert setting.path == PATH
    assert setting.first == "red (min_threshold 5 packets, max_threshold 15 packets)"
    assert setting.second == "virtual-queue (theta 0.9, buffer 30 packets)"
    assert found.settings.varies == ()


def test_three_values_are_too_many_for_one_comparison(
    world: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The error gives a command that compares the first with the last, and can be pasted."""
    words = {0.1: "0.1 money", 0.2: "0.2 money", 0.3: "0.3 money"}
    monkeypatch.setattr("ecnomy.analysis.diff.groups._Sweep.words", lambda *_: words)
    laws = world / "laws"
    with pytest.raises(InputError, match="found 3 values .*expected two; choose two") as refused:
        diff([laws], by=PATH)
    command = shlex.split(str(refused.value).partition("choose two: ")[2])
    assert command == ["ecnomy", "diff", f"{laws}:{PATH}=0.1 money", f"{laws}:{PATH}=0.3 money"]


def test_a_sweep_is_compared_by_its_parameter(found: Diff, world: Path) -> None:
    """--by PATH, SWEEP:PATH=VALUE and SWEEP:VALUE give the same as folders of the same runs."""
    laws = world / "laws"
    ways = (
        diff([laws], by=PATH),
        diff([f"{laws}:red"], [f"{laws}:virtual-queue"]),
        diff([f"{laws}:{PATH}=red"], [f"{laws}:{PATH}=virtual-queue"]),
    )
    for one in ways:
        assert one.pairs == 3
        assert (one.first.name, one.second.name) == ("red", "virtual-queue")
        assert one.outcomes == found.outcomes
        assert [s.path for s in one.settings.differs] == [PATH]


def test_only_common_seeds_are_paired(world: Path) -> None:
    """Two of three seeds in common give two pairs; none in common gives Welch, and a reason."""
    red, vq = world / "red", world / "vq"
    some = diff([red], [vq / "2", vq / "3"])
    assert some.pairs == 2
    one = next(one for one in some.outcomes if one.column == "balance.isp")
    both = [
        [(open_raw(f / seed).manifest.balances_micro or {})["isp"] / 1e6 for seed in ("2", "3")]
        for f in (red, vq)
    ]
    assert (one.first, one.second) == pytest.approx(tuple(map(np.mean, both)))
    code, text = _ran(red, "--", vq / "2", vq / "3", "--no-plot")
    assert code == 0 and "2 pairs by seed (1 run without a partner left out)" in text
    apart = diff([red / "1", red / "2"], [vq / "3", red / "3"])
    assert (apart.pairs, apart.why_unpaired) == (
        0,
        f"{vq / '3'} and 1 more has several runs of one seed",
    )
    welch = diff([red / "1", red / "2"], [world / "shifted"]) if _shifted(world) else apart
    assert (welch.pairs, welch.why_unpaired) == (0, "no seed is in both")
    one = next(one for one in welch.outcomes if one.column == "balance.shop")
    a, b = ([m.values["balance.shop"] for m in g.members] for g in (welch.first, welch.second))
    assert one.p == pytest.approx(stats.ttest_ind(b, a, equal_var=False).pvalue)


def _shifted(world: Path) -> bool:
    """Runs of the virtual queue with shifted seeds in their manifests."""
    for seed in (1, 2, 3):
        folder = shutil.copytree(world / "vq" / str(seed), world / "shifted" / str(seed))
        undigested(folder)
        manifest = json.loads((folder / "manifest.json").read_text())
        manifest["seed"] = manifest["scenario"]["seed"] = seed + 10
        (folder / "manifest.json").write_text(json.dumps(manifest))
    return True


def test_one_run_each_has_no_interval(world: Path) -> None:
    """With one run each, only differences are known, as a line says. There is no p, q or effect."""
    one = diff([world / "red" / "1"], [world / "vq" / "1"])
    assert one.single
    assert all(math.isnan(v) for o in one.outcomes for v in (o.low, o.high, o.effect, o.p, o.q))
    _, text = _ran(world / "red" / "1", world / "vq" / "1", "--no-plot")
    assert "one run each: no interval; run several seeds" in text and "Hedges" not in text


def test_the_command_answers_who_earns_more(found: Diff, world: Path, tmp_path: Path) -> None:
    """The sentence has the shop's difference, interval and q; CSV and picture are written."""
    csv, png = tmp_path / "out.csv", tmp_path / "diff.png"
    code, text = _ran(world / "red", world / "vq", "--csv", csv, "--plot", png)
    assert code == 0
    one = next(one for one in found.outcomes if one.column == "balance.shop")
    more = "more" if one.difference > 0 else "less"
    (line,) = [line for line in text.splitlines() if line.startswith(("shop earns", "shop:"))]
    assert f"{abs(one.difference):.2f}" in line and more in line and "3 pairs" in line
    assert "network.links.bottleneck.marking" in text and "profit of the run [money]" in text
    read = pd.read_csv(csv)
    assert read["difference"].tolist() == [one.difference for one in found.outcomes]
    assert png.read_bytes().startswith(b"\x89PNG")


def test_json_has_all_of_it(found: Diff, world: Path) -> None:
    """JSON contains outcomes with their columns, settings, runs and seeds; no picture is drawn."""
    code, text = _ran(world / "red", world / "vq", "--json")
    document = json.loads(text)
    assert code == 0
    assert [o["column"] for o in document["outcomes"]] == [o.column for o in found.outcomes]
    assert document["outcomes"][0]["q"] == found.outcomes[0].q
    assert [r["seed"] for r in document["first"]["runs"]] == [1, 2, 3]
    assert document["settings"]["differs"][0]["path"] == PATH
    assert not Path("diff.png").exists()


def test_the_curves_are_those_of_the_tables(world: Path) -> None:
    """Gold's rate, the queue and the shop's balance over time equal those by pandas."""
    one = open_raw(world / "red" / "1")
    curves = curves_of(one, ["bottleneck"], ["shop"])
    table = one.flow_epochs[one.flow_epochs["flow"] < 2]
    acked = table.groupby("t_ps")["acked_bytes"].sum()
    rate = curves["gold: rate of a flow"]
    assert rate.values == pytest.approx(np.diff(acked) * 8e-6 / 2)
    shop = curves["shop: balance"]
    assert shop.values[-1] * 1e6 == pytest.approx((one.manifest.balances_micro or {})["shop"])
    at = [link.name for link in one.plan.links].index("bottleneck")
    links = one.link_epochs[one.link_epochs["link"] == at].set_index("t_ps")["queue_integral"]
    assert curves["bottleneck: mean queue"].values == pytest.approx(np.diff(links.sort_index()))


def test_marked_acks_and_packets_that_are_never_marked_are_no_data(tmp_path: Path) -> None:
    """The share of marks on each way is that of the trace's packets of one source."""
    run(scenario_from_text(TWO_WAYS), out=tmp_path / "run")
    one, links = open_raw(tmp_path / "run"), ("road", "road.reverse")
    curves, trace = curves_of(one, links, []), one.trace
    for name, flows in zip(links, ([0, 1], [2]), strict=True):
        at = [link.name for link in one.plan.links].index(name)
        met = trace[trace["link"] == at]
        arrived, marked = (met[met["event"] == event]["flow"] for event in (1, 2))
        share = marked.isin(flows).sum() / arrived.isin(flows).sum()
        assert curves[f"{name}: data packets marked"].values == pytest.approx([100 * share])
        assert share != pytest.approx(len(marked) / len(arrived), rel=0.01)


def test_each_wrong_request_is_one_line(world: Path) -> None:
    """Each wrong request gives one line, such as no runs or a run on both sides."""
    red, laws = world / "red", world / "laws"
    with pytest.raises(ResultsError, match="no such results folder"):
        diff([world / "nowhere"], [red])
    with pytest.raises(ResultsError, match="missing manifest.json in the folder and its sub"):
        diff([laws / "shards"], [red])
    with pytest.raises(InputError, match="found in both groups"):
        diff([red], [red / "1"])
    with pytest.raises(InputError, match="sweep of 2 points, expected .*PATH=VALUE"):
        diff([laws], [red])
    with pytest.raises(InputError, match="found no value 'blue', expected one of .*: red, virtual"):
        diff([f"{laws}:blue"], [red])
    with pytest.raises(InputError, match="the sweep has no parameter 'price'"):
        diff([laws], by="price")
    for words in ((red,), (red, "--", red, "--", red), ("--", red)):
        code, _ = _ran(*words)
        assert code != 0


def test_partial_runs_are_left_out(world: Path, tmp_path: Path) -> None:
    """An unfinished run is named and not counted; a side with only such runs is refused."""
    shutil.copytree(world / "red", tmp_path / "red")
    file = undigested(tmp_path / "red" / "2") / "manifest.json"
    manifest = json.loads(file.read_text()) | {"complete": False, "reason": "interrupted"}
    file.write_text(json.dumps(manifest))
    some = diff([tmp_path / "red"], [world / "vq"])
    assert some.pairs == 2 and "interrupted" in some.first.left_out[0]
    with pytest.raises(ResultsError, match="found only incomplete runs"):
        diff([tmp_path / "red" / "2"], [world / "vq"])
