# SPDX-License-Identifier: Apache-2.0
"""NED types of the laws, from what the engine says of their parameters and their headers of both.

    python tests/omnet/ned_laws.py            # which files differ from the engine's description
    python tests/omnet/ned_laws.py --write    # writes them anew

What a law does and what a parameter means stands in its header (law_headers.py) and becomes NED's
documentation. A quantity of a unit that NED knows has it as @unit and not in its name, `interval`
for interval_s; the name with the unit is read too, as a plain number. A flag is a bool, a choice a
string with its names as @enum. What has no default in the law's table has none in NED, or nan.
"""

from __future__ import annotations

import functools
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from ecnomy.markets.omnet.names import law_parameter
from law_headers import LawHeader, law_headers

__all__ = ["FAMILIES", "Family", "described", "files", "ned_text", "ned_type"]

REPOSITORY: Final = Path(__file__).resolve().parents[2]
INET: Final = REPOSITORY / "omnet" / "inet"


@dataclass(frozen=True)
class Family:
    """Where the NED types of a family of laws live, and what they are."""

    folder: str
    suffix: str  # of a type's name, where the name does not end so by itself
    imports: str
    kind: str  # what follows the type's name
    law: str  # declares or assigns the law's name
    end: str  # further lines of the parameters section


_NAMED: Final = "        // By which the engines know it.\n"
_HOLDER: Final = '        @class(LawHolder);\n        @display("i=block/cogwheel");\n'

FAMILIES: Final = {
    "marking": Family("queue", "Queue", "", "extends MarkingQueue", "law", ""),
    "scheduling": Family("queue", "Queue", "", "extends ClassQueue", "law", ""),
    "window": Family(
        "tcp/laws", "", "ecnomy.traffic.IWindowLaw", "like IWindowLaw", "string law", _HOLDER
    ),
    "traffic": Family(
        "traffic/laws", "", "ecnomy.traffic.ITrafficLaw", "like ITrafficLaw", "string law", _HOLDER
    ),
}

# INET has a DropTailQueue, its interfaces' default by that bare name, which must stay unambiguous.
_NAMES: Final = {("marking", "drop-tail"): "TailDropQueue"}


def ned_type(family: str, law: str) -> str:
    """The simple name of a law's NED type."""
    camel = "".join(word.capitalize() for word in law.split("-"))
    suffix = FAMILIES[family].suffix
    plain = camel if camel.endswith(suffix) else camel + suffix
    return _NAMES.get((family, law), plain)


def _number(value: float) -> str:
    """As short as exact."""
    return str(int(value)) if value == int(value) and abs(value) < 1e15 else repr(value)


def _range(parameter: Mapping[str, Any], unit: str) -> str:
    """Its unit and range in words."""
    if parameter["unit"] in ("choice", "flag"):
        return ""
    most = "" if parameter["max"] >= 1e300 else f" to {parameter['max']:g}"
    told = {"": "", "unit": "In what `unit` says, "}.get(unit, f"In {unit}, ")
    return f" {told}{'f' if told else 'F'}rom {parameter['min']:g}{most}."


def _declaration(parameter: Mapping[str, Any], meaning: str) -> str:
    """A parameter's lines in NED: what it means, and its declaration."""
    name, unit, default = parameter["name"], parameter["unit"], parameter["default"]
    quantity, ned_unit = law_parameter(name, unit)
    above = f"        // {_escaped(meaning)}{_range(parameter, ned_unit or unit)}\n"
    if unit == "choice":
        names = ",".join(f'"{choice}"' for choice in parameter["choices"])
        given = None if default is None else f'"{parameter["choices"][int(default)]}"'
        head = f"string {name} @enum({names})"
    elif unit == "flag":
        given = None if default is None else str(bool(default)).lower()
        head = f"bool {name}"
    else:
        given = None if default is None else _number(default)
        head = f"double {name}"
    if ned_unit:
        told = f"`{quantity}` as a plain number, by its name in scenarios and older exports."
        plain = f"        // {told}\n"
        return (
            f"{plain}        {head} = default({given or 'nan'});\n"
            f"{above}        double {quantity} @unit({ned_unit}) = "
            f"default({name} * 1{ned_unit});\n"
        )
    value = "" if given is None else f" = default({given})"
    return f"{above}        {head}{value};\n"


def _escaped(text: str) -> str:
    """As neddoc reads it: ~Name would be a link."""
    return text.replace("~", "~~")


def _documentation(family: str, law: str, header: LawHeader) -> str:
    """What a type is, its formula and source as the header has them."""
    lines = [f"The {family} law `{law}`, from {header.file}.", "", "<pre>"]
    lines += [*header.head, "</pre>"]
    return "".join(f"// {_escaped(line)}".rstrip() + "\n" for line in ["", *lines, ""])


def ned_text(family: str, law: str, parameters: Sequence[Mapping[str, Any]]) -> str:
    """The whole NED file of one law.

    Args:
        family: `marking`, `scheduling`, `window` or `traffic`.
        law: the law's name.
        parameters: its table, as `ecnomy-engine describe` gives it.
    """
    place = FAMILIES[family]
    package = "ecnomy." + place.folder.replace("/", ".")
    header = law_headers()[family, law]
    imports = f"import {place.imports};\n\n" if place.imports else ""
    return (
        "// SPDX-License-Identifier: LGPL-3.0-or-later\n"
        f"package {package};\n\n"
        f"{imports}"
        f"{_documentation(family, law, header)}"
        f"simple {ned_type(family, law)} {place.kind}\n"
        "{\n"
        "    parameters:\n"
        f'{_NAMED if place.law.startswith("string") else ""}        {place.law} = "{law}";\n'
        f"{''.join(_declaration(p, header.meanings[p['name']]) for p in parameters)}"
        f"{place.end}"
        "}\n"
    )


@functools.cache
def described() -> dict[str, dict[str, list[dict[str, Any]]]]:
    """What the engine says of its laws: {family: {law: parameters}}."""
    beside = Path(sys.executable).with_name("ecnomy-engine")
    named = os.environ.get("ECNOMY_ENGINE") or (str(beside) if beside.exists() else None)
    engine = named or shutil.which("ecnomy-engine")
    assert engine, "ecnomy-engine is not installed"
    text = subprocess.run(
        [engine, "describe"], capture_output=True, text=True, check=True, timeout=120
    ).stdout
    laws: dict[str, dict[str, list[dict[str, Any]]]] = json.loads(text)
    return laws


def files() -> dict[Path, str]:
    """Every law's NED file and what should stand in it."""
    return {
        INET / FAMILIES[family].folder / f"{ned_type(family, law)}.ned": ned_text(
            family, law, parameters
        )
        for family in FAMILIES
        for law, parameters in described()[family].items()
    }


def main(arguments: Sequence[str]) -> int:
    """Writes what differs, or names it and returns 1."""
    differing = [
        (path, text)
        for path, text in files().items()
        if not path.exists() or path.read_text() != text
    ]
    for path, text in differing:
        print(path.relative_to(REPOSITORY))
        if "--write" in arguments:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
    return 1 if differing and "--write" not in arguments else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
