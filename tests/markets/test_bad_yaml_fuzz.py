# SPDX-License-Identifier: Apache-2.0
"""Random documents give a scenario or a one-line ScenarioError, and no other result."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from ecnomy.agents.errors import ScenarioError
from ecnomy.markets.compile.check import warnings
from ecnomy.markets.compile.make import make_plan
from ecnomy.markets.compile.summary import summary
from ecnomy.markets.scenario import scenario_from_text
from tiers import examples

WORDS = (
    "version duration warmup seed network links sources market record name from to rate "
    "delay buffer marking law kind red wtp reno udp web greedy cbr traffic transport "
    "agents role customer classes fee strategy a b 0.1 series cwnd "
).split()
WORDS += ["1 s", "10 Mbps", "5 packets", "4 money/s", "-1 s", "1e400 s"]

scalars = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.sampled_from(WORDS)
    | st.text(max_size=12)
)
keys = st.sampled_from(WORDS) | st.text(max_size=8)
trees = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(keys, inner, max_size=5),
    max_leaves=25,
)


def attempt(text: str) -> None:
    """Load, plan, check and describe a text, or expect a refusal on one line."""
    try:
        scenario = scenario_from_text(text)
        plan = make_plan(scenario)
    except ScenarioError as error:
        assert len(str(error).splitlines()) == 1
        assert error.found
        assert error.expected
    else:
        assert plan.digest
        warnings(scenario, plan)
        assert summary(scenario, plan)


@settings(max_examples=examples(300))
@given(trees)
def test_random_trees(tree: Any) -> None:
    """Any tree of values is a scenario or refused."""
    attempt(json.dumps(tree))


@settings(max_examples=examples(300))
@given(st.text(alphabet=st.sampled_from("abc:-&*!{}[],?|>'\"#%@ \n\t.019~"), max_size=60))
def test_random_yaml(text: str) -> None:
    """Any text of YAML's own characters is a scenario or refused."""
    attempt(text)


@settings(max_examples=examples(300))
@given(st.text(max_size=40))
def test_random_text(text: str) -> None:
    """Any text of any characters is a scenario or refused."""
    attempt(text)


GOOD: dict[str, Any] = {
    "version": 1,
    "duration": "10 s",
    "network": {
        "links": [
            {
                "name": "l",
                "from": "a",
                "to": "b",
                "rate": "1 Mbps",
                "buffer": "9 kB",
                "marking": {"law": "virtual-queue", "theta": 0.9},
                "reverse": {"delay": "1 ms"},
            }
        ]
    },
    "sources": [
        {
            "name": "s",
            "from": "a",
            "to": "b",
            "traffic": {"kind": "web", "mean": "9 kB"},
            "transport": {"law": "wtp", "mark_rate": "3 marks/s"},
        }
    ],
    "market": {
        "price_per_mark": "1 money",
        "agents": [
            {"name": "i", "role": "connectivity-provider"},
            {
                "name": "p",
                "role": "application-provider",
                "classes": {"c": {"fee": "1 money/s", "sources": ["s"]}},
            },
            {"name": "c", "role": "customer", "sources": "s", "strategy": {"kind": "qos-knob"}},
        ],
    },
    "record": {"series": ["cwnd"], "every": "1 s"},
}


def spoilt(value: Any, draw: Any) -> Any:
    """`value` with one random place replaced by a random tree."""
    if isinstance(value, dict) and value and draw(st.integers(0, 5)):
        key = draw(st.sampled_from(sorted(value)))
        return {**value, key: spoilt(value[key], draw)}
    if isinstance(value, list) and value and draw(st.integers(0, 5)):
        index = draw(st.integers(0, len(value) - 1))
        return [*value[:index], spoilt(value[index], draw), *value[index + 1 :]]
    return draw(trees)


@settings(max_examples=examples(500))
@given(st.data())
def test_good_scenarios_spoilt_in_one_place(data: st.DataObject) -> None:
    """A good scenario with one value replaced by anything is a scenario or refused."""
    attempt(json.dumps(spoilt(GOOD, data.draw)))
