# SPDX-License-Identifier: Apache-2.0
"""The plan that an engine reports of its network: any fault in it gives one line."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from ecnomy.agents.errors import InputError
from ecnomy.markets import make_plan
from ecnomy.markets.plan import Plan
from ecnomy.markets.plan.network_plan import differences, with_network
from ecnomy.markets.scenario import scenario_from_text

TEXT = """\
version: 1
duration: 1 s
network:
  links:
    - {name: there, from: a, to: b, rate: 1 Mbps, delay: 1 ms}
    - {name: back, from: b, to: a, rate: 1 Mbps, delay: 1 ms}
sources: [{name: one, from: a, to: b, transport: {law: reno}}]
"""


@pytest.fixture(scope="module")
def plan() -> Plan:
    """Two links and a source."""
    return make_plan(scenario_from_text(TEXT))


def changed(plan: Plan, change: Callable[[Any], object]) -> str:
    """The report of this plan's network after a change."""
    report = msgspec.to_builtins(plan)
    change(report)
    return msgspec.json.encode(report).decode()


def test_the_network_of_the_plan_is_the_plan(plan: Plan) -> None:
    """The network of a plan gives the same plan, without a difference."""
    report = changed(plan, lambda _: None)
    assert differences(plan, report) == []
    assert with_network(plan, report) == plan


@pytest.mark.parametrize(
    "change",
    [
        lambda one: one["links"][0]["marking"].pop("law"),
        lambda one: one["sources"][0]["transport"].pop("kind"),
        lambda one: one.update(links=5),
    ],
)
def test_what_is_missing_is_a_difference(plan: Plan, change: Callable[[Any], object]) -> None:
    """A missing item is one line, with the values in the network and in the scenario."""
    (line,) = differences(plan, changed(plan, change))
    assert "in the network and" in line


@pytest.mark.parametrize("report", ["", "[]", "5", '{"links":' + "[" * 1500 + "]" * 1500 + "}"])
@pytest.mark.parametrize("read", [differences, with_network])
def test_what_is_no_report_is_refused(plan: Plan, read: Any, report: str) -> None:
    """Text that is not JSON, wrong kinds of values and deep nesting are refused."""
    with pytest.raises(InputError, match=r"^(the engine's network|links of the network)"):
        read(plan, report)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda one: one.update(links=5), "links of the network: found 5"),
        (lambda one: one.update(links=[5]), "links of the network: found 5"),
        (lambda one: one.update(links=None), "links of the network: found none"),
        (lambda one: one["links"][0].update(target=7), "there of the network: found nodes 0 and 7"),
        (
            lambda one: one["links"][0].update(source=-1),
            "of the network: found nodes -1 and 1",
        ),
        (lambda one: one["sources"][0].update(path=[9]), "one of the network: found links [9, 1]"),
        (lambda one: one["sources"][0].update(path=[]), "one of the network: found an empty path"),
        (lambda one: one["sources"][0].update(count=9 * 10**15), "found 9000000000000000"),
        (lambda one: one["sources"][0].update(count=-1), "source one of the network: found -1"),
    ],
)
def test_a_network_that_cannot_be_is_refused(
    plan: Plan, change: Callable[[Any], object], words: str
) -> None:
    """With `serve --any`, the reported plan would replace the scenario's."""
    with pytest.raises(InputError) as refused:
        with_network(plan, changed(plan, change))
    assert words in str(refused.value)
