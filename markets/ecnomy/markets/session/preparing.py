# SPDX-License-Identifier: Apache-2.0
"""Prepare the parts of a run: its scenario, its market, and the folder for its results."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path

import msgspec

from ecnomy.agents.spec import MarketSpec
from ecnomy.markets.economy.market_like import MarketLike, NoMarket
from ecnomy.markets.model.market import Market
from ecnomy.markets.plan import Plan
from ecnomy.markets.scenario import Scenario, expect_seed, load

__all__ = ["default_folder", "folder_of", "loaded", "market_of"]


def loaded(
    scenario: Scenario | str | os.PathLike[str], overrides: Sequence[str], seed: int | None
) -> Scenario:
    """Load a scenario if it is given by its path, and return it with this seed, if any.

    Raises:
        InputError: the scenario is invalid (ScenarioError).
        TypeError: overrides are given for a loaded scenario, or the overrides or the seed have the
            wrong type.
    """
    if not isinstance(scenario, Scenario):
        return load(scenario, overrides=overrides, seed=seed)
    if overrides:
        raise TypeError(
            "found overrides with a loaded scenario, expected the scenario's path (or pass the "
            "overrides to load())"
        )
    expect_seed(seed)
    if seed is None:
        return scenario
    document = msgspec.structs.replace(scenario.document, seed=seed)
    return msgspec.structs.replace(scenario, document=document)


def market_of(plan: Plan, spec: MarketSpec | None) -> MarketLike:
    """Return the market of a run, or NoMarket if `spec` is None."""
    return NoMarket(plan) if spec is None else Market(plan, spec)


def folder_of(scenario: Scenario, out: str | os.PathLike[str] | None) -> Path:
    """Return the folder for results: `out`, or the default.

    Raises:
        TypeError: `out` is not a path.
    """
    if out is None:
        return default_folder(scenario)
    if not isinstance(out, str | os.PathLike):
        raise TypeError(f"out: expected a path, got {out!r}")
    return Path(out)


def default_folder(scenario: Scenario) -> Path:
    """Return `results/<name>-<seed>`, with the name of the file or, without a file, the title."""
    file = scenario.places.file
    name = Path(file).stem if os.path.exists(file) else scenario.title
    slug = re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip("-.") or "run"
    return Path("results") / f"{slug}-{scenario.seed}"
