# SPDX-License-Identifier: Apache-2.0
"""The YAML under `role:`: the name of a role, or a custom class with its terms.

    role: customer
    role: {kind: my_lab.roles:RiskBroker, premium: 1 money/h, cap: 5 money}

The class of a custom role has a dataclass `terms`, whose fields are the terms. Units are written as
in strategies (ecnomy.agents.parameters).
"""

from __future__ import annotations

from typing import Any

import msgspec

from ecnomy.agents.errors import EcnomyError, InputError
from ecnomy.agents.roles.find import ROLES, find_role
from ecnomy.agents.spec import Params, RoleSpec
from ecnomy.markets.inputs.reading import known_name
from ecnomy.markets.inputs.yamlfile import Node, child_path, show
from ecnomy.markets.scenario.parameters import read_params, write_params

__all__ = ["RoleReader"]


class RoleReader(msgspec.Struct, frozen=True):
    """Reads a role and the terms that its class declares."""

    @property
    def expected(self) -> str:
        """Return the expected form."""
        return f"one of {', '.join(ROLES)}, or a custom role as module:Class"

    def read(self, node: Node, path: str) -> RoleSpec:
        """See Reader."""
        if isinstance(node.value, dict):
            kind = node.mapping().get("kind")
            if kind is None:
                raise node.place.error(child_path(path, "kind"), "no 'kind'", self.expected)
            return self._read(kind, child_path(path, "kind"), node, path)
        return self._read(node, path, None, path)

    def _read(self, word: Node, place: str, terms: Node | None, path: str) -> RoleSpec:
        kind = word.value
        if isinstance(kind, str) and kind in ROLES and terms is None:
            return RoleSpec(kind)
        if not isinstance(kind, str) or (":" not in kind and kind not in ROLES):
            raise word.place.error(place, show(word), known_name(word.text, tuple(ROLES)))
        try:
            own = find_role(kind).terms
        except EcnomyError as error:
            found = f"{kind!r} ({' '.join(str(error).split())})"
            raise word.place.error(place, found, "a role that can be imported") from None
        if own is None:
            if terms is not None and len(terms.mapping()) > 1:
                found = f"terms of {kind}, which takes no terms"
                raise terms.place.error(path, found, f"role: {kind}")
            return RoleSpec(kind)
        given = terms or Node({"kind": word}, word.place, word.text)
        return RoleSpec(kind, read_params(given, path, own, _trial))

    def write(self, value: RoleSpec) -> Any:
        """See Reader."""
        own = find_role(value.word).terms if value.params else None
        if own is None:
            return value.word
        return {"kind": value.word, **write_params(value.params, own)}


def _trial(kind: str, params: Params) -> object:
    own = find_role(kind).terms
    assert own is not None
    try:
        made: object = own(**params)
    except Exception as error:
        raise InputError(f"role {kind!r}: {error}") from error
    return made
