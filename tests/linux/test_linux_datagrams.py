# SPDX-License-Identifier: Apache-2.0
"""Datagrams of real sockets: they equal those of the built-in engine, and books are exact."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from ecnomy.markets.session.runner import run
from linux_world import LINK, by_source, columns, facts, machine_lacks, simulated

pytestmark = [
    pytest.mark.skipif(bool(machine_lacks()), reason=machine_lacks()),
    pytest.mark.xdist_group("linux"),  # two at a time would delay each other's packets
]
_UDP: Final = "transport: {law: udp, payload: 500 bytes, ecn: "
MIX: Final = f"""{LINK}
  - name: noise
    count: 2
    from: here
    to: there
    traffic: {{kind: poisson, rate: 300 packets/s}}
    {_UDP}ect}}
  - name: plain
    from: here
    to: there
    traffic: {{kind: cbr, interval: 5 ms}}
    {_UDP}off}}
  - name: phones
    count: 10
    from: here
    to: there
    traffic: {{kind: voip, idle: 1 s, call: 2 s, interval: 20 ms, speech: {{}}}}
    {_UDP}ect}}
  - name: lines
    count: 3
    from: here
    to: there
    traffic: {{kind: voip, interarrival: 200 ms, call: 500 ms, interval: 10 ms}}
    {_UDP}ect}}
  - name: film
    from: here
    to: there
    traffic: {{kind: video}}
    transport: {{law: udp, payload: 960 bytes, ecn: ect, codepoint: ect-1}}
market:
  epoch: 1 s
  price_per_mark: 0.125 money
  agents:
    - {{name: isp, role: connectivity-provider}}
    - name: shop
      role: application-provider
      classes:
        noisy: {{fee: 4 money/s, sources: noise}}
record: {{calls: true}}
"""
CODEPOINTS: Final = f"""
version: 1
title: three ECN fields
duration: 1 s
network:
  links:
    - {{name: link, from: here, to: there, rate: 10 Mbps, scheduler: {{kind: dualpi2}}}}
sources:
  - {{name: zero, from: here, to: there, traffic: {{kind: cbr, interval: 10 ms}}, {_UDP}ect}}}}
  - {{name: off, from: here, to: there, traffic: {{kind: cbr, interval: 20 ms}}, {_UDP}off}}}}
  - name: one
    from: here
    to: there
    traffic: {{kind: cbr, interval: 50 ms}}
    {_UDP}ect, codepoint: ect-1}}
record: {{classes: {{every: 1 s}}}}
"""
DATAGRAMS: Final = ("noise", "plain", "phones", "lines", "film")


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The results of the scenario on the Linux engine and on the built-in engine."""
    folder = tmp_path_factory.mktemp("datagrams")
    linux = simulated(MIX, folder)
    run(folder / "scenario.yaml", out=folder / "builtin")
    return linux, folder / "builtin"


def test_packets_and_calls_are_those_of_the_simulator(both: tuple[Path, Path]) -> None:
    """The same seed sends the same number of packets, in calls with the same times."""
    linux, builtin = both
    for column in ("sent", "sent_bytes"):
        sent, expected = by_source(linux, column), by_source(builtin, column)
        assert {s: sent[s] for s in DATAGRAMS} == {s: expected[s] for s in DATAGRAMS}
        assert all(sent[s] > 100 for s in DATAGRAMS)
    calls = [columns(results, "calls") for results in both]
    assert len(calls[0]["id"]) > 5
    for column in ("user", "start_ps", "end_ps", "accepted", "sent"):
        assert sorted(calls[0][column]) == sorted(calls[1][column])


def test_router_and_sockets_count_the_same_datagrams(both: tuple[Path, Path]) -> None:
    """Router and sockets agree on packets and marks, and on the packets of calls."""
    linux, _ = both
    counts = {c: by_source(linux, c) for c in ("sent", "delivered", "lost", "in_flight", "ce")}
    kernel = facts(linux)
    assert kernel["kernel_received"] == sum(counts["delivered"].values())
    marked = sum(counts["ce"][source] for source in DATAGRAMS)
    assert kernel["kernel_received_ce"] in (marked, marked + counts["ce"]["flows"])
    for source in DATAGRAMS:
        sent, delivered, lost, inside, _ = (c[source] for c in counts.values())
        assert sent == delivered + lost + inside and inside < 30
    calls = columns(linux, "calls")
    for column in ("sent", "delivered", "ce"):
        assert sum(calls[column]) == sum(counts[column][source] for source in ("phones", "lines"))


def test_the_ecn_field_is_that_of_the_plan(both: tuple[Path, Path]) -> None:
    """Only ECN-capable datagrams are marked; RED drops the others."""
    linux, _ = both
    marks, lost = by_source(linux, "ce"), by_source(linux, "lost")
    assert marks["plain"] == 0 and lost["plain"] > 0
    assert all(marks[source] > 0 for source in ("noise", "phones", "lines", "film"))


def test_ect_1_reaches_the_low_latency_queue(tmp_path: Path) -> None:
    """The router reads the code point from the packet: DualPI2 queues only ECT(1) as L4S."""
    classes = columns(simulated(CODEPOINTS, tmp_path), "classes")
    arrivals = dict(zip(classes["class_name"], classes["arrivals"], strict=True))
    assert arrivals == {"l4s": 20, "classic": 150}


def test_delays_are_those_of_the_link(both: tuple[Path, Path]) -> None:
    """No datagram is faster than the link, and the mean delay is at most that of a full queue."""
    linux, _ = both
    delivered, delays = by_source(linux, "delivered"), by_source(linux, "delay_sum_ps")
    for source in DATAGRAMS:
        assert 10e9 < delays[source] / delivered[source] < 10e9 + 100 * 0.8e9


def test_datagrams_are_billed_for_delivered_marks(both: tuple[Path, Path]) -> None:
    """The ledger charges the price for each marked packet that the router has delivered."""
    linux, _ = both
    marks, charges = by_source(linux, "ce"), by_source(linux, "mark_charge_micro")
    assert charges == {source: 125_000 * count for source, count in marks.items()}
    ledger = columns(linux, "ledger")
    kinds = zip(ledger["kind"], ledger["amount_micro"], strict=True)
    charged = sum(amount for kind, amount in kinds if kind == "marks")
    assert charged == sum(charges.values()) > 0
