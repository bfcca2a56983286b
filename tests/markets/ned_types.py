# SPDX-License-Identifier: Apache-2.0
"""A simple reader of the NED types of omnet/inet: names, bases and declared parameters."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

__all__ = ["TYPES", "NedType", "all_parameters"]

ROOT: Final = Path(__file__).resolve().parents[2] / "omnet" / "inet"
_TYPE: Final = re.compile(r"^(?:simple|module) (\w+)([^{;]*)\{(.*?)^\}", re.MULTILINE | re.DOTALL)
_SECTION: Final = re.compile(r"^\s*(gates|submodules|connections|types)\b", re.MULTILINE)
_DECLARED: Final = re.compile(r"^\s*(?:volatile )?(?:bool|int|double|string) (\w+)", re.MULTILINE)


@dataclass(frozen=True)
class NedType:
    """A type: its qualified name, the simple name of its base, the parameters it declares."""

    name: str
    base: str
    parameters: frozenset[str]


def _read() -> dict[str, NedType]:
    types = {}
    for file in ROOT.rglob("*.ned"):
        text = re.sub(r"//.*", "", file.read_text())
        package = re.search(r"^package ([\w.]+);", text, re.MULTILINE)
        for name, head, body in _TYPE.findall(text):
            assert package is not None, file
            base = re.search(r"extends (\w+)", head)
            own = _SECTION.split(body)[0]
            qualified = f"{package[1]}.{name}"
            parameters = frozenset(_DECLARED.findall(own))
            types[qualified] = NedType(qualified, base[1] if base else "", parameters)
    return types


TYPES: Final = _read()


def all_parameters(kind: NedType) -> frozenset[str]:
    """The parameters of a type and of its bases in omnet/inet."""
    bases = [t for t in TYPES.values() if kind.base and t.name.endswith("." + kind.base)]
    return kind.parameters.union(*(all_parameters(base) for base in bases))
