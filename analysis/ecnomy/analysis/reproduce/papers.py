# SPDX-License-Identifier: Apache-2.0
"""Reads and checks configs/papers, whose files catalogue.py defines."""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, TypeVar

import msgspec
import yaml

from ecnomy.agents.errors import InputError
from ecnomy.analysis.reproduce.catalogue import (
    FIGURES,
    ClaimReason,
    Paper,
    PaperEntry,
    PrintedChoice,
)

__all__ = ["PAPERS", "load_paper", "papers_folder", "select", "select_all"]

PAPERS: Final = (
    *("siris2002", "antoniadis2000", "athuraliya2000", "andreassen2002", "christin2003", "cross"),
)
FOLDER_VARIABLE: Final = "ECNOMY_PAPERS"
T = TypeVar("T")
_LOADER: Final[Any] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # papers are long


def papers_folder() -> Path:
    """Return the folder of the papers, which ECNOMY_PAPERS names if it is set.

    The default is configs/papers next to the virtual environment or in the source tree, or the copy
    in the wheel.

    Raises:
        InputError: the folder does not exist.
    """
    given = os.environ.get(FOLDER_VARIABLE)
    here = Path(__file__).resolve()
    beside, tree = Path(sys.prefix).parent, here.parents[4]
    places = [beside / "configs/papers", tree / "configs/papers", here.parent / "papers"]
    for folder in [Path(given)] if given else places:
        if folder.is_dir():
            return folder
    raise InputError(f"configs/papers not found; set {FOLDER_VARIABLE} to that folder")


def load_paper(name: str) -> Paper:
    """Return the catalogue of a paper.

    Raises:
        InputError: the paper does not exist, or its catalogue is invalid.
    """
    if name not in PAPERS:
        raise InputError(
            f"{name or repr(name)}: no such paper, expected one of {', '.join(PAPERS)}"
        )
    folder = papers_folder() / name
    file = folder / "claims.yaml"
    paper = _converted(file, {**_claims_tree(file), "folder": str(folder)}, Paper)
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
    claim_findings = _converted(findings, _tree(findings), dict[str, ClaimReason])
    if unknown := sorted(set(claim_findings) - known):
        raise InputError(f"{findings}: no claim {unknown[0]!r}")
    return msgspec.structs.replace(paper, findings=claim_findings)


def _check(file: Path, item: str, entry: PaperEntry, paper: Paper) -> None:
    """Raise InputError if an entry refers to a study or module that does not exist."""
    if unknown := sorted(set(entry.studies) - set(paper.studies)):
        raise InputError(f"{file}: entries.{item}: no study {unknown[0]!r}")
    choices = [each for each in entry.chosen if isinstance(each, PrintedChoice)]
    named = {name for each in choices for name in (*each.not_in, *each.only)}
    if unknown := sorted(named - set(paper.studies)):
        raise InputError(f"{file}: entries.{item}.chosen: no study {unknown[0]!r}")
    code = f"ecnomy.analysis.reproduce.{paper.paper}"
    if entry.module and importlib.util.find_spec(f"{code}.{entry.module}") is None:
        raise InputError(f"{file}: entries.{item}: no module {entry.module!r} in {code}")


def _check_grids(file: Path, item: str, entry: PaperEntry, paper: Paper) -> None:
    """Raise InputError if an entry's grid, control or bounds are inconsistent."""
    places = {f"entries.{item}": entry.grid or ()}
    for number, claim in entry.claims.items():
        place = f"entries.{item}.claims.{number}"
        places[place] = claim.grid or ()
        bounded = [name for name, region in claim.expect.items() if region != (None, None)]
        if claim.not_testable and bounded:
            fault = f"not_testable together with bounds of {bounded[0]!r}"
            raise InputError(f"{file}: {place}: {fault}, expected [null, null]")
        if claim.control and not (claim.expect and claim.control.expect):
            raise InputError(f"{file}: {place}: control: missing quantities: expected at least one")
    for place, grid in places.items():
        for name in grid:
            setting = paper.settings.get(name)
            if setting is None:
                known = ", ".join(paper.settings) or "the settings of the paper"
                raise InputError(
                    f"{file}: {place}.grid: no setting {name!r}, expected one of {known}"
                )
            if not any(map(setting.touches, entry.studies)):
                if any(FIGURES in changes for changes in setting.also.values()):
                    continue
                raise InputError(f"{file}: {place}.grid: no study of the entry varies {name!r}")


def _check_settings(file: Path, paper: Paper) -> None:
    for name, setting in paper.settings.items():
        place = f"{file}: settings.{name}"
        if unknown := sorted({*setting.not_in, *setting.only} - set(paper.studies)):
            raise InputError(f"{place}: no study {unknown[0]!r}")
        if setting.not_in and setting.only:
            raise InputError(f"{place}: found except and only, expected only one of them")
        if not setting.also or not all(setting.also.values()):
            raise InputError(f"{place}.also: missing alternatives with overrides")
        for alternative, changes in setting.also.items():
            named = changes.get(FIGURES, {"": ""})
            if not (named and isinstance(named, dict) and all(map(_is_part, named.items()))):
                fault = f"{place}.also.{alternative}.{FIGURES}: found {named!r}"
                raise InputError(f"{fault}, expected parts of figures' names, such as plain: paced")


def _is_part(pair: tuple[Any, Any]) -> bool:
    return all(isinstance(part, str) and "." not in part for part in pair)


def _check_headlines(file: Path, paper: Paper) -> None:
    """Raise InputError if a headline lacks claims or refers to a missing claim or entry."""
    claims = {f"{item}.{each}" for item, entry in paper.entries.items() for each in entry.claims}
    for index, headline in enumerate(paper.headlines):
        place = f"{file}: headlines[{index}]"
        if unknown := [claim for claim in headline.claims if claim not in claims]:
            raise InputError(f"{place}: no claim {unknown[0]!r}")
        if not headline.claims:
            raise InputError(f"{place}: missing claims: expected the claims that support it")
        if headline.figure not in paper.entries:
            raise InputError(f"{place}: no entry {headline.figure!r}")


def _converted(file: Path, tree: dict[str, Any], kind: type[T]) -> T:
    try:
        return msgspec.convert(tree, type=kind)
    except msgspec.ValidationError as error:
        raise InputError(f"{file}: {error}") from None


def _claims_tree(file: Path) -> dict[str, Any]:
    """Return the content of a claims.yaml, with entries from their own files and shared choices."""
    tree = _tree(file)
    entries, choices = tree.get("entries"), tree.pop("choices", {})
    if not isinstance(entries, dict) or not isinstance(choices, dict):
        return tree  # conversion reports the fault
    for item, entry in entries.items():
        source = file.parent / entry if isinstance(entry, str) else file
        if source != file:
            entry = _tree(source)
        if isinstance(entry, dict) and isinstance(entry.get("chosen"), list):
            place = f"{source}: " if source != file else f"{file}: entries.{item}."
            chosen = [_choice(each, choices, f"{place}chosen") for each in entry["chosen"]]
            entry = {**entry, "chosen": chosen}
        if source != file:
            _converted(source, entry, PaperEntry)
        entries[item] = entry
    return tree


def _choice(chosen: Any, choices: dict[str, Any], place: str) -> Any:
    """Return a choice; `use: NAME` stands for one of `choices`."""
    if not isinstance(chosen, dict) or list(chosen) != ["use"]:
        return chosen
    if chosen["use"] not in choices:
        known = ", ".join(choices) or "a choice of claims.yaml"
        raise InputError(f"{place}: no choice {chosen['use']!r}, expected one of {known}")
    return choices[chosen["use"]]


def _tree(file: Path) -> dict[str, Any]:
    try:
        tree = yaml.load(file.read_text(encoding="utf-8"), Loader=_LOADER)
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise InputError(f"{file}: {' '.join(str(error).split())}") from None
    if not isinstance(tree, dict):
        raise InputError(f"{file}: found {type(tree).__name__}, expected a mapping")
    return tree


def select(what: str) -> list[tuple[Paper, str]]:
    """Return the paper and id of each entry that `PAPER` or `PAPER.ITEM` selects.

    Raises:
        InputError: the paper or item does not exist.
    """
    name, _, item = what.partition(".")
    paper = load_paper(name)
    return [(paper, paper.find(item)[0])] if item else [(paper, each) for each in paper.entries]


def select_all(words: Sequence[str]) -> list[tuple[tuple[Paper, str], tuple[str, ...]]]:
    """Return the entries that words of the form `PAPER` or `PAPER.ITEM` select, without repeats.

    Returns:
        Paper and entry id in order, each with the requested ids of the entry. An empty tuple stands
        for the whole entry.

    Raises:
        InputError: the paper or item does not exist.
    """
    entries: dict[tuple[str, str], tuple[Paper, str]] = {}
    ids: dict[tuple[str, str], list[str]] = {}
    for word in words:
        item = word.partition(".")[2]
        for paper, entry in select(word):
            key = paper.paper, entry
            entries.setdefault(key, (paper, entry))
            ids.setdefault(key, []).append(item)
    wanted = {
        key: () if "" in requested else tuple(dict.fromkeys(requested))
        for key, requested in ids.items()
    }
    return [(entries[key], wanted[key]) for key in entries]
