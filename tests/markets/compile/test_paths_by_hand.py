# SPDX-License-Identifier: Apache-2.0
"""Paths that a scenario names link by link, and what `check` says of carriers and choices."""

from __future__ import annotations

import pytest

from ecnomy.agents.errors import ScenarioError
from ecnomy.markets.compile.check import warnings
from ecnomy.markets.compile.make import make_plan
from ecnomy.markets.scenario import scenario_from_text

TEXT = """\
version: 1
duration: 10 s
network:
  links:
    - {name: direct, from: a, to: z, rate: 1 Mbps}
    - {name: up, from: a, to: b, rate: 2 Mbps}
    - {name: down, from: z, to: b, rate: 2 Mbps, reverse: {marking: {law: fixed, probability: 0.1}}}
    - {name: radio, from: c, to: a, rate: 2 Mbps, duplex: half}
    - {name: last, from: c, to: z, rate: 2 Mbps, duplex: false}
    - {name: home, from: z, to: c, rate: 2 Mbps, duplex: false}
sources:
  - {name: one, from: a, to: z, PATH, transport: {law: wtp}}
  - {name: two, from: a, to: z, transport: {law: wtp}}
market:
  price_per_mark: 0.01 money
  agents:
    - {name: isp, role: connectivity-provider, links: [direct, radio, last, home]}
    - {name: other, role: connectivity-provider, links: [up, down]}
    - name: users
      role: customer
      sources: [one, two]
      strategy: {kind: best-offer, utility: {kind: log, a: 2 money/s, x0: 1 Mbps}}
"""
ENTRY = "{name: entry, from: d, to: a, rate: 2 Mbps, duplex: false}"


@pytest.mark.parametrize(
    ("path", "data", "acks"),
    [
        ("path: [up, down]", ["up", "down.reverse"], ["down", "up.reverse"]),
        ("path: direct", ["direct"], ["direct.reverse"]),
        ("path: [radio, last]", ["radio", "last"], ["direct.reverse"]),
        ("group: all", ["direct"], ["direct.reverse"]),
    ],
)
def test_data_takes_the_links_that_are_named(path: str, data: list[str], acks: list[str]) -> None:
    """Each link is used in the direction that leads on; ACKs return if every link is duplex."""
    plan = make_plan(scenario_from_text(TEXT.replace("PATH", path)))
    source = plan.sources[0]
    assert [plan.links[link].name for link in source.path] == data
    assert [plan.links[link].name for link in source.ack_path] == acks


@pytest.mark.parametrize(
    ("path", "item", "found", "expected"),
    [
        ("path: [up, dwon]", 1, "the unknown link 'dwon'", "'down'"),
        ("path: [up, last]", 1, "'last', which connects c and z", "a link that begins at 'b'"),
        ("path: [up]", 0, "a path that ends at 'b'", "links that lead on to 'z'"),
        ("path: [direct, home, radio]", 2, "'radio', which leads back to 'a'", "each node once"),
        ("path: [radio, home]", 1, "'home' against its direction, which is from z to c", "at 'c'"),
        ("path: [home, radio]", 0, "which begins a path from 'z' to 'a'", "from: z and to: a"),
        ("path: [last, radio]", 0, "the links in reverse order", "[radio, last]"),
        (
            "path: [radio, last.reverse]",
            1,
            "'last.reverse'",
            "'last', because the path",
        ),
    ],
)
def test_links_that_are_no_path_are_refused(
    path: str, item: int, found: str, expected: str
) -> None:
    """One line gives the link, its fault and the links that would lead on."""
    with pytest.raises(ScenarioError) as refused:
        make_plan(scenario_from_text(TEXT.replace("PATH", path)))
    message = str(refused.value)
    assert f"sources[0].path[{item}]" in message
    assert found in message and expected in message


def test_check_names_idle_carriers_and_choices_that_share_a_path() -> None:
    """Two alternatives over `direct` leave `other` idle. A path by hand removes both warnings."""

    def warned(path: str) -> str:
        scenario = scenario_from_text(TEXT.replace("PATH", path))
        return "\n".join(warnings(scenario, make_plan(scenario)))

    shared = warned("path: direct")
    assert "agent other: no source sends over its links" in shared
    assert "alternatives one and two use the same links (direct)" in shared
    apart = warned("path: [up, down]")
    assert "sends over its links" not in apart and "same links" not in apart


@pytest.mark.parametrize(
    ("ends", "path", "where", "found", "expected"),
    [
        ("from: z, to: d", "", ".to", "links lead only from 'd' to 'z'", "from: d and to: z"),
        (
            "from: z, to: a",
            "radio, last",
            ".path[0]",
            "a path from 'a' to 'z'",
            "from: a and to: z",
        ),
    ],
)
def test_ends_that_are_swapped_are_named(
    ends: str, path: str, where: str, found: str, expected: str
) -> None:
    """If `from` and `to` run against the links, the message gives the two that would work."""
    text = TEXT.replace("from: a, to: z, PATH", f"{ends}, path: [{path}]" if path else ends)
    text = text.replace("sources:\n", f"    - {ENTRY}\nsources:\n", 1)
    with pytest.raises(ScenarioError) as refused:
        make_plan(scenario_from_text(text.replace("links: [direct,", "links: [entry, direct,")))
    message = str(refused.value)
    assert f"sources[0]{where}: " in message and found in message and expected in message


def test_check_names_the_unmarked_way_back() -> None:
    """A source from `to` to `from` of a duplex link meets no marks, and the warning says why."""
    text = TEXT.replace("name: direct, from: a, to: z", "name: direct, from: z, to: a, MARK")
    text = text.replace("MARK", "marking: {law: fixed, probability: 0.1}")
    scenario = scenario_from_text(text.replace("PATH", "path: [up, down]"))
    warned = [line for line in warnings(scenario, make_plan(scenario)) if "against" in line]
    assert warned == [
        "source two: sends from a to z, against link direct, which marks only packets from z "
        "to a. Swap 'from' and 'to', or give the link reverse: {marking: {law: fixed, ...}}"
    ]
