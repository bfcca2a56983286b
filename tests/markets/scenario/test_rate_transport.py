# SPDX-License-Identifier: Apache-2.0
"""`transport: {law: rem | primal | vegas}`: values reach the plan, each fault is one line."""

from __future__ import annotations

import json

import pytest

from ecnomy.agents.errors import ScenarioError
from ecnomy.markets.compile.make import make_plan
from ecnomy.markets.plan import Tcp
from ecnomy.markets.scenario import scenario_from_text

REM = "law: rem, weight: 12 packets/ms, phi: 1.4, max_rate: 24 packets/ms"


def scenario(transport: str):  # type: ignore[no-untyped-def]
    """One source over one link."""
    return scenario_from_text(
        "version: 1\nduration: 10 s\nnetwork: {links: [{name: l, from: a, to: b, rate: 8 Mbps}]}\n"
        f"sources: [{{name: s, from: a, to: b, transport: {{{transport}}}}}]\n"
    )


def planned(transport: str) -> Tcp:
    """The plan of the transport."""
    tcp = make_plan(scenario(transport)).sources[0].transport
    assert isinstance(tcp, Tcp)
    return tcp


def test_rem_reaches_the_plan() -> None:
    """REM's rates are in packets/s and errors in seconds. It is ACK-clocked, without slow start."""
    tcp = planned(
        REM + ", min_rate: 0.1 packets/ms, utility: quadratic, smoothed: fraction, step: 0.2,"
        " samples: 64, initial_fraction: 0.5, rtt_weight: 0.02, rtt_error: -1 ms,"
        " rtt_error_std: 1 ms"
    )
    assert (tcp.send, tcp.echo, tcp.slow_start, tcp.min_window) == (
        "ack-clocked",
        "accurate",
        False,
        1.0,
    )
    assert tcp.window.law == "rem" and tcp.window.params == dict(
        utility=1.0, w=12e3, phi=1.4, min_rate=100.0, max_rate=24e3, samples=64.0,
        initial_fraction=0.5, rtt_weight=0.02, smoothed=2.0, step=0.2, rtt_error_s=-0.001,
        rtt_error_std_s=0.001,
    )  # fmt: skip
    assert tcp.initial_mark_rate == -1.0


def test_a_mark_rate_takes_the_place_of_a_weight() -> None:
    """The two laws that receive every mark accept a target in marks per second."""
    rem = planned("law: rem, mark_rate: 20 marks/s, phi: 1.4, max_rate: 24 packets/ms")
    assert rem.initial_mark_rate == 20.0
    primal = planned("law: primal, mark_rate: 30 marks/s")
    assert primal.initial_mark_rate == 30.0
    assert make_plan(scenario(REM)).sources[0].weighted


def test_primal_reaches_the_plan() -> None:
    """Primal control is paced, with its weight in marks/s, and gain and rates in packets/s."""
    tcp = planned("law: primal, weight: 36 marks/s, kappa: 2 packets/s, max_rate: 1 packets/ms")
    assert (tcp.send, tcp.echo, tcp.min_window) == ("paced", "accurate", 1 / 64)
    assert tcp.window.law == "primal" and tcp.window.params == dict(
        w=36.0, kappa=2.0, initial_rate=10.0, min_rate=0.1, max_rate=1000.0
    )


def test_vegas_reaches_the_plan() -> None:
    """Vegas has thresholds in packets, and is otherwise like ordinary TCP."""
    tcp = planned("law: vegas, alpha: 2 packets, beta: 4, gamma: 1.5, decrease: 0.5")
    assert (tcp.send, tcp.echo, tcp.slow_start) == ("ack-clocked", "rfc3168", True)
    assert tcp.window.law == "vegas" and tcp.window.params == dict(
        alpha=2.0, beta=4.0, gamma=1.5, decrease=0.5, min_ssthresh=2.0
    )


@pytest.mark.parametrize(
    ("options", "path", "expected"),
    [
        ("law: rem, weight: 12 packets/ms, max_rate: 24 packets/ms", "phi", "phi"),
        ("law: rem, weight: 12 packets/ms, phi: 1.4", "max_rate", "max_rate"),
        ("law: rem, phi: 1.4, max_rate: 24 packets/ms", "weight", "one of them"),
        (REM + ", mark_rate: 3 marks/s", "weight", "one of them"),
        (REM + ", min_rate: 25 packets/ms", "max_rate", "at least min_rate"),
        (REM + ", samples: 129", "samples", "1 to 128"),
        (REM + ", samples: 10.5", "samples", "1 to 128"),
        (REM + ", smoothed: twice", "smoothed", "off, unit, fraction"),
        (REM + ", ecn: rfc3168", "ecn", "accurate"),
        (REM + ", send: paced", "send", "ack-clocked"),
        (REM + ", slow_start: true", "slow_start", "off"),
        (REM + ", rtt_error_std: -1 ms", "rtt_error_std", "a time"),
        ("law: rem, weight: 12 marks, phi: 1.4, max_rate: 9 packets/s", "weight", "a rate"),
        ("law: primal, weight: 4 marks", "weight", "a rate"),
        ("law: primal, weight: 4 marks/s, mark_rate: 4 marks/s", "mark_rate", "one of them"),
        ("law: primal, send: ack-clocked", "send", "paced"),
        ("law: primal, max_rate: 0.01 packets/s", "max_rate", "at least min_rate"),
        ("law: vegas, alpha: 4, beta: 3", "beta", "at least alpha"),
        ("law: vegas, decrease: 1.5", "decrease", "0.01 to 0.99"),
    ],
)
def test_faults(options: str, path: str, expected: str) -> None:
    """One line gives the key, the value found and the values expected."""
    with pytest.raises(ScenarioError) as caught:
        make_plan(scenario(options))
    assert "\n" not in str(caught.value)
    assert path in str(caught.value) and expected in str(caught.value)


@pytest.mark.parametrize("transport", [REM, "law: primal", "law: vegas"])
def test_the_manifest_reloads(transport: str) -> None:
    """The transport in a run's manifest reproduces the same plan."""
    written = scenario(transport)
    again = scenario_from_text(json.dumps(written.resolved()))
    assert make_plan(again).to_json() == make_plan(written).to_json()
