# SPDX-License-Identifier: Apache-2.0
"""The laws engines have, and the parameters of each: name, unit, default, range, choices.

The originals stand in the C++ headers under omnet/laws, which `ecnomy-engine describe` prints; a
test holds these tables to that list. A default of None means that the user must say (or that it is
computed, such as a rate's interval).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import msgspec

from ecnomy.markets.plan import Law

__all__ = [
    "MARKING",
    "PART",
    "SCHEDULING",
    "SERVICE",
    "TRAFFIC",
    "WINDOW",
    "Param",
    "law",
    "law_table",
    "param",
]

UNLIMITED: Final = 1e300


class Param(msgspec.Struct, frozen=True):
    """One parameter of a law. `unit` is "" for a pure number, "flag" or "choice"."""

    name: str
    unit: str
    default: float | None
    min: float
    max: float
    choices: tuple[str, ...] = ()


def _flag(name: str, default: float) -> Param:
    return Param(name, "flag", default, 0, 1)


def _choice(name: str, *choices: str) -> Param:
    return Param(name, "choice", 0, 0, len(choices) - 1, choices)


_PROJECTION: Final = (
    Param("buffer_packets", "packets", None, 0, 1e12),
    Param("mean_packet_bytes", "bytes", 1000, 1, 1e9),
    Param("gap_divisor", "", 10, 1e-3, 1e9),
    Param("rtt_memory", "", 0.9, 0, 1),
    Param("forget_rtts", "", 4, 0, 1e9),
    _choice("estimator", "rounds", "screened"),
)

_FILTER: Final = (
    Param("least_bytes", "bytes", 25000, 0, 1e15),
    _choice("filter", "serial", "parallel"),
    Param("stages", "", 3, 1, 16),
    Param("buckets", "", 8, 1, 65536),
)

MARKING: Final[dict[str, tuple[Param, ...]]] = {
    "drop-tail": (),
    "fixed": (Param("probability", "", None, 0, 1),),
    "red": (
        _choice("unit", "packets", "bytes"),
        Param("min_threshold", "unit", None, 0, UNLIMITED),
        Param("max_threshold", "unit", None, 0, UNLIMITED),
        Param("max_probability", "", 0.1, 0, 1),
        Param("weight", "", 0.002, 1e-9, 1),
        _flag("gentle", 1),
        _flag("wait", 1),
        _flag("count", 1),
        _flag("mark_on_empty", 0),
        _flag("idle_decay", 1),
        _choice("above_max", "mark", "drop"),
        Param("mark_p", "", 1, 0, 1),
        _flag("byte_mark", 0),
        Param("mean_packet_bytes", "bytes", 1000, 1, 1e9),
        Param("limit", "unit", -1, -1, UNLIMITED),
    ),
    "virtual-queue": (
        Param("theta", "", 0.95, 1e-6, 1),
        Param("buffer_packets", "packets", None, 0, 1e12),
        Param("mean_packet_bytes", "bytes", 1000, 1, 1e9),
        _choice("variant", "busy-period", "per-overflow"),
        _choice("service", "fluid", "packet"),
    ),
    "load-based": (
        Param("interval_s", "s", 0.5, 1e-6, 1e6),
        Param("threshold", "", 0.6, 0, 1e6),
        Param("slope", "", 0.71, 0, 1e6),
    ),
    "threshold": (
        Param("threshold_packets", "packets", None, 0, 1e12),
        _choice("scope", "arriving", "queue", "departing"),
    ),
    "rem": (
        Param("price", "choice", 2, 0, 2, ("pc1", "pc2", "pc3")),
        Param("phi", "", 1.001, 1.000001, 1e6),
        Param("gamma", "", 0.005, 0, 1e6),
        Param("alpha", "", 0.1, 0, 1e6),
        Param("target_backlog_packets", "packets", 0, 0, 1e12),
        Param("capacity_share", "", 1, 1e-6, 1),
        Param("interval_s", "s", 0.002, 1e-6, 1e6),
        Param("input_weight", "", 0.1, 1e-9, 1),
        Param("backlog_weight", "", 1, 1e-9, 1),
        _choice("mark_at", "departure", "arrival"),
        Param("unit", "choice", 1, 0, 1, ("packets", "bytes")),
        Param("mean_packet_bytes", "bytes", 1000, 1, 1e9),
    ),
    "pi": (
        _choice("unit", "packets", "bytes"),
        Param("reference", "unit", None, 0, UNLIMITED),
        Param("a", "", None, 0, 1e6),
        Param("b", "", None, 0, 1e6),
        Param("interval_s", "s", 0.00625, 1e-6, 1e6),
        Param("mean_packet_bytes", "bytes", 1000, 1, 1e9),
    ),
    "adaptive-virtual-queue": (
        Param("utilization", "", 0.98, 1e-6, 1),
        Param("alpha", "1/s", 0.15, 0, 1e6),
        Param("buffer_packets", "packets", None, 0, 1e12),
        Param("mean_packet_bytes", "bytes", 1000, 1, 1e9),
    ),
    "flow-projection": _PROJECTION,
    "flow-projection-heuristic": (
        *_PROJECTION,
        Param("interval_s", "s", 1, 1e-6, 1e6),
        *_FILTER,
    ),
}

_RENO: Final = (
    Param("decrease", "", 0.5, 0.01, 0.99),
    Param("min_ssthresh", "packets", 2, 1, 1e9),
)

WINDOW: Final[dict[str, tuple[Param, ...]]] = {
    "wtp": (
        _choice("form", "proportional-increase", "inverse-decrease", "general"),
        Param("gain", "", 0.5, 1e-9, 1e3),
        Param("w_inc", "marks", 1, 1e-9, 1e9),
        Param("w_dec", "marks", 1, 1e-9, 1e9),
    ),
    "reno": _RENO,
    "newreno": _RENO,
    "tahoe": _RENO,
    "multcp": (
        Param("flows", "", 1, 1, 1e6),
        _choice("decrease", "one-of-w", "halve"),
        Param("min_ssthresh", "packets", 2, 1, 1e9),
    ),
    "wtp-sender": (
        Param("gain", "", 0.5, 1e-9, 1),
        Param("w", "marks", 1, 1e-9, 1e9),
        _flag("only_down", 0),
    ),
    "rem": (
        _choice("utility", "log", "quadratic"),
        Param("w", "packets/s", None, 1e-9, 1e12),
        Param("phi", "", None, 1.000001, 1e6),
        Param("min_rate", "packets/s", 1, 1e-9, 1e12),
        Param("max_rate", "packets/s", None, 1e-9, 1e12),
        Param("samples", "", 100, 1, 128),
        Param("initial_fraction", "", 1, 0, 1),
        Param("rtt_weight", "", 0.01, 1e-9, 1),
        _choice("smoothed", "off", "unit", "fraction"),
        Param("step", "", 0.1, 1e-9, 1),
        Param("rtt_error_s", "s", 0, -1e3, 1e3),
        Param("rtt_error_std_s", "s", 0, 0, 1e3),
    ),
    "vegas": (
        Param("alpha", "packets", 1, 0, 1e9),
        Param("beta", "packets", 3, 0, 1e9),
        Param("gamma", "packets", 1, 0, 1e9),
        Param("decrease", "", 0.75, 0.01, 0.99),
        Param("min_ssthresh", "packets", 2, 1, 1e9),
    ),
    "primal": (
        Param("w", "marks/s", 10, 1e-9, 1e12),
        Param("kappa", "packets/s", 5, 1e-9, 1e9),
        Param("initial_rate", "packets/s", 10, 1e-9, 1e12),
        Param("min_rate", "packets/s", 0.1, 1e-9, 1e12),
        Param("max_rate", "packets/s", 1e9, 1e-9, 1e12),
    ),
}

TRAFFIC: Final[dict[str, tuple[Param, ...]]] = {
    "greedy": (),
    "rate-capped": (
        Param("rate_bps", "bit/s", None, 1, 1e15),
        Param("until_s", "s", -1, -1, 9e6),
    ),
    "cbr": (Param("interval_s", "s", None, 1e-9, 1e6), _flag("random_phase", 1)),
    "poisson": (Param("mean_interval_s", "s", None, 1e-12, 2e5),),
    "voip": (
        Param("idle_mean_s", "s", 1200, 1e-6, 2e5),
        Param("call_mean_s", "s", 180, 1e-6, 2e5),
        Param("interval_s", "s", 0.1, 1e-9, 1e6),
        _flag("random_phase", 1),
    ),
    "file": (Param("size_bytes", "bytes", None, 1, 1e15),),
    "on-off": (
        Param("packets_mean", "packets", 300, 1, 1e9),
        Param("pause_mean_s", "s", 1, 1e-9, 2e5),
        _flag("lasting", 0),
    ),
    "web": (
        Param("reading_mean_s", "s", 5, 1e-9, 2e5),
        Param("size", "choice", 2, 0, 3, ("fixed", "exponential", "pareto", "list")),
        Param("size_mean_bytes", "bytes", 50000, 1, 1e12),
        Param("size_min_bytes", "bytes", 1, 1, 1e12),
        Param("size_max_bytes", "bytes", 5e6, 1, 1e12),
        Param("size_shape", "", 1.2, 1e-3, 1e3),
        _choice("reading", "exponential", "hyper-exponential"),
        Param("patience_s", "s", -1, -1, 2e5),
        _flag("lasting", 0),
    ),
    "video": (
        Param("frame_interval_s", "s", 0.04, 1e-6, 1e3),
        Param("group_frames", "frames", 12, 1, 1e6),
        Param("anchor_distance", "frames", 3, 1, 1e6),
        Param("i_mean_bytes", "bytes", 15000, 1, 1e8),
        Param("i_variation", "", 0.25, 0, 10),
        Param("p_mean_bytes", "bytes", 7000, 1, 1e8),
        Param("p_variation", "", 0.5, 0, 10),
        Param("b_mean_bytes", "bytes", 3000, 1, 1e8),
        Param("b_variation", "", 0.4, 0, 10),
        _flag("spread", 0),
        _flag("random_phase", 1),
    ),
}

# What a traffic law may have besides, each of its own: sessions and page of web, speech of voip.
PART: Final[dict[str, tuple[Param, ...]]] = {
    "sessions": (
        Param("idle_mean_s", "s", 1800, 1e-6, 2e5),
        Param("pages_mean", "pages", None, 1, 1e6),
    ),
    "page": (
        Param("parse_mean_s", "s", 0.1, 0, 2e5),
        Param("objects_mean", "objects", None, 0, 1e6),
        Param("size", "choice", 1, 0, 2, ("fixed", "exponential", "pareto")),
        Param("size_mean_bytes", "bytes", 8000, 1, 1e12),
        Param("size_min_bytes", "bytes", 1, 1, 1e12),
        Param("size_max_bytes", "bytes", 5e6, 1, 1e12),
        Param("size_shape", "", 1.2, 1e-3, 1e3),
    ),
    "speech": (
        Param("talk_mean_s", "s", 1.004, 1e-3, 2e5),
        Param("silence_mean_s", "s", 1.587, 1e-3, 2e5),
    ),
}

SCHEDULING: Final[dict[str, tuple[Param, ...]]] = {
    "class-based": (
        _choice("regulation", "off", "ecn"),
        Param("update_s", "s", 0.01, 1e-9, 1e6),
        Param("gain", "", 0.5, 0, 0.9),
        *_PROJECTION,
        Param("interval_s", "s", 0.1, 1e-6, 1e6),
        *_FILTER,
    ),
    "deficit-round-robin": (Param("quantum_bytes", "bytes", 1500, 64, 1e9),),
}

SERVICE: Final[dict[str, tuple[Param, ...]]] = {
    "service-class": (
        Param("delay_s", "s", -1, -1, 1e6),
        Param("loss", "", -1, -1, 1),
        Param("rate_bps", "bit/s", 0, 0, 1e15),
        Param("delay_ratio", "", -1, -1, 1e6),
        Param("loss_ratio", "", -1, -1, 1e6),
    ),
    "weighted-class": (
        Param("share", "", None, 1e-6, 1),
        Param("buffer_packets", "packets", -1, -1, 1e12),
        Param("buffer_bytes", "bytes", -1, -1, 1e15),
    ),
}

_KINDS: Final = {
    "marking": MARKING,
    "window": WINDOW,
    "traffic": TRAFFIC,
    "part": PART,
    "scheduling": SCHEDULING,
    "service": SERVICE,
}


def law_table() -> dict[str, dict[str, list[Param]]]:
    """All laws as `ecnomy-engine describe` lists them: kind -> law -> parameters in order."""
    return {kind: {name: list(table[name]) for name in table} for kind, table in _KINDS.items()}


def param(kind: str, name: str, parameter: str) -> Param:
    """One parameter of a law (KeyError if there is none of that name)."""
    return {entry.name: entry for entry in _KINDS[kind][name]}[parameter]


def law(kind: str, name: str, values: Mapping[str, float | str]) -> Law:
    """A law for a plan: choices become indices, what is not given takes its default.

    Raises:
        ValueError: a parameter without value or out of its range, or a name the law does not have.
    """
    table = _KINDS[kind][name]
    if extra := values.keys() - {entry.name for entry in table}:
        raise ValueError(f"{name}: no parameter {', '.join(sorted(extra))}")
    params = {}
    for entry in table:
        value = values.get(entry.name, entry.default)
        if isinstance(value, str):
            value = entry.choices.index(value)
        if value is None or not entry.min <= value <= entry.max:
            wanted = f"{entry.min:g} to {entry.max:g}"
            raise ValueError(f"{name}: {entry.name} is {value}, expected {wanted}")
        params[entry.name] = float(value)
    return Law(law=name, params=params)
