# SPDX-License-Identifier: Apache-2.0
"""Warnings about slow or small windows, and slow starts that never end or end in losses."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Final

import msgspec

from ecnomy.agents.times import PS_PER_S
from ecnomy.markets.compile.line_load import call_s, erlang_b, is_pooled, load
from ecnomy.markets.compile.target_marks import (
    bottlenecks,
    constant_rates,
    largest_probability,
    mark_rates,
    marks_alike,
)
from ecnomy.markets.plan import Link, Plan, Source, Tcp, Udp
from ecnomy.markets.plan.law_table import with_trait
from ecnomy.markets.scenario import Scenario

__all__ = [
    "WindowSettling",
    "buffer_packets",
    "endless_starts",
    "packets_per_s",
    "round_trip_s",
    "settlings",
    "slow_windows",
    "small_windows",
]

_LASTING: Final = ("greedy", "rate-capped")
_OFF: Final = 0.05  # relative error of a mean; `compare` still reports equal goodput
_CALM: Final = 3  # time constants after which 5 % of a deviation remains
_DEEP: Final = 2  # buffers, in bandwidth-delay products
_BURST: Final = 10  # segments per flow
# Laws whose windows change by a gain per step. They repair one segment per round trip, and do not
# slow-start after a timeout.
_PER_MARK: Final = with_trait("window", "steps", "per-mark")
_PER_ROUND: Final = with_trait("window", "steps", "per-round")
_STEPPED: Final = _PER_MARK | _PER_ROUND


class WindowSettling(msgspec.Struct, frozen=True):
    """The settling time of a source's windows, with the values that determine it."""

    source: Source
    rtt_s: float  # without queues
    gain: float  # per mark, at this round trip
    probability: float  # probability that a packet is marked, in equilibrium
    window: float  # in packets, in equilibrium
    time_s: float
    small: bool = False  # below one packet, where steps change the logarithm


def settlings(scenario: Scenario, plan: Plan) -> Iterator[WindowSettling]:
    """Yield the settling of each lasting WTP source, at the slowest marking link of its path.

    Eq. 4 of siris2002 adds gain (w_inc / W - f / w_dec) per ACK, with f = 1 if marked. W / T ACKs
    arrive per second, so dW/dt = gain (w_inc - p W / w_dec) / T on average. At a given p, W
    approaches w_inc w_dec / p as exp(-t / time), with

        time = T w_dec / (gain p)

    This is 1 / alpha of Eq. 7 without the term x p'. That term describes the total on a link, which
    settles sooner than its division among flows. Below one packet, the same steps change ln W, and

        dW/dt = W gain (w_inc - p W / w_dec) / T        time = T / (gain w_inc)

    so a window settles within 1 / gain marks, however few packets the flow sends. Growth from one
    packet takes as long as above, at gain w_inc packets per round trip. p is the target of all
    flows, in marks per second, divided by the packets per second that datagrams leave to them.
    Every other lasting TCP flow counts as one of these flows, so that W = w / p is the fair share
    times T. With sender-only WTP (antoniadis2000 section 3.1), W grows in the same way, and the
    first echo of a round halves it. In equilibrium p W^2 = 2 w, and W settles within
    T W / (2 gain w).
    """
    rates = constant_rates(scenario, plan) | mark_rates(scenario, plan)
    askers = [s for s in plan.sources if _windowed(s)]
    for link, users in bottlenecks(plan, askers).items():
        room_pps = _room_pps(plan, link, users)
        requested = sum(_marks_per_s(source, plan, rates) * source.count for source in users)
        if room_pps <= 0 or requested <= 0:
            continue
        for source in users:
            # A source without target marks, such as one in a class without a fee, never settles.
            if source.traffic.law in _LASTING and _marks_per_s(source, plan, rates) > 0:
                yield _settling(source, plan, rates, requested / room_pps, plan.links[link])


def slow_windows(scenario: Scenario, plan: Plan) -> Iterator[str]:
    """Warn if windows settle so long after the warm-up that measured means are distorted.

    The deviation that remains after the warm-up decays during the measured time. It shifts the mean
    by its initial value times time / measured time. A window below one packet decays more slowly
    than exp(-t / time) (see _excess). Sources that start after the warm-up are ignored, because
    their settling is part of the measurement.
    """
    measured_s = (plan.duration_ps - plan.warmup_ps) / PS_PER_S
    for settling in settlings(scenario, plan):
        source = settling.source
        settled_ps = plan.warmup_ps - _last_start_ps(source)
        if source.start.at_ps > plan.warmup_ps or settling.time_s * PS_PER_S <= settled_ps:
            continue
        assert isinstance(source.transport, Tcp)
        first = source.transport.initial_window
        settled_s = max(settled_ps, 0) / PS_PER_S
        if settling.small and first > settling.window:
            off = _excess(settling, min(first, 1.0), settled_s, measured_s)
        else:
            away = min(1.0, abs(1.0 - first / settling.window))
            left = away * math.exp(-settled_s / settling.time_s)
            off = left * min(1.0, settling.time_s / measured_s)
        if off >= _OFF:
            enough_s = math.ceil(_CALM * settling.time_s + _last_start_ps(source) / PS_PER_S)
            yield (
                f"source {source.name}: its windows settle in about {settling.time_s:.3g} s (a "
                f"round trip of {settling.rtt_s * 1e3:.3g} ms over gain {settling.gain:.3g} and "
                f"{_per_step(settling)}), longer than the warm-up of "
                f"{plan.warmup_ps / PS_PER_S:g} s. Means are off by about {off:.0%}; set warmup to "
                f"{enough_s} s, or raise the gain or the charges"
            )


def _per_step(settling: WindowSettling) -> str:
    if settling.small:
        return f"{settling.window * settling.probability:.2g} marks per round trip"
    return f"a marking probability of {settling.probability:.2g}"


def _excess(settling: WindowSettling, first: float, settled_s: float, measured_s: float) -> float:
    """Return the measured mean of W / W* - 1 for a window that falls from `first` to W* < 1.

    The solution of dW/dt = W (1 - W / W*) / time is W* / W = 1 - c exp(-t / time), with
    c = 1 - W* / first.
    """
    c = 1 - settling.window / first
    begin, end = (c * math.exp(-t / settling.time_s) for t in (settled_s, settled_s + measured_s))
    return settling.time_s / measured_s * math.log((1 - end) / (1 - begin))


def small_windows(scenario: Scenario, plan: Plan) -> Iterator[str]:
    """Warn about ACK-clocked WTP flows whose target needs a window below their smallest window.

    Their target w needs a window of w / p, because they receive p marks per packet.
    """
    for settling in settlings(scenario, plan):
        transport = settling.source.transport
        assert isinstance(transport, Tcp)
        floor = transport.min_window
        if transport.window.law in _PER_MARK and transport.send == "ack-clocked":
            over = floor / settling.window
            if over > 1 + _OFF:
                packets = "1 packet" if floor == 1 else f"{floor:g} packets"
                yield (
                    f"source {settling.source.name}: its ACK clock keeps {packets} in flight where "
                    f"{settling.window:.3g} would give its target marks, so it takes about "
                    f"{over:.3g} times its target. With send: paced, its window can fall below "
                    "one packet"
                )


def endless_starts(plan: Plan) -> Iterator[str]:
    """Warn about slow starts that never end, or end in many losses that are repaired one by one.

    Without a mark, slow start doubles the window until the buffer overflows. By then BDP + buffer
    packets are in flight. About as many more leave before the sender learns of the loss, and these
    are lost. SACK repairs the losses in a few round trips, and Reno, Tahoe and NewReno return to
    slow start. WTP instead resends one segment per round trip or per timeout. A mark ends slow
    start earlier. Links with classes are excluded, because each class has its own law and buffer.
    """
    lasting = [s for s in plan.sources if s.traffic.law in _LASTING]
    for source in lasting:
        transport = source.transport
        if not isinstance(transport, Tcp) or not transport.slow_start:
            continue
        if transport.window.law in with_trait("window", "paced"):  # these end their starts
            continue
        link = min((plan.links[i] for i in source.path), key=lambda link: link.rate_bps)
        marks = any(largest_probability(plan.links[i]) > 0 for i in source.path)
        if (marks and transport.echo != "off") or link.scheduler is not None:
            continue
        buffer = buffer_packets(link, source)
        if buffer is None:
            if transport.max_window >= 1e9 and transport.receiver_window < 0:
                yield (
                    f"source {source.name}: its slow start never ends because link {link.name} "
                    "never marks and has an unlimited buffer; set slow_start: false, a buffer "
                    "or cwnd_max"
                )
            continue
        sharing = sum(s.count for s in lasting if plan.links.index(link) in s.path)
        pipe = round_trip_s(source, plan) * packets_per_s(link, source)
        burst = (pipe + buffer) / sharing
        slow = transport.window.law in _STEPPED and not transport.sack
        if slow and buffer > _DEEP * pipe and burst >= _BURST:
            yield (
                f"source {source.name}: its slow start fills the buffer of link {link.name} "
                f"({buffer:.0f} packets, {buffer / pipe:.2g} times its BDP) and "
                f"loses about {burst:.0f} packets per flow. Without SACK each loss costs a round "
                "trip or a timeout; set sack: true, slow_start: false or a smaller buffer"
            )


def _windowed(source: Source) -> bool:
    return isinstance(source.transport, Tcp) and source.transport.window.law in _STEPPED


def _marks_per_s(source: Source, plan: Plan, rates: dict[str, float]) -> float:
    """Return the target marks per second of one flow."""
    if source.name in rates:
        return rates[source.name]
    weight, rtt_s = source.own_weight, round_trip_s(source, plan)
    transport = source.transport
    assert isinstance(transport, Tcp)
    if transport.reference_rtt_ps > 0:
        return weight / (transport.reference_rtt_ps / PS_PER_S)
    return weight / rtt_s


def _settling(
    source: Source, plan: Plan, rates: dict[str, float], marks_per_packet: float, link: Link
) -> WindowSettling:
    transport = source.transport
    assert isinstance(transport, Tcp)
    params, rtt_s = transport.window.params, round_trip_s(source, plan)
    gain = params["gain"]
    if transport.reference_rtt_ps > 0:
        gain *= rtt_s / (transport.reference_rtt_ps / PS_PER_S)
    most = largest_probability(link)
    p = most if marks_alike(link) else min(marks_per_packet, most)
    weight = _marks_per_s(source, plan, rates) * rtt_s
    if transport.window.law in _PER_ROUND:
        window = math.sqrt(2 * weight / p)
        return WindowSettling(source, rtt_s, gain, p, window, rtt_s * window / (2 * gain * weight))
    inverse = params["form"] == 1
    w_dec = weight / params["w_inc"] if inverse else params["w_dec"]
    window, time_s = weight / p, rtt_s * w_dec / (gain * p)
    small = max(window, transport.min_window) < 1
    return WindowSettling(source, rtt_s, gain, p, window, time_s / (window if small else 1), small)


def _room_pps(plan: Plan, link: int, users: list[Source]) -> float:
    """Return the packets per second that these flows get from a link at equal shares."""
    line = plan.links[link]
    beside = [s for s in plan.sources if link in s.path and s not in users]
    left_bps = line.rate_bps - sum(_datagram_bps(s, line) for s in beside)
    mine = sum(source.count for source in users)
    others = sum(
        s.count for s in beside if isinstance(s.transport, Tcp) and s.traffic.law in _LASTING
    )
    bits = 8 * (min(source.packet_bytes for source in users) + line.framing_bytes)
    return max(0.0, left_bps) / bits * mine / (mine + others)


def _datagram_bps(source: Source, link: Link) -> float:
    if not isinstance(source.transport, Udp):
        return 0.0
    params = source.traffic.params
    if source.traffic.law == "video":
        return source.count * source.profile.largest * _video_bps(params)
    gap_s = params.get("interval_s", params.get("mean_interval_s", math.inf))
    senders = source.count * source.profile.largest
    if source.traffic.law == "voip":
        senders = _talking(source)
    bits = 8 * (source.packet_bytes + link.framing_bytes)
    return senders * bits / gap_s


def _video_bps(params: dict[str, float]) -> float:
    """Return the bit/s of video frames, without headers."""
    group = params["group_frames"]
    p = math.ceil(group / params["anchor_distance"]) - 1
    of_type = {"i": 1.0, "p": p, "b": group - 1 - p}
    size = sum(count * params[f"{name}_mean_bytes"] for name, count in of_type.items())
    return 8 * size / (group * params["frame_interval_s"])


def _talking(source: Source) -> float:
    """Return the mean number of a telephone source's flows that send at its busiest time."""
    if is_pooled(source):
        sending = load(source) * (1 - erlang_b(load(source), source.count))
    else:
        share = call_s(source) / (call_s(source) + source.traffic.params["idle_mean_s"])
        sending = source.count * source.profile.largest * share
    for part in source.parts:
        talk_s, silence_s = part.params["talk_mean_s"], part.params["silence_mean_s"]
        sending *= talk_s / (talk_s + silence_s)
    return sending


def packets_per_s(link: Link, source: Source) -> float:
    """Return the number of full packets of a source that a link can send per second."""
    return link.rate_bps / (8 * (source.packet_bytes + link.framing_bytes))


def round_trip_s(source: Source, plan: Plan) -> float:
    """Return the round trip without queues, from delays and the transmission times of a packet."""
    delay_ps = sum(plan.links[link].delay_ps for link in [*source.path, *source.ack_path])
    sending_s = sum(1 / packets_per_s(plan.links[link], source) for link in source.path)
    return delay_ps / PS_PER_S + sending_s


def buffer_packets(link: Link, source: Source) -> float | None:
    """Return a link's buffer in full packets of a source, or None if it is unlimited."""
    if link.buffer_packets >= 0:
        return float(link.buffer_packets)
    if link.buffer_bytes >= 0:
        return link.buffer_bytes / (source.packet_bytes + link.framing_bytes)
    return None


def _last_start_ps(source: Source) -> int:
    start = source.start
    return start.at_ps + (source.count - 1) * start.stagger_ps + start.spread_ps
