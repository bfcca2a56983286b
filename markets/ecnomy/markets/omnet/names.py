# SPDX-License-Identifier: Apache-2.0
"""Convert names to NED identifiers, and texts to NED and ini strings."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

__all__ = [
    "SERVED",
    "identifiers",
    "law_parameter",
    "law_type",
    "one_line",
    "plain",
    "quoted",
    "tag",
]

# Beside omnetpp.ini, where engines started by hand look for a market. The dot is necessary, because
# OMNeT++ mistakes any other socket in a folder of NED files for a folder.
SERVED: Final = ".market.sock"
# Words reserved in NED (OMNeT++ manual, appendix NED grammar) and in ini files.
_RESERVED: Final = frozenset(
    "allowunconnected bool channel channelinterface connections const default double exists expr "
    "extends false for gates if import index inf inout input int like module moduleinterface nan "
    "network null nullptr object output package parameters parent property simple sizeof string "
    "submodules this true typename types undefined volatile xml xmldoc General Config".split()
)
# The interfaces of INET refer to DropTailQueue by its bare name, which must stay unique.
_LAW_TYPES: Final = {
    ("marking", "drop-tail"): "TailDropQueue",
    ("scheduling", "dualpi2"): "DualPi2Queue",
}


def identifiers(names: Iterable[str], taken: Iterable[str] = ()) -> dict[str, str]:
    """Return a distinct NED identifier for each name, neither reserved nor in `taken`."""
    used, identifier_of = set(taken) | _RESERVED, {}
    for name in names:
        plain = re.sub(r"[^A-Za-z0-9_]", "_", name)
        plain = plain if plain[:1].isalpha() else f"_{plain}"
        chosen, number = plain, 2
        while chosen in used:
            chosen, number = f"{plain}_{number}", number + 1
        used.add(chosen)
        identifier_of[name] = chosen
    return identifier_of


def law_type(family: str, law: str) -> str:
    """Return the qualified NED type of a law of marking, scheduling, window or traffic."""
    package, suffix = _FAMILIES[family]
    camel = "".join(word.capitalize() for word in law.split("-"))
    plain = camel if camel.endswith(suffix) else camel + suffix
    return f"{package}.{_LAW_TYPES.get((family, law), plain)}"


_FAMILIES: Final = {
    "marking": ("ecnomy.queue", "Queue"),
    "scheduling": ("ecnomy.queue", "Queue"),
    "window": ("ecnomy.tcp.laws", ""),
    "traffic": ("ecnomy.traffic.laws", ""),
}


# Unit in the table of laws -> its suffix in names, and its name in NED.
_QUANTITIES: Final = {"s": ("_s", "s"), "bit/s": ("_bps", "bps"), "bytes": ("_bytes", "B")}


def law_parameter(name: str, unit: str) -> tuple[str, str]:
    """Return the NED name and the @unit of a law's parameter: `interval` and s for `interval_s`.

    If NED lacks the unit, the name is unchanged, and the unit is "".
    """
    end, ned = _QUANTITIES.get(unit, ("", ""))
    return (name.removesuffix(end), ned) if ned and name.endswith(end) else (name, "")


def quoted(text: str) -> str:
    """Return a text as a string constant for NED and ini files."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + re.sub(r"[\x00-\x1f\x7f]", lambda m: f"\\x{ord(m[0]):02x}", escaped) + '"'


def tag(text: str) -> str:
    """Return a text as an argument of a display-string tag, escaped for a NED string."""
    escaped = re.sub(r"([\\;,=])", r"\\\1", one_line(text))
    return quoted(escaped)[1:-1]


def plain(text: str) -> str:
    """Return a text as a string constant for ini files, without iteration variables."""
    return quoted(one_line(text).replace("${", "{"))


def one_line(text: str) -> str:
    """Return a text on one line, for comments."""
    return " ".join(text.split())
