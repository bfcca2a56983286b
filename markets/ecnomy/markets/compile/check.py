# SPDX-License-Identifier: Apache-2.0
"""Warnings of `ecnomy check` about valid scenarios that may not work as intended."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

from ecnomy.agents.money import MICRO
from ecnomy.agents.roles.find import preset_of
from ecnomy.agents.spec import AgentSpec
from ecnomy.agents.strategies import make
from ecnomy.agents.times import PS_PER_S
from ecnomy.markets.compile.alternatives import empty_domains, shared_paths
from ecnomy.markets.compile.call_promises import claims_without_effect, unguarded_admission
from ecnomy.markets.compile.cheap_marks import cheap_marks
from ecnomy.markets.compile.coarse_payments import coarse_payments
from ecnomy.markets.compile.directions import against_links
from ecnomy.markets.compile.full_pipes import heavy_weights
from ecnomy.markets.compile.l4s import idle_ratio, mixed_l4s
from ecnomy.markets.compile.line_load import few_lines
from ecnomy.markets.compile.make_laws import is_ect
from ecnomy.markets.compile.overpaying import anticipated_otherwise, paid_beyond_worth
from ecnomy.markets.compile.packet_sizes import unequal_packets
from ecnomy.markets.compile.rem_bounds import unreadable_prices, unstable_steps
from ecnomy.markets.compile.slow_windows import endless_starts, slow_windows, small_windows
from ecnomy.markets.compile.target_marks import (
    bottlenecks,
    constant_rates,
    largest_probability,
    mark_rates,
    sorts,
    takes_marks,
)
from ecnomy.markets.compile.window_needs import marks_ignored, without_sack
from ecnomy.markets.compile.wires import lossy, reordered, wrapped_counts
from ecnomy.markets.plan import Law, Link, Plan, Source, Tcp, Udp
from ecnomy.markets.plan.law_table import trait_value, weights, with_trait
from ecnomy.markets.scenario import Scenario
from ecnomy.markets.support.wording import few

__all__ = ["warnings"]

_MANY_ROWS = 10**8
_MANY_EPOCHS = 10**6


def warnings(scenario: Scenario, plan: Plan) -> list[str]:
    """Return the warnings about a scenario, each on one line.

    Args:
        scenario: the scenario.
        plan: the plan of the scenario.
    """
    messages = [
        *_marks_requested(scenario, plan),
        *cheap_marks(scenario, plan),
        *heavy_weights(scenario, plan),
        *against_links(plan),
        *_without_marks(plan),
        *without_sack(plan),
        *_not_ect(plan),
        *marks_ignored(plan),
        *mixed_l4s(plan),
        *idle_ratio(scenario, plan),
        *few_lines(plan),
        *_classless(scenario, plan),
        *_virtual_queues(plan),
        *lossy(plan),
        *reordered(plan),
        *wrapped_counts(plan),
        *slow_windows(scenario, plan),
        *small_windows(scenario, plan),
        *endless_starts(plan),
        *unstable_steps(scenario, plan),
        *unreadable_prices(scenario, plan),
        *_times(scenario, plan),
        *_unpriced(scenario, plan),
        *empty_domains(scenario, plan),
        *shared_paths(scenario, plan),
        *_weightless(scenario, plan),
        *paid_beyond_worth(scenario, plan),
        *anticipated_otherwise(scenario, plan),
        *coarse_payments(scenario),
        *unequal_packets(scenario, plan),
        *_floods(plan),
        *unguarded_admission(scenario, plan),
        *claims_without_effect(scenario),
    ]
    return list(dict.fromkeys(messages))


def _classless(scenario: Scenario, plan: Plan) -> Iterator[str]:
    """Warn about sources that set `class` although no link on their paths has classes to select."""
    written = [source.service_class for source in scenario.document.sources]
    names = [
        source.name
        for source, wanted in zip(plan.sources, written, strict=True)
        if wanted is not None and not _choices(source, plan)
    ]
    if names:
        yield (
            f"{few(names)}: 'class' has no effect because no link on the path has classes to "
            "choose from"
        )


def _choices(source: Source, plan: Plan) -> list[str]:
    """Return the links on a source's paths where `class` selects the class of its packets."""
    links = [plan.links[index] for index in (*source.path, *source.ack_path)]
    return [link.name for link in links if link.scheduler is not None and not sorts(link)]


def _marks_requested(scenario: Scenario, plan: Plan) -> Iterator[str]:
    rates = mark_rates(scenario, plan)
    for link, users in bottlenecks(plan, _asking(plan, rates)).items():
        line = plan.links[link]
        requested = sum(
            _requested(source, rates[source.name], line) * source.count for source in users
        )
        names = ", ".join(source.name for source in users)
        said = f"the flows of {names} ask for {requested:.4g} marks/s in total"
        yield from _beyond(line, users, said, requested)
    # A crowd that pays constant charges may want more marks in total than a link can set.
    alone = {n: r for n, r in constant_rates(scenario, plan).items() if n not in rates}
    for link, users in bottlenecks(plan, _asking(plan, alone)).items():
        for source in users:
            requested = alone[source.name]
            said = f"each flow of {source.name} asks for {requested:.4g} marks/s"
            yield from _beyond(plan.links[link], [source], said, requested)


def _asking(plan: Plan, rates: Mapping[str, float]) -> list[Source]:
    return [source for source in plan.sources if source.weighted and rates.get(source.name, 0) > 0]


def _requested(source: Source, rate: float, line: Link) -> float:
    """Return the target marks per second of a flow, or fewer if its traffic is too slow."""
    packets_per_s = source.most_bps / (8 * source.packet_bytes)
    return min(rate, packets_per_s * largest_probability(line))


def _beyond(line: Link, users: list[Source], said: str, requested: float) -> Iterator[str]:
    packet = min(source.packet_bytes for source in users) + line.framing_bytes
    packets_per_s = line.rate_bps / (8 * packet)
    most = packets_per_s * largest_probability(line)
    if requested > most:
        yield (
            f"link {line.name}: {said}, but "
            f"{packets_per_s:.4g} packets/s at a marking probability of at most "
            f"{largest_probability(line):.3g} give {most:.4g} marks/s. Raise price_per_mark, "
            "lower the charges, or let the law mark more"
        )


def _without_marks(plan: Plan) -> Iterator[str]:
    for source in plan.sources:
        tcp = source.transport
        if isinstance(tcp, Tcp) and tcp.window.law in with_trait("window", "steps", "per-round"):
            yield (
                f"source {source.name}: {tcp.window.law} responds once per round trip, so its "
                "marks grow roughly with the square root of its charge, not in proportion"
            )
        marked = any(takes_marks(source, plan.links[link]) for link in source.path)
        if source.weighted and not marked:
            yield (
                f"source {source.name}: no link on its path marks, so its window law slows down "
                "only after losses"
            )


def _not_ect(plan: Plan) -> Iterator[str]:
    for source in plan.sources:
        links = [plan.links[link] for link in source.path]
        if is_ect(source.transport):
            continue
        for link in links:
            if _marks_only(link.marking):
                yield (
                    f"source {source.name}: its packets are not ECN-capable, so {link.marking.law} "
                    f"never drops them at link {link.name}; only a full buffer drops them"
                )
        marking = [link for link in links if _instead_of_marks(source, link)]
        if not marking:
            continue
        fate = "drop" if any(link.not_ect == "drop" for link in marking) else "pass"
        where = f"link {marking[0].name} {fate}{'es' if fate == 'pass' else 's'}"
        if len(marking) > 1:
            where = f"links {', '.join(link.name for link in marking)} {fate}"
        remedy = ""
        if isinstance(source.transport, Udp):
            remedy = "; to have them marked, add 'ecn: ect' to its transport"
        yield (
            f"source {source.name}: its packets are not ECN-capable, so {where} them instead of "
            f"marking them{remedy}"
        )


def _marks_only(law: Law) -> bool:
    """Return whether a law decides when packets leave the queue, and so can only mark them."""
    return trait_value("marking", law.law, "late", law.params) != 0


def _instead_of_marks(source: Source, link: Link) -> bool:
    """Return whether a link drops or passes a source's packets instead of marking them."""
    if link.scheduler is not None:
        return sorts(link) and takes_marks(source, link)
    return link.marking.law != "drop-tail" and not _marks_only(link.marking)


def _virtual_queues(plan: Plan) -> Iterator[str]:
    for link in plan.links:
        params = link.marking.params
        # A virtual queue that serves whole packets passes the packet in service even if it does not
        # fit.
        if link.marking.law != "virtual-queue" or params["service"] != 0:
            continue
        size = params["theta"] * params["buffer_packets"] * params["mean_packet_bytes"]
        largest = max((s.packet_bytes for s in plan.sources), default=0)
        if size < largest:
            yield (
                f"link {link.name}: the virtual queue holds {size:.4g} bytes, less than one "
                f"packet of {largest}, so it marks every packet of that size"
            )


def _times(scenario: Scenario, plan: Plan) -> Iterator[str]:
    for source in plan.sources:
        if source.start.at_ps >= plan.duration_ps:
            yield f"source {source.name}: starts after the end of the run"
        if 0 <= source.stop_ps <= source.start.at_ps:
            yield f"source {source.name}: stops before it starts"
        yield from _idle_profile(source, plan)
    if plan.epoch_ps > plan.duration_ps:
        yield "market: the epoch is longer than the run, so agents decide only once"
    agents = scenario.market.agents if scenario.market else ()
    for agent in agents:
        if 0 <= agent.decision_interval_ps < plan.epoch_ps:
            yield (
                f"agent {agent.name}: decides every {agent.decision_interval_ps / PS_PER_S:g} s, "
                f"but observes the market only once per epoch, every {plan.epoch_ps / PS_PER_S:g} s"
            )
        yield from _late_prices(agent, plan)


def _late_prices(agent: AgentSpec, plan: Plan) -> Iterator[str]:
    strategy = agent.strategy
    if strategy is None or strategy.kind != "price-schedule" or "period" in strategy.params:
        return
    prices, end_s = strategy.params["prices"], plan.duration_ps / PS_PER_S
    times_s = map(float, prices if isinstance(prices, Mapping) else ())
    if late := [at_s for at_s in times_s if at_s >= end_s]:
        yield (
            f"agent {agent.name}: its price from {min(late):g} s on is never posted, because the "
            f"run ends at {end_s:g} s"
        )


def _idle_profile(source: Source, plan: Plan) -> Iterator[str]:
    steps = source.profile.steps
    if len(steps) > 1 and steps[1].at_ps >= plan.duration_ps:
        yield (
            f"source {source.name}: its profile stays at {steps[0].factor_ppm / 10**6:g} for the "
            f"{plan.duration_ps / PS_PER_S:g} s of the run; give it a shorter period"
        )


def _floods(plan: Plan) -> Iterator[str]:
    """Warn about very long tables and very many epochs."""
    record = plan.record
    if record.series:
        flows = sum(name in ("cwnd", "rtt", "rate") for name in record.series)
        subjects = flows * plan.row_count + (len(record.series) - flows) * len(plan.links)
        rows = plan.duration_ps // record.every_ps * subjects
        if rows > _MANY_ROWS:
            yield f"record.series: about {rows:.3g} rows; sample less often"
    epochs = plan.duration_ps // plan.epoch_ps
    if epochs > _MANY_EPOCHS:
        yield (
            f"market: {epochs:.3g} epochs, each with a message to the engine and back; use a "
            "longer epoch"
        )


def _weightless(scenario: Scenario, plan: Plan) -> Iterator[str]:
    agents = scenario.market.agents if scenario.market else ()
    known = {source.name for source in plan.sources if math.isinf(source.least_weight)}
    for agent in agents:
        of = [entry.sources for entry in agent.contracts if entry.meter == "weight"]
        names = [name for sources in of for name in sources if name in known]
        if names:
            yield (
                f"agent {agent.name}: sells weight to {few(names)}, whose "
                f"window law has no weight; use one of {', '.join(weights())}"
            )


def _unpriced(scenario: Scenario, plan: Plan) -> Iterator[str]:
    agents = scenario.market.agents if scenario.market else ()
    weighted = {source.name: source.weighted for source in plan.sources}
    for agent in agents:
        for entry in agent.classes:
            for name in entry.sources:
                if not weighted[name]:
                    yield (
                        f"source {name}: class {entry.name} of {agent.name} cannot steer it with "
                        f"a charge of {entry.charging_rate_micro / MICRO:g} money/s because its "
                        "transport ignores charges; use e.g. wtp"
                    )
        if preset_of(agent.role).pays_itself:
            written = {s.name for s in plan.sources if s.weighted and s.own_weight not in (0, 1)}
            if replaced := [name for name in agent.sources if name in written]:
                yield (
                    f"agent {agent.name}: its willingness to pay replaces the weight of "
                    f"{few(replaced)}; omit the weight"
                )
            deaf = [name for name in agent.sources if name in weighted and not weighted[name]]
            if deaf and not _chooses_weights(agent):
                yield (
                    f"agent {agent.name}: its willingness to pay has no effect on {few(deaf)}, "
                    "whose transport ignores it; use e.g. wtp"
                )


def _chooses_weights(agent: AgentSpec) -> bool:
    """Return whether an agent's strategy sets the weights of flows, such as those of MulTCP."""
    strategy = agent.strategy
    if strategy is None:
        return False
    return bool(getattr(make(strategy.kind, strategy.params), "needs_weight", False))
