# SPDX-License-Identifier: Apache-2.0
"""SACK, delayed ACKs, receiver window, ect and the reference RTT: from YAML to the Plan."""

from __future__ import annotations

import json

import pytest

from ecnomy.agents.errors import ScenarioError
from ecnomy.markets.compile.make import make_plan
from ecnomy.markets.plan import Tcp
from ecnomy.markets.scenario import scenario_from_text

KEYS = (
    "ect", "sack", "delayed_acks", "delayed_ack_ps", "receiver_window", "reference_rtt_ps",
)  # fmt: skip
PLAIN = ("data", False, 1, 4 * 10**10, -1, -1)


def scenario(transport: str):  # type: ignore[no-untyped-def]
    """One source over one link."""
    return scenario_from_text(
        "version: 1\nduration: 10 s\nnetwork: {links: [{name: l, from: a, to: b, rate: 8 Mbps}]}\n"
        f"sources: [{{name: s, from: a, to: b, transport: {{{transport}}}}}]\n"
    )


def planned(transport: str) -> tuple[object, ...]:
    """The plan's values of these options."""
    tcp = make_plan(scenario(transport)).sources[0].transport
    assert isinstance(tcp, Tcp)
    return tuple(getattr(tcp, key) for key in KEYS)


@pytest.mark.parametrize(
    "law",
    [
        "wtp",
        "wtp-sender",
        "reno",
        "newreno",
        "tahoe",
        "multcp, flows: 2",
        "vegas",
        "cubic",
        "dctcp",
        "bbr",
        "bbr1",
        "primal",
    ],
)
def test_all_is_off_by_default(law: str) -> None:
    """Without options, plans are as before, whatever the law."""
    assert planned(f"law: {law}") == PLAIN


def test_rem_sources_send_ecn_capable_packets_only() -> None:
    """REM's estimate of the price needs packets that can be marked; `ect: data` is possible."""
    rem = "law: rem, weight: 12 packets/ms, phi: 1.4, max_rate: 24 packets/ms"
    assert planned(rem) == ("all", *PLAIN[1:])
    assert planned(f"{rem}, ect: data") == PLAIN


@pytest.mark.parametrize(
    ("options", "key", "value"),
    [
        ("sack: true", "sack", True),
        ("delayed_acks: 2 packets", "delayed_acks", 2),
        ("delayed_acks: off", "delayed_acks", 1),
        ("delayed_ack_time: 100 ms", "delayed_ack_ps", 10**11),
        ("receiver_window: 64 packets", "receiver_window", 64),
        ("receiver_window: 64 kB, mss: 1000 bytes", "receiver_window", 64),
        ("receiver_window: 100 bytes", "receiver_window", 1),
        ("receiver_window: unlimited", "receiver_window", -1),
        ("ect: all", "ect", "all"),
    ],
)
@pytest.mark.parametrize("law", ["wtp", "newreno"])
def test_options_reach_the_plan(law: str, options: str, key: str, value: object) -> None:
    """Each option in its unit, as the engine reads it; sizes in bytes hold whole segments."""
    by_key = dict(zip(KEYS, planned(f"law: {law}, {options}"), strict=True))
    assert by_key == dict(zip(KEYS, PLAIN, strict=True)) | {key: value}


@pytest.mark.parametrize("law", ["wtp", "wtp-sender"])
def test_the_reference_round_trip_of_weighted_laws(law: str) -> None:
    """`reference_rtt` is a time; only laws with a weight accept it."""
    assert planned(f"law: {law}, reference_rtt: 200 ms")[-1] == 2 * 10**11
    assert planned(f"law: {law}, reference_rtt: none")[-1] == -1


@pytest.mark.parametrize(
    ("options", "path", "expected"),
    [
        ("law: reno, reference_rtt: 200 ms", "reference_rtt", "one of"),
        ("law: wtp, reference_rtt: 0 ms", "reference_rtt", "a round-trip time"),
        ("law: wtp, ect: some", "ect", "data, all"),
        ("law: wtp, ecn: off, ect: all", "ect", "'data', or ecn"),
        ("law: reno, delayed_acks: 0 packets", "delayed_acks", "at least 1"),
        ("law: reno, delayed_acks: 1.5 packets", "delayed_acks", "whole"),
        ("law: reno, delayed_ack_time: 600 ms", "delayed_ack_time", "at most 500 ms"),
        ("law: reno, delayed_acks: 2, delayed_ack_time: 300 ms", "delayed_ack_time", "min_rto"),
        ("law: reno, receiver_window: 0 packets", "receiver_window", "at least 1"),
        ("law: reno, sack: maybe", "sack", "true or false"),
    ],
)
def test_faults_of_options(options: str, path: str, expected: str) -> None:
    """One line gives the key, the value found and the values expected."""
    with pytest.raises(ScenarioError) as caught:
        make_plan(scenario(options))
    assert "\n" not in str(caught.value)
    assert path in str(caught.value) and expected in caught.value.expected


def test_the_manifest_reloads_with_options() -> None:
    """The transport in a run's manifest reproduces the same plan."""
    written = scenario(
        "law: wtp, sack: true, delayed_acks: 2, receiver_window: 64 packets, ect: all,"
        " reference_rtt: 200 ms"
    )
    again = scenario_from_text(json.dumps(written.resolved()))
    assert make_plan(again).to_json() == make_plan(written).to_json()
