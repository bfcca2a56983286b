# SPDX-License-Identifier: Apache-2.0
"""What there is to reproduce: entries and claims of the papers, as configs/papers/ states them.

    configs/papers/<paper>/claims.yaml      studies, entries, claims with the figures they are about
    configs/papers/<paper>/findings.yaml    what was found out about claims that were not confirmed
    configs/papers/<paper>/<study>.yaml     sweep files, and the scenarios they vary

A claim expects figures (by name, `*` for any part of it) to lie in a region [low, high]. Nothing
but judge.py looks at the regions.

What a paper leaves open is a setting: what was chosen, and what else is plausible, declared before
the runs. An entry names under `grid` the settings that its claims are judged over, one at a time.
papers.py reads and checks these files.
"""

from __future__ import annotations

from typing import Any, Final, Literal, TypeVar

import msgspec

from ecnomy.agents.errors import InputError

__all__ = [
    "FIGURES",
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
]

FIGURES: Final = "figures"
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
        pending: why it cannot be judged yet, "" if it can.
        ids: of an entry with several ids, those that the claim is part of; none: all.
        grid: settings it is judged over, in place of the entry's.
        kind: `identity` where it checks our own arithmetic or input.
        not_testable: why nothing can be held against the paper, "" if it can.
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

    def of_parts(self, parts: dict[str, str]) -> Claim:
        """The claim about figures whose names have other parts: part -> the part in its place."""

        def renamed(regions: dict[str, T]) -> dict[str, T]:
            names = {p: ".".join(parts.get(part, part) for part in p.split(".")) for p in regions}
            return {names[pattern]: region for pattern, region in regions.items()}

        control = self.control and msgspec.structs.replace(
            self.control, expect=renamed(self.control.expect)
        )
        return msgspec.structs.replace(self, expect=renamed(self.expect), control=control)


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
        module: of its figures and picture, within reproduce/<paper>; "" if nothing is judged.
        studies: by name.
        chosen: settings the paper leaves open and what was chosen, before the first full run.
        grid: settings that its claims are judged over; [] where nothing that matters is open,
            None if that was not declared.
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
