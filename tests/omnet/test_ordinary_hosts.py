# SPDX-License-Identifier: Apache-2.0
"""INET's own hosts and applications as sources of a market, and knobs turned while it runs."""

from __future__ import annotations

import re
from contextlib import ExitStack
from pathlib import Path

import pytest

import drive_omnet
from ecnomy.markets.results.manifest import read_manifest
from ecnomy.markets.results.rawrun import open_raw
from processes import ended
from qtenv_desk import serve

pytestmark = [
    pytest.mark.skipif(bool(drive_omnet.missing()), reason=drive_omnet.missing()),
    pytest.mark.xdist_group("omnet-tcp"),
]

NED = """
import ecnomy.market.MarketBridge;
import inet.common.scenario.ScenarioManager;
import inet.networklayer.configurator.ipv4.Ipv4NetworkConfigurator;
import inet.node.inet.Router;
import inet.node.inet.StandardHost;
import ned.DatarateChannel;
network Town
{
    types:
        channel Access extends DatarateChannel { datarate = 100Mbps; delay = 2ms; }
        channel Neck extends DatarateChannel { datarate = 10Mbps; delay = 5ms; }
    submodules:
        market: MarketBridge;
        configurator: Ipv4NetworkConfigurator;
        scenario: ScenarioManager;
        gold[2]: StandardHost;
        silver[2]: StandardHost;
        other: StandardHost;
        edge: Router;
        town: Router;
        server: StandardHost;
    connections:
        edge.pppg++ <--> Neck <--> town.pppg++;
        for i=0..1 { gold[i].pppg++ <--> Access <--> edge.pppg++; }
        for i=0..1 { silver[i].pppg++ <--> Access <--> edge.pppg++; }
        other.pppg++ <--> Access <--> edge.pppg++;
        town.pppg++ <--> Access <--> server.pppg++;
}
"""
# The lines that add a market.
MARKET = """
*.*.tcp.typename = "ecnomy.tcp.MarketTcp"
*.gold[*].tcp.source = "gold"
*.silver[*].tcp.source = "silver"
*.*.tcp.path = "neck"
*.*.tcp.ackPath = "neck.reverse"
*.edge.ppp[0].queue.typename = "ecnomy.queue.LoadBasedQueue"
*.edge.ppp[0].queue.linkName = "neck"
*.town.ppp[0].queue.typename = "ecnomy.queue.TailDropQueue"
*.town.ppp[0].queue.linkName = "neck.reverse"
*.market.links = "neck neck.reverse"
"""
INI = """
[General]
network = Town
simtime-resolution = ps
sim-time-limit = 40s
**.app[*].*.statistic-recording = true
**.queue.*.statistic-recording = true
**.statistic-recording = false
**.vector-recording = false
**.bin-recording = false
*.market.duration = 40s
*.market.sources = "gold silver"
# knobs
*.gold[*].numApps = 2
*.silver[*].numApps = 2
*.server.numApps = 5
*.server.app[*].typename = "TcpSinkApp"
*.server.app[*].localPort = 1000 + index
*.gold[*].app[*].connectPort = 1000 + ancestorIndex(1)
*.silver[*].app[*].connectPort = 1002 + ancestorIndex(1)
*.other.app[*].connectPort = 1004
*.*.app[*].typename = "TcpSessionApp"
*.*[*].app[*].typename = "TcpSessionApp"
**.connectAddress = "server"
**.tOpen = 1s
**.tSend = 1.1s
**.tClose = -1s
**.sendBytes = 200MB
"""
YAML = """
version: 1
title: Ordinary hosts
duration: 40 s
network:
  links:
    - {name: neck, from: edge, to: town, rate: 10 Mbps, delay: 5 ms,
       marking: {law: load-based}}
sources:
  - {name: gold, count: 2, from: edge, to: town, traffic: {kind: greedy}, transport: {law: wtp}}
  - {name: silver, count: 2, from: edge, to: town, traffic: {kind: greedy}, transport: {law: wtp}}
market:
  price_per_mark: 0.01 money
  agents:
    - {name: isp, role: connectivity-provider}
"""


def received(scalars: dict[tuple[str, str], float]) -> list[float]:
    """Bytes received by the server from each of the five hosts."""
    name = "packetReceived:sum(packetBytes)"
    return [scalars[f"Town.server.app[{i}]", name] for i in range(5)]


def test_weights_of_hosts_are_shared_by_their_connections(tmp_path: Path) -> None:
    """Gold's weight is four times silver's, whose two hosts have one and two connections."""
    knobs = "*.gold[*].tcp.weight = 4\n*.silver[*].tcp.weight = 1\n*.silver[1].numApps = 1\n"
    scalars = drive_omnet.run_network(tmp_path, NED, INI.replace("# knobs\n", knobs) + MARKET)
    gold, other_gold, silver, single, _ = received(scalars)
    assert gold == pytest.approx(other_gold, rel=0.1)
    assert silver == pytest.approx(single, rel=0.2)
    assert 3.4 < (gold + other_gold) / (silver + single) < 4.4


def test_a_weight_that_is_turned_moves_the_rates(tmp_path: Path) -> None:
    """At 20 s INET's ScenarioManager gives silver gold's weight, and the rates follow."""
    script = "".join(
        f"<set-param module='silver[{i}].tcp' par='weight' value='4'/>" for i in range(2)
    )
    knobs = "*.gold[*].tcp.weight = 4\n*.silver[*].tcp.weight = 1\n"
    knobs += f"*.scenario.script = xml(\"<script><at t='20'>{script}</at></script>\")\n"
    scalars = drive_omnet.run_network(tmp_path, NED, INI.replace("# knobs\n", knobs) + MARKET)
    gold, other_gold, silver, other_silver, _ = received(scalars)
    # 4 : 1 for half of the time, then 1 : 1
    assert 1.55 < (gold + other_gold) / (silver + other_silver) < 2.1


def test_accounts_of_all_add_up_to_the_marks_of_the_link(tmp_path: Path) -> None:
    """With a market, a host without a source has INET's Reno, and its marks are not paid.

    All hosts have sent their bytes before the end, so that no mark is under way.
    """
    (tmp_path / "market.yaml").write_text(YAML)
    extra = '*.other.numApps = 1\n*.other.app[0].connectPort = 1004\n*.other.tcp.path = ""\n'
    extra += '*.other.tcp.tcpAlgorithmClass = "TcpReno"\n*.silver[0].tcp.willingness = 3\n'
    extra += "*.gold[0].tcp.weight = 2\n"
    extra += "**.sendBytes = 3MB\n"
    with ExitStack() as stack:
        words = ("--any", "--token-file", str(tmp_path / "token"))
        market, address = serve(
            stack, tmp_path / "market.yaml", tmp_path / "out", "tcp://127.0.0.1:0", options=words
        )
        ini = INI.replace("# knobs\n", extra) + MARKET
        ini += '*.market.token = trim(readFile("token"))\n'
        scalars = drive_omnet.run_network(tmp_path, NED, f'{ini}*.market.connect = "{address}"\n')
        ended(market)
    run = open_raw(tmp_path / "out/001")
    manifest = read_manifest(run.path)
    assert manifest.complete
    by_hand = {(change.what, change.of, change.values) for change in manifest.by_hand}
    assert by_hand == {("weight", "gold", 1), ("willingness", "silver", 1)}
    assert not [line for line in manifest.network_differs if re.match("(links|sources) is", line)]
    marks = int(run.link_epochs.query("link == 0")["marks"].max())
    sources = int(run.pairs.query("link_name == 'neck'")["marks"].sum())
    assert marks == scalars["Town.edge.ppp[0].queue", "marks:count"]
    assert 0 < sources < marks and received(scalars)[4] == 3e6
    ce = int(run.flow_epochs.groupby("flow")[["ce", "control_ce"]].max().to_numpy().sum())
    assert not run.pairs["ce_in_flight"].any()
    assert sources == ce + int(run.pairs["ce_dropped"].sum())
    held = run.table("agents").query("name == 'willingness_micro_per_s'")
    assert set(held["flow"]) == {2, 3} and set(held["value"]) == {3e6}  # both hosts of silver
    paid = run.ledger.query("kind == 'marks'")["amount_micro"].sum()
    assert paid == 10_000 * int(run.flow_epochs.groupby("flow")["ce"].max().sum())


def test_a_host_without_a_source_loses_packets(tmp_path: Path) -> None:
    """Drops of such a host count for the link, but not for a flow."""
    extra = '*.other.numApps = 1\n*.other.app[0].connectPort = 1004\n*.other.tcp.path = ""\n'
    extra += '*.other.tcp.tcpAlgorithmClass = "TcpReno"\n'
    extra += "*.edge.ppp[0].queue.bufferPackets = 20\n"
    scalars = drive_omnet.run_network(tmp_path, NED, INI.replace("# knobs\n", extra) + MARKET)
    assert scalars["Town.edge.ppp[0].queue", "drops:count"] > 0 and received(scalars)[4] > 0


def test_hosts_of_one_source_agree(tmp_path: Path) -> None:
    """Hosts of a source need the same path, and all need one of ecnomy's flavours."""
    for line, says in (
        ('*.gold[1].tcp.path = "neck neck.reverse"', "are one source, 'gold'"),
        ('*.gold[1].tcp.tcpAlgorithmClass = "TcpReno"', "needs one of ecnomy's flavours"),
    ):
        ini = INI.replace("# knobs", line) + MARKET
        with pytest.raises(AssertionError, match=says):
            drive_omnet.run_network(tmp_path, NED, ini)
