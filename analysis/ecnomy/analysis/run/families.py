# SPDX-License-Identifier: Apache-2.0
"""Many sources shown as few: the sources of one demand matrix, or of one `group`, as one."""

from __future__ import annotations

from typing import Any, Final

import msgspec

from ecnomy.markets.results.rawrun import RawRun

__all__ = ["MOST_GROUPS", "family_of", "shown_nodes"]

MOST_GROUPS: Final = 12  # rows of a table, or lines of a picture, that can still be told apart


class _Source(msgspec.Struct, frozen=True):
    name: str
    group: str = ""


class _Network(msgspec.Struct, frozen=True):
    positions: dict[str, tuple[float, float]] = {}


class _Scenario(msgspec.Struct, frozen=True):
    """What is read of the scenario in a manifest."""

    sources: tuple[_Source, ...] = ()
    network: _Network = _Network()


def _scenario(run: RawRun) -> _Scenario:
    found: Any = run.manifest.scenario
    try:
        return msgspec.convert(found or {}, type=_Scenario)
    except msgspec.ValidationError:
        return _Scenario()  # an older manifest: the run is shown without what it does not tell


def family_of(run: RawRun) -> dict[str, str]:
    """Source -> its group, itself where it has none."""
    groups = {source.name: source.group for source in _scenario(run).sources}
    return {s.name: groups.get(s.name) or s.name for s in run.plan.sources}


def shown_nodes(run: RawRun) -> dict[str, tuple[float, float]]:
    """Positions that the scenario gives to nodes of the plan, {} if it gives none."""
    positions = _scenario(run).network.positions
    return {node: positions[node] for node in run.plan.nodes if node in positions}
