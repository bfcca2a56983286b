# SPDX-License-Identifier: Apache-2.0
"""Memory, by counting: no allocation in the steady state, and little memory per flow.

A run of double length begins with exactly the run of single length, so the requests of the second
half are the difference of the two counts. The memory of a flow, without packets, is the difference
between runs of 5,000 and 1,000 flows, divided by 4,000. The largest amount ever held counts, so
vectors that have doubled count twice.
"""

from __future__ import annotations

import pytest

import drive
import plans
from counting import Allocations, allocations, missing
from ecnomy.markets.plan import Law, Plan
from tiers import full, rare

pytestmark = pytest.mark.skipif(bool(missing()), reason=missing())

NEWRENO = Law("newreno", {"decrease": 0.5, "min_ssthresh": 2.0, "beta_ecn": 0.0})
SACK = plans.tcp(NEWRENO, sack=True, echo="off")
PACED = plans.tcp(plans.wtp(2.0), initial_mark_rate=10.0)
CBR = Law("cbr", {"interval_s": 0.01, "random_phase": 1.0})
SURFING = Law(
    "web",
    dict(
        reading_mean_s=1.0, size=2.0, size_mean_bytes=5e4, size_min_bytes=1e3, size_max_bytes=1e6,
        size_shape=1.2, reading=0.0, patience_s=3.0, lasting=0.0,
    ),
)  # fmt: skip
NEVER_S = 1e3  # beyond the end of every run here


def bell(transport, duration_s, *, traffic=None, flows=10, buffer=60, start_s=0.0, **link) -> Plan:
    """Flows over one bottleneck, with 1 Mbps and room for 2 to 6 packets per flow."""
    rate_bps = 1e6 * flows
    links = (
        plans.duplex("in", 0, 1, 100 * rate_bps, 0.001)
        + plans.duplex("bottleneck", 1, 2, rate_bps, 0.018, buffer=buffer, **link)
        + plans.duplex("out", 2, 3, 100 * rate_bps, 0.001)
    )
    source = plans.source(
        "s", [0, 2, 4], [5, 3, 1], transport, traffic, count=flows, start_s=start_s,
        stagger_s=0.5 / flows, overhead_s=8000 / rate_bps,
    )  # fmt: skip
    return plans.plan(links, [source], duration_s)


RED = plans.red(5, 15)
REM = plans.tcp(plans.rem_source(w=5, max_rate=200, phi=1.05, samples=128, rtt_error_std_s=0.001))
STEADY = {
    "reference": lambda duration_s: plans.reference_dumbbell(duration_s),
    "paced": lambda duration_s: bell(PACED, duration_s, marking=RED),
    "sack": lambda duration_s: bell(SACK, duration_s, buffer=20),
    "rem": lambda duration_s: bell(REM, duration_s, marking=RED),
    "datagrams": lambda duration_s: bell(plans.udp(), duration_s, traffic=CBR),
}


@pytest.mark.parametrize("name", STEADY)
def test_nothing_is_allocated_in_the_steady_state(name: str) -> None:
    """From 20 s to 40 s the event loop, links and flows allocate nothing."""
    short, long = (allocations(STEADY[name](t)) for t in (20.0, 40.0))
    assert long.data_packets > 1.9 * short.data_packets > 10_000
    assert (long.made, long.packets_made) == (short.made, short.packets_made)


def doublings(first: int, most: int) -> int:
    """How often a vector that begins with room for `first` reallocates until it has `most`."""
    return 1 + max(0, (most - 1) // first).bit_length()


TALKING = plans.voip(idle_mean_s=2.0, call_mean_s=1.0, interval_s=0.05, random_phase=1.0)


@pytest.mark.parametrize(
    ("transport", "traffic", "each"),
    [(SACK, SURFING, 2 * doublings(8, 65)), (plans.udp(200), TALKING, doublings(1, 20))],
    ids=["surfing", "talking"],
)
def test_files_and_calls_live_on_what_there_is(transport, traffic: Law, each: int) -> None:
    """Once varying lengths have reached their maximum, files and calls request no memory.

    A surfer's two ends keep holes in a vector each, of at most what the bottleneck holds (60
    packets and some under way); a telephone its calls since the last report, 1 s ago: with one in
    3 s on average, 20 have a chance below 1e-20. Vectors double and are kept, so that a flow asks
    `each` times in its life, the four lists that all share 12 times each at most (4,096 entries).
    A file is 50 packets and a call 20 on average: one request in every other file would be more.
    """
    flows = 10
    short, long = (allocations(bell(transport, t, traffic=traffic)) for t in (20.0, 320.0))
    assert long.data_packets > max(10_000, 10 * short.data_packets)
    assert long.made - short.made <= flows * each + 4 * 12 < long.data_packets / 100


def test_the_count_sees_growth() -> None:
    """More packets in flight than before need more chunks of the pool, and all are counted."""
    narrow, wide = (
        allocations(bell(PACED, 5.0, flows=n, buffer=100 * n, marking=plans.red(50 * n, 150 * n)))
        for n in (10, 1000)
    )
    assert wide.packets_made > narrow.packets_made
    assert wide.packets_peak_bytes >= 64 * 1000 * 10


def per_flow(make, *, market: bool) -> tuple[float, Allocations]:
    """Bytes per flow, and the larger run."""
    few, many = (allocations(make(flows), market=market) for flows in (1000, 5000))
    return (many.peak_bytes - few.peak_bytes) / 4000, many


@pytest.mark.parametrize("market", [False, True], ids=["alone", "with-rows"])
@pytest.mark.parametrize("traffic", [None, SURFING], ids=["greedy", "surfing"])
def test_an_idle_flow_takes_a_kibibyte_at_most(traffic: Law | None, market: bool) -> None:
    """Both ends of an idle TCP flow, its next event, its row and a decision take 1 KiB at most."""
    took, run = per_flow(
        lambda n: bell(SACK, 1.0, traffic=traffic, flows=n, start_s=NEVER_S, marking=RED),
        market=market,
    )
    assert run.data_packets == 0
    assert 600 < took <= 1024


@pytest.mark.parametrize("market", [rare(False), True], ids=["alone", "with-rows"])
@pytest.mark.parametrize(
    ("transport", "traffic", "link"),
    [
        pytest.param(PACED, None, {"marking": plans.red(2500, 15000)}, id="paced", marks=full),
        pytest.param(REM, None, {"marking": plans.red(2500, 15000)}, id="rem", marks=full),
        pytest.param(SACK, None, {}, id="sack-losses"),
        pytest.param(SACK, SURFING, {}, id="surfing", marks=full),
    ],
)
def test_an_active_flow_takes_two_kibibytes_at_most(transport, traffic, link, market) -> None:
    """Both ends of an active TCP flow and its row, without its packets, take 2 KiB at most."""
    took, run = per_flow(
        lambda n: bell(transport, 4.0, traffic=traffic, flows=n, buffer=2 * n, **link),
        market=market,
    )
    assert run.data_packets > 5000 * 4
    assert 600 < took <= 2048


def test_a_packet_takes_sixty_four_bytes() -> None:
    """The pool holds no more than the packets that were sent, rounded up to whole chunks."""
    chunk_packets = 1024
    run = allocations(bell(plans.udp(), 0.5, traffic=CBR, flows=1000, buffer=-1))
    chunk_bytes = run.packets_peak_bytes / run.packets_made
    assert 64 * chunk_packets <= chunk_bytes < 64 * chunk_packets + 256  # the heap's own share


def test_events_per_packet() -> None:
    """One event per packet and link, one to leave its host, and few timers.

    At most: a delivery per packet-hop begun and a departure per packet sent (its random send
    overhead). A retransmission timer has one event under way, 0.2 s ahead at least; a flow starts
    once and sends a SYN a second at most, which departs like a packet. At least: a departure and
    three deliveries of all that arrived, three deliveries of the ACK of all that is acknowledged.
    """
    duration_s, flows = 20.0, 10
    run = drive.run(plans.reference_dumbbell(duration_s))
    sent, arrived, acked = (
        int(run.reports[-1].flows[name].sum()) for name in ("sent", "delivered", "acked")
    )
    assert run.finish is not None
    timers = flows * (duration_s / 0.2 + 1)
    assert run.finish.events <= run.finish.packet_hops + sent + timers + flows * (duration_s + 2)
    assert run.finish.events >= 4 * arrived + 3 * acked


def test_a_datagram_costs_one_event_and_one_a_link() -> None:
    """Each datagram costs a departure and a delivery per link, except the last of each flow."""
    run = drive.run(bell(plans.udp(), 10.0, traffic=CBR))
    assert run.finish is not None
    sent = int(run.reports[-1].flows["sent"].sum())
    under_way = sent - run.finish.data_packets
    assert sent + 3 * run.finish.data_packets <= run.finish.events
    assert run.finish.events <= sent + 3 * run.finish.data_packets + 3 * under_way + 10
