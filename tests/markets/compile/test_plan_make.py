# SPDX-License-Identifier: Apache-2.0
"""Plans have integers, paths and laws as numbers, and the same bytes each time."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from ecnomy.markets.compile.make import make_plan
from ecnomy.markets.plan import Link, Plan, Source, Tcp, Udp
from ecnomy.markets.scenario import load, scenario_from_text
from processes import LIMIT_S

ROOT = Path(__file__).parents[3]
SAMPLE = ROOT / "configs" / "examples" / "sample.yaml"


def plan_of(links: str, sources: str, rest: str = "") -> Plan:
    """The plan of links and sources in YAML's flow style."""
    text = (
        f"version: 1\nduration: 10 s\nnetwork: {{links: [{links}]}}\nsources: [{sources}]\n{rest}"
    )
    return make_plan(scenario_from_text(text))


def a_source(traffic: str, transport: str, rest: str = "") -> Source:
    """The only source of a plan over one link."""
    link = "{name: l, from: a, to: b, rate: 8 Mbps, framing: 20 bytes}"
    source = f"{{name: s, from: a, to: b, traffic: {traffic}, transport: {transport} {rest}}}"
    return plan_of(link, source).sources[0]


def a_link(link: str) -> list[Link]:
    """The directions of a link whose name and ends are given."""
    source = "{name: s, from: a, to: b, traffic: {kind: cbr, rate: 1 Mbps}, transport: {law: udp}}"
    return plan_of(f"{{name: l, from: a, to: b, {link}}}", source).links


def test_the_sample_plan() -> None:
    """The sample scenario resolves to the numbers computed by hand."""
    plan = make_plan(load(SAMPLE))
    assert (plan.duration_ps, plan.warmup_ps, plan.epoch_ps) == (120 * 10**12, 20 * 10**12, 10**12)
    assert plan.nodes == ["provider", "edge", "town"]
    assert [link.name for link in plan.links] == [
        "access",
        "access.reverse",
        "bottleneck",
        "bottleneck.reverse",
    ]
    bottleneck = plan.links[2]
    assert (bottleneck.rate_bps, bottleneck.delay_ps) == (10**7, 18 * 10**9)
    assert (bottleneck.buffer_packets, bottleneck.buffer_bytes) == (60, -1)
    assert bottleneck.marking.params["max_threshold"] == 15.0
    assert plan.links[3].marking.law == "drop-tail"
    assert plan.record.delay_thresholds_ps == [15 * 10**9]
    assert plan.record.every_ps == 10**11
    gold, _, background = plan.sources
    assert (gold.path, gold.ack_path) == ([0, 2], [3, 1])
    assert gold.send_overhead_ps == 1500 * 8 * 10**12 // 10**7
    assert isinstance(background.transport, Tcp)
    assert background.transport.window.law == "newreno"
    assert background.start.at_ps == 60 * 10**12
    assert len(plan.flow_names()) == 24


def test_plans_are_the_same_bytes_in_another_process() -> None:
    """Nothing of a plan depends on hashing, on the process or on the time."""
    code = (
        "import sys; from ecnomy.markets.scenario import load; "
        "from ecnomy.markets.compile.make import make_plan; "
        f"sys.stdout.buffer.write(make_plan(load({str(SAMPLE)!r})).to_json())"
    )
    runs = [
        subprocess.run(
            [sys.executable, "-c", code], capture_output=True, check=True, timeout=LIMIT_S
        )
    ] * 2
    assert {run.stdout for run in runs} == {make_plan(load(SAMPLE)).to_json()}


def test_the_digest_is_that_of_the_plan_without_it() -> None:
    """The digest seals the canonical JSON, and another seed has another one."""
    plan = make_plan(load(SAMPLE))
    bare = msgspec.structs.replace(plan, digest="")
    assert plan.digest == hashlib.sha256(bare.to_json()).hexdigest()
    assert make_plan(load(SAMPLE, seed=8)).digest != plan.digest
    assert msgspec.json.decode(plan.to_json(), type=Plan) == plan


def test_adding_a_source_leaves_the_others_alone() -> None:
    """A source's part of the plan does not depend on other sources."""
    link = "{name: l, from: a, to: b, rate: 1 Mbps}"
    one = "{name: one, from: a, to: b, transport: {law: reno}}"
    two = "{name: two, from: b, to: a, transport: {law: wtp}}"
    assert plan_of(link, f"{two}, {one}").sources[1] == plan_of(link, one).sources[0]


def test_paths_have_fewest_links_then_least_delay() -> None:
    """A slow direct link wins over two fast ones; of two direct ones the shorter wins."""
    links = (
        "{name: far, from: a, to: b, rate: 1 Mbps, delay: 9 s},"
        "{name: x, from: a, to: m, rate: 1 Mbps}, {name: y, from: m, to: b, rate: 1 Mbps},"
        "{name: near, from: a, to: b, rate: 1 Mbps, delay: 8 s},"
        "{name: same, from: a, to: b, rate: 1 Mbps, delay: 8 s}"
    )
    plan = plan_of(links, "{name: s, from: a, to: b, transport: {law: reno}}")
    names = [link.name for link in plan.links]
    assert [names[link] for link in plan.sources[0].path] == ["near"]
    assert [names[link] for link in plan.sources[0].ack_path] == ["near.reverse"]


def test_reverse_direction_has_values_of_its_own() -> None:
    """The reverse of a duplex link equals the forward one, except its marking and overrides."""
    forward, backward = a_link(
        "rate: 1 Mbps, delay: 2 ms, framing: 8 bytes, buffer: 9 kB, not_ect: pass, "
        "marking: {law: fixed, probability: 1}, reverse: {rate: 64 kbps, delay: 0 s}"
    )
    assert (forward.buffer_packets, forward.buffer_bytes) == (-1, 9000)
    assert (backward.rate_bps, backward.delay_ps, backward.framing_bytes) == (64_000, 0, 8)
    assert (backward.buffer_bytes, backward.not_ect) == (9000, "pass")
    assert (backward.source, backward.target) == (forward.target, forward.source)
    assert backward.marking.law == "drop-tail"
    assert forward.stream != backward.stream
    assert len(a_link("rate: 1 Mbps, duplex: false")) == 1
    assert a_link("rate: 1 Mbps, buffer: unlimited")[0].buffer_packets == -1
    assert a_link("rate: 1 Mbps")[0].buffer_packets == 1000


def test_virtual_queue_takes_the_buffer_of_its_link() -> None:
    """A virtual queue without its own buffer has its link's, with bytes as mean packets."""
    queue = "marking: {law: virtual-queue, mean_packet: 500 bytes"
    links = (
        a_link(f"rate: 1 Mbps, buffer: 30 packets, {queue}}}"),
        a_link(f"rate: 1 Mbps, buffer: 30 kB, {queue}}}"),
        a_link(f"rate: 1 Mbps, buffer: 30 packets, {queue}, buffer: 12 packets}}"),
    )
    assert [link[0].marking.params["buffer_packets"] for link in links] == [30, 60, 12]


def test_virtual_queue_is_served_as_written() -> None:
    """The virtual queue is a fluid unless `service: packet` is written."""
    for written, service in (("", 0), (", service: fluid", 0), (", service: packet", 1)):
        link = a_link(f"rate: 1 Mbps, marking: {{law: virtual-queue{written}}}")[0]
        assert link.marking.params["service"] == service


def test_red_thresholds_in_bytes() -> None:
    """The unit of the thresholds is that of the law."""
    red = (
        "marking: {law: red, min_threshold: 5 kB, max_threshold: 15 kB, limit: 60 kB, wait: false}"
    )
    params = a_link(f"rate: 1 Mbps, {red}")[0].marking.params
    assert (params["unit"], params["limit"], params["wait"]) == (1.0, 60_000.0, 0.0)


@pytest.mark.parametrize(
    ("transport", "form", "w_inc", "w_dec"),
    [
        ("{law: wtp, weight: 4 marks}", 0, 4, 1),
        ("{law: wtp, form: inverse-decrease, weight: 4}", 1, 1, 4),
        ("{law: wtp, form: general, w_inc: 2, w_dec: 3}", 2, 2, 3),
        ("{law: wtp, mark_rate: 36 marks/s}", 0, 1, 1),
    ],
)
def test_forms_of_wtp(transport: str, form: int, w_inc: float, w_dec: float) -> None:
    """The weight is the increase of one form and the decrease of the other."""
    tcp = a_source("{kind: greedy}", transport).transport
    assert isinstance(tcp, Tcp)
    params = tcp.window.params
    assert (params["form"], params["w_inc"], params["w_dec"]) == (form, w_inc, w_dec)
    assert tcp.initial_mark_rate == (36 if "mark_rate" in transport else -1)


def test_traffic_in_numbers() -> None:
    """Rates of datagrams become gaps between IP packets."""
    udp = "{law: udp, payload: 972 bytes, ecn: on}"
    cbr = a_source("{kind: cbr, rate: 80 kbps, phase: tick}", udp)
    assert cbr.traffic.params == {"interval_s": 0.1, "random_phase": 0.0}
    assert cbr.transport == Udp(payload_bytes=972, header_bytes=28, ect=True)
    assert a_source("{kind: cbr, interval: 20 ms}", udp).traffic.params["interval_s"] == 0.02
    poisson = a_source("{kind: poisson, rate: 80 kbps}", udp)
    assert poisson.traffic.params == {"mean_interval_s": 0.1}
    assert a_source("{kind: poisson, rate: 4 packets/s}", udp).traffic.params == {
        "mean_interval_s": 0.25
    }
    capped = a_source("{kind: rate-capped, rate: 0.5 Mbps, until: 60 s}", "{law: wtp}")
    assert capped.traffic.params == {"rate_bps": 500_000.0, "until_s": 60.0}
    capped = a_source("{kind: rate-capped, rate: 0.5 Mbps}", "{law: wtp}")
    assert capped.traffic.params["until_s"] == -1.0


@pytest.mark.parametrize(
    ("overhead", "ps"), [("auto", 1520 * 10**6), ("none", 0), ("2 us", 2 * 10**6)]
)
def test_send_overhead(overhead: str, ps: int) -> None:
    """The send overhead `auto` is the time of a full packet with framing on the slowest link."""
    source = a_source("{kind: greedy}", "{law: reno}", f", send_overhead: {overhead}")
    assert source.send_overhead_ps == ps
