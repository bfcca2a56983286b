# SPDX-License-Identifier: Apache-2.0
"""What there is to reproduce: entries and claims of the papers, as configs/papers/ states them.

    configs/papers/<paper>/claims.yaml      studies, entries, claims with the figures they are about
    configs/papers/<paper>/findings.yaml    what was found out about claims that were not confirmed
    configs/papers/<paper>/<study>.yaml     sweep files, and the scenarios they vary

A claim expects figures (by name, `*` for any part of it) to lie in a region [low, high]. Nothing
but judge.py looks at the regions.
"""

from __future__ import annotations

import importlib.util
import os
import sys
from pathlib import Path
from typing import Any, Final, Literal, TypeVar

import msgspec
import yaml

from ecnomy.agents.errors import InputError

__all__ = [
    "PAPERS",
    "Claim",
    "Entry",
    "Finding",
    "Paper",
    "Study",
    "Tried",
    "load_paper",
    "papers_folder",
    "select",
]

PAPERS: Final = (
    *("siris2002", "antoniadis2000", "athuraliya2000", "andreassen2002", "christin2003", "cross"),
)
FOLDER_VARIABLE: Final = "ECNOMY_PAPERS"
Priority = Literal["core", "sec"]
T = TypeVar("T")
Bound = float | None  # None: no bound on this side


class Claim(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One claim of an entry.

    Attributes:
        says: what the paper says, in a sentence.
        tolerance: what our tolerance stands for, where the paper's words leave room.
        expect: pattern of figure names -> [low, high].
        pending: why it cannot be judged yet, "" where it can.
        ids: of an entry with several ids, those that the claim is part of; none: all.
    """

    priority: Priority
    says: str
    expect: dict[str, tuple[Bound, Bound]] = {}
    tolerance: str = ""
    pending: str = ""
    ids: tuple[str, ...] = ()

    def is_of(self, item: str) -> bool:
        """Whether the claim is part of what is called `item`."""
        return not item or not self.ids or item in self.ids


class Study(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A sweep whose runs entries look at.

    Attributes:
        sweep: its file, in the paper's folder.
        budget: data packets that all its runs together may send.
        batches: whether samples are batch means of long runs, in place of seeds.
    """

    sweep: str
    budget: float
    batches: bool = False


class Entry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A figure, a table or a passage of a paper.

    Attributes:
        module: of its figures and picture, within reproduce/<paper>; "" where nothing is judged.
        studies: by name.
        chosen: settings the paper leaves open and what was chosen, before the first full run.
    """

    title: str
    priority: Priority
    claims: dict[str, Claim]
    module: str = ""
    studies: tuple[str, ...] = ()
    chosen: tuple[str, ...] = ()
    also: tuple[str, ...] = ()  # further ids that share runs and claims

    def ids(self, name: str) -> tuple[str, ...]:
        """All that it is called; `name` comes first."""
        return name, *self.also


class Tried(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A controlled run: what was changed, and what that isolates; {figure} is put in."""

    run: str
    shows: str


class Finding(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Why a claim was not confirmed; `cause` is `unknown` where the controls do not tell."""

    cause: str
    tried: tuple[Tried, ...] = ()


class Paper(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The catalogue of one paper."""

    version: Literal[1]
    paper: str
    cites: str
    entries: dict[str, Entry]
    studies: dict[str, Study] = {}
    findings: dict[str, Finding] = {}
    folder: str = ""

    def find(self, item: str) -> tuple[str, Entry]:
        """The entry with this id, or that shares its runs.

        Raises:
            InputError: there is none.
        """
        for name, entry in self.entries.items():
            if item in entry.ids(name):
                return name, entry
        known = ", ".join(each for name, entry in self.entries.items() for each in entry.ids(name))
        raise InputError(f"{self.paper}.{item}: no such entry; {self.paper} has {known}")


def papers_folder() -> Path:
    """configs/papers beside the virtual environment or in the source tree, else the wheel's.

    Raises:
        InputError: it is nowhere.
    """
    given = os.environ.get(FOLDER_VARIABLE)
    here = Path(__file__).resolve()
    beside, tree = Path(sys.prefix).parent, here.parents[4]
    places = [beside / "configs/papers", tree / "configs/papers", here.parent / "papers"]
    for folder in [Path(given)] if given else places:
        if folder.is_dir():
            return folder
    raise InputError(f"configs/papers not found; {FOLDER_VARIABLE} may name it")


def load_paper(name: str) -> Paper:
    """The catalogue of a paper.

    Raises:
        InputError: there is no such paper, or its catalogue is wrong.
    """
    if name not in PAPERS:
        raise InputError(f"{name or repr(name)}: no such paper; there are {', '.join(PAPERS)}")
    folder = papers_folder() / name
    file = folder / "claims.yaml"
    paper = _converted(file, {**_tree(file), "folder": str(folder)}, Paper)
    if paper.paper != name:
        raise InputError(f"{file}: paper: found {paper.paper!r}, expected {name!r}")
    for item, entry in paper.entries.items():
        _check(file, item, entry, paper)
    findings = folder / "findings.yaml"
    if not findings.is_file():
        return paper
    known = {f"{item}.{each}" for item, entry in paper.entries.items() for each in entry.claims}
    found = _converted(findings, _tree(findings), dict[str, Finding])
    if unknown := sorted(set(found) - known):
        raise InputError(f"{findings}: no claim {unknown[0]!r}")
    return msgspec.structs.replace(paper, findings=found)


def _check(file: Path, item: str, entry: Entry, paper: Paper) -> None:
    """Raises InputError where an entry speaks of what is not there."""
    if unknown := sorted(set(entry.studies) - set(paper.studies)):
        raise InputError(f"{file}: entries.{item}: no study {unknown[0]!r}")
    code = f"ecnomy.analysis.reproduce.{paper.paper}"
    if entry.module and importlib.util.find_spec(f"{code}.{entry.module}") is None:
        raise InputError(f"{file}: entries.{item}: no module {entry.module!r} in {code}")


def _converted(file: Path, tree: dict[str, Any], kind: type[T]) -> T:
    try:
        return msgspec.convert(tree, type=kind)
    except msgspec.ValidationError as error:
        raise InputError(f"{file}: {error}") from None


def _tree(file: Path) -> dict[str, Any]:
    try:
        tree = yaml.safe_load(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise InputError(f"{file}: {' '.join(str(error).split())}") from None
    if not isinstance(tree, dict):
        raise InputError(f"{file}: found {type(tree).__name__}, expected a mapping")
    return tree


def select(what: str) -> list[tuple[Paper, str]]:
    """Papers and entry ids that `PAPER` or `PAPER.ITEM` means.

    Raises:
        InputError: there is no such paper or item.
    """
    name, _, item = what.partition(".")
    paper = load_paper(name)
    return [(paper, paper.find(item)[0])] if item else [(paper, each) for each in paper.entries]
