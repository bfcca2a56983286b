# SPDX-License-Identifier: Apache-2.0
"""Plans built directly, for engine tests without a scenario."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypedDict, Unpack

import msgspec
from msgspec import UNSET, UnsetType

from ecnomy.markets.plan import (
    NO_PROFILE,
    NO_SIZES,
    Calls,
    DelayProfile,
    DelayStep,
    Histogram,
    Law,
    Link,
    Plan,
    PlanRecord,
    Profile,
    ProfileStep,
    Reordering,
    Scheduler,
    Sizes,
    Source,
    Start,
    Tcp,
    Udp,
)
from ecnomy.markets.plan.laws import law

PS = 10**12
DROP_TAIL = Law("drop-tail", {})
NO_CALLS = Calls(ask=False, max_delay_ps=-1)


class LinkOptions(TypedDict, total=False):
    """The other arguments of link."""

    buffer: int
    marking: Law
    buffer_bytes: int
    framing_bytes: int
    not_ect: str
    scheduler: Scheduler | None
    loss: float
    half_duplex: bool
    reordering: Reordering | UnsetType
    delay_profile: DelayProfile | UnsetType


def link(
    name: str,
    source: int,
    target: int,
    rate_bps: float,
    delay_s: float,
    *,
    buffer: int = -1,
    marking: Law = DROP_TAIL,
    buffer_bytes: int = -1,
    framing_bytes: int = 0,
    not_ect: str = "drop",
    scheduler: Scheduler | None = None,
    loss: float = 0.0,
    half_duplex: bool = False,
    reordering: Reordering | UnsetType = UNSET,
    delay_profile: DelayProfile | UnsetType = UNSET,
) -> Link:
    """A link; delay in seconds, buffer in packets."""
    return Link(
        name=name,
        source=source,
        target=target,
        rate_bps=int(rate_bps),
        delay_ps=round(delay_s * PS),
        buffer_packets=buffer,
        buffer_bytes=buffer_bytes,
        framing_bytes=framing_bytes,
        not_ect=not_ect,
        marking=marking,
        stream=f"link/{name}",
        scheduler=scheduler,
        loss=loss,
        loss_stream=f"link/{name}/loss",
        half_duplex=half_duplex,
        reordering=reordering,
        delay_profile=delay_profile,
    )


def delay_profile(period_s: float, steps: Mapping[float, float]) -> DelayProfile:
    """An additional delay in seconds from each time in seconds on."""
    own = [DelayStep(round(at * PS), round(delay * PS)) for at, delay in steps.items()]
    return DelayProfile(period_ps=round(period_s * PS), steps=own)


def duplex(
    name: str,
    source: int,
    target: int,
    rate_bps: float,
    delay_s: float,
    **other: Unpack[LinkOptions],
) -> list[Link]:
    """A link and its plain reverse."""
    there = link(name, source, target, rate_bps, delay_s, **other)
    return [there, link(f"{name}.reverse", target, source, rate_bps, delay_s)]


def fixed(probability: float) -> Law:
    return Law("fixed", {"probability": probability})


def voip(**params: float | str) -> Law:
    """A telephone user; omitted values have their defaults."""
    return law("traffic", "voip", params)


def red(
    min_threshold: float,
    max_threshold: float,
    max_probability: float = 0.1,
    weight: float = 0.002,
    **other: float,
) -> Law:
    params: dict[str, float] = dict(
        unit=0, gentle=1, wait=1, count=1, mark_on_empty=0, idle_decay=1, above_max=0,
        mark_p=1, byte_mark=0, mean_packet_bytes=1000, limit=-1,
    )  # fmt: skip
    params |= dict(
        min_threshold=min_threshold,
        max_threshold=max_threshold,
        max_probability=max_probability,
        weight=weight,
    )
    return Law("red", {k: float(v) for k, v in (params | other).items()})


def wtp(weight: float = 1.0, gain: float = 0.5, form: int = 0) -> Law:
    inc, dec = ((weight, 1.0), (1.0, weight), (weight, 1.0))[form]
    return Law("wtp", dict(form=float(form), gain=gain, w_inc=float(inc), w_dec=float(dec)))


def wtp_sender(weight: float = 1.0, gain: float = 0.5, *, only_down: bool = False) -> Law:
    return Law("wtp-sender", dict(gain=gain, w=float(weight), only_down=float(only_down)))


def multcp(flows: float, *, halve: bool = False, min_ssthresh: float = 2.0) -> Law:
    params = dict(flows=float(flows), decrease=float(halve), min_ssthresh=min_ssthresh)
    return Law("multcp", params)


def tahoe(decrease: float = 0.5, min_ssthresh: float = 2.0) -> Law:
    return Law("tahoe", RENO.params | {"decrease": decrease, "min_ssthresh": min_ssthresh})


def rem_source(**other: float) -> Law:
    """As in athuraliya2000 Fig. 7: utility 12 ln x, x in packets/ms; rates in packets/s."""
    params = dict(
        utility=0, w=12e3, phi=1.4, min_rate=100, max_rate=24e3, samples=100, initial_fraction=1,
        rtt_weight=0.01, smoothed=0, step=0.1, rtt_error_s=0, rtt_error_std_s=0,
    )  # fmt: skip
    return Law("rem", {k: float(v) for k, v in (params | other).items()})


def primal(w: float = 10.0, kappa: float = 5.0, **other: float) -> Law:
    params = dict(w=w, kappa=kappa, initial_rate=10, min_rate=0.1, max_rate=1e9)
    return Law("primal", {k: float(v) for k, v in (params | other).items()})


def vegas(**other: float) -> Law:
    params = dict(alpha=1, beta=3, gamma=1, decrease=0.75, min_ssthresh=2)
    return Law("vegas", {k: float(v) for k, v in (params | other).items()})


def cubic(**other: float) -> Law:
    params = dict(beta=0.7, c=0.4, fast_convergence=1, min_ssthresh=2, beta_ecn=0, hystart=0)
    return Law("cubic", {k: float(v) for k, v in (params | other).items()})


def dctcp(**other: float) -> Law:
    params = dict(g=1 / 16, initial_alpha=1, min_ssthresh=2)
    return Law("dctcp", {k: float(v) for k, v in (params | other).items()})


def prague(**other: float) -> Law:
    params = dict(g=1 / 16, target_rtt_s=0.025, transition=4, initial_alpha=0, first_mark=1)
    return Law("prague", {k: float(v) for k, v in (params | other).items()})


def bbr(**other: float | str) -> Law:
    """BBRv3 with the parameters of its draft, except those in `other`."""
    return law("window", "bbr", other)


def bbr1(**other: float | str) -> Law:
    """BBR version 1 with its default parameters, except those in `other`."""
    return law("window", "bbr1", other)


def scream(**other: float | str) -> Law:
    """SCReAM 2 with the parameters of its draft, except those in `other`."""
    return law("window", "scream", other)


RENO = Law("reno", {"decrease": 0.5, "min_ssthresh": 2.0, "beta_ecn": 0.0})


def tcp(window: Law = RENO, **other: float | str) -> Tcp:
    """TCP with 1000-byte packets; WTP paced with accurate echo, others ack-clocked RFC 3168.

    Primal control is paced like WTP, and the REM source is ack-clocked. DCTCP has an accurate echo.
    Prague, SCReAM and both versions of BBR are paced with accurate echo. All packets of Prague and
    SCReAM are ECT(1).
    """
    l4s = window.law in ("prague", "scream")
    weighted = window.law in ("wtp", "primal") or l4s
    slow_start = window.law not in ("wtp", "wtp-sender", "primal", "rem")
    usual = Tcp(
        window=window,
        mss_bytes=960,
        header_bytes=40,
        ack_bytes=40,
        send="paced" if weighted or window.law in ("bbr", "bbr1") else "ack-clocked",
        echo="accurate" if weighted or window.law in ("rem", "dctcp", "bbr", "bbr1") else "rfc3168",
        ect="all" if l4s else "data",
        codepoint="ect-1" if l4s else "ect-0",
        sack=False,
        delayed_acks=1,
        delayed_ack_ps=PS // 25,
        receiver_window=-1,
        slow_start=slow_start,
        initial_window=2.0 if slow_start else 1.0,
        min_window=1 / 64 if weighted else 1.0,
        max_window=1e9,
        min_rto_ps=PS // 5,
        max_rto_ps=60 * PS,
        initial_rto_ps=PS,
        initial_mark_rate=-1.0,
        reference_rtt_ps=-1,
        rtt="smoothed",
        reduce_from="window",
        repair=True,
    )
    return msgspec.structs.replace(usual, **other)


def udp(packet_bytes: int = 1000, *, ect: bool = False, codepoint: str = "ect-0") -> Udp:
    return Udp(payload_bytes=packet_bytes - 28, header_bytes=28, ect=ect, codepoint=codepoint)


def profile(period_s: float, steps: Mapping[float, float]) -> Profile:
    """A profile of {seconds: factor}."""
    rows = [ProfileStep(round(at_s * PS), round(f * 1e6)) for at_s, f in steps.items()]
    return Profile(round(period_s * PS), rows)


def source(
    name: str,
    path: list[int],
    ack_path: list[int],
    transport: Tcp | Udp,
    traffic: Law | None = None,
    *,
    count: int = 1,
    start_s: float = 0.0,
    stagger_s: float = 0.0,
    spread_s: float = 0.0,
    stop_s: float | None = None,
    overhead_s: float = 0.0,
    calls: Calls = NO_CALLS,
    profile: Profile = NO_PROFILE,
    rows: str = "each",
    parts: Sequence[Law] = (),
    sizes: Sizes = NO_SIZES,
) -> Source:
    return Source(
        name=name,
        count=count,
        path=path,
        ack_path=ack_path,
        start=Start(round(start_s * PS), round(stagger_s * PS), round(spread_s * PS)),
        stop_ps=-1 if stop_s is None else round(stop_s * PS),
        profile=profile,
        rows=rows,
        traffic=traffic or Law("greedy", {}),
        transport=transport,
        send_overhead_ps=round(overhead_s * PS),
        calls=calls,
        parts=list(parts),
        sizes=sizes,
    )


class RecordOptions(TypedDict, total=False):
    """What a plan records, as in PlanRecord."""

    series: list[str]
    every_ps: int
    delay_thresholds_ps: list[int]
    trace: bool
    transfers: bool
    calls: bool
    histograms: list[Histogram]
    counts: list[str]
    counts_every_ps: int
    classes_every_ps: int


def plan(
    links: list[Link],
    sources: list[Source],
    duration_s: float,
    *,
    warmup_s: float = 0.0,
    epoch_s: float = 1.0,
    seed: int = 1,
    **record: Unpack[RecordOptions],
) -> Plan:
    plain = PlanRecord(series=[], every_ps=-1, delay_thresholds_ps=[], trace=False, transfers=True)
    nodes = 1 + max(max(li.source, li.target) for li in links)
    return Plan(
        plan=1,
        title="test",
        seed=seed,
        duration_ps=round(duration_s * PS),
        warmup_ps=round(warmup_s * PS),
        epoch_ps=round(epoch_s * PS),
        nodes=[f"n{i}" for i in range(nodes)],
        links=links,
        sources=sources,
        record=msgspec.structs.replace(plain, **record),
    ).sealed()


def reference_dumbbell(duration_s: float = 60.0, seed: int = 1) -> Plan:
    """Issue A's reference: 10 greedy Reno ECN flows, 100 Mbps 18 ms between 1 Gbps access links."""
    links = (
        duplex("in", 0, 1, 1e9, 0.001)
        + duplex("bottleneck", 1, 2, 1e8, 0.018, buffer=400, marking=red(50, 150))
        + duplex("out", 2, 3, 1e9, 0.001)
    )
    flows = source(
        "reno", [0, 2, 4], [5, 3, 1], tcp(mss_bytes=1000), count=10, stagger_s=0.1,
        overhead_s=1040 * 8 / 1e8,
    )  # fmt: skip
    return plan(links, [flows], duration_s, seed=seed)
