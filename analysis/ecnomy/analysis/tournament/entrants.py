# SPDX-License-Identifier: Apache-2.0
"""Reads the entrants: the strategies that the file names, and the other installed strategies.

    strategies:
      steady: {strategy: {kind: constant-charge, charge: 1 money/s}}
      free-rider: {strategy: {kind: stay}, transport: {law: newreno, ecn: off}}
      theirs: {role: customer, strategy: {kind: "my_lab.strategies:Mine"}}

An entry may have a `role`, and a `transport` that replaces the scenario's transport. The default
role is price handler if the strategy fits that role, otherwise customer. An installed strategy
(part of ecnomy, or added by an entry point) that no entry names also plays, under its own name, if
it fits a price handler and needs no parameters. Excluded strategies are listed with reasons.
"""

from __future__ import annotations

from typing import Any, Final

import msgspec

from ecnomy.agents.errors import EcnomyError
from ecnomy.agents.roles import preset_of
from ecnomy.agents.roles.fitting import wanted_instead
from ecnomy.analysis.tournament.keys import ENTRANT, ROLES
from ecnomy.markets.conformance.listing import Listed, installed
from ecnomy.markets.inputs.amounts import Word
from ecnomy.markets.inputs.reading import known_name
from ecnomy.markets.inputs.yamlfile import Node, show
from ecnomy.markets.sweep.blocks import plain_tree

__all__ = ["Entrant", "read_entrants"]

_OWN: Final = "--with"


class Entrant(msgspec.Struct, frozen=True):
    """A strategy that takes part in the tournament.

    Attributes:
        name: name in tables and pictures.
        role: the role of the player's agent.
        strategy: mapping with `kind` and parameters, as in the file.
        transport: the transport of the player's source; empty for the scenario's transport.
        stated: whether the file or the command names the strategy; otherwise, it plays because it
            is installed.
    """

    name: str
    role: str
    strategy: dict[str, Any]
    transport: dict[str, Any] = {}
    stated: bool = True

    @property
    def words(self) -> str:
        """The strategy and its transport in one line."""
        params = [f"{k} {_short(v)}" for k, v in self.strategy.items() if k != "kind"]
        law = [f"{k} {v}" if k != "law" else str(v) for k, v in self.transport.items()]
        parts = [str(self.strategy["kind"]), *params, *([f"over {' '.join(law)}"] if law else [])]
        return ", ".join(parts)


def read_entrants(
    node: Node, without: Node | None, own: tuple[str, ...] = ()
) -> tuple[tuple[Entrant, ...], dict[str, str]]:
    """Return the entrants (from the file, installed, `own`), and why others are excluded.

    Args:
        node: the YAML value of `strategies`.
        without: the YAML value of `without`: strategy -> the reason for its exclusion.
        own: further strategies, by name or module:Class.

    Raises:
        ScenarioError: the section is invalid; the message names the place.
    """
    path = "tournament.strategies"
    if not node.mapping():
        raise node.place.error(path, show(node), "a mapping of names to strategies")
    entrants = [_entrant(name, entry, node) for name, entry in node.mapping().items()]
    left_out = _without(without)
    named = {str(one.strategy["kind"]) for one in entrants}
    absent = dict(left_out)
    for listed in installed():
        if listed.name not in named and listed.name not in left_out:
            if why := _why_not(listed):
                absent[listed.name] = why
            else:
                own_terms = {"kind": listed.name}
                entrants.append(Entrant(listed.name, ROLES[0], own_terms, stated=False))
    for kind in own:
        entrants.append(_own(kind, node, entrants))
    return tuple(entrants), dict(sorted(absent.items()))


def _entrant(name: str, entry: Node, node: Node) -> Entrant:
    path = f"tournament.strategies.{name}"
    Word().read(Node(name, node.keys[name], name), path)
    given = entry.mapping()
    for key in given:
        if key not in ENTRANT:
            expected = known_name(key, ENTRANT)
            raise entry.keys[key].error(f"{path}.{key}", f"the unknown key {key!r}", expected)
    strategy = given.get("strategy")
    kind = strategy.mapping().get("kind") if strategy is not None else None
    if strategy is None or kind is None or not isinstance(kind.value, str):
        where = strategy or entry
        raise where.place.error(f"{path}.strategy", show(where), "a mapping with its kind")
    role = given.get("role")
    if role is not None and role.value not in ROLES:
        raise role.place.error(f"{path}.role", show(role), f"one of {', '.join(ROLES)}")
    try:
        fits = _role_for(kind.value) if role is None else str(role.value)
    except EcnomyError as error:
        reason = " ".join(str(error).split())
        raise kind.place.error(
            f"{path}.strategy.kind", show(kind), f"a strategy ({reason})"
        ) from None
    if not fits:
        expected = f"a strategy for {' or '.join(ROLES)}"
        raise kind.place.error(f"{path}.strategy.kind", show(kind), expected)
    transport = plain_tree(given["transport"]) if "transport" in given else {}
    return Entrant(name, fits, plain_tree(strategy), transport)


def _own(kind: str, node: Node, entrants: list[Entrant]) -> Entrant:
    """Return the entrant for a strategy on the command line, named by the last part of its path."""
    name = kind.rpartition(":")[2]
    try:
        role = _role_for(kind)
    except EcnomyError as error:
        reason = " ".join(str(error).split())
        raise node.place.error(_OWN, repr(kind), f"a strategy ({reason})") from None
    if not role or any(one.name == name for one in entrants):
        found = f"{kind!r}, {'whose name is taken' if role else 'which fits no player'}"
        expected = (
            "a strategy with another name" if role else f"a strategy for {' or '.join(ROLES)}"
        )
        raise node.place.error(_OWN, found, expected)
    return Entrant(name, role, {"kind": kind})


def _role_for(kind: str) -> str:
    return next((role for role in ROLES if not wanted_instead(kind, role)), "")


def _why_not(listed: Listed) -> str:
    """Return why an installed strategy that no entry names does not play; "" if it plays."""
    if listed.fault:
        return f"cannot be used: {listed.fault}"
    if ROLES[0] not in listed.roles:
        if ROLES[1] in listed.roles:
            return "is for customers; add it under `strategies` to include it"
        return f"is for {_roles(listed)} only"
    needed = [one.name for one in listed.parameters if one.required]
    terms = preset_of(ROLES[0]).strategy_needs.get(listed.name)
    needed += [terms[0]] if terms else []
    if needed:
        return f"needs {', '.join(needed)}; set them in an entry under `strategies`"
    return ""


def _roles(listed: Listed) -> str:
    return " or ".join(f"{role}s" for role in listed.roles) or "no role known to ecnomy"


def _without(node: Node | None) -> dict[str, str]:
    if node is None:
        return {}
    path = "tournament.without"
    if not isinstance(node.value, dict):
        raise node.place.error(
            path, show(node), "a mapping of strategies to reasons for skipping them"
        )
    for name, why in node.mapping().items():
        if not isinstance(why.value, str) or not why.value:
            raise why.place.error(f"{path}.{name}", show(why), "the reason for skipping it")
    return {name: str(why.value) for name, why in node.mapping().items()}


def _short(value: Any) -> str:
    if isinstance(value, dict):
        return f"({', '.join(f'{k} {v}' if k != 'kind' else str(v) for k, v in value.items())})"
    return str(value)
