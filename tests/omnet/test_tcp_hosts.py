# SPDX-License-Identifier: Apache-2.0
"""The flavours in INET's own hosts, under INET's own applications, without a market."""

from __future__ import annotations

from pathlib import Path

import pytest

import drive_omnet

pytestmark = [
    pytest.mark.skipif(bool(drive_omnet.missing()), reason=drive_omnet.missing()),
    pytest.mark.xdist_group("omnet-tcp"),
]

STOCK = "inet.transportlayer.tcp.Tcp"
MARKET = "ecnomy.tcp.MarketTcp"
# Client's and server's TCP, and the settings of both; INET's own flavours have their full names.
PAIRS = [
    (MARKET, MARKET, {}),
    (MARKET, MARKET, {"tcpAlgorithmClass": '"ecnomy::omnet::TcpWtp"', "send": '"ack-clocked"'}),
    (MARKET, MARKET, {"tcpAlgorithmClass": '"ecnomy::omnet::TcpWtpSender"'}),
    (MARKET, MARKET, {"tcpAlgorithmClass": '"ecnomy::omnet::TcpReno3168"', "ect": '"all"'}),
    (MARKET, MARKET, {"tcpAlgorithmClass": '"ecnomy::omnet::TcpNewReno3168"', "sack": "true"}),
    (MARKET, MARKET, {"tcpAlgorithmClass": '"ecnomy::omnet::TcpTahoe3168"', "delayedAcks": "2"}),
    (MARKET, MARKET, {"tcpAlgorithmClass": '"ecnomy::omnet::TcpMulTcp"', "sack": "true",
                      "timestampSupport": "true",
                      "lawParameters": '{flows: 3, decrease: "halve"}'}),
    (MARKET, MARKET, {"tcpAlgorithmClass": '"inet::tcp::TcpReno"'}),
    (MARKET, STOCK, {"mss": "1000", "ecnWillingness": "true", "law": '"newreno"'}),
    (STOCK, MARKET, {"mss": "1000", "ecnWillingness": "true"}),
]  # fmt: skip
BYTES = 3_000_017
NED = """
import inet.networklayer.configurator.ipv4.Ipv4NetworkConfigurator;
import inet.node.inet.StandardHost;
import inet.node.inet.Router;
import ned.DatarateChannel;
network Pairs
{
    parameters:
        int pairs;
        double rate @unit(bps);
    types:
        channel Access extends DatarateChannel { datarate = 1Gbps; delay = 1ms; }
        channel Neck extends DatarateChannel { delay = 9ms; }
    submodules:
        configurator: Ipv4NetworkConfigurator;
        client[pairs]: StandardHost;
        from[pairs]: Router;
        to[pairs]: Router;
        server[pairs]: StandardHost;
    connections:
        for i=0..pairs-1 {
            client[i].pppg++ <--> Access <--> from[i].pppg++;
            from[i].pppg++ <--> Neck { datarate = parent.rate; } <--> to[i].pppg++;
            to[i].pppg++ <--> Access <--> server[i].pppg++;
        }
}
"""
INI = """
[General]
network = Pairs
**.app[*].*.statistic-recording = true
**.queue.*.statistic-recording = true
**.statistic-recording = false
**.vector-recording = false
**.bin-recording = false
*.from[*].ppp[1].queue.typename = "ecnomy.queue.FixedQueue"
*.from[*].ppp[1].queue.seed = ancestorIndex(2)
*.from[*].ppp[1].queue.probability = 0.02
*.client[*].numApps = 1
*.server[*].numApps = 1
*.server[*].app[0].localPort = 1000
*.client[*].app[0].connectPort = 1000
*.client[*].app[0].connectAddress = "server[" + string(parentIndex()) + "]"
"""
SESSION = """
*.client[*].app[0].typename = "TcpSessionApp"
*.client[*].app[0].tOpen = 1s
*.client[*].app[0].tSend = 1.1s
*.client[*].app[0].sendBytes = {bytes}B
*.client[*].app[0].tClose = 1.2s
*.server[*].app[0].typename = "TcpSinkApp"
"""


def network(pairs: int, text: str) -> str:
    """An ini file: the common lines, and `text`, whose lines take precedence."""
    head, common = INI.split("network = Pairs\n")
    return f"{head}network = Pairs\n*.pairs = {pairs}\n{text}{common}"


def transports() -> str:
    """The hosts of PAIRS."""
    lines = []
    for i, (client, server, parameters) in enumerate(PAIRS):
        for host, tcp in (("client", client), ("server", server)):
            lines.append(f'*.{host}[{i}].tcp.typename = "{tcp}"')
            known = (
                parameters
                if tcp == MARKET
                else {k: parameters[k] for k in ("mss", "ecnWillingness")}
            )
            lines += [f"*.{host}[{i}].tcp.{key} = {value}" for key, value in known.items()]
    return "\n".join(lines) + "\n"


def test_every_byte_arrives_and_connections_close(tmp_path: Path) -> None:
    """Each flavour transfers all bytes over a queue that marks and overflows, with any peer."""
    queue = "*.rate = 10Mbps\n*.from[*].ppp[1].queue.bufferPackets = 5\n"
    queue += "*.from[*].ppp[1].queue.probability = 0.005\nsim-time-limit = 100s\n"
    ini = network(len(PAIRS), transports() + queue + SESSION.format(bytes=BYTES))
    scalars = drive_omnet.run_network(tmp_path, NED, ini)
    for i, pair in enumerate(PAIRS):
        assert scalars[f"Pairs.server[{i}].app[0]", "packetReceived:sum(packetBytes)"] == BYTES, (
            pair
        )
        assert scalars[f"Pairs.from[{i}].ppp[1].queue", "marks:count"] > 0, pair
        assert scalars[f"Pairs.from[{i}].ppp[1].queue", "drops:count"] > 0, pair


def test_wtp_meets_its_weight_in_marks(tmp_path: Path) -> None:
    """WTP receives w marks per round trip under fixed marking, with and without delayed ACKs.

    A flow of weight w meets w marks in each round trip T, so w t / T in t. T is known, for the
    link is hardly used: 22 ms of propagation there and back, and the transmission of a frame of
    1507 bytes and one of 47 at 1 Gbps (two hops) and 300 Mbps. Marks that came independently at
    this rate would have a variance as large as their mean, and those that a window answers have
    less; four of these standard deviations are allowed for, and a delayed ACK's wait, which is
    part of T: until the next packet, T / W = T p / w at most.
    """
    weight, p, seconds = 2.0, 0.05, 30.0
    text = '*.rate = 300Mbps\n*.*.tcp.typename = "ecnomy.tcp.MarketTcp"\n'
    text += f"*.*.tcp.lawParameters = {{w_inc: {weight}}}\nsim-time-limit = {seconds + 1}s\n"
    text += "*.*[1].tcp.delayedAcks = 2\n*.*.tcp.initialWindow = 40\n"
    text += f"*.from[*].ppp[1].queue.probability = {p}\n"
    ini = network(2, text + SESSION.format(bytes=1_500_000_000))
    scalars = drive_omnet.run_network(tmp_path, NED, ini)
    round_trip = 22e-3 + 2 * 1554 * 8 / 1e9 + 1554 * 8 / 300e6
    wanted = weight * (seconds - 0.1) / round_trip
    spread = 4 * wanted**0.5
    for i, longest_wait in enumerate((0.0, p / weight)):
        marks = scalars[f"Pairs.from[{i}].ppp[1].queue", "marks:count"]
        assert wanted / (1 + longest_wait) - spread < marks < wanted + spread


def test_a_scalable_law_with_classic_marks_sends_ect_0(tmp_path: Path) -> None:
    """DualPI2 whose target is never reached marks only ECT(1) packets, at the step."""
    text = "*.rate = 10Mbps\nsim-time-limit = 10s\n"
    text += f'*.*.tcp.typename = "{MARKET}"\n*.*.tcp.law = "scream"\n*.*.tcp.sack = true\n'
    text += '*.*[1].tcp.lawParameters = {marks: "classic"}\n'
    text += '*.from[*].ppp[1].queue.typename = "ecnomy.queue.DualPi2Queue"\n'
    text += '*.from[*].ppp[1].queue.classes = "l4s; classic"\n'
    text += "*.from[*].ppp[1].queue.target = 100s\n"
    scalars = drive_omnet.run_network(tmp_path, NED, network(2, text + SESSION.format(bytes=BYTES)))
    marks = [scalars[f"Pairs.from[{i}].ppp[1].queue", "marks:count"] for i in range(2)]
    assert marks[0] > 10 and marks[1] == 0


def test_requests_and_replies(tmp_path: Path) -> None:
    """With data both ways on one connection, and several sessions, every reply is complete."""
    text = '*.rate = 10Mbps\nsim-time-limit = 60s\n*.*.tcp.typename = "ecnomy.tcp.MarketTcp"\n'
    text += "*.from[*].ppp[1].queue.bufferPackets = 6\n*.from[*].ppp[1].queue.probability = 0.02\n"
    text += '*.to[*].ppp[0].queue.typename = "ecnomy.queue.FixedQueue"\n'
    text += "*.to[*].ppp[0].queue.bufferPackets = 6\n*.to[*].ppp[0].queue.probability = 0.02\n"
    text += '*.*[0].tcp.tcpAlgorithmClass = "ecnomy::omnet::TcpNewReno3168"\n'
    text += '*.*[1].tcp.tcpAlgorithmClass = "ecnomy::omnet::TcpWtp"\n*.*[*].tcp.delayedAcks = 2\n'
    app = {
        "typename": '"TcpBasicClientApp"', "startTime": "1s", "stopTime": "50s",
        "numRequestsPerSession": "4", "requestLength": "3000B", "replyLength": "40000B",
        "thinkTime": "0.05s", "idleInterval": "0.1s",
    }  # fmt: skip
    text += "".join(f"*.client[*].app[0].{key} = {value}\n" for key, value in app.items())
    text += '*.server[*].app[0].typename = "TcpGenericServerApp"\n'
    scalars = drive_omnet.run_network(tmp_path, NED, network(2, text))
    for i in range(2):
        sent = scalars[f"Pairs.client[{i}].app[0]", "packetSent:sum(packetBytes)"] / 3000
        assert sent > 80
        assert (
            scalars[f"Pairs.server[{i}].app[0]", "packetReceived:sum(packetBytes)"] == 3000 * sent
        )
        replies = scalars[f"Pairs.client[{i}].app[0]", "packetReceived:sum(packetBytes)"] / 40_000
        assert replies == sent
        assert scalars[f"Pairs.to[{i}].ppp[0].queue", "drops:count"] > 0


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("*.*.tcp.lawParameters = {gains: 1}", r"client\[0\].tcp.*no parameter 'gains'"),
        ("*.*.tcp.lawParameters = {gain: -1}", r"client\[0\].tcp.*gain is -1"),
        ('*.*.tcp.lawParameters = {form: "new"}', r"client\[0\].tcp.*form is 'new'"),
        ('*.*.tcp.law = "wpt"', r"client\[0\].tcp.*'wpt', expected one of: wtp"),
        ("*.*.tcp.delayedAcks = 0", r"client\[0\].tcp: parameter 'delayedAcks'"),
        ("simtime-resolution = ns", r"simtime-resolution = ps"),
    ],
)
def test_what_is_wrong_is_named(line: str, says: str, tmp_path: Path) -> None:
    """One line names the module, the parameter and the expected values."""
    text = f'{line}\n*.rate = 10Mbps\n*.*.tcp.typename = "{MARKET}"\nsim-time-limit = 3s\n'
    ini = network(1, text + SESSION.format(bytes=1000))
    with pytest.raises(AssertionError, match=f"<!> Error: .*{says}"):
        drive_omnet.run_network(tmp_path, NED, ini)


def test_flavour_needs_its_tcp(tmp_path: Path) -> None:
    """INET's Tcp module cannot host the flavour, and the error explains this."""
    text = f'*.*.tcp.typename = "{STOCK}"\n*.rate = 10Mbps\nsim-time-limit = 3s\n'
    text += '*.*.tcp.tcpAlgorithmClass = "ecnomy::omnet::TcpWtp"\n'
    with pytest.raises(AssertionError, match=r"Error: .*tcp is not an ecnomy.tcp.MarketTcp"):
        drive_omnet.run_network(tmp_path, NED, network(1, text + SESSION.format(bytes=1000)))
