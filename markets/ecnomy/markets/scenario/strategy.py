# SPDX-License-Identifier: Apache-2.0
"""What users write under `strategy:`: a kind, and the parameters that its class declares."""

from __future__ import annotations

from typing import Any

import msgspec

from ecnomy.agents.errors import EcnomyError
from ecnomy.agents.spec import StrategySpec
from ecnomy.markets.inputs.yamlfile import Node, child_path, show
from ecnomy.markets.scenario.parameters import read_params, write_params

__all__ = ["StrategyReader"]


class StrategyReader(msgspec.Struct, frozen=True):
    """Reads a strategy and its parameters, which only its class knows."""

    @property
    def expected(self) -> str:
        """The form."""
        return "a strategy such as {kind: qos-knob, patience: 10 s}"

    def read(self, node: Node, path: str) -> StrategySpec:
        """See Reader."""
        from ecnomy.agents.strategies import make

        given = node.mapping()
        kind = given.get("kind")
        if not isinstance(node.value, dict):
            raise node.place.error(path, show(node), self.expected)
        if kind is None or not isinstance(kind.value, str):
            here = child_path(path, "kind")
            place = kind.place if kind else node.place
            found = show(kind) if kind else "no 'kind'"
            raise place.error(here, found, "the name of a strategy")
        cls = self._class_of(kind, kind.value, child_path(path, "kind"))
        return StrategySpec(kind=kind.value, params=read_params(node, path, cls, make))

    @staticmethod
    def _class_of(node: Node, kind: str, path: str) -> type:
        from ecnomy.agents.strategies import find

        try:
            return find(kind)
        except EcnomyError as error:
            reason = " ".join(str(error).split())
            raise node.place.error(path, show(node), f"a strategy ({reason})") from None

    def write(self, value: StrategySpec) -> dict[str, Any]:
        """See Reader."""
        from ecnomy.agents.strategies import find

        return {"kind": value.kind, **write_params(value.params, find(value.kind))}
