# SPDX-License-Identifier: Apache-2.0
"""Track the marking law of each link, with the parameters that carriers have tuned.

At a report, engines accept new values for the parameters of a link's marking law (`decide.links` of
the bridge). The law keeps its state.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ecnomy.agents.answers import number
from ecnomy.agents.arrays import Integers
from ecnomy.agents.errors import StrategyError
from ecnomy.agents.observation import MarkingLaw
from ecnomy.markets.bridge.messages import Columns
from ecnomy.markets.plan import Plan
from ecnomy.markets.plan.law_table import Param, law_table

__all__ = ["LinkLaws"]


class LinkLaws:
    """The current marking law of each link, and the changes not yet sent to the engine."""

    def __init__(self, plan: Plan) -> None:
        self._names = [link.name for link in plan.links]
        self._laws = [
            MarkingLaw(link.marking.law, dict(link.marking.params)) for link in plan.links
        ]
        self._fresh: dict[tuple[int, int], float] = {}

    def of(self, links: Integers) -> tuple[MarkingLaw, ...]:
        """Return the current laws of these links."""
        return tuple(self._laws[link] for link in links.tolist())

    def tune(self, who: str, link: int, values: Mapping[str, object]) -> dict[str, float]:
        """Set parameters of a link's law, and return the values that have changed.

        Raises:
            StrategyError: the law lacks a parameter, or a value is invalid or conflicts with
                another parameter.
        """
        law = self._laws[link]
        entry = law_table()["marking"][law.law]
        known = {param.name: (k, param) for k, param in enumerate(entry.parameters)}
        changed: dict[str, float] = {}
        fresh: dict[tuple[int, int], float] = {}
        for name, given in values.items():
            if name not in known:
                names = f"one of {', '.join(known)}" if known else "a law with parameters"
                raise StrategyError(
                    f"{who} tuned {name!r} of link {self._names[link]} ({law.law}), "
                    f"expected {names}"
                )
            index, param = known[name]
            value = self._checked(who, link, param, given)
            if value != law.params[name]:
                changed[name] = fresh[link, index] = value
        tuned = {**law.params, **changed}
        for more, less in entry.at_least:
            if tuned[more] < tuned[less]:
                raise StrategyError(
                    f"{who} tuned link {self._names[link]} ({law.law}) to {more} {tuned[more]:g}, "
                    f"expected at least {tuned[less]:g} ({less})"
                )
        self._fresh |= fresh
        self._laws[link] = MarkingLaw(law.law, tuned)
        return changed

    def changed(self) -> Columns:
        """Return the changes since the last call, to be sent as `decide.links`."""
        if not self._fresh:
            return {}
        pairs = sorted(self._fresh)
        columns: Columns = {
            "link": np.array([link for link, _ in pairs], dtype=np.int64),
            "param": np.array([param for _, param in pairs], dtype=np.int64),
            "value": np.array([self._fresh[pair] for pair in pairs], dtype=np.float64),
        }
        self._fresh = {}
        return columns

    def _checked(self, who: str, link: int, param: Param, given: object) -> float:
        value = number(given)
        whole = param.unit in ("choice", "flag", "whole")
        if value is None or not param.min <= value <= param.max or (whole and value % 1):
            kind = "a whole number" if whole else "a number"
            raise StrategyError(
                f"{who} tuned {param.name} of link {self._names[link]} to {given!r}, "
                f"expected {kind} from {param.min:g} to {param.max:g}"
            )
        return value
