# SPDX-License-Identifier: Apache-2.0
"""The plan that an engine reports of its network, compared with the scenario's."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import msgspec
import pytest

from ecnomy.agents.errors import InputError
from ecnomy.markets.engines.registry import find_engine
from ecnomy.markets.plan import Plan
from ecnomy.markets.plan.network_plan import differences, in_words, with_network
from omnet_world import everything
from plan_changes import changed, leaves
from processes import LIMIT_S

# Modules of a network do not know these.
UNKNOWN = {"plan", "title", "digest", "nodes", "source", "target", "half_duplex", "names"}


@pytest.fixture(scope="module")
def reported(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The plan that uses every feature, as the built-in engine read it."""
    file = tmp_path_factory.mktemp("plan") / "plan.json"
    file.write_bytes(everything().to_json())
    return read(file)


def read(file: Path) -> str:
    """The engine's text of a plan."""
    words = [find_engine(), "read", "--plan", file]
    done = subprocess.run(words, capture_output=True, text=True, check=True, timeout=LIMIT_S)
    return done.stdout


def test_an_engine_reports_the_plan_it_read(reported: str) -> None:
    """A network reported by the engine does not differ from its plan."""
    plan = everything()
    assert differences(plan, reported) == []
    assert with_network(plan, reported) == plan


def test_every_field_of_a_plan_is_reported(reported: str) -> None:
    """Any changed field is a difference, which a field missing from the report would hide."""
    plan = everything()
    for path, value in leaves(msgspec.to_builtins(plan)):
        if UNKNOWN & set(path) or path[-1] in ("law", "kind", "seed") or value is None:
            continue
        changes = differences(changed(plan, path, value), reported)
        assert len(changes) == 1 and changes[0].startswith(f"{path[0]}"), (path, changes)


def test_another_law_or_transport_is_one_difference(reported: str) -> None:
    """The parameters of the other law are not listed one by one."""
    network = json.loads(reported)
    network["links"][0]["marking"] = {"law": "drop-tail", "params": {}}
    assert differences(everything(), json.dumps(network)) == [
        "links.near.marking.law is drop-tail in the network and load-based in the scenario"
    ]
    taken = with_network(everything(), json.dumps(network))
    assert taken.links[0].marking.law == "drop-tail" and taken.links[1:] == everything().links[1:]


def test_many_differences_are_counted(reported: str) -> None:
    """A message names three of them, then the number of others."""
    network = json.loads(reported)
    for link in network["links"]:
        link["rate_bps"] += 1
    changes = differences(everything(), json.dumps(network))
    assert len(changes) == len(network["links"]) > 4
    assert in_words(changes) == "; ".join(changes[:3]) + f"; and {len(changes) - 3} more"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda n: n["links"].pop(), "links of the network: found near near.reverse out"),
        (lambda n: n["sources"][0].update(name="x"), "sources of the network: found x gold"),
        (lambda n: n.update(epoch_ps="soon"), "the engine's network: Expected `int`"),
    ],
)
def test_a_network_of_other_links_or_sources_is_refused(
    reported: str, change: Any, words: str
) -> None:
    """A network with values of wrong types is refused too."""
    network = json.loads(reported)
    change(network)
    with pytest.raises(InputError, match=words):
        with_network(everything(), json.dumps(network))


@pytest.mark.parametrize("text", ["", "[]", "{"])
def test_no_network_at_all(text: str) -> None:
    """The message is one line, whatever the engine sent."""
    plan: Plan = everything()
    with pytest.raises(InputError, match="the engine's network"):
        differences(plan, text)
