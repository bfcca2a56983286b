# SPDX-License-Identifier: Apache-2.0
"""Describe the resolved scenario in a text that fits on one screen."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ecnomy.agents.money import MICRO
from ecnomy.agents.roles.find import preset_of
from ecnomy.agents.spec import AgentSpec, ClassSpec, MarketSpec
from ecnomy.agents.strategies import find
from ecnomy.agents.times import PS_PER_S
from ecnomy.markets.compile.target_marks import charges_micro, sorts_by
from ecnomy.markets.plan import Law, Link, Plan, Scheduler, Source, Tcp
from ecnomy.markets.plan.law_table import MARKING, Param
from ecnomy.markets.scenario import Scenario
from ecnomy.markets.scenario.header_queues import HEADERS
from ecnomy.markets.scenario.mark_prices import DIRECT, MarkPrice, mark_prices
from ecnomy.markets.scenario.parameters import declared
from ecnomy.markets.support.wording import few

__all__ = ["summary"]

_MOST_ROWS = 12


def summary(scenario: Scenario, plan: Plan) -> str:
    """Return the title, times, links, sources and market of a scenario as plain text."""
    flows = sum(source.count for source in plan.sources)
    lines = [
        plan.title or scenario.places.file,
        (
            f"{_time(plan.duration_ps)} simulated, including {_time(plan.warmup_ps)} of warm-up, "
            f"seed {plan.seed}, epoch {_time(plan.epoch_ps)}"
        ),
        "",
        f"links ({len(plan.links)})",
        *_some([_link(link, plan) for link in plan.links]),
        "",
        *_markings(plan),
        "",
        f"sources ({len(plan.sources)}, {flows} flows)",
        *_some([_source(source, plan) for source in plan.sources]),
    ]
    if scenario.market is not None:
        lines += ["", *_market(scenario.market, plan)]
    return "\n".join(lines)


def _some(rows: list[str]) -> list[str]:
    shown = [f"  {row}" for row in rows[:_MOST_ROWS]]
    rest = len(rows) - len(shown)
    return [*shown, f"  ... and {rest} more"] if rest else shown


def _time(ps: int) -> str:
    seconds = ps / PS_PER_S
    return f"{seconds:g} s" if ps == 0 or seconds >= 1 else f"{seconds * 1000:g} ms"


def _rate(bps: int) -> str:
    for unit, worth in (("Gbps", 10**9), ("Mbps", 10**6), ("kbps", 10**3)):
        if bps >= worth:
            return f"{bps / worth:g} {unit}"
    return f"{bps} bps"


def _link(link: Link, plan: Plan) -> str:
    buffer = "unlimited buffer"
    if link.buffer_packets >= 0:
        buffer = f"buffer {link.buffer_packets} packets"
    elif link.buffer_bytes >= 0:
        buffer = f"buffer {link.buffer_bytes} bytes"
    ends = f"{plan.nodes[link.source]} -> {plan.nodes[link.target]}"
    rate, delay = _rate(link.rate_bps), _time(link.delay_ps)
    queue = _classes(link.scheduler) if link.scheduler else link.marking.law
    return f"{link.name}: {ends}, {rate}, {delay}, {buffer}, {queue}"


def _markings(plan: Plan) -> list[str]:
    """Return lines with marking laws and their parameters, one for all links that mark alike."""
    alike: dict[str, list[str]] = {}
    for link in plan.links:
        if link.scheduler is None:
            alike.setdefault(_law(link.marking), []).append(link.name)
    rows = [f"{law}: {_names(names, len(plan.links))}" for law, names in alike.items()]
    sorted_by: dict[str, list[str]] = {}
    for link in plan.links:
        if link.scheduler is not None:
            trait = next((one for one in HEADERS if sorts_by(link, one)), "by_class")
            sorted_by.setdefault(trait.replace("_", " "), []).append(link.name)
    rows += [f"{how}: {_names(names, len(plan.links))}" for how, names in sorted(sorted_by.items())]
    return [f"marking ({len(rows)} {'kind' if len(rows) == 1 else 'kinds'})", *_some(rows)]


def _names(names: list[str], links: int) -> str:
    if len(names) == links > 1:
        return f"all {links} links"
    return few(names)


def _law(law: Law) -> str:
    """Return a law with the parameters that differ from their defaults."""
    table = {param.name: param for param in MARKING[law.law]}
    settings = [
        f"{name} {_value(law, param)}"
        for name, param in table.items()
        if param.default is None or law.params[name] != param.default
    ]
    return f"{law.law} ({', '.join(settings)})" if settings else law.law


def _value(law: Law, param: Param) -> str:
    value = law.params[param.name]
    if param.choices:
        return param.choices[int(value)]
    if param.unit == "flag":
        return "yes" if value else "no"
    return f"{value:g}{' bytes' if param.unit == 'unit' and law.params.get('unit') else ''}"


def _classes(scheduler: Scheduler) -> str:
    listed = []
    for index, (name, promised) in enumerate(zip(scheduler.names, scheduler.classes, strict=True)):
        parts = [f"share {promised.params['share']:g}"] if "share" in promised.params else []
        parts += [scheduler.marking[index].law] if scheduler.marking else []
        listed.append(f"{name} ({', '.join(parts)})" if parts else name)
    return f"{scheduler.law.law} classes {', '.join(listed)}"


def _hop(link: Link, index: int, source: Source) -> str:
    """Return a link on a source's path, with the source's class if the link has classes."""
    if link.scheduler is None or not source.classes:
        return link.name
    return f"{link.name} (class {link.scheduler.names[source.classes[index]]})"


def _source(source: Source, plan: Plan) -> str:
    via = ", ".join(_hop(plan.links[link], index, source) for index, link in enumerate(source.path))
    transport = source.transport
    law = f"{transport.window.law}, {transport.send}" if isinstance(transport, Tcp) else "udp"
    start = f", from {_time(source.start.at_ps)}" if source.start.at_ps else ""
    if source.profile.steps:
        start += f", profile of {_time(source.profile.period_ps)}"
    rtt_ps = sum(plan.links[link].delay_ps for link in [*source.path, *source.ack_path])
    rtt = f", round trip {_time(rtt_ps)}" if source.ack_path else ""
    return f"{source.count} x {source.name}: {source.traffic.law}, {law}, via {via}{rtt}{start}"


def _market(market: MarketSpec, plan: Plan) -> list[str]:
    price, prices = market.price_micro_per_mark, mark_prices(market, plan)
    agents = _some([_agent(agent, price, prices) for agent in market.agents])
    if len([agent for agent in market.agents if preset_of(agent.role).owns_links]) < 2:
        return [f"market: {price / MICRO:g} money per mark{_classic(market)}", *agents]
    ways = [_way(name, paid, market.settlement) for name, paid in prices.items()]
    settled = f"market: marks are settled by {market.settlement}{_classic(market)}"
    return [settled, *agents, "", "ways", *_some(ways)]


def _classic(market: MarketSpec) -> str:
    ratio = market.classic_price_ratio
    return "" if ratio == 1 else f", {ratio:g} times as much on classic packets, ECT(0)"


def _way(source: str, paid: MarkPrice, settlement: str) -> str:
    """Return the carriers of a source, the price of its marks, and the party that is paid."""
    price = f"{paid.low / MICRO:g}"
    price += f" to {paid.high / MICRO:g}" if paid.high > paid.low else ""
    payees = "where set" if settlement == DIRECT else f"paid to {paid.domains[0]}"
    return f"{source}: through {', '.join(paid.domains)}; {price} money per mark, {payees}"


def _terms(sold: ClassSpec, charge_micro: int | None) -> str:
    """Return the terms of a class in words: fee, limits, and the target cost of marks."""
    terms = f"{sold.fee_micro_per_s / MICRO:g} money/s"
    if sold.members >= 0:
        terms += f", at most {sold.members} members"
    if sold.cost_micro_per_s >= 0:
        terms += (
            f", closed to newcomers once its marks cost {sold.cost_micro_per_s / MICRO:g} money/s"
        )
    if sold.customer_pays_marks:
        terms += ", customers pay their marks"
    if charge_micro not in (None, sold.fee_micro_per_s):
        terms += f", marks worth {charge_micro / MICRO:g} money/s per flow"
    return terms


def _chosen(kind: str, params: Mapping[str, Any]) -> str:
    """Return a strategy's kind and parameters. A mapping appears as its kind or its keys."""
    fields = declared(find(kind))
    parts = [
        f"{name} {value['kind'] if 'kind' in value else '/'.join(map(_plain, value))}"
        if isinstance(value, Mapping)
        else f"{name} {_plain(value, fields[name].unit if name in fields else '')}"
        for name, value in params.items()
    ]
    return f"{kind} ({', '.join(parts)})" if parts else kind


def _plain(value: object, unit: str = "") -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if not isinstance(value, int | float):
        return str(value)
    if unit == "bit/s":
        return _rate(round(value))
    return f"{value:g} {unit}".strip()


def _agent(agent: AgentSpec, price_micro: int, prices: dict[str, MarkPrice]) -> str:
    parts = [f"{agent.name} ({agent.role})"]
    if agent.price_micro_per_mark >= 0:
        parts.append(f"{agent.price_micro_per_mark / MICRO:g} money per mark")
    charges = charges_micro(agent)
    for entry in agent.classes:
        priced = [prices[source].low for source in entry.sources if source in prices]
        charge_micro = charges.get(entry.name)
        terms = f"class {entry.name}: {_terms(entry, charge_micro)}"
        if charge_micro is not None:
            marks = charge_micro / min(priced, default=price_micro)
            terms += f" = {marks:.4g} marks/s per flow"
        parts.append(terms)
    for contract in agent.contracts:
        menu = ", ".join(getattr(contract.tariff, "choices", ()))
        parts.append(f"sells {contract.meter} as {contract.name}" + (f": {menu}" if menu else ""))
    if agent.sources:
        parts.append(f"for {few(agent.sources, 'sources')}")
    if agent.strategy is not None:
        parts.append(f"strategy {_chosen(agent.strategy.kind, agent.strategy.params)}")
    return "; ".join(parts)
