# SPDX-License-Identifier: Apache-2.0
"""MarkingQueue in INET's own hosts and interfaces, without a market."""

from __future__ import annotations

import numpy as np
import pytest

import drive_omnet

pytestmark = [
    pytest.mark.skipif(bool(drive_omnet.missing()), reason=drive_omnet.missing()),
    pytest.mark.xdist_group("omnet-queues"),
]

PAIRS = 8
RATE = 10e6
LOAD = 0.8
IP_BYTES = 1000
# Bytes on the wire besides: PPP's header and trailer; Ethernet's header, FCS, preamble and gap.
FRAMING = {"p": 7, "e": 38}
NED = f"""
import inet.networklayer.configurator.ipv4.Ipv4NetworkConfigurator;
import inet.node.ethernet.Eth10M;
import inet.node.inet.StandardHost;
import ned.DatarateChannel;
network Pairs
{{
    types:
        channel Line extends DatarateChannel {{ datarate = 10Mbps; delay = 1ms; }}
    submodules:
        configurator: Ipv4NetworkConfigurator;
        pa[{PAIRS}]: StandardHost;
        pb[{PAIRS}]: StandardHost;
        ea[{PAIRS}]: StandardHost;
        eb[{PAIRS}]: StandardHost;
    connections:
        for i=0..{PAIRS - 1} {{
            pa[i].pppg++ <--> Line <--> pb[i].pppg++;
            ea[i].ethg++ <--> Eth10M <--> eb[i].ethg++;
        }}
}}
"""
INI = f"""
[General]
network = Pairs
sim-time-limit = 15s
**.queue.*.statistic-recording = true
*.?a[*].app[0].*.statistic-recording = true
**.statistic-recording = false
**.vector-recording = false
**.bin-recording = false
*.?a[*].numApps = 1
*.?a[*].app[0].typename = "UdpBasicApp"
*.?a[*].app[0].destPort = 5000
*.?a[*].app[0].messageLength = {IP_BYTES - 28}B
*.?a[0].app[0].tos = 0
*.?a[*].app[0].tos = 2
*.pa[*].app[0].destAddresses = "pb[" + string(parentIndex()) + "]"
*.ea[*].app[0].destAddresses = "eb[" + string(parentIndex()) + "]"
*.pa[*].app[0].sendInterval = exponential({(IP_BYTES + 7) * 8 / RATE / LOAD}s)
*.ea[*].app[0].sendInterval = exponential({(IP_BYTES + 38) * 8 / RATE / LOAD}s)
*.?b[*].numApps = 1
*.?b[*].app[0].typename = "inet.applications.udpapp.UdpSink"
*.?b[*].app[0].localPort = 5000
*.?a[*].*[0].queue.typename = "ecnomy.queue.FixedQueue"
*.?a[*].*[0].queue.probability = 0.25
*.?a[*].*[0].queue.seed = ancestorIndex(2)
*.?a[0].*[0].queue.notEct = "pass"
*.ea[*].eth[0].queue.framing = 38B
*.ea[*].eth[0].queue.shortest = 84B
*.ea[*].eth[0].queue.gap = 12B
"""


@pytest.fixture(scope="module")
def scalars(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str], float]:
    """Scalars of a run: M/D/1 queues of PPP and Ethernet, a quarter of the packets marked."""
    return drive_omnet.run_network(tmp_path_factory.mktemp("pairs"), NED, INI)


def of(scalars: dict[tuple[str, str], float], kind: str, name: str) -> np.ndarray:
    """A scalar of the sending queues of one kind of interface."""
    interface = {"p": "ppp", "e": "eth"}[kind]
    queues = [f"Pairs.{kind}a[{i}].{interface}[0].queue" for i in range(PAIRS)]
    return np.array([scalars[queue, name] for queue in queues])


@pytest.mark.parametrize("kind", FRAMING)
def test_waiting_room_is_md1s(scalars: dict[tuple[str, str], float], kind: str) -> None:
    """On average rho^2 / (2 (1 - rho)) packets wait, within 5.41 standard errors (Student, 7)."""
    waiting = of(scalars, kind, "queueLength:timeavg")
    expected = LOAD**2 / (2 * (1 - LOAD))
    error = waiting.std(ddof=1) / np.sqrt(PAIRS)
    assert abs(waiting.mean() - expected) < 5.41 * error
    assert error < 0.05 * expected


@pytest.mark.parametrize("kind", FRAMING)
def test_only_ecn_capable_packets_are_marked(
    scalars: dict[tuple[str, str], float], kind: str
) -> None:
    """A quarter of ECT packets is marked, within 4 standard deviations, and no other packet."""
    marks = of(scalars, kind, "marks:count")
    sent = np.array([scalars[f"Pairs.{kind}a[{i}].app[0]", "packetSent:count"] for i in range(8)])
    assert marks[0] == 0
    assert (sent > 10_000).all()
    spread = np.sqrt(sent[1:] * 0.25 * 0.75)
    assert (abs(marks[1:] - 0.25 * sent[1:]) < 4 * spread).all()
    assert (of(scalars, kind, "drops:count") == 0).all()
