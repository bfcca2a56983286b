# SPDX-License-Identifier: Apache-2.0
"""Values as YAML: defaults, and examples of keys, laws and other variants.

Most examples come from error messages, as in "a time such as 0.1 s". This module adds examples of
names, and of keys that must be consistent with other keys.
"""

from __future__ import annotations

import math
import re
import types
import typing
from fractions import Fraction
from typing import Any, Final

import msgspec

from ecnomy.agents.errors import EcnomyError, ScenarioError
from ecnomy.markets.inputs import reading
from ecnomy.markets.inputs.amounts import Amount, Choice, Number
from ecnomy.markets.inputs.reading import expected_of, fields_of, present, split
from ecnomy.markets.inputs.units import decimal_text
from ecnomy.markets.inputs.yamlfile import Node, Place, parse

__all__ = [
    "example_of",
    "in_yaml",
    "key_sample",
    "members",
    "readable",
    "sample",
    "wanted",
    "whole_sample",
]

_SUCH_AS: Final = re.compile(r"such as (\{.*\}|\[.*\]|[^,]+?)(?: or |, or|,|$)")
_SCALES: Final = {
    "ps": (("h", 3600 * 10**12), ("s", 10**12), ("ms", 10**9), ("us", 10**6), ("ns", 10**3)),
    "bit/s": (("Gbps", 10**9), ("Mbps", 10**6), ("kbps", 10**3), ("bps", 1)),
    "byte": (("MB", 10**6), ("kB", 10**3), ("bytes", 1)),
    "packet": (("packets", 1),),
}
_QUANTITY: Final = re.compile(
    r"(-?[0-9][0-9.,]*(?:e[-+]?[0-9]+)?) (ps|bit/s|byte|packet)(?:s\b|\b)(?!/)"
)
_SAMPLES: Final[dict[str, Any]] = {
    "version": 1,
    "title": "Gold and silver on one link",
    "name": "gold",
    "from": "home",
    "to": "town",
    "sources": "gold",
    "test_streams": "probes",
    "integrated_with": "isp",
    "class": "gold",
    "group": "web",
    "path": "[access, bottleneck]",
    "nodes": "edge",
    "links": "core*",
    "topology": "topohub:sndlib/abilene",
    "names": "{Chicago: west}",
    "positions": "{town: [3, 1]}",
    "min_threshold": "5 packets",
    "max_threshold": "15 packets",
    "reference": "20 packets",
    "threshold": "30 packets",
    "marking": "{law: red, min_threshold: 5 packets, max_threshold: 15 packets}",
    "traffic": "{kind: cbr, rate: 64 kbps}",
    "record": "{series: [cwnd, queue]}",
    "histograms": "{delay: {width: 1 ms}}",
    "phi": 1.1,
    "flows": 4,
    "share": 0.3,
    "role": "customer",
    "meter": "bytes",
    "mean_rate": "8 packets/s",
    "periods": "[{from: 8 h, to: 18 h, price: 2 money/GB}]",
    "blocks": "[{up_to: 1 GB, price: 2 money/GB}, {price: 1 money/GB}]",
    "choices": "{light: {kind: per-unit, price: 2 money/GB}, flat: {kind: flat, price: 1 money/h}}",
    "scale": "{total: 1 Gbps}",
    "of": "[arrivals, marks]",
    "series": "[cwnd, queue]",
    "delay_thresholds": "[15 ms]",
    "series.<n>": "queue",
    "classes": "{gold: {fee: 4 money/s, sources: gold}}",
}
_OF_STRUCT: Final[dict[tuple[str, str], Any]] = {
    ("LoadBased", "threshold"): 0.8,
    ("ClassBased", "classes"): "[{name: gold, delay: 10 ms}, {}]",
    ("DeficitRoundRobin", "classes"): "[{name: voice, share: 0.3}, {name: web, share: 0.7}]",
    ("Link", "name"): "bottleneck",
    ("ElasticRow", "strategy"): "{kind: file-budget, deadline: 10 s}",
    ("CallTariffRow", "strategy"): "{kind: lines, lines: 10}",
    ("Link", "scheduler"): "{kind: deficit-round-robin, classes: [{share: 0.3}, {share: 0.7}]}",
    ("AgentEntry", "name"): "shop",
    ("Network", "links"): "[{name: bottleneck, from: home, to: town, rate: 10 Mbps}]",
    ("Document", "network"): "{links: [{name: bottleneck, from: home, to: town, rate: 10 Mbps}]}",
    ("Document", "sources"): "[{name: gold, from: home, to: town, transport: {law: newreno}}]",
    ("Document", "demands"): "[{name: mesh, scale: {total: 1 Gbps}, transport: {law: newreno}}]",
    ("Document", "market"): "{price_per_mark: 0.1 money, agents: [...]}",
    ("Market", "agents"): "[{name: isp, role: connectivity-provider}]",
    ("RecordEntry", "classes"): "{every: 1 s}",
    ("Rem", "weight"): "12000 packets/s",
    ("Rem", "max_rate"): "24000 packets/s",
    ("Cbr", "rate"): "64 kbps",
    ("Page", "objects"): 5,
    ("ContractEntry", "meter"): "bytes",
    ("Period", "from"): "8 h",
    ("Period", "to"): "18 h",
    ("Pi", "a"): 1.822e-05,
    ("Pi", "b"): 1.816e-05,
    ("Link", "duplex"): "half",
    ("Posted", "per"): "mark",
    ("Network", "delay_per_km"): "5 us",
    ("Network", "overrides"): "{Chicago-Indianapolis: {rate: 40 Mbps}}",
    ("Link", "reverse"): "{rate: 1 Mbps}",
    ("EnvironmentDocument", "scenario"): "monopolist-market.yaml",
    ("EnvironmentDocument", "title"): "A price that learns",
    ("EnvironmentDocument", "settle"): "30 s",
    ("EnvironmentDocument", "steps"): 40,
    (
        "EnvironmentDocument",
        "learners",
    ): "[{name: isp, observations: ..., actions: ..., reward: ...}]",
    ("Learner", "name"): "isp",
    ("Learner", "observations"): "{utilization: {least: 0, most: 1}}",
    ("Learner", "actions"): "{price: {least: 0.01 money, most: 1 money, scale: log}}",
    ("Rem", "slow_start"): "false",
    ("Primal", "slow_start"): "false",
    ("Primal", "send"): "paced",
}
# Examples of laws and kinds with a key that excludes another or needs further ones.
_WHOLE: Final[dict[tuple[str, str], str]] = {
    ("wtp", "form"): "{law: wtp, form: general, w_inc: 4 marks, w_dec: 4 marks}",
    ("wtp", "w_inc"): "{law: wtp, form: general, w_inc: 4 marks, w_dec: 4 marks}",
    ("wtp", "w_dec"): "{law: wtp, form: general, w_inc: 4 marks, w_dec: 4 marks}",
    ("rem", "mark_rate"): "{law: rem, max_rate: 24000 packets/s, phi: 1.1, mark_rate: 36 marks/s}",
    ("cbr", "interval"): "{kind: cbr, interval: 20 ms}",
    ("web", "size"): "{kind: web, size: list, sizes: [10 kB, {size: 1 MB, weight: 0.5}]}",
    ("web", "sizes"): "{kind: web, size: list, sizes: [10 kB, {size: 1 MB, weight: 0.5}]}",
}
# Keys that a law needs in addition to its required keys.
_BESIDE: Final[dict[str, tuple[str, ...]]] = {
    "cbr": ("rate",),
    "rem": ("weight",),
    "time-of-day": ("price",),
}


def in_yaml(value: Any) -> str:
    """Return a value as YAML on one line, in common units."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {in_yaml(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(in_yaml, value)) + "]"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return f"{value:.10g}" if math.isfinite(value) else ""
    return _usual(value) if isinstance(value, str) else str(value)


def _usual(text: str) -> str:
    match = _QUANTITY.fullmatch(text)
    return _scaled(match) if match else _plural(re.sub(r"^(-?[0-9]+)\.0 ", r"\1 ", text)) or '""'


def _plural(text: str) -> str:
    """Return `10 packets/s` for `10 packet/s`."""
    return re.sub(r"^(?!1 )([0-9.]+ (?:packet|mark|call|byte))(/s|$)", r"\1s\2", text)


def _scaled(match: re.Match[str], thousands: str = "") -> str:
    """Return a quantity in the largest unit that gives a whole number, or else 1 or more."""
    value, scales = Fraction(match[1].replace(",", "")), _SCALES[match[2]]
    if value == 0:
        return "0 s" if match[2] == "ps" else f"0 {scales[-1][0]}"
    whole = [scale for scale in scales if value % scale[1] == 0]
    above = [scale for scale in scales if abs(value) >= scale[1]]
    unit, worth = (whole or above or scales[-1:])[0]
    number = value / worth
    shown = f"{int(number):{thousands}}" if number.denominator == 1 else decimal_text(number)
    one = shown == "1" and unit in ("bytes", "packets")
    return f"{shown} {unit.removesuffix('s') if one else unit}"


def readable(text: str) -> str:
    """Return a text with its quantities in common units."""
    return _QUANTITY.sub(lambda match: _scaled(match, ","), text)


def sample(kind: Any, key: str, owner: str = "") -> Any:
    """Return an example of a key as YAML text, from its error message or from tables."""
    if (owner, key) in _OF_STRUCT:
        return _OF_STRUCT[owner, key]
    inner, reader = split(present(kind))
    if key in _SAMPLES and not isinstance(reader, Choice) and _reads(reader, _SAMPLES[key]):
        if inner is not float or reader is None or not isinstance(_SAMPLES[key], str):
            return _SAMPLES[key]
        if isinstance(reader, Amount):
            return _SAMPLES[key]
    if isinstance(reader, Choice):
        return reader.words[-1]
    if isinstance(reader, Number):
        return _number(reader)
    if reader is None:
        return _plain(inner)
    match = _SUCH_AS.search(reader.expected)
    return match[1] if match else getattr(reader, "sample", "")


def _reads(reader: Any, value: Any) -> bool:
    """Return whether a reader accepts a sample. The sample may have the unit of another law."""
    if not isinstance(reader, Amount):
        return True
    try:
        reader.read(Node(value, Place("", None), text=str(value)), "")
    except ScenarioError:
        return False
    return True


def _number(reader: Number) -> int | float:
    if reader.whole:
        return max(int(reader.least), min(2, int(reader.most)))
    for value in (0.1, 0.5, 2.0):
        if reader.least <= value <= reader.most:
            return value
    return reader.most


def key_sample(kind: type[msgspec.Struct], key: str, field: Any, default: str) -> str:
    """Return an example of a key, which differs from the default if possible."""
    shown = in_yaml(sample(field, key, kind.__name__))
    if (kind.__name__, key) in _OF_STRUCT:
        return shown
    likely, usual = [*_near(default), shown, *_others(field)], _value(field, default)
    fitting = (
        one for one in likely if _value(field, one) != usual and _fits(kind, key, field, one)
    )
    return next(fitting, default or shown)


def _value(field: Any, text: str) -> Any:
    try:
        return reading.read(parse(text, "example", lines=False), field, "", {})
    except EcnomyError:
        return text


def _near(default: str) -> list[str]:
    """Return half and double the default, in the order in which to try them."""
    number, _, unit = default.partition(" ")
    try:
        value = Fraction(number)
    except ValueError:
        return []
    near = (value * 2, value / 2) if unit else (value / 2, value * 2)
    return [_plural(f"{float(one):.10g} {unit}".strip()) for one in near if one]


def _others(kind: Any) -> list[str]:
    reader = split(present(kind))[1]
    if present(kind) is bool:
        return ["true", "false"]
    return list(reversed(reader.words)) if isinstance(reader, Choice) else ["0.5", "1"]


def _fits(kind: type[msgspec.Struct], key: str, field: Any, shown: str) -> bool:
    """Return whether an example of a key is valid: in the law or kind of the key, or alone."""
    of_law = kind.__struct_config__.tag_field is not None
    text = whole_sample(kind, key, shown) if of_law else shown
    try:
        reading.read(parse(text, "example", lines=False), kind if of_law else field, "", {})
    except EcnomyError:
        return False
    return True


def _plain(kind: Any) -> Any:
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if kind is bool:
        return "true"
    if origin in (types.UnionType, typing.Union):
        return in_yaml(example_of(members(kind)[0]))
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        return in_yaml(example_of(kind))
    if origin is tuple:
        return f"[{in_yaml(sample(arguments[0], ''))}]"
    if origin is dict:
        return "{gold: " + in_yaml(sample(arguments[1], "")) + "}"
    return {int: 1, float: 0.5}.get(kind, "text")


def example_of(kind: type[msgspec.Struct]) -> dict[str, Any]:
    """Return an example of a law, a kind or another mapping, with only the necessary keys."""
    config = kind.__struct_config__
    example: dict[str, Any] = {str(config.tag_field): str(config.tag)} if config.tag_field else {}
    beside = _BESIDE.get(str(config.tag), ())
    for key, field in fields_of(kind).items():
        if field.required or key in beside:
            example[key] = sample(field.type, key, kind.__name__)
    return example


def whole_sample(kind: type[msgspec.Struct], key: str, shown: str) -> str:
    """Return an example of a law or kind with one of its keys and all necessary keys."""
    by_hand = _WHOLE.get((str(kind.__struct_config__.tag), key))
    return by_hand or in_yaml(example_of(kind) | {key: shown})


def members(union: Any) -> list[type[msgspec.Struct]]:
    """Return the structs of a union."""
    return [one for one in typing.get_args(union) if one is not type(None)]


def wanted(kind: Any) -> str:
    """Return a description of the values that a key accepts, with their range."""
    inner, reader = split(present(kind))
    if isinstance(reader, Amount):
        most = f"; at most {reader.largest}" if reader.most < 2**62 else ""
        return readable(f"{reader.expected}{most}")
    origin, arguments = typing.get_origin(inner), typing.get_args(inner)
    if reader is None and origin in (types.UnionType, typing.Union):
        config = members(inner)[0].__struct_config__
        tags = ", ".join(str(one.__struct_config__.tag) for one in members(inner))
        return f"a mapping with {config.tag_field!r}, one of {tags}"
    if reader is None and origin is dict:
        return "a mapping of names"
    if origin is tuple and reader is None and split(arguments[0])[1] is not None:
        return f"a list; each item {wanted(arguments[0])}"
    return expected_of(present(kind))
