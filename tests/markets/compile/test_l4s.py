# SPDX-License-Identifier: Apache-2.0
"""L4S in scenarios: codepoints, the dual queue's keys, and what `check` warns of."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ecnomy.agents.errors import ScenarioError
from ecnomy.markets import run
from ecnomy.markets.compile.check import warnings
from ecnomy.markets.compile.make import make_plan
from ecnomy.markets.compile.summary import summary
from ecnomy.markets.plan import Plan
from ecnomy.markets.scenario import scenario_from_text

DUAL = "scheduler: {kind: dualpi2}"
RED = (
    "marking: {law: red, min_threshold: 5 packets, max_threshold: 15 packets, max_probability: 0.1}"
)


def text(queue: str, *transports: str, delay: str = "10 ms") -> str:
    """Sources s0, s1, ... over one link."""
    sources = "\n".join(
        f"  - {{name: s{i}, from: a, to: b, transport: {one}}}" for i, one in enumerate(transports)
    )
    link = f"{{name: link, from: a, to: b, rate: 100 Mbps, delay: {delay}, {queue}}}"
    head = f"version: 1\nduration: 9 s\nnetwork:\n  links:\n    - {link}\n"
    return f"{head}sources:\n{sources}\n"


def plan(queue: str, *transports: str) -> Plan:
    """The plan of these sources."""
    return make_plan(scenario_from_text(text(queue, *transports)))


def warned(queue: str, *transports: str, delay: str = "10 ms") -> list[str]:
    """The warnings of `check` on ECT(1), marks and queues."""
    scenario = scenario_from_text(text(queue, *transports, delay=delay))
    lines = warnings(scenario, make_plan(scenario))
    return [line for line in lines if "ECT(1)" in line or "L4S" in line or "no link" in line]


def test_a_source_is_in_the_class_of_its_codepoint() -> None:
    """ECT(1) senders are in the first class, all others in the second."""
    made = plan(DUAL, "{law: prague}", "{law: newreno}", "{law: wtp, codepoint: ect-1}")
    link = made.links[0]
    assert link.scheduler is not None
    assert link.scheduler.names == ["l4s", "classic"]
    assert [source.classes for source in made.sources] == [[0], [1], [0]]
    assert [source.ack_classes for source in made.sources] == [[], [], []]


def test_prague_is_paced_ect_1_in_all_its_packets() -> None:
    """Prague is paced with ECT(1) in all packets (RFC 9331 section 4), unless ECN is off."""
    (source,) = plan(DUAL, "{law: prague}").sources
    tcp = source.transport
    assert (tcp.codepoint, tcp.ect, tcp.echo, tcp.send) == ("ect-1", "all", "accurate", "paced")
    (source,) = plan(DUAL, "{law: prague, ecn: off}").sources
    assert source.transport.ect == "data"
    (source,) = plan(DUAL, "{law: dctcp}").sources
    assert (source.transport.codepoint, source.transport.ect) == ("ect-0", "data")


def test_keys_have_units_and_the_laws_defaults() -> None:
    """Times become seconds, and omitted values have the form's defaults."""
    made = plan(
        "scheduler: {kind: dualpi2, form: rfc9332, step: 800 us, target: 5 ms}", "{law: prague}"
    )
    scheduler = made.links[0].scheduler
    assert scheduler is not None
    params = scheduler.law.params
    assert (params["form"], params["step_s"], params["target_s"]) == (1, 0.0008, 0.005)
    assert (params["update_s"], params["alpha"], params["coupling"]) == (0.015, 0.15, 2)


def dual_params(**keys: str) -> dict[str, float]:
    """The parameters of a dual queue with these keys."""
    more = "".join(f", {key}: {value}" for key, value in keys.items())
    scheduler = plan(f"scheduler: {{kind: dualpi2{more}}}", "{law: prague}").links[0].scheduler
    assert scheduler is not None
    return scheduler.law.params


def test_each_form_has_the_defaults_of_its_source() -> None:
    """RFC 9332 figure 2 with RTT_max = 100 ms, and dualpi2_reset_default of sch_dualpi2.c."""
    rtt_max_s, target_s = 0.1, 0.015
    update_s = min(target_s, rtt_max_s / 3)
    figure_2 = {
        "target_s": target_s,
        "update_s": update_s,
        "alpha": 0.1 * update_s / rtt_max_s**2,
        "beta": 0.3 / rtt_max_s,
        "step_s": 800e-6,
        "ramp_s": 400e-6,
        "coupling": 2.0,
    }
    rfc_form = dual_params(form="rfc9332")
    assert {key: rfc_form[key] for key in figure_2} == pytest.approx(figure_2)
    linux = {"update_s": 0.016, "alpha": 41 / 256, "beta": 819 / 256, "step_s": 0.001}
    for params in (dual_params(), dual_params(form="linux")):
        assert {key: params[key] for key in linux} == linux
    written = dual_params(form="rfc9332", update="16 ms", alpha="0.2")
    assert (written["update_s"], written["alpha"], written["beta"]) == (0.016, 0.2, 3.0)


def test_check_says_that_a_dual_queue_goes_by_codepoint() -> None:
    """A link whose packets are sorted by their ECN field is not a link with classes of sources."""
    scenario = scenario_from_text(text(DUAL, "{law: prague}"))
    assert "  by codepoint: link" in summary(scenario, make_plan(scenario))


@pytest.mark.parametrize(
    ("key", "refused"),
    [
        ("coupling", ("0.0001", "1e4")),
        ("alpha", ("-1", "1e7")),
        ("classic_share", ("-0.1", "1.1")),
        ("step_at_least", ("-1", "10000000000", "1.5")),
        ("target", ("0.1 us", "2000 s")),
        ("ramp", ("0.1 ns", "2000 s")),
        ("mtu", ("10 bytes", "2000000 bytes", "99.5 bytes")),
    ],
)
def test_the_bounds_of_a_message_are_accepted(key: str, refused: tuple[str, ...]) -> None:
    """The least or largest value that a refusal names is accepted."""
    for value in refused:
        with pytest.raises(ScenarioError) as error:
            dual_params(**{key: value})
        said = str(error.value).partition("expected ")[2].replace(",", "")
        assert ("whole" in said) == (key == "step_at_least" or ".5 " in value), said
        bounds = re.findall(r"(?:from|to|at least|at most) ([0-9.e+-]+(?: (?!to)[A-Za-z]+)?)", said)
        for bound in bounds:
            dual_params(**{key: bound})
        assert bounds or ".5 " in value, said


TUNED = """
market:
  price_per_mark: 0.01 money
  agents:
    - {name: isp, role: connectivity-provider, strategy: {kind: tuned-marking, target: 0.8LINK}}
"""


@pytest.mark.parametrize(
    ("queue", "link", "found"),
    [
        (DUAL, ", link: link", "'link' with dualpi2"),
        (DUAL, "", "no link; the law of 'link' is dualpi2"),
        ("not_ect: drop", ", link: link", "'link' with drop-tail"),
        ("not_ect: drop", "", "no link; the law of 'link' is drop-tail"),
    ],
)
def test_check_refuses_to_tune_a_queue_without_a_marking_law(
    queue: str, link: str, found: str
) -> None:
    """The refusal is one line, before the run."""
    whole = text(queue, "{law: prague}") + TUNED.replace("LINK", link)
    with pytest.raises(ScenarioError) as error:
        make_plan(scenario_from_text(whole))
    assert f"market.agents[0].strategy.link: found {found}, expected a link" in str(error.value)
    assert "load-based, red, virtual-queue" in str(error.value)


def test_a_marking_law_can_be_tuned_beside_a_dual_queue() -> None:
    """The law can be tuned if the strategy names its link, or knows the law."""
    red = text(RED, "{law: prague}")
    for link in ("", ", link: link"):
        make_plan(scenario_from_text(red + TUNED.replace("LINK", link)))


@pytest.mark.parametrize(
    ("queue", "place", "expected"),
    [
        ("scheduler: {kind: dualpi2, form: docsis}", "scheduler.form", "one of linux, rfc9332"),
        ("scheduler: {kind: dualpi2, step: 1}", "scheduler.step", "such as 1 ms"),
        ("scheduler: {kind: dualpi2, classes: []}", "scheduler.classes", "form"),
        (f"{DUAL}, {RED}", "marking", "no marking law, because dualpi2 marks by itself"),
        (f"{DUAL}, not_ect: pass", "not_ect", "drop, because dualpi2 drops"),
    ],
)
def test_a_fault_is_named_with_its_place(queue: str, place: str, expected: str) -> None:
    """A fault gives one line with file, place, and the values found and expected."""
    with pytest.raises(ScenarioError) as error:
        plan(queue, "{law: prague}")
    assert place in str(error.value)
    assert expected in str(error.value)


def test_check_warns_of_senders_that_do_not_answer_l4s_marks() -> None:
    """Reno on ECT(1) starves, DCTCP and BBR are for data centres; Prague, WTP and CUBIC pass."""
    assert warned(DUAL, "{law: prague}", "{law: wtp, codepoint: ect-1}", "{law: cubic}") == []
    (line,) = warned(DUAL, "{law: newreno, codepoint: ect-1}")
    assert line.startswith("source s0: newreno sends ECT(1), but answers at most one mark")
    (line,) = warned(DUAL, "{law: prague, ecn: rfc3168}")
    assert "Use 'ecn: accurate'" in line
    (line,) = warned(DUAL, "{law: wtp}")
    assert line.startswith("source s0: wtp sends ECT(0), so link link marks it as classic traffic")
    (line,) = warned(DUAL, "{law: dctcp, codepoint: ect-1}")
    assert "round trip of 20.1 ms" in line
    assert warned(DUAL, "{law: dctcp, codepoint: ect-1}", delay="100 us") == []
    (line,) = warned(DUAL, "{law: bbr, codepoint: ect-1}")
    assert "bbr sends ECT(1) over a round trip of 20.1 ms. Outside a data centre" in line
    (line,) = warned(DUAL, "{law: bbr}")
    assert "bbr ignores marks over a round trip of 20.1 ms. Use 'ecn: off'" in line
    assert warned(RED, "{law: bbr}") == [line], "in any queue that marks"
    (line,) = warned(DUAL, "{law: bbr, ecn_max_rtt: 25 ms}")
    assert "bbr sends ECT(0)" in line, "a bound above the round trip: it answers marks"
    assert warned("not_ect: drop", "{law: bbr}") == [], "and in no other"
    assert warned(DUAL, "{law: bbr, codepoint: ect-1}", delay="1 ms") == []
    (line,) = warned(RED, "{law: bbr1}", delay="1 us")
    assert "bbr1 ignores marks over a round trip" in line, "version 1 does on any path"


def test_scream_sends_the_codepoint_of_its_response_to_marks() -> None:
    """SCReAM is L4S traffic, or classic with `marks: classic`; check warns of the mixed forms."""
    assert warned(DUAL, "{law: scream}", "{law: scream, marks: classic}") == []
    (line,) = warned(DUAL, "{law: scream, marks: classic, codepoint: ect-1}")
    assert line.startswith("source s0: scream sends ECT(1), but answers at most one mark")
    (line,) = warned(DUAL, "{law: scream, codepoint: ect-0}")
    assert line.startswith("source s0: scream sends ECT(0), so link link marks it as classic")
    (line,) = warned(RED, "{law: scream}", "{law: newreno}")
    assert "s0 (L4S) and s1 (classic) share one marking queue" in line
    assert warned(RED, "{law: scream, marks: classic}", "{law: newreno}") == []


def test_check_warns_of_l4s_and_classic_flows_in_one_marking_queue() -> None:
    """There is no warning if the queue only drops, or if no flow is classic."""
    (line,) = warned(RED, "{law: prague}", "{law: cubic}")
    assert line.startswith("link link: s0 (L4S) and s1 (classic) share one marking queue")
    assert line.endswith("or prague with 'fallback: true'")
    assert warned(RED, "{law: prague, fallback: true}", "{law: cubic}") == []
    assert warned("not_ect: drop", "{law: prague}", "{law: cubic}") == []
    assert warned(RED, "{law: prague}", "{law: wtp}") == []
    assert warned(RED, "{law: wtp}", "{law: cubic}") == []
    (line,) = warned(RED, "{law: wtp, codepoint: ect-1}", "{law: cubic}")
    assert "s0 (L4S) and s1 (classic)" in line


def test_check_warns_of_a_second_price_without_marks() -> None:
    """A ratio of prices is meaningful only if both kinds of packets exist and are marked."""
    agents = "[{name: isp, role: connectivity-provider}]"
    market = f"market: {{price_per_mark: 1 money, classic_price_ratio: 30, agents: {agents}}}\n"
    reno, prague = "{law: reno, ecn: rfc3168}", "{law: prague}"
    one = "market: classic_price_ratio is 30, but all marked packets are "
    for transports, said in (
        ((reno, prague), ""),
        ((reno, reno), f"{one}ECT(0)"),
        (("{law: reno, ecn: off}", prague), f"{one}ECT(1)"),
    ):
        scenario = scenario_from_text(text("scheduler: {kind: dualpi2}", *transports) + market)
        lines = [line for line in warnings(scenario, make_plan(scenario)) if line.startswith(one)]
        assert [line.partition(";")[0] for line in lines] == ([said] if said else [])


def test_check_warns_of_what_a_dual_queue_ignores_or_drops() -> None:
    """`check` warns of a source's `class`, and of packets that cannot be marked."""
    lines = text(DUAL, "{law: prague, ecn: off}").replace("s0,", "s0, class: gold,")
    scenario = scenario_from_text(lines)
    made = make_plan(scenario)
    assert made.sources[0].classes == [1]
    advice = warnings(scenario, made)
    assert any("s0: 'class' has no effect" in line for line in advice)
    assert any("s0: its packets are not ECN-capable, so link link drops" in line for line in advice)


def test_tables_and_series_are_by_codepoint(tmp_path: Path) -> None:
    """Each flow has the ECN field that its data are sent with, and quantities sum over it."""
    scenario = scenario_from_text(
        text(
            RED,
            "{law: wtp, codepoint: ect-1}",
            "{law: wtp}",
            "{law: reno, ecn: rfc3168}",
            "{law: reno, ecn: off, ect: data}",
            "{law: udp, payload: 1000 bytes}",
        ).replace(
            "payload: 1000 bytes}", "payload: 1000 bytes}, traffic: {kind: cbr, rate: 1 Mbps}"
        )
    )
    result = run(scenario, out=tmp_path / "run")
    fields = ["ect-1", "ect-0", "ect-0", "not-ect", "not-ect"]
    assert result.raw.flows["codepoint"].tolist() == fields
    assert result.flows["codepoint"].tolist() == fields
    for what in ("marks", "lost"):
        by_source = result.timeseries(what, by="source")
        by_field = result.timeseries(what, by="codepoint")
        assert list(by_field) == ["ect-1", "ect-0", "not-ect"]
        assert by_field["ect-1"].tolist() == by_source["s0"].tolist()
        assert by_field["ect-0"].to_numpy() == pytest.approx(by_source[["s1", "s2"]].sum(axis=1))
        assert by_field["not-ect"].to_numpy() == pytest.approx(by_source[["s3", "s4"]].sum(axis=1))
    assert result.timeseries("marks", by="codepoint")["not-ect"].sum() == 0
    assert result.timeseries("marks", by="codepoint")["ect-1"].sum() > 0
    assert result.timeseries("lost", by="codepoint")["not-ect"].sum() > 0
