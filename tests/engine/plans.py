# SPDX-License-Identifier: Apache-2.0
"""Plans built directly, for engine tests without a scenario."""

from __future__ import annotations

from ecnomy.markets.plan import (
    NO_PROFILE,
    NO_SIZES,
    Calls,
    Law,
    Link,
    Plan,
    Profile,
    ProfileStep,
    Record,
    Source,
    Start,
    Tcp,
    Udp,
)
from ecnomy.markets.plan.laws import law

PS = 10**12
DROP_TAIL = Law("drop-tail", {})
NO_CALLS = Calls(ask=False, max_delay_ps=-1)


def link(name, source, target, rate_bps, delay_s, *, buffer=-1, marking=DROP_TAIL, **other):
    """A link; delay in seconds, buffer in packets."""
    fields = dict(buffer_bytes=-1, framing_bytes=0, not_ect="drop") | other
    return Link(
        name=name,
        source=source,
        target=target,
        rate_bps=int(rate_bps),
        delay_ps=round(delay_s * PS),
        buffer_packets=buffer,
        marking=marking,
        stream=f"link/{name}",
        loss_stream=f"link/{name}/loss",
        **fields,
    )


def duplex(name, source, target, rate_bps, delay_s, **other):
    """A link and its plain reverse."""
    there = link(name, source, target, rate_bps, delay_s, **other)
    return [there, link(f"{name}.reverse", target, source, rate_bps, delay_s)]


def fixed(probability):
    return Law("fixed", {"probability": probability})


def voip(**params):
    """A telephone user; omitted values have their defaults."""
    return law("traffic", "voip", params)


def red(min_threshold, max_threshold, max_probability=0.1, weight=0.002, **other):
    params = dict(
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


def wtp(weight=1.0, gain=0.5, form=0):
    inc, dec = ((weight, 1.0), (1.0, weight), (weight, 1.0))[form]
    return Law("wtp", dict(form=float(form), gain=gain, w_inc=float(inc), w_dec=float(dec)))


def wtp_sender(weight=1.0, gain=0.5, *, only_down=False):
    return Law("wtp-sender", dict(gain=gain, w=float(weight), only_down=float(only_down)))


def multcp(flows, *, halve=False, min_ssthresh=2.0):
    params = dict(flows=float(flows), decrease=float(halve), min_ssthresh=min_ssthresh)
    return Law("multcp", params)


def tahoe(decrease=0.5, min_ssthresh=2.0):
    return Law("tahoe", RENO.params | {"decrease": decrease, "min_ssthresh": min_ssthresh})


def rem_source(**other):
    """As in athuraliya2000 Fig. 7: utility 12 ln x, x in packets/ms; rates in packets/s."""
    params = dict(
        utility=0, w=12e3, phi=1.4, min_rate=100, max_rate=24e3, samples=100, initial_fraction=1,
        rtt_weight=0.01, smoothed=0, step=0.1, rtt_error_s=0, rtt_error_std_s=0,
    )  # fmt: skip
    return Law("rem", {k: float(v) for k, v in (params | other).items()})


def primal(w=10.0, kappa=5.0, **other):
    params = dict(w=w, kappa=kappa, initial_rate=10, min_rate=0.1, max_rate=1e9)
    return Law("primal", {k: float(v) for k, v in (params | other).items()})


def vegas(**other):
    params = dict(alpha=1, beta=3, gamma=1, decrease=0.75, min_ssthresh=2)
    return Law("vegas", {k: float(v) for k, v in (params | other).items()})


def cubic(**other):
    params = dict(beta=0.7, c=0.4, fast_convergence=1, min_ssthresh=2, beta_ecn=0, hystart=0)
    return Law("cubic", {k: float(v) for k, v in (params | other).items()})


def dctcp(**other):
    params = dict(g=1 / 16, initial_alpha=1, min_ssthresh=2)
    return Law("dctcp", {k: float(v) for k, v in (params | other).items()})


def prague(**other):
    params = dict(g=1 / 16, target_rtt_s=0.025, transition=4, initial_alpha=0, first_mark=1)
    return Law("prague", {k: float(v) for k, v in (params | other).items()})


def bbr(**other):
    """BBRv3 with the parameters of its draft, except those in `other`."""
    return law("window", "bbr", other)


RENO = Law("reno", {"decrease": 0.5, "min_ssthresh": 2.0, "beta_ecn": 0.0})


def tcp(window=RENO, **other):
    """TCP with 1000-byte packets; WTP paced with accurate echo, others ack-clocked RFC 3168.

    Of the laws that set a rate primal control is as WTP, the REM source ack-clocked; DCTCP has an
    accurate echo. Prague and BBR are paced with accurate echo, and all packets of Prague are
    ECT(1).
    """
    l4s = window.law == "prague"
    weighted = window.law in ("wtp", "primal") or l4s
    slow_start = window.law not in ("wtp", "wtp-sender", "primal", "rem")
    fields = dict(
        mss_bytes=960,
        header_bytes=40,
        ack_bytes=40,
        send="paced" if weighted or window.law == "bbr" else "ack-clocked",
        echo="accurate" if weighted or window.law in ("rem", "dctcp", "bbr") else "rfc3168",
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
    return Tcp(window=window, **(fields | other))


def udp(packet_bytes=1000, *, ect=False, codepoint="ect-0"):
    return Udp(payload_bytes=packet_bytes - 28, header_bytes=28, ect=ect, codepoint=codepoint)


def profile(period_s, steps):
    """A profile of {seconds: factor}."""
    rows = [ProfileStep(round(at_s * PS), round(f * 1e6)) for at_s, f in steps.items()]
    return Profile(round(period_s * PS), rows)


def source(name, path, ack_path, transport, traffic=None, *, count=1, start_s=0.0, **other):
    fields = dict(stagger_s=0.0, spread_s=0.0, stop_s=None, overhead_s=0.0, calls=NO_CALLS)
    fields |= dict(profile=NO_PROFILE, rows="each", parts=(), sizes=NO_SIZES) | other
    stop = fields["stop_s"]
    return Source(
        name=name,
        count=count,
        path=path,
        ack_path=ack_path,
        start=Start(
            round(start_s * PS), round(fields["stagger_s"] * PS), round(fields["spread_s"] * PS)
        ),
        stop_ps=-1 if stop is None else round(stop * PS),
        profile=fields["profile"],
        rows=fields["rows"],
        traffic=traffic or Law("greedy", {}),
        transport=transport,
        send_overhead_ps=round(fields["overhead_s"] * PS),
        calls=fields["calls"],
        parts=list(fields["parts"]),
        sizes=fields["sizes"],
    )


def plan(links, sources, duration_s, *, warmup_s=0.0, epoch_s=1.0, seed=1, **record):
    fields = dict(series=[], every_ps=-1, delay_thresholds_ps=[], trace=False, transfers=True)
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
        record=Record(**(fields | record)),
    ).sealed()


def reference_dumbbell(duration_s=60.0, seed=1):
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
