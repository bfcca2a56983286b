# SPDX-License-Identifier: Apache-2.0
"""Makes files for `ecnomy new` from templates: shipped examples and configs/templates.

A template consists of working files. A copy has the user's name in place of the template's names,
and a comment that proposes the first changes.
"""

from __future__ import annotations

import dataclasses
import importlib.util
import keyword
import re
from pathlib import Path
from typing import Final

from ecnomy.agents.errors import InputError
from ecnomy.markets.inputs.reading import known_name
from ecnomy.markets.omnet.installation import project_folder
from ecnomy.markets.plan.law_table import law_table
from ecnomy.markets.reference.examples import examples_folder

__all__ = ["TEMPLATES", "NewProject", "Template", "make_new"]

_NAME: Final = re.compile(r"[a-z][a-z0-9]*([-_][a-z0-9]+)*")
_OF_STRATEGY: Final = "Change first: the sentence and the body of decide(), then the parameters."
_OF_SCENARIO: Final = ("ecnomy check NAME.yaml", "ecnomy run NAME.yaml", "pytest test_MODULE.py")
_SHARED: Final = "gold-silver.yaml"  # base of several templates, copied unchanged


@dataclasses.dataclass(frozen=True)
class Template:
    """A template of `ecnomy new`.

    In file names, replacements and commands, NAME stands for the user's name. MODULE and CLASS
    stand for the same name as a Python module and as a class.

    Attributes:
        about: line about the template in the help.
        files: template of each new file, relative to configs/templates. The user changes the first
            file first.
        names: replacements in the texts of the files, by pattern, in the order of their use.
        first: the comment at the top of the first file.
        then: the commands to run next.
        taken: names that the user cannot choose.
    """

    about: str
    files: dict[str, str]
    names: dict[str, str]
    first: str
    then: tuple[str, ...]
    taken: frozenset[str] = frozenset()


@dataclasses.dataclass(frozen=True)
class NewProject:
    """The files made from a template, and the commands to run next."""

    files: tuple[Path, ...]
    then: tuple[str, ...]


TEMPLATES: Final = {
    "scenario": Template(
        about="a network, its sources and a market",
        files={
            "NAME.yaml": "../examples/gold-silver.yaml",
            "test_MODULE.py": "test_scenario.py",
        },
        names={r"\.\./examples/gold-silver": "NAME"},
        first="Change first: title, the rate of the link, the counts of sources, the fees.",
        then=_OF_SCENARIO,
    ),
    "strategy": Template(
        about="a class that decides for a provider, and a scenario that uses it",
        files={
            "MODULE.py": "patient.py",
            "NAME.yaml": "patient.yaml",
            _SHARED: "../examples/gold-silver.yaml",
            "test_MODULE.py": "test_strategy.py",
        },
        names={
            r"\bpatient(?=\.yaml)": "NAME",
            r"\bpatient\b": "MODULE",
            r"\bPatient\b": "CLASS",
            r"\.\./examples/": "",
        },
        first=_OF_STRATEGY,
        then=("ecnomy test-strategy MODULE:CLASS", *_OF_SCENARIO),
    ),
    "handler": Template(
        about="a class that decides what users pay for marks, and a scenario that uses it",
        files={
            "MODULE.py": "frugal.py",
            "NAME.yaml": "frugal.yaml",
            "test_MODULE.py": "test_handler.py",
        },
        names={
            r"\bfrugal(?=\.yaml)": "NAME",
            r"\bfrugal\b": "MODULE",
            r"\bFrugal\b": "CLASS",
        },
        first=_OF_STRATEGY,
        then=("ecnomy test-strategy MODULE:CLASS", *_OF_SCENARIO),
    ),
    "role": Template(
        about="a custom kind of agent with its contracts, and a scenario that has one",
        files={
            "MODULE.py": "../examples/risk_broker.py",
            "NAME.yaml": "../examples/risk-broker.yaml",
            "test_MODULE.py": "test_role.py",
        },
        names={
            r"(\.\./examples/)?\brisk-broker(?=\.yaml)": "NAME",
            r"\brisk_broker\b": "MODULE",
            r"\bRiskBroker\b": "CLASS",
        },
        first="Change first: the parameters in Cover, then join(): who pays whom, and for what.",
        then=_OF_SCENARIO,
    ),
    "law": Template(
        about="a marking law and a window law in C++, as an OMNeT++ project",
        files={
            "NAME/src/CLASS.h": "src/Ramp.h",
            **{f"NAME/src/{name}": f"src/{name}" for name in ("Gentle.h", "laws.cc", "makefrag")},
            "NAME/CLASSNetwork.ned": "OwnLaw.ned",
            **{f"NAME/{name}": name for name in ("package.ned", "omnetpp.ini", "Makefile")},
            "NAME/check_law.cc": "check_law.cc",
            "NAME/test_MODULE.py": "test_law.py",
        },
        names={
            r"\bOwnLaw\b": "CLASSNetwork",
            r"own_law(?=\b|\*)": "MODULE",
            r"\bOWN_LAW_RAMP_": "UPPER_LAW_",
            r"\bOWN_LAW_": "UPPER_",
            r' / "\.\./\.\./omnet/samples/MODULE"': "",
            r"\bRamp(?=\b|Queue)": "CLASS",
            r'(?<=")ramp(?=")|\bramp(?= marks)': "NAME",
            r"(?<=ECNOMY \?= )\.\./\.\.": "PROJECT",
        },
        first="Change first: on_arrival() and the table of parameters, then check_law.cc.",
        then=("pytest NAME/test_MODULE.py", "make -C NAME  # with OMNeT++ and ecnomy's modules"),
        taken=frozenset({"gentle"}),
    ),
    "study": Template(
        about="a sweep over the parameters of a scenario",
        files={
            "NAME.yaml": "study.yaml",
            _SHARED: "../examples/gold-silver.yaml",
            "test_MODULE.py": "test_study.py",
        },
        names={r"\bstudy(?=\.yaml)": "NAME", r"\.\./examples/": ""},
        first="Change first: title, scenario, and the parameters with their values.",
        then=(
            f"ecnomy check {_SHARED}",
            "ecnomy sweep NAME.yaml --dry-run",
            "ecnomy sweep NAME.yaml --quick --out results/NAME",
            "ecnomy report results/NAME",
            "pytest test_MODULE.py",
        ),
    ),
}


def make_new(kind: str, name: str, folder: Path) -> NewProject:
    """Write the files of a template.

    Args:
        kind: a key of TEMPLATES.
        name: lowercase letters, digits, hyphens and underscores.
        folder: target folder; created if missing.

    Raises:
        InputError: the kind is unknown, the name is invalid or taken, or a file already exists (in
            these cases, nothing is written), or the folder cannot be written.
    """
    if kind not in TEMPLATES:
        raise InputError(f"{kind}: no such kind, expected {known_name(kind, TEMPLATES)}")
    template = TEMPLATES[kind]
    _check_name(kind, name, template)
    words = _words(name)
    texts: dict[Path, str] = {}
    for new, old in template.files.items():
        source = _place(kind, old)
        text = source.read_text(encoding="utf-8")
        if new != _SHARED:
            text = _renamed(text, template, words)
        texts[folder / _filled(new, words)] = text if texts else _headed(text, new, template.first)
    for file, text in texts.items():
        shared = file.name == _SHARED and file.is_file() and file.read_text("utf-8") == text
        if file.exists() and not shared:
            raise InputError(
                f"{file} already exists; choose another NAME, or another folder with --into"
            )
    _check_free(name, words["MODULE"])
    try:
        for file, text in texts.items():
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InputError(f"{folder}: cannot be written ({error.strerror})") from None
    into = "" if folder == Path() else f"cd {folder} && "
    return NewProject(
        tuple(texts), tuple(into + _filled(command, words) for command in template.then)
    )


def _check_name(kind: str, name: str, template: Template) -> None:
    taken = template.taken
    if _SHARED in template.files:
        taken |= {Path(_SHARED).stem}
    if kind == "law":
        taken = taken.union(*law_table().values())
    if not _NAME.fullmatch(name):
        raise InputError(f"{name}: expected lowercase letters, digits and hyphens, e.g. my-{kind}")
    if name in taken:
        raise InputError(f"{name}: another law or file has this name; choose another name")


def _check_free(name: str, module: str) -> None:
    """Refuse Python keywords and names of installed modules, which imports would find first."""
    if keyword.iskeyword(module) or importlib.util.find_spec(module) is not None:
        raise InputError(
            f"{name}: {module} is a Python keyword or an installed module; choose another name"
        )


def _words(name: str) -> dict[str, str]:
    module = name.replace("-", "_")
    return {
        "NAME": name,
        "MODULE": module,
        "CLASS": "".join(part.capitalize() for part in module.split("_")),
        "UPPER": module.upper(),
        "PROJECT": str(project_folder()),
    }


def _place(kind: str, file: str) -> Path:
    """Return the path of a template's file. Most files of a law are in the sample project."""
    templates = examples_folder().parent / "templates"
    sample = project_folder() / "samples" / "own_law" / file
    return sample if kind == "law" and sample.is_file() else templates / file


def _filled(text: str, words: dict[str, str]) -> str:
    return re.sub("|".join(words), lambda match: words[match[0]], text)


def _renamed(text: str, template: Template, words: dict[str, str]) -> str:
    for pattern, word in template.names.items():
        new = _filled(word, words).replace("\\", r"\\")
        text = re.sub(_filled(pattern, words), new, text)
    return text


def _headed(text: str, file: str, first: str) -> str:
    """Return the text with the comment on the first changes below its licence line."""
    licence, _, rest = text.partition("\n")
    mark = "//" if file.endswith(".h") else "#"
    return f"{licence}\n{mark} {first}\n{rest}"
