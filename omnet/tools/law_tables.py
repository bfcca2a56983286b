# SPDX-License-Identifier: Apache-2.0
"""Generates files from the laws' headers: the market's table of laws, and the NED types.

    python omnet/tools/law_tables.py            # lists files that differ from the engine's output
    python omnet/tools/law_tables.py --write    # writes these files again

`ecnomy-engine describe` prints the declarations of the headers: the description, source, traits and
parameters of each law. The market's table is this text. In NED, the documentation of a type is the
opening comment of the header, with the formula. A quantity whose unit exists in NED has this unit
as @unit and not in its name: `interval` for interval_s. The name with the unit is also a parameter,
a plain number. A flag is a bool, and a choice is a string with its names as @enum. A parameter
without a default in the law's table has no default in NED, or nan.
"""

from __future__ import annotations

import functools
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from ecnomy.markets.omnet.names import law_parameter, law_type
from ecnomy.markets.scenario.tcp_options import TcpOptions

__all__ = [
    "FAMILIES",
    "INET",
    "EngineFault",
    "Family",
    "described",
    "files",
    "header_of",
    "ned_text",
    "ned_type",
]

Described = dict[str, dict[str, dict[str, Any]]]

REPOSITORY: Final = Path(__file__).resolve().parents[2]
OMNET: Final = REPOSITORY / "omnet"
INET: Final = OMNET / "inet"
TABLE: Final = REPOSITORY / "markets" / "ecnomy" / "markets" / "plan" / "laws.json"
_NAME: Final = re.compile(r'constexpr const char\* kName = "([\w-]+)";')


class EngineFault(Exception):
    """The engine cannot be found, or the description of its laws cannot be used."""


@dataclass(frozen=True)
class Family:
    """Folder and declaration of the NED types for a family of laws."""

    folder: str
    imports: str
    kind: str  # text after the type's name
    law: str  # declaration or assignment of the law's name
    end: str  # further lines of the parameters section


_NAMED: Final = "        // Name of the law in the engines.\n"
_HOLDER: Final = '        @class(LawHolder);\n        @display("i=block/cogwheel");\n'

FAMILIES: Final = {
    "marking": Family("queue", "", "extends MarkingQueue", "law", ""),
    "scheduling": Family("queue", "", "extends ClassQueue", "law", ""),
    "window": Family(
        "tcp/laws", "ecnomy.traffic.IWindowLaw", "like IWindowLaw", "string law", _HOLDER
    ),
    "traffic": Family(
        "traffic/laws", "ecnomy.traffic.ITrafficLaw", "like ITrafficLaw", "string law", _HOLDER
    ),
}


def ned_type(family: str, law: str) -> str:
    """Return the simple name of a law's NED type."""
    return law_type(family, law).rpartition(".")[2]


def _number(value: float) -> str:
    return str(int(value)) if value == int(value) and abs(value) < 1e15 else repr(value)


def _range(parameter: Mapping[str, Any], unit: str) -> str:
    """Return the unit and range of a parameter in words."""
    if parameter["unit"] in ("choice", "flag"):
        return ""
    most = "" if parameter["max"] >= 1e300 else f" to {parameter['max']:g}"
    in_unit = {"": "", "whole": "", "unit": "In the unit `unit`, "}.get(unit, f"In {unit}, ")
    return f" {in_unit}{'f' if in_unit else 'F'}rom {parameter['min']:g}{most}."


def _default(parameter: Mapping[str, Any], where: Sequence[Mapping[str, Any]]) -> str | None:
    """Return a parameter's default in NED, which depends on a choice if `where` lists it."""
    if parameter["default"] is None:
        return None
    text = _number(parameter["default"])
    for one in where:
        if one["parameter"] == parameter["name"]:
            text = f'{one["where"]} == "{one["value"]}" ? {_number(one["default"])} : {text}'
    return text


def _declaration(parameter: Mapping[str, Any], where: Sequence[Mapping[str, Any]]) -> str:
    name, unit, default = parameter["name"], parameter["unit"], parameter["default"]
    quantity, ned_unit = law_parameter(name, unit)
    above = f"        // {_escaped(parameter['about'])}{_range(parameter, ned_unit or unit)}\n"
    if unit == "choice":
        names = ",".join(f'"{choice}"' for choice in parameter["choices"])
        given = None if default is None else f'"{parameter["choices"][int(default)]}"'
        head = f"string {name} @enum({names})"
    elif unit == "flag":
        given = None if default is None else str(bool(default)).lower()
        head = f"bool {name}"
    else:
        given = _default(parameter, where)
        head = f"double {name}"
    if ned_unit:
        about = f"As `{quantity}`, without a unit: the name in scenarios and older exports."
        plain = f"        // {about}\n"
        return (
            f"{plain}        {head} = default({given or 'nan'});\n"
            f"{above}        double {quantity} @unit({ned_unit}) = "
            f"default({name} * 1{ned_unit});\n"
        )
    value = "" if given is None else f" = default({given})"
    return f"{above}        {head}{value};\n"


def _escaped(text: str) -> str:
    """Return the text for neddoc, with each ~ doubled because ~Name would be a link."""
    return text.replace("~", "~~")


@functools.cache
def _headers() -> dict[tuple[str, str], Path]:
    """Return the header of each (family, law). The family is the header's folder."""
    return {
        (file.parent.name, law): file
        for file in sorted((OMNET / "laws").glob("*/*.h"))
        for law in _NAME.findall(file.read_text())
    }


def header_of(family: str, law: str) -> tuple[str, list[str]]:
    """Return the path of a law's header relative to omnet/, and its opening comment's lines."""
    file = _headers()[family, law]
    lines = file.read_text().splitlines()[1:]
    count = next(i for i, line in enumerate(lines) if not line.startswith("//"))
    opening = [line[2:].removeprefix(" ").rstrip() for line in lines[:count]]
    return file.relative_to(OMNET).as_posix(), opening


def _documentation(family: str, law: str) -> str:
    """Return the documentation of a type: the formula and source in the law's header."""
    file, opening = header_of(family, law)
    lines = [f"The {family} law `{law}`, from {file}.", "", "<pre>", *opening, "</pre>"]
    return "".join(f"// {_escaped(line)}".rstrip() + "\n" for line in ["", *lines, ""])


def ned_text(
    family: str,
    law: str,
    parameters: Sequence[Mapping[str, Any]],
    where: Sequence[Mapping[str, Any]] = (),
) -> str:
    """Return the NED file of a law.

    Args:
        family: `marking`, `scheduling`, `window` or `traffic`.
        law: name of the law.
        parameters: parameters of the law, as `ecnomy-engine describe` prints them.
        where: defaults that depend on a choice.
    """
    place = FAMILIES[family]
    package = "ecnomy." + place.folder.replace("/", ".")
    imports = f"import {place.imports};\n\n" if place.imports else ""
    return (
        "// SPDX-License-Identifier: LGPL-3.0-or-later\n"
        f"package {package};\n\n"
        f"{imports}"
        f"{_documentation(family, law)}"
        f"simple {ned_type(family, law)} {place.kind}\n"
        "{\n"
        "    parameters:\n"
        f'{_NAMED if place.law.startswith("string") else ""}        {place.law} = "{law}";\n'
        f"{''.join(_declaration(p, where) for p in parameters)}"
        f"{place.end}"
        "}\n"
    )


@functools.cache
def _description() -> str:
    beside = Path(sys.executable).with_name("ecnomy-engine")
    named = os.environ.get("ECNOMY_ENGINE") or (str(beside) if beside.exists() else None)
    engine = named or shutil.which("ecnomy-engine")
    if not engine:
        raise EngineFault("ecnomy-engine is not installed; ECNOMY_ENGINE names another engine")
    try:
        done = subprocess.run([engine, "describe"], capture_output=True, text=True, timeout=120)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise EngineFault(f"cannot run {engine}: {error}") from None
    if done.returncode:
        raise EngineFault(f"{engine} describe: {done.stderr.strip() or 'failed'}")
    return done.stdout


@functools.cache
def described() -> Described:
    """Return the engine's laws: {family: {law: {about, source, traits, parameters}}}."""
    laws: Described = json.loads(_description())
    return laws


def check_keys(laws: Described) -> None:
    """Check that no parameter has a YAML key that the market uses for something else.

    Raises:
        EngineFault: a parameter has such a key.
    """
    taken = {
        "marking": {"law"},
        "window": {"law", "mark_rate", *TcpOptions.__struct_fields__},
        "traffic": {"kind"},
        "scheduling": {"kind"},
    }
    for family, names in taken.items():
        for law, entry in laws[family].items():
            for parameter in entry["parameters"]:
                key = parameter["key"]
                if key in names:
                    raise EngineFault(
                        f"{family} law {law}: found the parameter {parameter['name']}, expected "
                        f"another name, because {key!r} is a key of every {family} law"
                    )


def files() -> dict[Path, str]:
    """Return the text of every file that is generated from the laws, by path.

    Raises:
        EngineFault: the engine cannot describe its laws, or a parameter needs another name.
    """
    check_keys(described())
    ned = {
        INET / FAMILIES[family].folder / f"{ned_type(family, law)}.ned": ned_text(
            family, law, entry["parameters"], entry.get("defaults_where", ())
        )
        for family in FAMILIES
        for law, entry in described()[family].items()
    }
    return {TABLE: _description(), **ned}


def main(arguments: Sequence[str]) -> int:
    """Print the names of files that differ, and write these files with --write.

    The exit status is 1 if files differ without --write, and 2 for a fault of the engine.
    """
    try:
        made = files()
    except EngineFault as fault:
        print(f"law_tables: {fault}", file=sys.stderr)
        return 2
    differing = [
        (path, text) for path, text in made.items() if not path.exists() or path.read_text() != text
    ]
    for path, text in differing:
        print(path.relative_to(REPOSITORY))
        if "--write" in arguments:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
    if differing and "--write" not in arguments:
        print("law_tables: these files differ from the laws of the engine: run again with --write")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
