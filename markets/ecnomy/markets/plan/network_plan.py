# SPDX-License-Identifier: Apache-2.0
"""Compare the plan that an engine reports for its network with the plan of a scenario.

On OMNeT++ the bridge reads the plan from the modules when the network starts
(omnet/host/plan_text.h). The modules hold all parts of a plan except titles, nodes and the names of
scheduler classes.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import msgspec

from ecnomy.agents.errors import InputError
from ecnomy.markets.plan.structs import Plan
from ecnomy.markets.support.intact import UNREADABLE

__all__ = ["differences", "in_words", "with_network"]

_SHOWN: Final = 3  # differences that a message shows at most
_MOST_FLOWS: Final = 10**7  # most flows of a source
_NAMED: Final = ("links", "sources")
_NAMING: Final = ("kind", "law")  # if any of these differs, the whole value differs


def differences(plan: Plan, network: str) -> list[str]:
    """Return one line for each value in which a network differs from a plan.

    Seeds and digests are not compared, because they differ between repetitions of a network.

    Args:
        plan: the scenario's plan.
        network: the engine's report, a JSON object with the keys of a plan.

    Raises:
        InputError: the report is not a JSON object.
    """
    reported = _object(network)
    for key in ("seed", "digest"):
        reported.pop(key, None)
    return list(_differing("", msgspec.to_builtins(plan), reported))


def with_network(plan: Plan, network: str) -> Plan:
    """Return the plan with the network's values in place of the scenario's.

    Raises:
        InputError: the network is not a JSON object, has other links or sources, or has a value of
            the wrong type or out of range.
    """
    reported, mine = _object(network), msgspec.to_builtins(plan)
    for key in _NAMED:
        found, expected = _names(reported.get(key)), _names(mine[key])
        if found != expected:
            raise InputError(f"{key} of the network: found {found}, expected {expected}")
    try:
        made = msgspec.convert(_laid_over(mine, reported), Plan).sealed()
    except msgspec.ValidationError as error:
        raise InputError(f"the engine's network: {error}") from error
    _check_places(made)
    return made


def in_words(texts: list[str]) -> str:
    """Return the first differences, and the number of further ones."""
    rest = len(texts) - _SHOWN
    return "; ".join(texts[:_SHOWN]) + (f"; and {rest} more" if rest > 0 else "")


def _names(structs: Any) -> str:
    if not isinstance(structs, list):
        return _shown(structs)
    return " ".join(str(one.get("name") if isinstance(one, dict) else one) for one in structs)


def _object(network: str) -> dict[str, Any]:
    try:
        return msgspec.json.decode(network, type=dict[str, Any])
    except UNREADABLE as error:
        raise InputError(f"the engine's network: {error}") from error


def _check_places(plan: Plan) -> None:
    """Check that links join nodes of the plan, and that sources have flows and use its links."""
    nodes, links = range(len(plan.nodes)), range(len(plan.links))
    for link in plan.links:
        if link.source not in nodes or link.target not in nodes:
            raise InputError(
                f"link {link.name} of the network: found nodes {link.source} and {link.target}, "
                f"expected nodes from 0 to {len(nodes) - 1}"
            )
    for source in plan.sources:
        if not all(link in links for link in (*source.path, *source.ack_path)) or not source.path:
            found = f"links {[*source.path, *source.ack_path]}" if source.path else "an empty path"
            raise InputError(
                f"source {source.name} of the network: found {found}, expected links from 0 to "
                f"{len(links) - 1}"
            )
        if not 1 <= source.count <= _MOST_FLOWS:
            raise InputError(
                f"source {source.name} of the network: found {source.count} flows, "
                f"expected 1 to {_MOST_FLOWS}"
            )


def _differing(place: str, mine: Any, reported: Any) -> Iterator[str]:
    if isinstance(reported, dict) and isinstance(mine, dict):
        naming = next((key for key in _NAMING if reported.get(key) != mine.get(key)), None)
        for key in [naming] if naming else reported:
            name = place if key == "params" else f"{place}.{key}".lstrip(".")
            yield from _differing(name, mine.get(key, []), reported.get(key))
    elif _are_structs(mine, reported):
        for index, (one, other) in enumerate(zip(mine, reported, strict=True)):
            yield from _differing(f"{place}.{one.get('name', index)}", one, other)
    elif mine != reported:
        yield f"{place} is {_shown(reported)} in the network and {_shown(mine)} in the scenario"


def _are_structs(mine: Any, reported: Any) -> bool:
    """Return whether both are lists of structs of equal length, to be compared pairwise."""
    if not (isinstance(mine, list) and isinstance(reported, list) and len(mine) == len(reported)):
        return False
    return all(isinstance(one, dict) for one in [*mine, *reported])


def _shown(value: Any) -> str:
    if isinstance(value, list):
        return (
            " ".join(
                str(one.get("name", one.get("law", one))) if isinstance(one, dict) else _shown(one)
                for one in value
            )
            or "none"
        )
    if isinstance(value, dict):
        return str(value.get("law", "one"))
    if value is None or value == "":
        return "none"
    return f"{value:.12g}" if isinstance(value, float) else str(value)


def _laid_over(mine: Any, reported: Any) -> Any:
    """Return the reported values, with the scenario's values where the report has no value."""
    if isinstance(reported, dict) and isinstance(mine, dict):
        if any(reported.get(key) != mine.get(key) for key in _NAMING):
            return reported
        return {
            **mine,
            **{key: _laid_over(mine.get(key), value) for key, value in reported.items()},
        }
    if _are_structs(mine, reported):
        return [_laid_over(one, other) for one, other in zip(mine, reported, strict=True)]
    return reported
