# SPDX-License-Identifier: Apache-2.0
"""Write a plan's numbers as parameters of NED modules: queues, sources, sinks and the market."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from ecnomy.markets.omnet.names import law_parameter, law_type, quoted
from ecnomy.markets.omnet.quantities import flag, number, time
from ecnomy.markets.omnet.wiring import PORT, Wiring
from ecnomy.markets.plan import Law, Link, Plan, Profile, Scheduler, Sizes, Source, Tcp, Udp
from ecnomy.markets.plan.law_table import param

__all__ = ["Setting", "law_settings", "market", "queue", "sink", "source"]

Setting = tuple[str, str]  # a key below the module's path, and its value in ini files


def law_settings(family: str, law: Law) -> Iterator[Setting]:
    """Yield the parameters of a law under their NED names, with choices as names."""
    for name, value in law.params.items():
        entry = param(family, law.law, name)
        if entry.unit == "choice":
            yield name, quoted(entry.choices[int(value)])
        elif entry.unit == "flag":
            yield name, flag(value)
        else:
            key, unit = law_parameter(name, entry.unit)
            yield key, f"{number(value)}{unit}"


def queue(link: Link) -> Iterator[Setting]:
    """Yield the settings of the queue at the start of a link."""
    family, law = "marking", link.marking
    if link.scheduler is not None:
        family, law = "scheduling", link.scheduler.law
        yield "classes", quoted("; ".join(_classes(link.scheduler)))
    yield "typename", quoted(law_type(family, law.law))
    yield "linkName", quoted(link.name)
    yield "stream", quoted(link.stream)
    yield "loss", number(link.loss)
    yield "lossStream", quoted(link.loss_stream)
    if link.reordering is not msgspec.UNSET:
        yield "reordering", number(link.reordering.probability)
        yield "reorderingDelay", time(link.reordering.delay_ps)
        yield "reorderingStream", quoted(link.reordering.stream)
    if link.delay_profile is not msgspec.UNSET:
        yield "delayProfilePeriod", time(link.delay_profile.period_ps)
        steps = " ".join(f"{step.at_ps}:{step.delay_ps}" for step in link.delay_profile.steps)
        yield "delayProfileSteps", quoted(steps)
    yield "bufferPackets", str(link.buffer_packets)
    yield "bufferBytes", f"{link.buffer_bytes}B"
    yield "notEct", quoted(link.not_ect)
    yield from law_settings(family, law)


def _classes(scheduler: Scheduler) -> Iterator[str]:
    """Yield the description of each class: its name, its guarantees and any marking law."""
    for index, name in enumerate(scheduler.names):
        words = [name, *_values(scheduler.classes[index])]
        if scheduler.marking:
            marking = scheduler.marking[index]
            words += [f"marking={marking.law}", *_values(marking)]
        yield " ".join(words)


def _values(law: Law) -> list[str]:
    return [f"{key}={number(value)}" for key, value in law.params.items()]


def source(plan: Plan, wiring: Wiring, index: int) -> Iterator[Setting]:
    """Yield the settings of a source's sending end."""
    it = plan.sources[index]
    local, remote = wiring.addresses[index]
    yield "typename", quoted(f"ecnomy.traffic.{_kind(it)}Source")
    yield "sourceName", quoted(it.name)
    yield "count", str(it.count)
    yield "path", quoted(_names(plan, it.path))
    yield "ackPath", quoted(_names(plan, it.ack_path))
    yield "classes", quoted(_words(it.classes))
    yield "ackClasses", quoted(_words(it.ack_classes))
    yield "localAddress", quoted(local)
    yield "remoteAddress", quoted(remote)
    yield "port", str(PORT)
    yield "start", time(it.start.at_ps)
    yield "startStagger", time(it.start.stagger_ps)
    yield "startSpread", time(it.start.spread_ps)
    yield "stop", time(it.stop_ps)
    yield from _profile(it.profile)
    yield "parts", quoted("; ".join(" ".join([law.law, *_values(law)]) for law in it.parts))
    yield "sizes", quoted(_sizes(it.sizes))
    yield "rowsTogether", flag(it.rows == "together")
    yield "sendOverhead", time(it.send_overhead_ps)
    yield "traffic.typename", quoted(law_type("traffic", it.traffic.law))
    for name, value in law_settings("traffic", it.traffic):
        yield f"traffic.{name}", value
    if isinstance(it.transport, Tcp):
        yield from _tcp(it.transport)
    else:
        yield from _udp(it, it.transport)


def _sizes(sizes: Sizes) -> str:
    pairs = zip(sizes.bytes, sizes.weights, strict=True)
    return " ".join(f"{size}:{number(weight)}" for size, weight in pairs)


def sink(plan: Plan, wiring: Wiring, index: int) -> Iterator[Setting]:
    """Yield the settings of a source's receiving end."""
    it = plan.sources[index]
    yield "typename", quoted(f"ecnomy.{_sink_package(it)}.{_kind(it)}Sink")
    yield "sourceName", quoted(it.name)
    yield "address", quoted(wiring.addresses[index][1])
    yield "port", str(PORT)
    yield "count", str(it.count)


def market(plan: Plan) -> Iterator[Setting]:
    """Yield the settings of the bridge module, without its connection."""
    record = plan.record
    yield "links", quoted(" ".join(link.name for link in plan.links))
    yield "sources", quoted(" ".join(source.name for source in plan.sources))
    yield "seed", _signed(plan.seed)
    yield "duration", time(plan.duration_ps)
    yield "epoch", time(plan.epoch_ps)
    yield "series", quoted(" ".join(record.series))
    yield "every", time(record.every_ps)
    yield "delayThresholds", quoted(_words(record.delay_thresholds_ps))
    yield "trace", flag(record.trace)
    yield "transfers", flag(record.transfers)
    yield "calls", flag(record.calls)
    histograms = (f"{h.of}:{h.width}:{h.bins}" for h in record.histograms)
    yield "histograms", quoted(" ".join(histograms))
    yield "counts", quoted(" ".join(record.counts))
    yield "countsEvery", time(record.counts_every_ps)
    yield "classesEvery", time(record.classes_every_ps)


def _kind(it: Source) -> str:
    if isinstance(it.transport, Tcp):
        return "Tcp"
    return "Call" if it.traffic.law == "voip" else "Udp"


def _sink_package(it: Source) -> str:
    return "tcp" if isinstance(it.transport, Tcp) else "traffic"


def _tcp(tcp: Tcp) -> Iterator[Setting]:
    yield "mss", f"{tcp.mss_bytes}B"
    yield "header", f"{tcp.header_bytes}B"
    yield "ack", f"{tcp.ack_bytes}B"
    yield "send", quoted(tcp.send)
    yield "echo", quoted(tcp.echo)
    yield "ect", quoted(tcp.ect)
    yield "codepoint", quoted(tcp.codepoint)
    yield "sack", flag(tcp.sack)
    yield "delayedAcks", str(tcp.delayed_acks)
    yield "delayedAck", time(tcp.delayed_ack_ps)
    yield "receiverWindow", str(tcp.receiver_window)
    yield "slowStart", flag(tcp.slow_start)
    yield "initialWindow", number(tcp.initial_window)
    yield "minWindow", number(tcp.min_window)
    yield "maxWindow", number(tcp.max_window)
    yield "minRto", time(tcp.min_rto_ps)
    yield "maxRto", time(tcp.max_rto_ps)
    yield "initialRto", time(tcp.initial_rto_ps)
    yield "initialMarkRate", number(tcp.initial_mark_rate)
    yield "referenceRtt", time(tcp.reference_rtt_ps)
    yield "rtt", quoted(tcp.rtt)
    yield "reduceFrom", quoted(tcp.reduce_from)
    yield "window.typename", quoted(law_type("window", tcp.window.law))
    for name, value in law_settings("window", tcp.window):
        yield f"window.{name}", value


def _udp(it: Source, udp: Udp) -> Iterator[Setting]:
    yield "payload", f"{udp.payload_bytes}B"
    yield "header", f"{udp.header_bytes}B"
    yield "ect", flag(udp.ect)
    yield "codepoint", quoted(udp.codepoint)
    if _kind(it) == "Call":
        yield "callsAsk", flag(it.calls.ask)
        yield "callsMaxDelay", time(it.calls.max_delay_ps)
        yield "callsLongest", time(it.calls.longest_ps)


def _profile(profile: Profile) -> Iterator[Setting]:
    yield "profilePeriod", time(profile.period_ps)
    steps = " ".join(f"{step.at_ps}:{step.factor_ppm}" for step in profile.steps)
    yield "profileSteps", quoted(steps)


def _names(plan: Plan, path: Iterable[int]) -> str:
    return " ".join(plan.links[link].name for link in path)


def _words(numbers: Iterable[int]) -> str:
    return " ".join(map(str, numbers))


def _signed(seed: int) -> str:
    """Return a uint64 as the int64 with the same bits, as NED requires."""
    signed = seed - 2**64 if seed >= 2**63 else seed
    return str(signed) if signed > -(2**63) else "-9223372036854775807 - 1"
