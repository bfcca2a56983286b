# SPDX-License-Identifier: Apache-2.0
"""The warnings of `check`, and its summary."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from ecnomy.markets.compile.check import warnings
from ecnomy.markets.compile.make import make_plan
from ecnomy.markets.compile.summary import summary
from ecnomy.markets.compile.target_marks import largest_probability
from ecnomy.markets.scenario import Scenario, load, scenario_from_text
from processes import LIMIT_S

EXAMPLES = Path(__file__).parents[3] / "configs" / "examples"
TEXT = """\
version: 1
duration: 10 s
network:
  links:
    - {name: pipe, from: a, to: b, rate: 12 Mbps, marking: {law: fixed, probability: 0.1}}
sources:
  - {name: s, from: a, to: b, transport: {law: wtp}}
"""


def warned(scenario: Scenario) -> list[str]:
    """The warnings of a scenario."""
    return warnings(scenario, make_plan(scenario))


def test_losses_are_no_matter_where_windows_survive_them() -> None:
    """A loss in a million packets, or with a law without a weight, causes no warning either."""
    for change in ("repair: false", "law: newreno"):
        text = TEXT.replace("{law: wtp}", f"{{law: wtp, {change}}}".replace("law: wtp, law", "law"))
        assert not warned(scenario_from_text(text, overrides=["network.links.pipe.loss=0.001"]))
    assert not warned(scenario_from_text(TEXT, overrides=["network.links.pipe.loss=0.000001"]))


@pytest.mark.parametrize(
    ("options", "loss", "part"),
    [
        ("ecn: accecn, delayed_acks: 7 packets", "0.05", ""),
        ("ecn: accecn, delayed_acks: 8 packets", "0", "an ACK may answer 8 packets, but with"),
        ("ecn: accecn", "0.1", "link pipe.reverse loses 0.1 of its packets, but with"),
        ("ecn: accurate, delayed_acks: 8 packets", "0.1", ""),
    ],
)
def test_three_bits_that_may_wrap(options: str, loss: str, part: str) -> None:
    """`check` warns if ACKs answer many packets or are lost; an exact count does not wrap."""
    text = TEXT.replace("law: wtp", f"law: wtp, {options}")
    lines = warned(scenario_from_text(text, overrides=[f"network.links.pipe.reverse.loss={loss}"]))
    assert [part in line for line in lines] == [True] * bool(part)


def test_the_sample_asks_for_more_marks_than_its_law_gives() -> None:
    """At 0.002 money a mark, 10 money/s ask for 5000 marks/s; 833 packets/s at 0.1 give 83."""
    (only,) = warned(load(EXAMPLES / "sample.yaml"))
    assert "link bottleneck: the flows of gold, silver ask for 5000 marks/s" in only
    assert "give 83.33 marks/s" in only


@pytest.mark.parametrize("name", ["gold-silver", "qos-knob"])
def test_the_other_examples_are_above_doubt(name: str) -> None:
    """The first examples a newcomer sees bring no warning."""
    assert warned(load(EXAMPLES / f"{name}.yaml")) == []


@pytest.mark.parametrize(
    ("override", "part"),
    [
        ("sources.s.transport.mark_rate=101 marks/s", "s ask for 101 marks/s in total"),
        ("network.links.pipe.marking={law: drop-tail}", "no link on its path marks"),
        ("sources.s.transport.ecn=off", "not ECN-capable, so link pipe drops them"),
        (
            "network.links.pipe.marking={law: virtual-queue, buffer: 1 packet}",
            "the virtual queue holds 950 bytes",
        ),
        ("network.links.pipe.loss=0.001", "s may take fewer marks than they pay for"),
        (
            "network.links.pipe.reordering={probability: 0.01, delay: 50 ms}",
            "delivers 0.01 of its packets 50 ms late",
        ),
        (
            "network.links.pipe.delay_profile={period: 5 s, steps: {0 s: 50 ms, 2 s: 0 ms}}",
            "the delay falls by up to 50 ms at once",
        ),
        (
            "network.links.pipe.delay_profile={period: 5 s, steps: {0 s: 0 ms, 2 s: 40 ms}}",
            "the delay falls by up to 40 ms at once",
        ),
        ("sources.s.start=11 s", "starts after the end of the run"),
        ("sources.s.stop=0 s", "stops before it starts"),
    ],
)
def test_doubts(override: str, part: str) -> None:
    """Each change to a sound scenario causes exactly one warning."""
    assert warned(scenario_from_text(TEXT)) == []
    (only,) = warned(scenario_from_text(TEXT, overrides=[override]))
    assert part in only


@pytest.mark.parametrize("steps", ["{0 s: 0 ms, 2 s: 50 ms}", "{0 s: 2 ms, 15 s: 0 ms}"])
def test_a_delay_that_does_not_fall_in_the_run_is_no_doubt(steps: str) -> None:
    """The run ends at 10 s, before the delay falls."""
    profile = f"network.links.pipe.delay_profile={{period: 20 s, steps: {steps}}}"
    assert warned(scenario_from_text(TEXT, overrides=[profile])) == []


def test_a_flow_that_alone_asks_for_too_many_marks_is_named() -> None:
    """If one flow asks for more marks than a link sets, `check` names it as well as the total."""
    market = (
        "market:\n  price_per_mark: 0.02 money\n  agents:\n"
        "    - {name: isp, role: connectivity-provider}\n"
        "    - {name: u, role: price-handler, sources: s,\n"
        "       strategy: {kind: constant-charge, charge: CHARGE money/s}}\n"
    )
    assert warned(scenario_from_text(TEXT + market.replace("CHARGE", "1.9"))) == []
    alone, total = warned(scenario_from_text(TEXT + market.replace("CHARGE", "2.1")))
    assert "link pipe: each flow of s asks for 105 marks/s, but" in alone
    assert "the demand of s is" in total


def test_bbr_needs_sack() -> None:
    """BBR without SACK is warned of: the losses of its start take a round trip each."""
    off = "network.links.pipe.marking={law: drop-tail}"
    bbr = "sources.s.transport={law: bbr, ecn: off, sack: SACK}"
    (only,) = warned(scenario_from_text(TEXT, overrides=[off, bbr.replace("SACK", "false")]))
    assert "source s: without SACK, bbr repairs one loss per round trip" in only
    assert warned(scenario_from_text(TEXT, overrides=[off, bbr.replace("SACK", "true")])) == []


def test_one_link_that_drops_is_enough() -> None:
    """Of two links that mark, the second passes packets that are not ECN-capable."""
    second = "    - {name: next, from: b, to: c, rate: 12 Mbps, marking: {law: fixed}}\nsources:\n"
    text = TEXT.replace("sources:\n", second).replace("to: b, transport", "to: c, transport")
    off = ["sources.s.transport.ecn=off", "network.links.next.marking.probability=0.1"]
    for fate in ("drop", "pass"):
        both = [*off, "network.links.next.not_ect=pass", f"network.links.pipe.not_ect={fate}"]
        (only,) = warned(scenario_from_text(text, overrides=both))
        assert f"so links pipe, next {fate} them instead of marking" in only


@pytest.mark.parametrize(
    ("law", "late"),
    [
        ("{law: codel}", True),
        ("{law: threshold, threshold: 9 packets, scope: departing}", True),
        ("{law: threshold, threshold: 9 packets, scope: arriving}", False),
        ("{law: rem}", False),
        (
            "{law: red, min_threshold: 5 packets, max_threshold: 15 packets, max_probability: 0.1}",
            False,
        ),
    ],
)
def test_a_law_that_decides_as_packets_leave_drops_none(law: str, late: bool) -> None:
    """CoDel on a FIFO marks or passes; `check` does not promise drops."""
    off = ["sources.s.transport.ecn=off", f"network.links.pipe.marking={law}"]
    said = warned(scenario_from_text(TEXT, overrides=off))
    (only,) = [line for line in said if "not ECN-capable" in line]
    assert ("only a full buffer drops them" in only) is late
    assert ("instead of marking" in only) is not late


def test_marks_within_capacity_are_not_warned_of() -> None:
    """1000 packets/s at 0.1 give 100 marks/s, which agents may ask for."""
    override = "sources.s.transport.mark_rate=100 marks/s"
    assert warned(scenario_from_text(TEXT, overrides=[override])) == []


def test_pie_marks_no_more_than_its_share() -> None:
    """PIE drops above mark_p, a tenth, so `check` warns of orders for more marks."""
    pie = "network.links.pipe.marking={{law: pie, mark_p: {}}}"
    mark_rate = "sources.s.transport.mark_rate=101 marks/s"
    (only,) = warned(scenario_from_text(TEXT, overrides=[pie.format(0.1), mark_rate]))
    assert "at a marking probability of at most 0.1 give 100 marks/s" in only
    assert warned(scenario_from_text(TEXT, overrides=[pie.format(0.5), mark_rate])) == []


def test_the_class_that_marks_most_bounds_a_link() -> None:
    """Telephones have a drop-tail queue, and the web has RED up to 0.1."""
    (link,) = [one for one in make_plan(load(EXAMPLES / "two-classes.yaml")).links if one.scheduler]
    assert largest_probability(link) == 0.1


def test_fees_without_a_handle_and_hasty_agents() -> None:
    """`check` warns of a class of Reno flows, and of a decision within the epoch."""
    market = (
        "market:\n  price_per_mark: 1 money\n  agents:\n"
        "    - {name: isp, role: connectivity-provider, decision_interval: 0.1 s}\n"
        "    - {name: p, role: application-provider,"
        " classes: {c: {fee: 2 money/s, sources: s}}}\n"
    )
    lines = warned(scenario_from_text(TEXT.replace("law: wtp", "law: reno") + market))
    assert len(lines) == 2
    assert "decides every 0.1 s" in lines[0]
    assert "cannot steer it with a charge of 2 money/s" in lines[1]


def test_summary_fits_a_screen() -> None:
    """The summary names links, sources, agents and the marks that a fee buys."""
    scenario = load(EXAMPLES / "gold-silver.yaml")
    text = summary(scenario, make_plan(scenario))
    assert len(text.splitlines()) <= 24
    for part in ("180 s simulated", "10 Mbps", "20 x background", "= 32 marks/s per flow", "isp"):
        assert part in text


def test_summary_shows_twelve_rows_of_a_kind() -> None:
    """The summary gives the number of the others, for 28 links and for 14 laws."""
    law = "marking: {{law: fixed, probability: 0.{0}}}"
    link = f"    - {{{{name: l{{0}}, from: a, to: b, rate: 1 Mbps, {law}}}}}"
    links = "\n".join(link.format(number) for number in range(11, 24))
    scenario = scenario_from_text(TEXT.replace("sources:\n", links + "\nsources:\n"))
    lines = summary(scenario, make_plan(scenario)).splitlines()
    for title, rest in (("links (28)", 16), ("marking (15 kinds)", 3)):
        first = lines.index(title) + 1
        assert all(":" in line for line in lines[first : first + 12])
        assert lines[first + 12 : first + 14] == [f"  ... and {rest} more", ""]


def test_summary_names_classes() -> None:
    """Links with a scheduler show their classes in place of one queue, sources their own."""
    scenario = load(EXAMPLES / "two-classes.yaml")
    text = summary(scenario, make_plan(scenario))
    assert "deficit-round-robin classes voice (share 0.07, drop-tail), web (share 0.9, red)" in text
    assert "100 x telephones: cbr, udp, via access, bottleneck (class voice)" in text
    scenario = load(EXAMPLES / "service-classes.yaml")
    assert "class-based classes gold, 2, 3, 4" in summary(scenario, make_plan(scenario))


def test_summary_has_units_of_strategies() -> None:
    """Parameters have the units that users write."""
    scenario = load(EXAMPLES / "price-handler.yaml")
    text = summary(scenario, make_plan(scenario))
    assert "strategy constant-throughput (rate 1 Mbps, threshold 0.5 money/s)" in text
    assert "strategy elastic-utility (utility log)" in text


def test_checking_loads_nothing_heavy() -> None:
    """`ecnomy check` is quick because it does not import these packages."""
    code = (
        "import sys\nfrom ecnomy.markets.scenario import load\n"
        "from ecnomy.markets.compile.make import make_plan\n"
        "from ecnomy.markets.compile.check import warnings\n"
        f"s = load({str(EXAMPLES / 'gold-silver.yaml')!r})\nwarnings(s, make_plan(s))\n"
        "heavy = {'pint', 'mesa', 'pandas', 'pyarrow', 'scipy', 'numpy'} & set(sys.modules)\n"
        "assert not heavy, heavy"
    )
    run = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=LIMIT_S
    )
    assert run.returncode == 0, run.stderr
