# SPDX-License-Identifier: Apache-2.0
"""The CPU time of a decision: 200 customers or price handlers of one flow each, by their strategy.

Everything from the observation to the record counts. The figures are medians over the reports at
which an agent was due. gold-silver's line is the whole exchange of an epoch: booking, agents,
answer.
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any

import history
from ecnomy.agents.spec import AgentSpec
from ecnomy.markets import load, run
from ecnomy.markets.bridge.messages import Decide, Report
from ecnomy.markets.model.market import Market
from ecnomy.markets.scenario import Scenario, scenario_from_text
from ecnomy.markets.session import runner

AGENTS = 200
ASKED = ("customer", "price-handler")
STRATEGIES = {
    "constant-charge": "{kind: constant-charge, charge: 1 money/s}",
    "elastic-utility": "{kind: elastic-utility, utility: {kind: log, a: 2 money/s, x0: 1 Mbps}}",
    "qos-knob": "{kind: qos-knob, patience: 10 s}",
}
SHOP = (
    "{name: shop, role: application-provider, classes: {gold: {fee: 4 money/s, sources: [GOLD]}, "
    "silver: {fee: 1 money/s, sources: [SILVER]}}}"
)
GOLD_SILVER = Path(__file__).parents[2] / "configs" / "examples" / "gold-silver.yaml"


def scenario(kind: str) -> Scenario:
    """Two hundred flows, each with an agent."""
    numbers = range(AGENTS)
    sources = "".join(
        f"  - {{name: s{i}, from: a, to: b, transport: {{law: wtp, gain: 0.1}},"
        " traffic: {kind: greedy}}\n"
        for i in numbers
    )
    role = "customer" if kind == "qos-knob" else "price-handler"
    agents = "".join(
        f"    - {{name: h{i}, role: {role}, sources: [s{i}], decision_interval: 5 s,"
        f" strategy: {STRATEGIES[kind]}}}\n"
        for i in numbers
    )
    if kind == "qos-knob":
        gold, silver = (", ".join(f"s{i}" for i in numbers[half::2]) for half in (0, 1))
        agents = f"    - {SHOP.replace('GOLD', gold).replace('SILVER', silver)}\n{agents}"
    return scenario_from_text(
        "version: 1\nduration: 60 s\nnetwork:\n  links:\n"
        "    - {name: wire, from: a, to: b, rate: 20 Mbps, delay: 10 ms, buffer: 1000 packets,\n"
        "       marking: {law: fixed, probability: 0.02}}\n"
        f"sources:\n{sources}market:\n  epoch: 1 s\n  price_per_mark: 0.01 money\n  agents:\n"
        f"    - {{name: isp, role: connectivity-provider}}\n{agents}"
    )


class _Watched(Market):
    """A market that notes the times of its exchanges and of its customers' decisions."""

    exchanges: list[float] = []
    decisions: list[float] = []
    act_s: list[float] = []

    def meet(self, report: Report) -> None:
        self.act_s.clear()
        before_s = time.process_time()
        super().meet(report)
        self.exchanges.append(time.process_time() - before_s)
        if self.act_s:
            self.decisions.append(sum(self.act_s) / len(self.act_s))

    def orders(self) -> Decide:
        before_s = time.process_time()
        answer = super().orders()
        self.exchanges[-1] += time.process_time() - before_s
        return answer

    def _hire(self, spec: AgentSpec) -> Any:
        role, seat = super()._hire(spec)
        if spec.role in ASKED:
            act = role.act

            def timed(seat: Any) -> None:
                before_s = time.process_time()
                act(seat)
                self.act_s.append(time.process_time() - before_s)

            role.act = timed  # type: ignore[method-assign]
        return role, seat


def measure(what: Scenario) -> tuple[float, float]:
    """Median seconds of an exchange, and of a decision (0 without decisions)."""
    _Watched.exchanges.clear()
    _Watched.decisions.clear()
    plain, runner.market_of = runner.market_of, _Watched
    try:
        with tempfile.TemporaryDirectory() as folder:
            run(what, out=Path(folder) / "run")
    finally:
        runner.market_of = plain
    return median(_Watched.exchanges), median(_Watched.decisions or [0.0])


def main() -> None:
    """Measure decisions and an epoch, print the times and add them to the history."""
    figures = {}
    for kind in STRATEGIES:
        figures[kind] = 1e6 * measure(scenario(kind))[1]
        print(f"a decision of {kind} on one flow: {figures[kind]:.1f} us")
    figures["gold-silver epoch"] = 1e6 * measure(load(GOLD_SILVER, seed=1))[0]
    print(f"gold-silver: {figures['gold-silver epoch']:.0f} us an epoch for booking and agents")
    history.add("decisions_us", figures)


if __name__ == "__main__":
    main()
