# SPDX-License-Identifier: Apache-2.0
"""Runs on the kernel's TCP: books balance, and figures are close to the built-in engine's."""

from __future__ import annotations

from pathlib import Path

import pytest

from ecnomy.markets.session.runner import run
from ecnomy.markets.session.session import open_market
from linux_world import (
    LINK,
    MARKET,
    columns,
    facts,
    kernel_laws,
    laws_lack,
    machine_lacks,
    simulated,
)
from tiers import full

pytestmark = [
    pytest.mark.skipif(bool(machine_lacks()), reason=machine_lacks()),
    pytest.mark.xdist_group("linux"),  # two at a time would delay each other's packets
]


def test_books_close(tmp_path: Path) -> None:
    """Router and kernel count the same packets, and flows, links and pairs agree."""
    results = simulated(LINK, tmp_path)
    flows, pairs = columns(results, "flows"), columns(results, "pairs")
    links, kernel = columns(results, "links"), facts(results)
    delivered, lost, marked = sum(flows["delivered"]), sum(flows["lost"]), sum(flows["ce"])
    assert delivered > 1500
    assert 0 <= kernel["kernel_sent"] - sum(flows["sent"]) <= 40  # between a host and the router
    assert kernel["kernel_received"] == delivered
    assert kernel["kernel_received_ce"] in (0, marked) and marked > 0
    assert links["marks"][0] == pairs["marks"][0] >= marked
    inside = sum(flows["sent"]) - delivered - lost
    assert 0 <= inside <= 200


@full
@pytest.mark.parametrize("count", [1, 4, 10])
def test_reno_as_in_the_simulator(count: int, tmp_path: Path) -> None:
    """Rate, marking and queue of Reno flows agree. A single flow differs more (PRR)."""
    changes = ("duration=25 s", "warmup=5 s", f"sources.flows.count={count}")
    changes += ("network.links.link.delay=20 ms",)
    linux = columns(simulated(LINK, tmp_path, *changes), "links")
    run(tmp_path / "scenario.yaml", overrides=changes, out=tmp_path / "builtin")
    builtin = columns(tmp_path / "builtin", "links")
    rate = [table["utilization"][0] for table in (linux, builtin)]
    assert rate[0] == pytest.approx(rate[1], rel=0.12 if count == 1 else 0.03)


@full
@pytest.mark.skipif("bbr" not in kernel_laws(), reason="the kernel lacks bbr: modprobe tcp_bbr")
def test_bbr_of_the_kernel_fills_a_link(tmp_path: Path) -> None:
    """With a short buffer and no marks, BBR leaves less than a tenth of the link idle."""
    text = LINK.replace("law: reno", "law: bbr, ecn: off").replace("count: 4", "count: 1")
    links = columns(simulated(text, tmp_path, "duration=12 s", "warmup=4 s"), "links")
    assert links["utilization"][0] > 0.9


own_laws = pytest.mark.skipif(bool(laws_lack()), reason=laws_lack())


@own_laws
def test_multcp_repairs_the_losses_of_its_slow_start(tmp_path: Path) -> None:
    """RED drops retransmissions, which are not ECN-capable; the flows fill the link afterwards."""
    text = LINK.replace("law: reno", "law: multcp, flows: 4")
    results = simulated(text, tmp_path, "duration=5 s", "warmup=2 s")
    flows = columns(results, "flows")
    assert sum(flows["goodput_bps"]) > 9e6


@full
@own_laws
def test_bills_are_for_the_kernels_marks(tmp_path: Path) -> None:
    """Ledger, router and receiving sockets agree on all marks, and senders learn of each mark."""
    results = simulated(MARKET, tmp_path, "duration=12 s")
    ledger, flows = columns(results, "ledger"), columns(results, "flows")
    charged = sum(
        amount
        for amount, kind in zip(ledger["amount_micro"], ledger["kind"], strict=True)
        if kind == "marks"
    )
    marked = sum(flows["ce"])
    assert marked > 100 and charged == marked * 125_000
    assert facts(results)["kernel_received_ce"] in (0, marked)
    assert 0 <= marked - sum(flows["ece"]) <= 20  # ACKs on their way


@full
@own_laws
def test_weights_divide_the_link(tmp_path: Path) -> None:
    """WTP at 4 : 1 and MulTCP at 4 : 1 give the simulator's shares."""
    for law in ("{law: wtp, weight: 4 marks, gain: 0.1}", "{law: multcp, flows: 4}"):
        one = law.replace("4", "1", 1)
        text = LINK[: LINK.index("sources:")] + (
            "sources:\n"
            f"  - {{name: four, count: 1, from: here, to: there, transport: {law}}}\n"
            f"  - {{name: one, count: 1, from: here, to: there, transport: {one}}}\n"
        )
        changes = ("duration=25 s", "warmup=5 s", "network.links.link.delay=20 ms")
        linux = columns(simulated(text, tmp_path, *changes), "flows")["goodput_bps"]
        run(tmp_path / "scenario.yaml", overrides=changes, out=tmp_path / "builtin", force=True)
        builtin = columns(tmp_path / "builtin", "flows")["goodput_bps"]
        shares = [rates[0] / sum(rates) for rates in (linux, builtin)]
        assert shares[0] == pytest.approx(shares[1], abs=0.05) and sum(linux) > 9e6


@full
@own_laws
def test_a_price_moves_real_sockets(tmp_path: Path) -> None:
    """At four times the price, running sockets receive a quarter of the marks."""
    file = tmp_path / "market.yaml"
    file.write_text(MARKET)
    changes = ("duration=30 s",)
    with open_market(file, overrides=changes, out=tmp_path / "out", engine="linux") as market:
        while market.running:
            market.step()
            if market.t_ps == 15 * 10**12:
                market.post_price("isp", 0.5)
    flows = columns(tmp_path / "out", "flow_epochs")
    at = {8: 0.0, 15: 0.0, 22: 0.0, 30: 0.0}
    for t_ps, marks in zip(flows["t_ps"], flows["ce"], strict=True):
        if t_ps // 10**12 in at:
            at[t_ps // 10**12] += marks
    before, after = (at[15] - at[8]) / 7, (at[30] - at[22]) / 8
    assert before == pytest.approx(80, rel=0.1) and after == pytest.approx(20, rel=0.15)
