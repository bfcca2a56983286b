# SPDX-License-Identifier: Apache-2.0
"""The cost of window laws per data packet and ACK, compared with Reno, in turn; best of three.

Ten greedy flows, ACK-clocked, over one link with fixed marking: every law sees the same kind
of packets. The engine's share is in Reno's line; laws with marks per second are paced.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "engine"))

import history
import plans
from ecnomy.markets.plan import Law, Plan, Tcp
from measuring import cost

FLOWS = 10
RATE_BPS = 1e8
DURATION_S = 60.0
REPEATS = 3
CLOCKED = {"send": "ack-clocked", "min_window": 1.0, "echo": "accurate"}
TRANSPORTS: dict[str, Tcp] = {
    "reno": plans.tcp(),
    "newreno": plans.tcp(Law("newreno", {"decrease": 0.5, "min_ssthresh": 2.0, "beta_ecn": 0.0})),
    "tahoe": plans.tcp(plans.tahoe()),
    "multcp": plans.tcp(plans.multcp(4)),
    "wtp": plans.tcp(plans.wtp(1.0, 0.1), **CLOCKED),
    "wtp-sender": plans.tcp(plans.wtp_sender(1.0, 0.1), **CLOCKED),
    "vegas": plans.tcp(plans.vegas()),
    "cubic": plans.tcp(plans.cubic()),
    "dctcp": plans.tcp(plans.dctcp()),
    "bbr": plans.tcp(plans.bbr(), sack=True),
    "bbr1": plans.tcp(plans.bbr1(), sack=True),
    "rem source": plans.tcp(plans.rem_source(w=1e3, min_rate=10)),
    "wtp, paced": plans.tcp(plans.wtp(1.0, 0.1), initial_mark_rate=10.0),
    "primal, paced": plans.tcp(plans.primal(), initial_mark_rate=10.0),
}


def plan(transport: Tcp) -> Plan:
    """Ten flows over one link that marks one packet in a hundred."""
    links = plans.duplex("l", 0, 1, RATE_BPS, 0.01, buffer=400, marking=plans.fixed(0.01))
    source = plans.source("s", [0], [1], transport, count=FLOWS, stagger_s=0.01)
    return plans.plan(links, [source], DURATION_S)


def ns_a_packet(transport: Tcp) -> float:
    """Nanoseconds of the event loop per data packet of one run."""
    done = cost(plan(transport))
    return done.cpu_s / done.data_packets * 1e9


def main() -> None:
    """Print and record the costs."""
    rounds = [
        {name: ns_a_packet(transport) for name, transport in TRANSPORTS.items()}
        for _ in range(REPEATS)
    ]
    best = {name: min(turn[name] for turn in rounds) for name in TRANSPORTS}
    for name, took in best.items():
        print(f"{name:13s} {took:5.0f} ns a packet, {took - best['reno']:+5.0f} over Reno")
    history.add("window_laws_ns", best)


if __name__ == "__main__":
    main()
