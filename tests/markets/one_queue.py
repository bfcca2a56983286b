# SPDX-License-Identifier: Apache-2.0
"""Scenarios of one source over one link, whose queue the test chooses."""

from __future__ import annotations

from ecnomy.markets.compile.make import make_plan
from ecnomy.markets.plan import Plan
from ecnomy.markets.scenario import Scenario, scenario_from_text

__all__ = ["plan", "scenario"]


def scenario(queue: str, source: str = "transport: {law: prague}") -> Scenario:
    """One source over one link."""
    link = f"{{name: link, from: a, to: b, rate: 100 Mbps, delay: 10 ms, {queue}}}"
    return scenario_from_text(
        f"version: 1\nduration: 9 s\nnetwork:\n  links:\n    - {link}\n"
        f"sources:\n  - {{name: s, from: a, to: b, {source}}}\n"
    )


def plan(queue: str, law: str = "prague") -> Plan:
    """The plan of the scenario."""
    return make_plan(scenario(queue, f"transport: {{law: {law}}}"))
