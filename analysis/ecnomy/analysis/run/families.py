# SPDX-License-Identifier: Apache-2.0
"""Families of sources: the sources of a demand matrix, or of a `group`, form one family."""

from __future__ import annotations

from typing import Any, Final

import msgspec

from ecnomy.markets.results.rawrun import RawRun

__all__ = ["MOST_GROUPS", "family_of", "shown_nodes"]

MOST_GROUPS: Final = 12  # a reader can distinguish at most this many rows or lines


class _Source(msgspec.Struct, frozen=True):
    name: str
    group: str = ""


class _Network(msgspec.Struct, frozen=True):
    positions: dict[str, tuple[float, float]] = {}


class _Scenario(msgspec.Struct, frozen=True):
    """The parts of a manifest's scenario that this module reads."""

    sources: tuple[_Source, ...] = ()
    network: _Network = _Network()


def _scenario(run: RawRun) -> _Scenario:
    scenario: Any = run.manifest.scenario
    try:
        return msgspec.convert(scenario or {}, type=_Scenario)
    except msgspec.ValidationError:
        return _Scenario()  # from an older version; the run is shown without the missing parts


def family_of(run: RawRun) -> dict[str, str]:
    """Return source -> its group, or its name if it has no group."""
    groups = {source.name: source.group for source in _scenario(run).sources}
    return {s.name: groups.get(s.name) or s.name for s in run.plan.sources}


def shown_nodes(run: RawRun) -> dict[str, tuple[float, float]]:
    """Return node -> its position in the scenario; {} if the scenario has no positions."""
    positions = _scenario(run).network.positions
    return {node: positions[node] for node in run.plan.nodes if node in positions}
