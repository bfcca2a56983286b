# SPDX-License-Identifier: Apache-2.0
"""TCP's loss recovery on ns-3 from its PyPI wheel: `python ns3_recovery.py CASE`.

CASE is JSON: flows, buffer_packets, min_rto_s, duration_s, seeds, and optionally recovery
(`classic`, RFC 6675, or `prr`, RFC 6937) and timestamps (RFC 7323). Greedy NewReno flows with SACK
and without ECN cross 10 Mbps and 18 ms between 1 Gbps 1 ms links; the bottleneck is drop-tail.
Prints a line of JSON per seed: drops, timeouts, retransmissions and goodput over all flows.
Exit status 3 if ns-3 is not installed.

Counts are in C++, because a Python callback per packet would cost more than ns-3 itself. A timeout
is a retransmission timer that expired: the RTO doubles only then.
"""

from __future__ import annotations

import json
import random
import sys
from typing import Any

MSS, PORT = 1000, 5000
PPP_BYTES, HEADER_BYTES = 2, 40  # framing of ns-3's point-to-point links; IPv4 and TCP

_COUNTERS = """
namespace recovery {
struct Counts { unsigned long drops, timeouts, retransmissions; } counts;
void Dropped(ns3::Ptr<const ns3::Packet>) { ++counts.drops; }
void RtoChanged(ns3::Time before, ns3::Time after) {
  if (after == before + before || (after > before && after == ns3::Seconds(60))) ++counts.timeouts;
}
void Resent(ns3::Ptr<const ns3::Packet>, const ns3::TcpHeader&, const ns3::Address&,
            const ns3::Address&, ns3::Ptr<const ns3::TcpSocketBase>) { ++counts.retransmissions; }
void WatchDrops(ns3::Ptr<ns3::NetDevice> device) {
  ns3::PointerValue queue;
  device->GetAttribute("TxQueue", queue);
  queue.GetObject()->TraceConnectWithoutContext("Drop", ns3::MakeCallback(&Dropped));
}
void WatchSocket(ns3::Ptr<ns3::BulkSendApplication> sender) {
  ns3::Ptr<ns3::Socket> socket = sender->GetSocket();
  socket->TraceConnectWithoutContext("RTO", ns3::MakeCallback(&RtoChanged));
  socket->TraceConnectWithoutContext("Retransmission", ns3::MakeCallback(&Resent));
}
void WatchSender(ns3::Ptr<ns3::Application> sender, double start_s) {
  ns3::Simulator::Schedule(ns3::Seconds(start_s) + ns3::NanoSeconds(1), &WatchSocket,
                           sender->GetObject<ns3::BulkSendApplication>());
}
}
"""


def configure(ns: Any, case: dict[str, Any]) -> None:
    """TCP as in ecnomy: an ACK per packet, two initial segments, no limit except cwnd."""
    recovery = {"classic": "ns3::TcpClassicRecovery", "prr": "ns3::TcpPrrRecovery"}
    for name, value in (
        ("ns3::TcpL4Protocol::SocketType", "ns3::TcpLinuxReno"),
        ("ns3::TcpL4Protocol::RecoveryType", recovery[case.get("recovery", "classic")]),
        ("ns3::TcpSocket::SegmentSize", str(MSS)),
        ("ns3::TcpSocket::InitialCwnd", "2"),
        ("ns3::TcpSocket::DelAckCount", "1"),
        ("ns3::TcpSocket::ConnTimeout", "1s"),
        ("ns3::TcpSocket::SndBufSize", str(1 << 22)),
        ("ns3::TcpSocket::RcvBufSize", str(1 << 22)),
        ("ns3::TcpSocketBase::Sack", "true"),
        ("ns3::TcpSocketBase::UseEcn", "Off"),
        ("ns3::TcpSocketBase::Timestamp", "true" if case.get("timestamps") else "false"),
        ("ns3::TcpSocketBase::MinRto", f"{case['min_rto_s']:g}s"),
        ("ns3::TcpSocketBase::ClockGranularity", "1ms"),
    ):
        ns.Config.SetDefault(name, ns.StringValue(value))


def connect(ns: Any, buffer_packets: int) -> tuple[Any, Any, Any]:
    """Four nodes in a row, the address of the last, and the device before the bottleneck."""
    nodes = ns.NodeContainer()
    nodes.Create(4)
    ns.InternetStackHelper().Install(nodes)
    addresses = ns.Ipv4AddressHelper()
    last: Any = None
    narrow: Any = None
    for i, (rate, delay, room) in enumerate(
        (("1Gbps", "1ms", 10**5), ("10Mbps", "18ms", buffer_packets), ("1Gbps", "1ms", 10**5))
    ):
        link = ns.PointToPointHelper()
        link.SetDeviceAttribute("DataRate", ns.StringValue(rate))
        link.SetChannelAttribute("Delay", ns.StringValue(delay))
        link.SetQueue("ns3::DropTailQueue", "MaxSize", ns.StringValue(f"{room}p"))
        link.DisableFlowControl()  # so that there is no queue discipline before the drop-tail queue
        devices = link.Install(nodes.Get(i), nodes.Get(i + 1))
        addresses.SetBase(ns.Ipv4Address(f"10.0.{i}.0"), ns.Ipv4Mask("255.255.255.0"))
        last = addresses.Assign(devices)
        narrow = devices.Get(0) if i == 1 else narrow
    ns.Ipv4GlobalRoutingHelper.PopulateRoutingTables()
    return nodes, last.GetAddress(1), narrow


def install_flows(ns: Any, nodes: Any, to: Any, case: dict[str, Any], seed: int) -> list[Any]:
    """Senders that start at random in the first second, and their sinks."""
    draws = random.Random(seed)
    sinks = []
    for i in range(case["flows"]):
        at = ns.InetSocketAddress(to, PORT + i).ConvertTo()
        sink = ns.PacketSinkHelper("ns3::TcpSocketFactory", at).Install(nodes.Get(3))
        sink.Start(ns.Seconds(0))
        helper = ns.BulkSendHelper("ns3::TcpSocketFactory", at)
        helper.SetAttribute("MaxBytes", ns.UintegerValue(0))
        helper.SetAttribute("SendSize", ns.UintegerValue(MSS))
        sender = helper.Install(nodes.Get(0))
        start_s = draws.random()
        sender.Start(ns.Seconds(start_s))
        ns.recovery.WatchSender(sender.Get(0), start_s)
        sinks.append(sink.Get(0))
    return sinks


def measure(ns: Any, case: dict[str, Any], seed: int) -> dict[str, float]:
    """Counts over one whole run."""
    counts = ns.recovery.counts
    counts.drops = counts.timeouts = counts.retransmissions = 0
    ns.RngSeedManager.SetRun(seed)
    nodes, to, narrow = connect(ns, case["buffer_packets"])
    ns.recovery.WatchDrops(narrow)
    sinks = install_flows(ns, nodes, to, case, seed)
    ns.Simulator.Stop(ns.Seconds(case["duration_s"]))
    ns.Simulator.Run()
    received = sum(sink.GetObject[ns.PacketSink]().GetTotalRx() for sink in sinks)
    ns.Simulator.Destroy()
    return {
        "drops": int(counts.drops),
        "timeouts": int(counts.timeouts),
        "retransmissions": int(counts.retransmissions),
        "goodput_bps": 8.0 * received / case["duration_s"],
    }


def main() -> int:
    """Runs all seeds of the case."""
    try:
        import cppyy
        from ns import ns
    except ImportError as error:
        print(f"ns-3 is not installed: {error}", file=sys.stderr)
        return 3
    case = json.loads(sys.argv[1])
    cppyy.cppdef(_COUNTERS)
    ns.recovery = cppyy.gbl.recovery
    configure(ns, case)
    for seed in case["seeds"]:
        print(json.dumps(measure(ns, case, seed)), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
