# SPDX-License-Identifier: Apache-2.0
"""The catalogue of reproducible results: entries and claims of the papers, from configs/papers/.

    configs/papers/<paper>/claims.yaml      studies, entries, claims and their quantities
    configs/papers/<paper>/entries/         entries that claims.yaml names by file
    configs/papers/<paper>/findings.yaml    findings on claims that were not confirmed
    configs/papers/<paper>/<study>.yaml     sweep files, and the scenarios they vary

In claims.yaml, `choices` names choices of several entries, which refer to them with `use: NAME`.

A claim expects quantities to lie in a region [low, high]. It names quantities by patterns in which
`*` matches any text. Only judge.py compares quantities with regions.

For each detail that a paper leaves open, a setting, written before any run, declares the chosen
value and plausible alternatives. An entry lists under `grid` the settings over which its claims are
judged. Each setting is varied separately. papers.py reads and checks these files.
"""

from __future__ import annotations

from typing import Any, Final, Literal, TypeVar

import msgspec

from ecnomy.agents.errors import InputError

__all__ = [
    "FIGURES",
    "Bound",
    "Claim",
    "ClaimReason",
    "Control",
    "ControlledRun",
    "Headline",
    "Paper",
    "PaperEntry",
    "PrintedChoice",
    "Setting",
    "Study",
]

FIGURES: Final = "figures"
Priority = Literal["core", "sec"]
T = TypeVar("T")
Bound = float | None  # None: unbounded on this side


class Setting(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename={"not_in": "except"}):
    """A detail that the paper leaves open, with our choice and alternatives.

    Attributes:
        open: description of the detail.
        chosen: value in the studies' scenarios.
        also: name of each alternative -> its changes to the scenarios (path -> value). An
            alternative that studies already measure has `figures` instead, which replaces parts of
            quantity names.
        not_in: studies that do not vary the setting (`except` in the file).
        only: studies that vary the setting. If empty, all studies vary it.
    """

    open: str
    chosen: str
    also: dict[str, dict[str, Any]]
    not_in: tuple[str, ...] = ()
    only: tuple[str, ...] = ()

    def touches(self, study: str) -> bool:
        """Return whether a study varies this setting."""
        return study not in self.not_in and (not self.only or study in self.only)


class PrintedChoice(
    msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename={"not_in": "except"}
):
    """A printed choice, which a test compares with the scenarios of the entry's studies.

    Attributes:
        says: the printed text.
        holds: path into a scenario -> its value, or a list of all values that occur.
        not_in: studies to which the choice does not apply (`except` in the file).
        only: studies to which the choice applies. If empty, it applies to all studies.
    """

    says: str
    holds: dict[str, Any]
    not_in: tuple[str, ...] = ()
    only: tuple[str, ...] = ()

    def touches(self, study: str) -> bool:
        """Return whether the choice applies to a study."""
        return study not in self.not_in and (not self.only or study in self.only)


class Control(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A control of a claim: quantities and regions that are refuted if the claim is informative."""

    says: str
    expect: dict[str, tuple[Bound, Bound]]


class Claim(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A claim of an entry.

    Attributes:
        says: the paper's statement, in one sentence.
        tolerance: reason for our tolerance, if the paper's statement is not exact.
        expect: pattern of quantity names -> [low, high].
        pending: reason why the claim cannot be judged yet, or "".
        ids: those of the entry's ids to which the claim belongs. If empty, it belongs to all of
            them.
        grid: settings over which the claim is judged, in place of the entry's settings.
        kind: `identity` if the claim checks our arithmetic or input.
        not_testable: reason why no measurement can test the claim, or "".
        control: quantities and regions that must be refuted. Otherwise the claim is uninformative.
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
        """Return whether the claim belongs to an id of the entry; "" stands for all ids."""
        return not item or not self.ids or item in self.ids

    def of_parts(self, parts: dict[str, str]) -> Claim:
        """Return the claim with parts of its quantities' names replaced (part -> replacement)."""

        def renamed(regions: dict[str, T]) -> dict[str, T]:
            names = {p: ".".join(parts.get(part, part) for part in p.split(".")) for p in regions}
            return {names[pattern]: region for pattern, region in regions.items()}

        control = self.control and msgspec.structs.replace(
            self.control, expect=renamed(self.control.expect)
        )
        return msgspec.structs.replace(self, expect=renamed(self.expect), control=control)


class Study(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A sweep that provides runs for entries.

    Attributes:
        sweep: the sweep file, in the paper's folder.
        budget: largest number of data packets that all its runs may send together.
        batches: whether samples are batch means of long runs, instead of one value per seed.
        grid_replicates: number of seeds under an alternative. 0 means as many as in the study.
    """

    sweep: str
    budget: float
    batches: bool = False
    grid_replicates: int = 0


class PaperEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A figure, a table or a passage of a paper.

    Attributes:
        module: module in reproduce/<paper> with its code; "" if there are no claims to judge.
        studies: names of its studies.
        chosen: our choices for details that the paper leaves open, made before the first full run.
        grid: settings over which the claims are judged. [] means that the paper leaves no relevant
            detail open, None that the settings are not declared.
    """

    title: str
    priority: Priority
    claims: dict[str, Claim]
    module: str = ""
    studies: tuple[str, ...] = ()
    chosen: tuple[str | PrintedChoice, ...] = ()
    also: tuple[str, ...] = ()  # further ids that share runs and claims
    grid: tuple[str, ...] | None = None

    def ids(self, name: str) -> tuple[str, ...]:
        """Return all ids of the entry, with `name` first."""
        return name, *self.also

    @property
    def printed(self) -> tuple[str, ...]:
        """Return the choices as text."""
        return tuple(each if isinstance(each, str) else each.says for each in self.chosen)

    def grid_of(self, number: str) -> tuple[str, ...] | None:
        """Return the settings over which a claim is judged, or None if they are not declared."""
        own = self.claims[number].grid
        return self.grid if own is None else own


class Headline(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A main result of the paper, as stated by readers who cite it.

    Attributes:
        claims: the claims (`entry.cN`) that support it.
        figure: the entry whose figure shows it.
    """

    says: str
    claims: tuple[str, ...]
    figure: str


class ControlledRun(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A controlled run and its effect; a quantity in braces stands for its measured value."""

    run: str
    shows: str


class ClaimReason(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The reason why a claim was not confirmed.

    In the texts, the name of a quantity in braces stands for its measured value, and {study@path}
    for a setting of the runs (`{fig14@network.links.bottleneck.rate}`). The texts thus describe the
    runs that were judged.

    Attributes:
        cause: the cause, or `unknown` if the controls do not identify one.
        when: pattern of quantity names -> region in which the quantities must lie for this cause to
            apply.
    """

    cause: str
    tried: tuple[ControlledRun, ...] = ()
    when: dict[str, tuple[Bound, Bound]] = {}


class Paper(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The catalogue of one paper."""

    version: Literal[1]
    paper: str
    cites: str
    entries: dict[str, PaperEntry]
    studies: dict[str, Study] = {}
    findings: dict[str, ClaimReason] = {}
    settings: dict[str, Setting] = {}
    headlines: tuple[Headline, ...] = ()
    folder: str = ""

    def find(self, item: str) -> tuple[str, PaperEntry]:
        """Return the name of the entry that has this id, and the entry.

        Raises:
            InputError: the paper has no such entry.
        """
        for name, entry in self.entries.items():
            if item in entry.ids(name):
                return name, entry
        known = ", ".join(each for name, entry in self.entries.items() for each in entry.ids(name))
        raise InputError(f"{self.paper}.{item}: no such entry, expected one of {known}")
