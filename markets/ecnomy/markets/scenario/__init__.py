# SPDX-License-Identifier: Apache-2.0
"""Read scenarios from strict YAML and check their consistency.

    scenario = load("configs/examples/gold-silver.yaml", overrides=["duration=60 s"], seed=7)
    plan = make_plan(scenario)          # ecnomy.markets.compile.make

Loading does not check routes. make_plan finds them, and reports nodes that cannot be reached.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from ecnomy.agents.find import look_beside
from ecnomy.agents.spec import MarketSpec
from ecnomy.markets.inputs.overrides import apply
from ecnomy.markets.inputs.reading import read, write
from ecnomy.markets.inputs.variants import load_text, load_tree
from ecnomy.markets.inputs.yamlfile import Node, Place, show
from ecnomy.markets.scenario.consistency import check_names, market_spec
from ecnomy.markets.scenario.document import Document
from ecnomy.markets.scenario.expand import expanded
from ecnomy.markets.scenario.places import Places
from ecnomy.markets.scenario.shared_marking import with_shared_marking
from ecnomy.markets.support.wording import OPENS_ENVIRONMENT

__all__ = ["Scenario", "load", "scenario_from_text"]


class Scenario(msgspec.Struct, frozen=True):
    """A scenario with all defaults filled in.

    Attributes:
        document: the content of the file, with amounts as integers (ps, bit/s, bytes, micro-money).
        market: the market, or None if the scenario has no market.
        places: the file name and the position of each written value, for messages.
    """

    document: Document
    market: MarketSpec | None
    places: Places

    @property
    def title(self) -> str:
        """Return the title, or "" if the scenario has none."""
        return self.document.title

    @property
    def seed(self) -> int:
        """Return the seed of all random streams."""
        return self.document.seed

    @property
    def epoch_ps(self) -> int:
        """Return the time between two reports, in ps; it is 1 s without a market."""
        return self.document.epoch_ps

    def resolved(self) -> dict[str, Any]:
        """Return the scenario as plain values that can be loaded again.

        Defaults and the values of `extends` are filled in. A topology is written as its links, and
        demands are written as their sources.
        """
        return dict(write(self.document))

    def given(self) -> dict[str, Any]:
        """Return the values of `resolved` without the defaults."""
        return dict(write(self.document, given=True))


def load(
    path: str | os.PathLike[str], *, overrides: Sequence[str] = (), seed: int | None = None
) -> Scenario:
    """Load a scenario from a file.

    Args:
        path: path of the YAML file, which messages show unchanged.
        overrides: changes of the form `path=value`, applied in order after `extends`. Each
            condition in a path must match at least one value.
        seed: seed (uint64) that replaces the scenario's seed.

    Raises:
        ScenarioError: the scenario is invalid; the message names the place.
        TypeError: path, overrides or seed has the wrong type.
    """
    if not isinstance(path, str | os.PathLike):
        raise TypeError(f"scenario: expected the path of a file, got {path!r}")
    listed = not isinstance(overrides, str | Mapping)
    if not listed or not all(isinstance(one, str) for one in overrides):
        raise TypeError(f"overrides: expected a list such as ['duration=60 s'], got {overrides!r}")
    expect_seed(seed)
    root = _changed(load_tree(path), overrides, must=True)
    return _scenario(root, os.fspath(path), seed)


def expect_seed(seed: object) -> None:
    """Raise TypeError unless the seed is an integer or None."""
    if seed is not None and (isinstance(seed, bool) or not isinstance(seed, int)):
        raise TypeError(f"seed: expected an integer, got {seed!r}")


def scenario_from_text(
    text: str, name: str = "<text>", *, overrides: Sequence[str] = (), seed: int | None = None
) -> Scenario:
    """Load a scenario from a string, with `name` as its file name in messages.

    Raises:
        ScenarioError: the scenario is invalid; the message names the place.
    """
    return _scenario(_changed(load_text(text, name), overrides, must=False), name, seed)


def _changed(root: Node, overrides: Sequence[str], *, must: bool) -> Node:
    """Return the document with overrides applied; with `must`, each condition has to match."""
    if not isinstance(root.value, dict):
        raise root.place.error("", show(root), "a mapping with version: 1")
    if "scenario" in root.keys:
        other_kind, then = "sweep files", "to run a sweep, use `ecnomy sweep FILE`"
        if "learners" in root.keys:
            other_kind, then = "environments", OPENS_ENVIRONMENT
        raise root.keys["scenario"].error(
            "scenario", f"'scenario', a key of {other_kind}", f"a scenario; {then}"
        )
    for override in overrides:
        root = apply(root, override, must=must)
    return root


def _scenario(root: Node, file: str, seed: int | None) -> Scenario:
    if seed is not None:
        value = Node(seed, Place("--seed", None), str(seed))
        root = Node({**root.mapping(), "seed": value}, root.place, keys=root.keys)
    look_beside(file)
    by_path: dict[str, Place] = {}
    document = read(with_shared_marking(root), Document, "", by_path)
    document, places = expanded(document, Places(by_path, file))
    check_names(document, places)
    return Scenario(document, market_spec(document, places), places)
