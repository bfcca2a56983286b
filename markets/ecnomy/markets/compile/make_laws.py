# SPDX-License-Identifier: Apache-2.0
"""Convert the laws of a scenario to laws of the plan."""

from __future__ import annotations

from typing import TypeVar

from ecnomy.agents.times import PS_PER_S
from ecnomy.markets.inputs.amounts import AUTO_NUMBER, Size
from ecnomy.markets.plan import Law
from ecnomy.markets.plan import structs as plans
from ecnomy.markets.plan.law_table import param, with_trait
from ecnomy.markets.plan.laws import law
from ecnomy.markets.scenario import links, transport
from ecnomy.markets.scenario.guaranteed_classes import ClassBased, ServiceClass
from ecnomy.markets.scenario.header_queues import HeaderQueues
from ecnomy.markets.scenario.marking import MarkingForm
from ecnomy.markets.scenario.weighted_classes import DeficitRoundRobin, WeightedClass

__all__ = ["is_ect", "marking_law", "scheduler_of", "transport_of"]

T = TypeVar("T")
Values = dict[str, float | str]


def marking_law(marking: MarkingForm, buffer: Size) -> Law:
    """Return a marking law. `buffer` is the link's buffer, which a virtual queue may copy."""
    return law("marking", marking.law, marking.values(buffer))


def scheduler_of(scheduler: links.Scheduling, buffer: Size) -> plans.Scheduler:
    """Return a scheduler with classes. `buffer` is the link's buffer, which classes may copy."""
    if isinstance(scheduler, DeficitRoundRobin):
        return _by_weights(scheduler, buffer)
    if isinstance(scheduler, HeaderQueues):
        return _by_headers(scheduler)
    return _class_based(scheduler, buffer)


def _by_weights(scheduler: DeficitRoundRobin, buffer: Size) -> plans.Scheduler:
    classes = scheduler.classes
    return plans.Scheduler(
        law=law("scheduling", "deficit-round-robin", {"quantum_bytes": scheduler.quantum}),
        classes=[law("service", "weighted-class", _weighted(entry)) for entry in classes],
        names=scheduler.names(),
        marking=[marking_law(entry.marking, entry.buffer or buffer) for entry in classes],
    )


def _by_headers(scheduler: HeaderQueues) -> plans.Scheduler:
    by_flow = scheduler.law in with_trait("scheduling", "by_flow")
    own = "flow-class" if by_flow else "codepoint-class"
    return plans.Scheduler(
        law=law("scheduling", scheduler.law, scheduler.values()),
        classes=[law("service", own, {}) for _ in scheduler.names()],
        names=scheduler.names(),
    )


def _weighted(entry: WeightedClass) -> Values:
    room = entry.buffer or Size(-1, "packets")
    return {
        "share": entry.share,
        "buffer_packets": room.packets,
        "buffer_bytes": room.bytes,
    }


def _class_based(scheduler: ClassBased, buffer: Size) -> plans.Scheduler:
    own = scheduler.buffer or buffer
    values: Values = {
        "regulation": scheduler.regulation,
        "update_s": scheduler.update / PS_PER_S,
        "gain": scheduler.gain,
        "buffer_packets": 0.0 if own.value < 0 else _packets(own, scheduler.mean_packet),
        "mean_packet_bytes": scheduler.mean_packet,
        "gap_divisor": scheduler.gap_divisor,
        "rtt_memory": scheduler.rtt_memory,
        "forget_rtts": scheduler.forget_rtts,
        "estimator": scheduler.estimator,
        "interval_s": scheduler.interval / PS_PER_S,
        "least_bytes": scheduler.least,
        "filter": scheduler.filter,
        "stages": scheduler.stages,
        "buckets": scheduler.buckets,
    }
    return plans.Scheduler(
        law=law("scheduling", "class-based", values),
        classes=[law("service", "service-class", _promised(c)) for c in scheduler.classes],
        names=scheduler.names(),
    )


def _promised(entry: ServiceClass) -> Values:
    written = {
        "delay_s": None if entry.delay is None else entry.delay / PS_PER_S,
        "loss": entry.loss,
        "rate_bps": entry.rate,
        "delay_ratio": entry.delay_ratio,
        "loss_ratio": entry.loss_ratio,
    }
    return {name: value for name, value in written.items() if value is not None}


def _packets(buffer: Size, mean_packet: int) -> float:
    return buffer.value / mean_packet if buffer.unit == "bytes" else buffer.value


def _settled(name: str, value: float) -> float:
    """Return a parameter of REM. For `auto`, return the law's default, which rem_steps replaces."""
    default = param("marking", "rem", name).default
    return default if value == AUTO_NUMBER and default is not None else value


def transport_of(kind: transport.Transport, *, marked: bool = False) -> plans.Tcp | plans.Udp:
    """Return the plan's transport; with `marked`, datagrams are ECN-capable by default."""
    if isinstance(kind, transport.Udp):
        ect = marked if kind.ecn == "auto" else kind.ecn == "ect"
        return plans.Udp(
            payload_bytes=kind.payload,
            header_bytes=kind.header,
            ect=ect,
            codepoint=kind.codepoint,
        )
    mark_rate, reference_rtt = kind.mark_rate, plans.NONE
    if isinstance(kind, transport.Wtp | transport.WtpSender):
        reference_rtt = kind.reference_rtt
    return plans.Tcp(
        window=_window_law(kind),
        mss_bytes=kind.mss,
        header_bytes=kind.header,
        ack_bytes=kind.ack,
        send=_filled(kind.send),
        echo=_filled(kind.ecn),
        ect=_filled(kind.ect),
        codepoint=_filled(kind.codepoint),
        sack=kind.sack,
        delayed_acks=kind.delayed_acks,
        delayed_ack_ps=kind.delayed_ack_time,
        receiver_window=_receiver_window(kind.receiver_window, kind.mss),
        slow_start=_filled(kind.slow_start),
        initial_window=_filled(kind.initial_window),
        min_window=_filled(kind.cwnd_min),
        max_window=kind.cwnd_max,
        min_rto_ps=kind.min_rto,
        max_rto_ps=kind.max_rto,
        initial_rto_ps=kind.initial_rto,
        initial_mark_rate=-1.0 if mark_rate is None else mark_rate,
        reference_rtt_ps=reference_rtt,
        rtt=kind.rtt,
        reduce_from=kind.reduce_from,
        repair=kind.repair,
    )


def is_ect(transport: plans.Tcp | plans.Udp) -> bool:
    """Return whether the data packets of a transport are ECN-capable."""
    return transport.ect if isinstance(transport, plans.Udp) else transport.echo != "off"


def _receiver_window(size: Size, mss_bytes: int) -> int:
    """Return a receiver window in packets; a size in bytes gives at least 1 packet."""
    return max(1, size.bytes // mss_bytes) if size.bytes >= 0 else size.packets


def _filled(value: T | None) -> T:
    assert value is not None, "a transport fills its defaults in when it is made"
    return value


def _window_law(kind: transport.TcpTransport) -> Law:
    match kind:
        case transport.WindowForm():
            return law("window", kind.law, kind.values())
        case transport.WtpSender():
            w = 1.0 if kind.weight is None else kind.weight
            sender: Values = {"gain": kind.gain, "w": w, "only_down": kind.only_down}
            return law("window", "wtp-sender", sender)
        case transport.Wtp():
            return _wtp(kind)
        case transport.Rem():
            return law("window", "rem", _rem_source(kind))
        case transport.Primal():
            return law("window", "primal", _primal(kind))


def _rem_source(kind: transport.Rem) -> Values:
    named: Values = {
        "utility": kind.utility,
        "phi": _settled("phi", kind.phi),
        "min_rate": kind.min_rate,
        "max_rate": kind.max_rate,
        "samples": kind.samples,
        "initial_fraction": kind.initial_fraction,
        "rtt_weight": kind.rtt_weight,
        "smoothed": kind.smoothed,
        "step": kind.step,
        "rtt_error_s": kind.rtt_error / PS_PER_S,
        "rtt_error_std_s": kind.rtt_error_std / PS_PER_S,
    }
    # If a mark rate is set, the engine sets the weight before the first data packet.
    return named | {"w": 1.0 if kind.weight is None else kind.weight}


def _primal(kind: transport.Primal) -> Values:
    named: Values = {
        "kappa": kind.kappa,
        "initial_rate": kind.initial_rate,
        "min_rate": kind.min_rate,
        "max_rate": kind.max_rate,
    }
    return named if kind.weight is None else named | {"w": kind.weight}


def _wtp(kind: transport.Wtp) -> Law:
    weight = 1.0 if kind.weight is None else kind.weight
    inverse = kind.form == "inverse-decrease"
    w_inc, w_dec = (1.0, weight) if inverse else (weight, 1.0)
    if kind.w_inc is not None and kind.w_dec is not None:
        w_inc, w_dec = kind.w_inc, kind.w_dec
    named: Values = {"form": kind.form, "gain": kind.gain, "w_inc": w_inc, "w_dec": w_dec}
    return law("window", "wtp", named)
