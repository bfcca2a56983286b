# SPDX-License-Identifier: Apache-2.0
"""The reference dumbbell on ns-3 from its PyPI wheel: `python ns3_dumbbell.py SECONDS`.

Ten greedy Reno flows with ECN (RFC 3168), segments of 1,000 bytes, an ACK each; 100 Mbps and 18 ms
between 1 Gbps 1 ms access links; RED 50/150 marks at the bottleneck. Prints one JSON line: data
packets delivered, the CPU seconds of the run, ns-3's version. Exit status 3 if ns-3 is not
installed.
"""

from __future__ import annotations

import importlib.metadata
import json
import sys
import time
from typing import Any

FLOWS, SEGMENT, PORT = 10, 1000, 5000


def configure(ns: Any) -> None:
    """TCP and RED as in the reference; no buffer limits the windows."""
    for name, value in (
        ("ns3::TcpL4Protocol::SocketType", ns.TypeIdValue(ns.TcpLinuxReno.GetTypeId())),
        ("ns3::TcpSocket::SegmentSize", ns.UintegerValue(SEGMENT)),
        ("ns3::TcpSocket::DelAckCount", ns.UintegerValue(1)),
        ("ns3::TcpSocket::SndBufSize", ns.UintegerValue(1 << 22)),
        ("ns3::TcpSocket::RcvBufSize", ns.UintegerValue(1 << 22)),
        ("ns3::TcpSocketBase::UseEcn", ns.StringValue("On")),
        ("ns3::RedQueueDisc::UseEcn", ns.BooleanValue(True)),
        ("ns3::RedQueueDisc::MinTh", ns.DoubleValue(50)),
        ("ns3::RedQueueDisc::MaxTh", ns.DoubleValue(150)),
        ("ns3::RedQueueDisc::LInterm", ns.DoubleValue(10)),
        ("ns3::RedQueueDisc::QW", ns.DoubleValue(0.002)),
        ("ns3::RedQueueDisc::MeanPktSize", ns.UintegerValue(SEGMENT)),
        ("ns3::RedQueueDisc::MaxSize", ns.QueueSizeValue(ns.QueueSize("400p"))),
    ):
        ns.Config.SetDefault(name, value)


def connect(ns: Any) -> tuple[Any, Any]:
    """Four nodes in a row, and the address of the last one."""
    nodes = ns.NodeContainer()
    nodes.Create(4)
    ns.InternetStackHelper().Install(nodes)
    addresses = ns.Ipv4AddressHelper()
    last: Any = None
    for i, (rate, delay) in enumerate((("1Gbps", "1ms"), ("100Mbps", "18ms"), ("1Gbps", "1ms"))):
        link = ns.PointToPointHelper()
        link.SetDeviceAttribute("DataRate", ns.StringValue(rate))
        link.SetChannelAttribute("Delay", ns.StringValue(delay))
        devices = link.Install(nodes.Get(i), nodes.Get(i + 1))
        if i == 1:
            red = ns.TrafficControlHelper()
            red.SetRootQueueDisc("ns3::RedQueueDisc")
            red.Install(devices.Get(0))
        base = ns.Ipv4Address(f"10.0.{i}.0")
        addresses.SetBase(base, ns.Ipv4Mask("255.255.255.0"))
        last = addresses.Assign(devices)
    ns.Ipv4GlobalRoutingHelper.PopulateRoutingTables()
    return nodes, last.GetAddress(1)


def flows(ns: Any, nodes: Any, to: Any, duration_s: float) -> list[Any]:
    """Ten senders and their sinks."""
    sinks = []
    for i in range(FLOWS):
        at = ns.InetSocketAddress(to, PORT + i).ConvertTo()
        sink = ns.PacketSinkHelper("ns3::TcpSocketFactory", at).Install(nodes.Get(3))
        sender = ns.BulkSendHelper("ns3::TcpSocketFactory", at)
        sender.SetAttribute("MaxBytes", ns.UintegerValue(0))
        sender.SetAttribute("SendSize", ns.UintegerValue(SEGMENT))
        sending = sender.Install(nodes.Get(0))
        sending.Start(ns.Seconds(0.1 * i))
        sending.Stop(ns.Seconds(duration_s))
        sink.Start(ns.Seconds(0))
        sinks.append(sink.Get(0))
    return sinks


def main() -> int:
    """Run the dumbbell, and print its cost."""
    try:
        from ns import ns
    except ImportError as error:
        print(f"ns-3 is not installed: {error}", file=sys.stderr)
        return 3
    duration_s = float(sys.argv[1])
    configure(ns)
    nodes, to = connect(ns)
    sinks = flows(ns, nodes, to, duration_s)
    ns.Simulator.Stop(ns.Seconds(duration_s))
    before_s = time.process_time()
    ns.Simulator.Run()
    cpu_s = time.process_time() - before_s
    packets = sum(sink.GetObject[ns.PacketSink]().GetTotalRx() for sink in sinks) // SEGMENT
    ns.Simulator.Destroy()
    version = importlib.metadata.version("ns3")
    print(json.dumps({"data_packets": int(packets), "cpu_s": cpu_s, "version": version}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
