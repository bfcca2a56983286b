# SPDX-License-Identifier: Apache-2.0
"""Compile a scenario to a plan: find paths, order directions, and convert laws to numbers."""

from __future__ import annotations

import msgspec

from ecnomy.agents.spec import AgentSpec
from ecnomy.agents.times import PS_PER_S
from ecnomy.markets.compile.make_laws import is_ect, marking_law, scheduler_of, transport_of
from ecnomy.markets.compile.make_traffic import traffic_law, traffic_parts, traffic_sizes
from ecnomy.markets.compile.paths import Mislaid, path_by_hand
from ecnomy.markets.compile.rem_steps import with_rem_steps
from ecnomy.markets.compile.report_limit import check_reports
from ecnomy.markets.compile.tuned_links import check_tuned
from ecnomy.markets.inputs.reading import known_name
from ecnomy.markets.plan import PLAN_VERSION, Plan
from ecnomy.markets.plan import structs as plans
from ecnomy.markets.plan.routing import NoRoute, Router
from ecnomy.markets.scenario import Scenario
from ecnomy.markets.scenario.counting import MOST_ROWS, Counts
from ecnomy.markets.scenario.document import AUTO, Source
from ecnomy.markets.scenario.header_queues import HeaderQueues
from ecnomy.markets.scenario.links import Direction
from ecnomy.markets.scenario.traffic import Voip
from ecnomy.markets.scenario.transport import Udp

__all__ = ["make_plan"]

_BIT_PS = 8 * PS_PER_S  # time of a byte at 1 bit/s, in ps


def make_plan(scenario: Scenario) -> Plan:
    """Return the plan of a scenario, with its digest.

    Raises:
        ScenarioError: data or ACKs of a source have no path, a link lacks a source's class, a
            number or an `auto` is out of range, a table cannot hold the counts, a report cannot
            hold the rows, or a strategy cannot tune its link.
    """
    document = scenario.document
    network = document.network
    directions, nodes = network.directions(), network.nodes()
    numbers = {node: number for number, node in enumerate(nodes)}
    router = network.router(equal_cost=network.equal_cost, seed=document.seed)
    plan = Plan(
        plan=PLAN_VERSION,
        title=document.title,
        seed=document.seed,
        duration_ps=document.duration,
        warmup_ps=document.warmup,
        epoch_ps=document.epoch_ps,
        nodes=nodes,
        links=[_link(direction, numbers) for direction in directions],
        sources=[
            _source(scenario, index, directions, router) for index in range(len(document.sources))
        ],
        record=_record(scenario, len(directions)),
    )
    plan = with_rem_steps(scenario, plan)
    check_reports(scenario, plan)
    check_tuned(scenario, plan)
    return plan.sealed()


def _record(scenario: Scenario, links: int) -> plans.PlanRecord:
    """Return the requested records, with the delays that tariffs promise as further thresholds."""
    record, counts = scenario.document.record, scenario.document.record.counts
    if counts is not None:
        _check_rows(scenario, counts, links)
    guarantees = _guarantees(scenario)
    promised = (line.tariff.max_delay_ps for agent in guarantees for line in agent.lines)
    calls = any(isinstance(s.traffic, Voip) for s in scenario.document.sources)
    return plans.PlanRecord(
        series=list(record.series),
        every_ps=record.every if record.series else plans.NONE,
        delay_thresholds_ps=list(dict.fromkeys((*record.delay_thresholds, *promised))),
        trace=record.trace,
        transfers=record.transfers or any(agent.elastic for agent in guarantees),
        calls=calls and (record.calls or any(agent.lines for agent in guarantees)),
        histograms=[plans.Histogram(*entry) for entry in record.histograms.requested()],
        counts=[] if counts is None else list(counts.of),
        counts_every_ps=plans.NONE if counts is None else counts.every,
        classes_every_ps=_classes_every(scenario),
    )


def _classes_every(scenario: Scenario) -> int:
    document = scenario.document
    if all(direction.scheduler is None for direction in document.network.directions()):
        return plans.NONE
    every = document.record.classes.every
    return document.epoch_ps if every is None else every


def _guarantees(scenario: Scenario) -> list[AgentSpec]:
    agents = scenario.market.agents if scenario.market else ()
    return [agent for agent in agents if agent.lines or agent.elastic]


def _marked(scenario: Scenario, source: Source) -> bool:
    """Return whether a source sends calls or test streams, which are ECN-capable by default."""
    streams = (name for agent in _guarantees(scenario) for name in agent.test_streams)
    return isinstance(source.traffic, Voip) or source.name in streams


def _calls(scenario: Scenario, source: Source) -> plans.Calls:
    """Return the settings of a source's calls; unsold calls use the first delay threshold."""
    longest = source.traffic.longest if isinstance(source.traffic, Voip) else plans.NONE
    for line in (line for agent in _guarantees(scenario) for line in agent.lines):
        if source.name in line.sources:
            limits = [ps for ps in (longest, line.tariff.max_time_ps) if ps >= 0]
            most_ps = min(limits, default=plans.NONE)
            return plans.Calls(True, line.tariff.max_delay_ps, most_ps)
    thresholds = scenario.document.record.delay_thresholds
    if isinstance(source.traffic, Voip) and thresholds:
        return plans.Calls(False, thresholds[0], longest)
    return plans.Calls(False, plans.NONE, longest)


def _check_rows(scenario: Scenario, counts: Counts, links: int) -> None:
    document = scenario.document
    rows = counts.rows(document.duration - document.warmup, links, len(document.sources))
    if rows > MOST_ROWS:
        expected = f"longer bins with at most {MOST_ROWS:,} counts in total"
        found = f"{rows:,} counts in total"
        raise scenario.places.fault("record.counts.every", found, expected)


def _reordering(direction: Direction) -> plans.Reordering | msgspec.UnsetType:
    written = direction.reordering
    if written is None or written.probability == 0:
        return msgspec.UNSET
    return plans.Reordering(
        probability=written.probability,
        delay_ps=written.delay,
        stream=f"link/{direction.name}/reordering",
    )


def _delay_profile(direction: Direction) -> plans.DelayProfile | msgspec.UnsetType:
    written = direction.delay_profile
    if written is None or not any(step.delay_ps for step in written.steps):
        return msgspec.UNSET
    return plans.DelayProfile(
        period_ps=written.period,
        steps=[plans.DelayStep(s.at_ps, s.delay_ps) for s in written.from_zero()],
    )


def _link(direction: Direction, numbers: dict[str, int]) -> plans.Link:
    return plans.Link(
        name=direction.name,
        source=numbers[direction.source],
        target=numbers[direction.target],
        rate_bps=direction.rate_bps,
        delay_ps=direction.delay_ps,
        buffer_packets=direction.buffer.packets,
        buffer_bytes=direction.buffer.bytes,
        framing_bytes=direction.framing_bytes,
        not_ect=direction.not_ect,
        marking=marking_law(direction.marking, direction.buffer),
        stream=f"link/{direction.name}/marking",
        loss=direction.loss,
        loss_stream=f"link/{direction.name}/loss",
        half_duplex=direction.half_duplex,
        reordering=_reordering(direction),
        delay_profile=_delay_profile(direction),
        scheduler=(
            None
            if direction.scheduler is None
            else scheduler_of(direction.scheduler, direction.buffer)
        ),
    )


def _source(
    scenario: Scenario, index: int, directions: list[Direction], router: Router
) -> plans.Source:
    source = scenario.document.sources[index]
    where = f"sources[{index}].to"
    path = _path(scenario, index, router)
    try:
        back = [] if isinstance(source.transport, Udp) else _back(router, path, source)
    except NoRoute:
        found = f"{source.receiver!r}, which cannot send ACKs to {source.sender!r}"
        raise scenario.places.fault(
            where, found, f"links from {source.receiver!r} back to {source.sender!r}"
        ) from None
    overhead = _overhead_ps(source, [directions[link] for link in path])
    transport = transport_of(source.transport, marked=_marked(scenario, source))
    l4s = transport.codepoint == "ect-1" and is_ect(transport)
    acks = l4s and isinstance(transport, plans.Tcp) and transport.ect == "all"
    return plans.Source(
        name=source.name,
        count=source.count,
        path=path,
        ack_path=back,
        start=plans.Start(at_ps=source.start, stagger_ps=source.stagger, spread_ps=source.spread),
        stop_ps=source.stop,
        profile=_profile(source),
        rows=source.rows,
        traffic=_traffic(scenario, index, source),
        parts=traffic_parts(source.traffic),
        sizes=traffic_sizes(source.traffic),
        transport=transport,
        send_overhead_ps=overhead,
        calls=_calls(scenario, source),
        classes=_classes(scenario, index, [directions[link] for link in path], l4s=l4s),
        ack_classes=_classes(scenario, index, [directions[link] for link in back], l4s=acks),
    )


def _path(scenario: Scenario, index: int, router: Router) -> list[int]:
    source, network = scenario.document.sources[index], scenario.document.network
    try:
        if source.path:
            return path_by_hand(source.path, network, source.sender, source.receiver)
        return router.path(source.sender, source.receiver, source.name)
    except Mislaid as fault:
        where = f"sources[{index}].path[{fault.item}]"
        raise scenario.places.fault(where, fault.found, fault.expected) from None
    except NoRoute:
        found = f"{source.receiver!r}, which {source.sender!r} cannot reach"
        where, expected = f"sources[{index}].to", f"a node that {source.sender!r} can reach"
        if router.reaches(source.receiver, source.sender):
            found += f": links lead only from {source.receiver!r} to {source.sender!r}"
            expected = (
                f"from: {source.receiver} and to: {source.sender}, or links with duplex: true"
            )
        raise scenario.places.fault(where, found, expected) from None


def _back(router: Router, path: list[int], source: Source) -> list[int]:
    return router.back(path, source.name, source.sender)


def _classes(scenario: Scenario, index: int, path: list[Direction], *, l4s: bool) -> list[int]:
    """Return the index of a source's class on each link of a path, or [] if no link has classes.

    Args:
        l4s: whether the packets on this path are ECT(1).
    """
    wanted = scenario.document.sources[index].service_class
    classes: list[int] = []
    for direction in path:
        scheduler = direction.scheduler
        if isinstance(scheduler, HeaderQueues):
            classes.append(scheduler.class_of(l4s=l4s))
            continue
        at = plans.NONE if scheduler is None else scheduler.index(wanted)
        if at is None and scheduler is not None:
            where, known = f"sources[{index}].class", known_name(str(wanted), scheduler.names())
            unknown = f"the unknown class {wanted!r} of link {direction.name!r}"
            raise scenario.places.fault(where, unknown, known)
        classes.append(plans.NONE if at is None else at)
    return classes if max(classes, default=plans.NONE) >= 0 else []


def _profile(source: Source) -> plans.Profile:
    if source.profile is None:
        return plans.NO_PROFILE
    return plans.Profile(
        period_ps=source.profile.period,
        steps=[plans.ProfileStep(s.at_ps, s.factor_ppm) for s in source.profile.from_zero()],
    )


def _traffic(scenario: Scenario, index: int, source: Source) -> plans.Law:
    """Return the traffic law; a number out of range is reported as a fault of the scenario."""
    try:
        return traffic_law(source.traffic, source.packet_bytes)
    except ValueError as error:
        where = f"sources[{index}].traffic"
        raise scenario.places.fault(
            where, str(error), "times and sizes in the representable range"
        ) from None


def _overhead_ps(source: Source, path: list[Direction]) -> int:
    if source.send_overhead != AUTO:
        return source.send_overhead
    packet = source.packet_bytes
    return max(-(-(packet + d.framing_bytes) * _BIT_PS // d.rate_bps) for d in path)
