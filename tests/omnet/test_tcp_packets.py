# SPDX-License-Identifier: Apache-2.0
"""TCP on OMNeT++: packet for packet as on the built-in engine, which is compared with theory.

Counters of all reports, windows and round trips to the last bit, transfers, and each packet's times
are compared. Other assertions check that a run contains the events that it tests.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import drive
import drive_omnet
import plans
from ecnomy.markets.bridge.messages import Decide, Report, flow_orders
from ecnomy.markets.plan import Law, Tcp
from plans import PS
from tcp_pairs import dumbbell, last_of, newreno, same

pytestmark = [
    pytest.mark.skipif(bool(drive_omnet.missing()), reason=drive_omnet.missing()),
    pytest.mark.xdist_group("omnet-tcp"),
]

RED = plans.red(5, 15)
PACED = plans.tcp(plans.wtp(2.0))
FILES = dict(
    web=Law(
        "web",
        dict(
            reading_mean_s=0.4, size=2.0, size_mean_bytes=3e4, size_min_bytes=6e3,
            size_max_bytes=1e6, size_shape=1.2, reading=0.0, patience_s=-1.0, lasting=0.0,
        ),
    ),
    on_off=Law("on-off", {"packets_mean": 40.0, "pause_mean_s": 0.5, "lasting": 0.0}),
    file=Law("file", {"size_bytes": 400_001.0}),
)  # fmt: skip


def test_every_window_law() -> None:
    """All window laws agree on one RED link, with all forms of WTP."""
    laws = {
        "increase": plans.tcp(plans.wtp(2.0)),
        "decrease": plans.tcp(plans.wtp(3.0, form=1)),
        "general": plans.tcp(Law("wtp", dict(form=2.0, gain=0.3, w_inc=2.0, w_dec=0.5))),
        "clocked": plans.tcp(plans.wtp(2.0), send="ack-clocked", min_window=1.0),
        "second": plans.tcp(plans.wtp(), initial_mark_rate=12.0),
        "fair": plans.tcp(plans.wtp(2.0), reference_rtt_ps=PS // 10),
        "sender": plans.tcp(plans.wtp_sender(2.0)),
        "down": plans.tcp(plans.wtp_sender(2.0, only_down=True)),
        "reno": plans.tcp(),
        "newreno": plans.tcp(newreno()),
        "abe": plans.tcp(Law("newreno", plans.RENO.params | {"beta_ecn": 0.8})),
        "tahoe": plans.tcp(plans.tahoe(0.7)),
        "multcp": plans.tcp(plans.multcp(3)),
        "halved": plans.tcp(plans.multcp(3, halve=True), echo="accurate"),
    }
    plan = dumbbell({n: (t, {}) for n, t in laws.items()}, 15, marking=RED, buffer=100)
    outcome = same(plan)
    for source, name in enumerate(laws):
        assert (last_of(outcome, "ece", source) > 3).all(), name


@pytest.mark.parametrize("sack", [False, True], ids=["cumulative", "selective"])
@pytest.mark.parametrize("delayed_acks", [1, 3])
def test_losses_are_repaired(sack: bool, delayed_acks: int) -> None:
    """All recoveries agree on a short drop-tail queue, with timeouts, and ECN off and on."""
    how = dict(sack=sack, delayed_acks=delayed_acks)
    laws = {
        "reno": plans.tcp(echo="off", **how),
        "newreno": plans.tcp(newreno(), echo="off", **how),
        "tahoe": plans.tcp(plans.tahoe(), echo="off", **how),
        "wtp": plans.tcp(plans.wtp(4.0), **how),
        "multcp": plans.tcp(plans.multcp(2), **how),
    }
    sources = {name: (transport, {"count": 2}) for name, transport in laws.items()}
    outcome = same(dumbbell(sources, 20, buffer=8))
    for source, name in enumerate(laws):
        assert last_of(outcome, "retransmitted", source).min() > 5, name
    assert outcome.reports[-1].flows["timeouts"].sum() > 5


def test_echo_of_every_kind() -> None:
    """Delayed ACKs with each echo, receiver windows and ECN-capable ACKs agree."""
    laws = {
        "accurate": plans.tcp(plans.wtp(2.0), delayed_acks=2),
        "latched": plans.tcp(delayed_acks=2),
        "off": plans.tcp(echo="off", delayed_acks=4, delayed_ack_ps=PS // 10),
        "narrow": plans.tcp(receiver_window=5),
        "all": plans.tcp(plans.wtp(2.0), ect="all"),
        "all-latched": plans.tcp(ect="all", sack=True),
        "three-bits": plans.tcp(plans.wtp(2.0), echo="accecn", delayed_acks=2),
    }
    sources = {name: (transport, {"count": 2}) for name, transport in laws.items()}
    for name in ("all", "all-latched"):
        sources[f"{name}-back"] = (laws[name], {"count": 2, "back": True})
    plan = dumbbell(sources, 20, marking=RED, buffer=25)
    plan.links[3] = plans.link("neck.reverse", 2, 1, 1e7, 0.02, marking=RED, buffer=25)
    outcome = same(plan.sealed())
    flows = outcome.reports[-1].flows
    assert flows["control_ce"].sum() > 20
    assert flows["retransmitted"].sum() > 20
    assert last_of(outcome, "ece", 0).min() > 20 and last_of(outcome, "ece", 1).min() > 3
    assert last_of(outcome, "cwnd", 3).max() < 20  # held back, its window does not grow


def four_of_each(laws: dict[str, Tcp], kinds: dict[str, Law]) -> dict[str, Any]:
    """Four flows of each law with each kind of files."""
    return {
        f"{kind}-{name}": (transport, {"count": 4, "traffic": traffic})
        for name, transport in laws.items()
        for kind, traffic in kinds.items()
    }


def test_files_of_all_kinds() -> None:
    """Web users, on-off flows and single files agree with marks and losses, and complete."""
    law = dict(reno=plans.tcp(), newreno=plans.tcp(newreno(), sack=True), wtp=PACED)
    sources = four_of_each(law, FILES)
    outcome = same(dumbbell(sources, 20, marking=RED, buffer=40, rate_bps=2e7))
    transfers = outcome.table("transfers")
    assert len(transfers["flow"]) > 300 and transfers["complete"].all()
    per_flow = np.bincount(
        transfers["flow"], transfers["bytes"], len(outcome.reports[-1].flows["acked"])
    )
    segments = np.bincount(transfers["flow"], np.ceil(transfers["bytes"] / 960), len(per_flow))
    single = [4 * i + j for i in (2, 5, 8) for j in range(4)]  # none of their packets is under way
    acked = outcome.reports[-1].flows["acked_bytes"]
    np.testing.assert_array_equal(acked[single], (per_flow + 40 * segments)[single])


def test_files_over_lasting_connections() -> None:
    """Files over lasting connections agree, with restarts after idle, marks and losses."""
    kept = {n: Law(f.law, f.params | {"lasting": 1.0}) for n, f in FILES.items() if n != "file"}
    law = dict(reno=plans.tcp(delayed_acks=2), newreno=plans.tcp(newreno(), sack=True), wtp=PACED)
    sources = four_of_each(law, kept)
    outcome = same(dumbbell(sources, 20, marking=RED, buffer=40, rate_bps=2e7))
    transfers = outcome.table("transfers")
    assert len(transfers["flow"]) > 300 and transfers["complete"].all()


def test_reductions_and_waits() -> None:
    """Reductions by flight or pipe, pacing by the mean RTT, and windows of one packet agree."""
    laws = {
        "flight": plans.tcp(newreno(), reduce_from="flight"),
        "pipe": plans.tcp(newreno(), sack=True, reduce_from="pipe"),
        "mean": plans.tcp(plans.wtp(), initial_mark_rate=12.0, rtt="mean"),
        "crowd": plans.tcp(newreno()),
    }
    sources = {name: (law, {"count": 30}) for name, law in laws.items()}
    same(dumbbell(sources, 15, marking=plans.red(1, 4), buffer=60))


def test_files_that_are_given_up() -> None:
    """Impatient users on a crowded link have the same files, complete or not, and packets.

    A receiver answers data that its sender has given up until the next SYN arrives, which
    the built-in engine's receivers know earlier; so here ACKs take no time to send.
    """
    impatient = Law("web", FILES["web"].params | dict(patience_s=0.7, reading_mean_s=0.1, size=1.0))
    sources = {"users": (plans.tcp(newreno(), sack=True), dict(count=25, traffic=impatient))}
    plan = dumbbell(sources, 20, buffer=25, rate_bps=2e6)
    plan.links[1] = plans.link("access.reverse", 1, 0, 1e12, 0.001)
    plan.links[3] = plans.link("neck.reverse", 2, 1, 1e12, 0.02)
    outcome = same(plan.sealed(), parts=("flows",), strays=False)
    complete = outcome.table("transfers")["complete"]
    assert 50 < complete.sum() < len(complete) - 50


def test_ten_thousand_files_in_a_row() -> None:
    """One user does not run out of ports, connections or time."""
    brisk = FILES["web"].params | dict(reading_mean_s=1e-3, size_mean_bytes=2e3, size=1.0)
    sources = {"user": (plans.tcp(), dict(traffic=Law("web", brisk), overhead_s=0.0))}
    plan = dumbbell(sources, 160, rate_bps=1e8, delay_s=1e-5, trace=False, epoch_s=40.0)
    tables = [engine.run(plan).table("transfers") for engine in (drive, drive_omnet)]
    assert len(tables[0]["flow"]) > 10_000
    for name, column in tables[0].items():
        np.testing.assert_array_equal(column, tables[1][name])


def test_sequence_numbers_wrap() -> None:
    """Sequence numbers wrap, with losses: INET's first number is 2^32 at 17179.87 s."""
    laws = {
        "selective": plans.tcp(newreno(), sack=True, echo="off"),
        "tahoe": plans.tcp(plans.tahoe(), echo="off", delayed_acks=2),
        "files": plans.tcp(),
    }
    sources = {name: (law, dict(count=3, start_s=17_179.3)) for name, law in laws.items()}
    sources["files"][1]["traffic"] = FILES["web"]
    plan = dumbbell(sources, 17_190, buffer=12, epoch_s=17_190.0)
    assert same(plan).reports[-1].flows["retransmitted"].sum() > 50


def test_traffic_that_stops_and_changes() -> None:
    """Caps and their end, daily profiles, `stop` and other header sizes agree."""
    day = plans.profile(8.0, {0: 1.0, 3: 0.25, 5: 0.0})
    capped = Law("rate-capped", {"rate_bps": 8e5, "until_s": 9.0})
    sources = {
        "capped": (PACED, dict(count=2, traffic=capped)),
        "daily": (PACED, dict(count=3, profile=day)),
        "capped-daily": (PACED, dict(count=2, traffic=capped, profile=day)),
        "files-daily": (plans.tcp(), dict(count=5, traffic=FILES["web"], profile=day)),
        "stopped": (plans.tcp(), dict(count=2, stop_s=7.5)),
        "long-headers": (plans.tcp(mss_bytes=940, header_bytes=60), {}),
        "short-headers": (plans.tcp(plans.wtp(2.0), mss_bytes=980, header_bytes=20), {}),
    }
    outcome = same(dumbbell(sources, 20, marking=RED, buffer=80))
    assert last_of(outcome, "active", 4).sum() == 0
    assert last_of(outcome, "sent_bytes", 6) == 1000 * last_of(outcome, "sent", 6)


def test_orders_are_obeyed() -> None:
    """Mark rates, caps and switches at every report agree, and caps are never exceeded."""
    sources = {
        "second": (plans.tcp(plans.wtp(), initial_mark_rate=5.0), dict(count=2)),
        "all": (plans.tcp(plans.wtp(2.0), ect="all"), dict(count=2)),
        "reno": (plans.tcp(), dict(count=2)),
        "files": (plans.tcp(), dict(count=2, traffic=FILES["web"])),
    }
    plan = dumbbell(sources, 20, marking=plans.fixed(0.04), buffer=60, epoch_s=0.5)
    mark_cap = np.array([15, -1, 30, 40, -1, 20, -1, -1])

    def decide(report: Report) -> Decide:
        turn = report.epoch % 5
        early = 1e6 if turn < 2 else -1.0
        orders = flow_orders(
            np.arange(8),
            mark_rate=[4.0 + turn, -1, 8, -1, -1, -1, -1, -1],
            rate_cap_bps=[-1, 3e5 * turn, -1, -1, early, -1, 2e5, -1],
            mark_cap=mark_cap,
            active=[1, 1, 1, 1, turn != 3, 1, 1, turn != 1],
            weight=[-1, 2.0 + turn if turn > 2 else -1, -1, -1, -1, -1, -1, -1],
        )
        return Decide(report.epoch, flows=orders)

    last = same(plan, decide).reports[-1].flows
    capped = mark_cap >= 0
    assert (last["ce"][capped] <= mark_cap[capped]).all()
    assert (last["ce"][capped] > mark_cap[capped] - 3).all()  # and they were reached
