# SPDX-License-Identifier: Apache-2.0
"""Random markets with several carriers, and their debts, counted from packet traces."""

from __future__ import annotations

import dataclasses
import random
from collections import Counter
from typing import Annotated, Any

from ecnomy.agents.observation import PriceObservation
from ecnomy.agents.parameters import Unit
from ecnomy.markets.plan import Plan
from ecnomy.markets.results.results import Results

__all__ = ["RULES", "Wander", "owed", "posted", "text_of"]

RULES = ("retail", "cascade", "direct", "peering")
MARK, DELIVER, ACK = 2, 4, 40
PS = 10**12
Money = Counter[tuple[int, str, str, str]]  # (end of epoch, kind, debit, credit) -> micro-units


@dataclasses.dataclass
class Wander:
    """A price that changes at every decision, by a fixed rule."""

    step: Annotated[float, Unit("money")] = 0.0001
    turns: int = 0

    def post_price(self, observation: PriceObservation) -> int:
        """Raise the price twice, then lower it. It is never below 1 micro-unit."""
        self.turns += 1
        change = round(self.step * 1e6) * (-2 if self.turns % 3 == 0 else 1)
        return max(1, observation.price_micro + change + len(observation.links.link))


def text_of(number: int) -> str:
    """A chain of links in up to six domains, with a few sources across parts of it."""
    rng = random.Random(number)
    links, domains = rng.randint(1, 7), rng.randint(1, 6)
    owners = [rng.randrange(min(domains, links)) for _ in range(links)]
    names = sorted(set(owners))
    lines = ["version: 1", "duration: 4 s", f"seed: {number % 1000}", "network:", "  links:"]
    for i in range(links):
        law = rng.choice(["{law: fixed, probability: 0.05}"] * 3 + ["{law: drop-tail}"])
        lines.append(
            f"    - {{name: l{i}, from: n{i}, to: n{i + 1}, rate: {rng.randint(2, 9)} Mbps, "
            f"delay: {rng.randint(1, 9)} ms, buffer: {rng.randint(8, 60)} packets, marking: {law}}}"
        )
    lines.append("sources:")
    count = rng.randint(1, 4)
    for i in range(count):
        ends = sorted(rng.sample(range(links + 1), 2))
        law = rng.choice(["{law: wtp}", "{law: reno, ecn: rfc3168}"])
        lines.append(
            f"  - {{name: s{i}, count: {rng.randint(1, 3)}, from: n{ends[0]}, to: n{ends[1]}, "
            f"start: {rng.randint(0, 900)} ms, transport: {law}}}"
        )
    lines += ["record: {trace: true}", "market:", f"  settlement: {rng.choice(RULES)}"]
    if number % 3 == 0:  # two prices of a mark: WTP sends ECT(1), Reno ECT(0)
        lines = [line.replace("{law: wtp}", "{law: wtp, codepoint: ect-1}") for line in lines]
        lines.append(f"  classic_price_ratio: {(0.3, 7.5)[number % 2]}")
    lines += ["  price_per_mark: 0.001 money", "  agents:"]
    for name in names:
        own = ", ".join(f"l{i}" for i in range(links) if owners[i] == name)
        step = rng.randint(1, 500)
        lines.append(
            f"    - {{name: d{name}, role: connectivity-provider, links: [{own}], "
            f"price_per_mark: {rng.randint(1, 9)} money, decision_interval: 1 s, "
            f"strategy: {{kind: 'settlement_world:Wander', step: {step / 1e4} money}}}}"
        )
    sold = [i for i in range(count) if rng.random() < 0.4]
    if sold:
        classes = ", ".join(f"c{i}: {{fee: {i + 1} money/s, sources: s{i}}}" for i in sold)
        lines.append(f"    - {{name: shop, role: application-provider, classes: {{{classes}}}}}")
    for i in range(count):
        if rng.random() < 0.5:
            lines.append(f"    - {{name: u{i}, role: customer, sources: s{i}}}")
    return "\n".join(lines) + "\n"


def posted(run: Results) -> dict[tuple[int, str], int]:
    """(time, carrier) -> the posted price, micro-units."""
    agents = run.raw.agents
    rows = agents[agents["name"] == "price_micro_per_mark"]
    values = zip(rows["t_ps"], rows["agent"], rows["value"], strict=True)
    return {(int(t), agent): round(value) for t, agent, value in values}


def owed(run: Results, plan: Plan, market: dict[str, Any]) -> Money:
    """Count the debts for marks by account, packet by packet."""
    carriers = [a for a in market["agents"] if a["role"] == "connectivity-provider"]
    owner = {name: a["name"] for a in carriers for name in a["links"]}
    payer = {source.name: f"source:{source.name}" for source in plan.sources}
    for agent in market["agents"]:
        if agent["role"] == "customer":
            payer |= dict.fromkeys(agent["sources"], agent["name"])
    for agent in market["agents"]:
        for sold in agent.get("classes", {}).values():
            payer |= dict.fromkeys(sold["sources"], agent["name"])
    ratio = market.get("classic_price_ratio", 1)
    classic = {s.name for s in plan.sources if s.transport.codepoint == "ect-0"}
    source_of = [s for s in plan.sources for _ in range(s.count)]
    prices, money = posted(run), Money()

    def price(of: str, epoch: int) -> int:
        at = next(prices[t * PS, of] for t in range(epoch, -1, -1) if (t * PS, of) in prices)
        return max(round(at * ratio), min(at, 1)) if source.name in classic else at

    trace = run.trace
    columns = (trace[name].tolist() for name in ("t_ps", "event", "link", "flow", "bytes", "ce"))
    for t_ps, event, link, flow, size, ce in zip(*columns, strict=True):
        source, epoch = source_of[flow], max(0, -(-t_ps // PS) - 1)
        way = [owner[plan.links[i].name] for i in source.path]
        who, end = payer[source.name], (epoch + 1) * PS
        rule = market["settlement"]
        if event == DELIVER and ce and size > ACK and rule != "direct":
            money[end, "marks", who, way[0]] += price(way[0], epoch)
        if event != MARK:
            continue
        place = source.path.index(link)
        if rule == "direct":
            money[end, "marks", who, way[place]] += price(way[place], epoch)
        elif rule == "retail" and way[place] != way[0]:
            money[end, "settlement", way[0], way[place]] += price(way[place], epoch)
        elif rule == "cascade":
            for at in range(1, place + 1):
                if way[at] != way[at - 1]:
                    money[end, "settlement", way[at - 1], way[at]] += price(way[at], epoch)
    return +money
