# SPDX-License-Identifier: Apache-2.0
"""What there is to reproduce: entries and claims of the papers, as configs/papers/ states them.

    configs/papers/<paper>/claims.yaml      studies, entries, claims with the figures they are about
    configs/papers/<paper>/findings.yaml    what was found out about claims that were not confirmed
    configs/papers/<paper>/<study>.yaml     sweep files, and the scenarios they vary

A claim expects figures (by name, `*` for any part of it) to lie in a region [low, high]. Nothing
but judge.py looks at the regions.

What a paper leaves open is a setting: what was chosen, and what else is plausible, declared before
the runs. An entry names under `grid` the settings that its claims are judged over, one at a time.
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
    "FIGURES",
    "PAPERS",
    "Bound",
    "Choice",
    "Claim",
    "Control",
    "Entry",
    "Finding",
    "Headline",
    "Paper",
    "Setting",
    "Study",
    "Tried",
    "load_paper",
    "papers_folder",
    "select",
]

PAPERS: Final = (
    *("siris2002", "antoniadis2000", "athuraliya2000", "andreassen2002", "christin2003", "cross"),
)
FIGURES: Final = "figures"
FOLDER_VARIABLE: Final = "ECNOMY_PAPERS"
Priority = Literal["core", "sec"]
T = TypeVar("T")
Bound = float | None  # None: no bound on this side


class Setting(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename={"not_in": "except"}):
    """A setting that the paper leaves open.

    Attributes:
        open: what is left open.
        chosen: what the studies as they stand have.
        also: name of an alternative -> what it changes in the scenarios: path -> value. Where
            studies measure it already, `figures`: part of figures' names -> that in its place.
        not_in: studies that it is not varied in (`except` in the file).
        only: the studies that it is varied in; none: all.
    """

    open: str
    chosen: str
    also: dict[str, dict[str, Any]]
    not_in: tuple[str, ...] = ()
    only: tuple[str, ...] = ()

    def touches(self, study: str) -> bool:
        """Whether a study is run anew under its alternatives."""
        return study not in self.not_in and (not self.only or study in self.only)


class Choice(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename={"not_in": "except"}):
    """A printed choice that a test holds to the scenarios of the entry's studies.

    Attributes:
        says: what is printed.
        holds: path into a scenario -> its value there, or the list of all values that occur.
        not_in: studies that it is not about (`except` in the file).
        only: the studies that it is about; none: all.
    """

    says: str
    holds: dict[str, Any]
    not_in: tuple[str, ...] = ()
    only: tuple[str, ...] = ()

    def touches(self, study: str) -> bool:
        """Whether it speaks of a study."""
        return study not in self.not_in and (not self.only or study in self.only)


class Control(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Figures of a control in which a claim must fail, or the claim cannot tell anything."""

    says: str
    expect: dict[str, tuple[Bound, Bound]]


class Claim(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One claim of an entry.

    Attributes:
        says: what the paper says, in a sentence.
        tolerance: what our tolerance stands for, where the paper's words leave room.
        expect: pattern of figure names -> [low, high].
        pending: why it cannot be judged yet, "" where it can.
        ids: of an entry with several ids, those that the claim is part of; none: all.
        grid: settings it is judged over, in place of the entry's.
        kind: `identity` where it checks our own arithmetic or input.
        not_testable: why nothing can be held against the paper, "" where it can.
        control: where it must fail.
    """

    priority: Priority
    says: str
    expect: dict[str, tuple[Bound, Bound]] = {}
    tolerance: str = ""
    pending: str = ""
    ids: tuple[str, ...] = ()
    grid: tuple[str, ...] | None = None
    kind: Literal["claim", "identity"] = "claim"
    not_testable: str = ""
    control: Control | None = None

    def is_of(self, item: str) -> bool:
        """Whether the claim is part of what is called `item`."""
        return not item or not self.ids or item in self.ids


class Study(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A sweep whose runs entries look at.

    Attributes:
        sweep: its file, in the paper's folder.
        budget: data packets that all its runs together may send.
        batches: whether samples are batch means of long runs, in place of seeds.
        grid_replicates: seeds of its runs under an alternative; 0: as many as of its own.
    """

    sweep: str
    budget: float
    batches: bool = False
    grid_replicates: int = 0


class Entry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A figure, a table or a passage of a paper.

    Attributes:
        module: of its figures and picture, within reproduce/<paper>; "" where nothing is judged.
        studies: by name.
        chosen: settings the paper leaves open and what was chosen, before the first full run.
        grid: settings that its claims are judged over; [] where nothing that matters is open,
            None where that was not declared.
    """

    title: str
    priority: Priority
    claims: dict[str, Claim]
    module: str = ""
    studies: tuple[str, ...] = ()
    chosen: tuple[str | Choice, ...] = ()
    also: tuple[str, ...] = ()  # further ids that share runs and claims
    grid: tuple[str, ...] | None = None

    def ids(self, name: str) -> tuple[str, ...]:
        """All that it is called; `name` comes first."""
        return name, *self.also

    @property
    def printed(self) -> tuple[str, ...]:
        """The choices in words."""
        return tuple(each if isinstance(each, str) else each.says for each in self.chosen)

    def grid_of(self, number: str) -> tuple[str, ...] | None:
        """The settings that a claim is judged over; None: none was declared."""
        own = self.claims[number].grid
        return self.grid if own is None else own


class Headline(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A main result, as one who cites the paper would state it.

    Attributes:
        claims: `entry.cN`, those that it stands on.
        figure: the entry whose picture shows it.
    """

    says: str
    claims: tuple[str, ...]
    figure: str


class Tried(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A controlled run: what was changed, and what that isolates; {figure} is put in."""

    run: str
    shows: str


class Finding(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Why a claim was not confirmed.

    In its texts {figure} stands for what was measured and {study@path} for a setting of the runs
    (`{fig14@network.links.bottleneck.rate}`), so that they speak of the runs that were judged.

    Attributes:
        cause: `unknown` where the controls do not tell.
        when: figures and the regions they lie in where this is the cause; elsewhere it is not told.
    """

    cause: str
    tried: tuple[Tried, ...] = ()
    when: dict[str, tuple[Bound, Bound]] = {}


class Paper(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The catalogue of one paper."""

    version: Literal[1]
    paper: str
    cites: str
    entries: dict[str, Entry]
    studies: dict[str, Study] = {}
    findings: dict[str, Finding] = {}
    settings: dict[str, Setting] = {}
    headlines: tuple[Headline, ...] = ()
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
    _check_settings(file, paper)
    for item, entry in paper.entries.items():
        _check(file, item, entry, paper)
        _check_grids(file, item, entry, paper)
    _check_headlines(file, paper)
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
    choices = [each for each in entry.chosen if isinstance(each, Choice)]
    named = {name for each in choices for name in (*each.not_in, *each.only)}
    if unknown := sorted(named - set(paper.studies)):
        raise InputError(f"{file}: entries.{item}.chosen: no study {unknown[0]!r}")
    code = f"ecnomy.analysis.reproduce.{paper.paper}"
    if entry.module and importlib.util.find_spec(f"{code}.{entry.module}") is None:
        raise InputError(f"{file}: entries.{item}: no module {entry.module!r} in {code}")


def _check_grids(file: Path, item: str, entry: Entry, paper: Paper) -> None:
    """Raises InputError where claims are to be judged over what is not there."""
    places = {f"entries.{item}": entry.grid or ()}
    for number, claim in entry.claims.items():
        place = f"entries.{item}.claims.{number}"
        places[place] = claim.grid or ()
        bounded = [name for name, region in claim.expect.items() if region != (None, None)]
        if claim.not_testable and bounded:
            found = f"not_testable beside bounds of {bounded[0]!r}"
            raise InputError(f"{file}: {place}: {found}, expected [null, null]")
        if claim.control and not (claim.expect and claim.control.expect):
            raise InputError(f"{file}: {place}: control: found no figures, expected some")
    for place, grid in places.items():
        for name in grid:
            setting = paper.settings.get(name)
            if setting is None:
                known = ", ".join(paper.settings) or "none"
                raise InputError(f"{file}: {place}.grid: no setting {name!r}; there is {known}")
            if not any(map(setting.touches, entry.studies)):
                if any(FIGURES in changes for changes in setting.also.values()):
                    continue
                found = f"{name!r}, which is varied in none of the entry's studies"
                raise InputError(f"{file}: {place}.grid: found {found}, expected one that is")


def _check_settings(file: Path, paper: Paper) -> None:
    """Raises InputError where a setting cannot be varied."""
    for name, setting in paper.settings.items():
        place = f"{file}: settings.{name}"
        if unknown := sorted({*setting.not_in, *setting.only} - set(paper.studies)):
            raise InputError(f"{place}: no study {unknown[0]!r}")
        if setting.not_in and setting.only:
            raise InputError(f"{place}: found except and only, expected one of them")
        if not setting.also or not all(setting.also.values()):
            raise InputError(f"{place}.also: found nothing, expected alternatives with overrides")
        for alternative, changes in setting.also.items():
            named = changes.get(FIGURES, {"": ""})
            if not (named and isinstance(named, dict) and all(map(_is_part, named.items()))):
                found = f"{place}.also.{alternative}.{FIGURES}: found {named!r}"
                raise InputError(f"{found}, expected parts of figures' names, such as plain: paced")


def _is_part(pair: tuple[Any, Any]) -> bool:
    return all(isinstance(part, str) and "." not in part for part in pair)


def _check_headlines(file: Path, paper: Paper) -> None:
    """Raises InputError where a headline names what is not there."""
    claims = {f"{item}.{each}" for item, entry in paper.entries.items() for each in entry.claims}
    for index, headline in enumerate(paper.headlines):
        place = f"{file}: headlines[{index}]"
        if unknown := [claim for claim in headline.claims if claim not in claims]:
            raise InputError(f"{place}: no claim {unknown[0]!r}")
        if not headline.claims:
            raise InputError(f"{place}: found no claims, expected those it stands on")
        if headline.figure not in paper.entries:
            raise InputError(f"{place}: no entry {headline.figure!r}")


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
