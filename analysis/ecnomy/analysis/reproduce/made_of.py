# SPDX-License-Identifier: Apache-2.0
"""What the outcome of a claim was made of, as digests: a record with others is stale.

    engine   the code of omnet/laws, omnet/host and omnet/engine
    module   the entry's module, with what it imports of ecnomy.analysis
    runs     its studies, whole and quick: scenarios, values and seeds
    plan     what is measured of a run of these studies; the plan of the first run of each
    claim    its regions, its grid and control (not its words)

What only draws, prints or keeps books (`_APART`) is no part of it, nor are versions of packages.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any, Final

import msgspec

from ecnomy.analysis.compare.sources import source_digest
from ecnomy.analysis.reproduce.catalogue import Entry, Paper
from ecnomy.analysis.reproduce.papers import PAPERS, load_paper
from ecnomy.analysis.reproduce.studies import Form, load_study
from ecnomy.markets.plan.make import make_plan
from ecnomy.markets.sweep.fingerprint import measure_modules

__all__ = ["CODE_CHANGED", "ENGINE_CHANGED", "MadeOf", "Sources", "changes"]

FOLDERS: Final = ("omnet/laws", "omnet/host", "omnet/engine")
_PACKAGE: Final = "ecnomy.analysis.reproduce"
_APART: Final = tuple(
    f"{_PACKAGE}.{name}"
    for name in (
        *(
            "catalogue",
            "command",
            "entries",
            "grid",
            "headlines",
            "made_of",
            "page",
            "papers",
            "pictures",
        ),
        *("carry", "probes", "record", "record_file", "recorded", "session", "table", "wording"),
    )
) + ("ecnomy.analysis.sweep_labels", "ecnomy.analysis.value_words")
_LENGTH: Final = 16  # of a digest, in hexadecimal digits


class MadeOf(msgspec.Struct, frozen=True, omit_defaults=True):
    """Digests; "" where it is not known."""

    engine: str = ""
    module: str = ""
    runs: str = ""
    claim: str = ""
    plan: str = ""


ENGINE_CHANGED: Final = "laws, host or engine have changed"
_WORDS: Final = {
    "engine": ENGINE_CHANGED,
    "module": "the entry's module or what it imports has changed",
    "runs": "scenarios have changed",
    "plan": "plans, or what is measured of runs, have changed",
    "claim": "regions or grid have changed",
}
# What code does to a claim; all else is what the claim is of.
CODE_CHANGED: Final = frozenset(_WORDS[part] for part in ("engine", "module", "plan"))


def changes(then: MadeOf, now: MadeOf) -> tuple[str, ...]:
    """What differs, in words; none: it is current."""
    return tuple(told for part, told in _WORDS.items() if getattr(then, part) != getattr(now, part))


class Sources:
    """The digests of a checkout as it is; each study and entry is looked at once.

    Attributes:
        engine: the digest of what simulates.
    """

    def __init__(self, checkout: Path) -> None:
        self.engine = source_digest(checkout, FOLDERS)[:_LENGTH]
        self._papers: dict[str, Paper] = {}
        self._studies: dict[tuple[str, str], tuple[str, str]] = {}
        self._modules: dict[tuple[str, str], str] = {}

    def has(self, name: str, item: str, number: str) -> bool:
        """Whether there is such a claim."""
        entry = self._paper(name).entries.get(item) if name in PAPERS else None
        return entry is not None and number in entry.claims

    def of(self, name: str, item: str, number: str) -> MadeOf:
        """What a claim is made of now.

        Raises:
            ScenarioError: a scenario is wrong.
        """
        paper = self._paper(name)
        entry = paper.entries[item]
        found = {study: self._study(paper, study) for study in entry.studies}
        runs, plan = ({study: two[i] for study, two in found.items()} for i in (0, 1))
        return MadeOf(
            engine=self.engine,
            module=self._module(paper, entry),
            runs=_digest(runs),
            plan=_digest(plan),
            claim=_digest(_claim(paper, entry, number)),
        )

    def _paper(self, name: str) -> Paper:
        if name not in self._papers:
            self._papers[name] = load_paper(name)
        return self._papers[name]

    def _study(self, paper: Paper, name: str) -> tuple[str, str]:
        key = paper.paper, name
        if key not in self._studies:
            both = [_study(paper, name, quick) for quick in (False, True)]
            self._studies[key] = (
                _digest([two[0] for two in both]),
                _digest([two[1] for two in both]),
            )
        return self._studies[key]

    def _module(self, paper: Paper, entry: Entry) -> str:
        key = paper.paper, entry.module
        if key not in self._modules:
            module = f"{_PACKAGE}.{paper.paper}.{entry.module}"
            found = measure_modules(module, _APART) if entry.module else {}
            self._modules[key] = _digest(found)
        return self._modules[key]


def _study(paper: Paper, name: str, quick: bool) -> tuple[list[Any], list[Any]]:
    """What the runs of a study are, and what code makes of them."""
    study, sweep = paper.studies[name], load_study(paper, name, Form(Path(), quick))
    points = sweep.points()
    plan = "" if quick else make_plan(sweep.scenario_at(points[0].params, points[0].seed)).digest
    made = [[point.params, point.seed] for point in points]
    runs = [sweep.base, made, study.batches, study.grid_replicates, sweep.calibrate]
    return runs, [measure_modules(sweep.measure, _APART), plan]


def _claim(paper: Paper, entry: Entry, number: str) -> list[Any]:
    claim = msgspec.structs.replace(entry.claims[number], says="", tolerance="")
    settings = {name: paper.settings[name] for name in entry.grid_of(number) or ()}
    varied = {name: [s.also, s.not_in, s.only] for name, s in settings.items()}
    return [claim, varied]


def _digest(what: Any) -> str:
    return hashlib.sha256(msgspec.json.encode(what, order="sorted")).hexdigest()[:_LENGTH]
