# SPDX-License-Identifier: Apache-2.0
"""Digests of all inputs on which the outcome of a claim depends.

Digests of a study, for its full and its quick form together:

    runs     its points and seeds
    base     its scenario, as written
    plans    the plans and markets of all points of the full form; computed when recording
    plan     the plan and market of the first point
    code     the laws that its plans name, the host and the engine; the code that measures a run;
             if the study has a market, the agents and their economy
    rows     the results of its quick runs (quick_results.py)

Digests of a claim:

    studies  runs and rows of its entry's studies
    module   the entry's module, with its imports from ecnomy.analysis
    claim    its regions, grid and control, without its text

A record is stale if the digest of its runs, rows or claim differs. Any other difference is tested
(currency.py). Digests ignore comments, layout, docstrings, file names, package
versions, and code that only draws, prints or manages records (`_APART`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import msgspec

from ecnomy.analysis.compare.python_sources import digest, economy_codes, python_codes
from ecnomy.analysis.compare.sources import laws_named, source_digest
from ecnomy.analysis.reproduce.catalogue import Paper, PaperEntry
from ecnomy.analysis.reproduce.grid import Variant, touched, variants_of
from ecnomy.analysis.reproduce.papers import PAPERS, load_paper
from ecnomy.analysis.reproduce.studies import Form, load_study
from ecnomy.markets.compile.make import make_plan
from ecnomy.markets.plan import Plan
from ecnomy.markets.scenario import Scenario
from ecnomy.markets.sweep.config import Sweep
from ecnomy.markets.sweep.fingerprint import measure_modules
from ecnomy.markets.sweep.space import Point

__all__ = ["ClaimMade", "Sources", "StudyMade", "digest", "first_of_each", "study_variants"]

FOLDERS: Final = ("omnet/laws", "omnet/host", "omnet/engine")
GATHERING: Final = (
    "markets/ecnomy/markets/sweep/gathered.py",
    "markets/ecnomy/markets/results/flows_and_links.py",
)
_PACKAGE: Final = "ecnomy.analysis.reproduce"
_APART: Final = tuple(
    f"{_PACKAGE}.{name}"
    for name in (
        *("catalogue", "causes", "claim_digests", "command", "currency", "curve_style"),
        *("entries", "entry_files", "grid", "headlines", "page", "papers", "probes"),
        *("quick_results", "record", "record_file", "recorded", "session", "table", "wording"),
    )
) + tuple(
    f"ecnomy.analysis.{name}" for name in ("draw.panels", "sweeps.labels", "sweeps.value_words")
)


class StudyMade(msgspec.Struct, frozen=True, omit_defaults=True):
    """Digests of a study, and the laws that its plans name; "" stands for an unknown digest."""

    laws: tuple[str, ...] = ()
    runs: str = ""
    base: str = ""
    plans: str = ""
    plan: str = ""
    code: str = ""
    rows: str = ""


class ClaimMade(msgspec.Struct, frozen=True, omit_defaults=True):
    """Digests of a claim; "" stands for an unknown digest."""

    studies: str = ""
    module: str = ""
    claim: str = ""


class Sources:
    """Computes digests of the current checkout, and reads each catalogue and module only once."""

    def __init__(self, checkout: Path) -> None:
        self._checkout = checkout
        self._papers: dict[str, Paper] = {}
        self._modules: dict[tuple[str, str], str] = {}
        self._engine: dict[tuple[str, ...], str] = {}

    def paper(self, name: str) -> Paper:
        """Return a paper's catalogue."""
        if name not in self._papers:
            self._papers[name] = load_paper(name)
        return self._papers[name]

    def has(self, name: str, item: str, number: str) -> bool:
        """Return whether the catalogue has this claim."""
        entry = self.paper(name).entries.get(item) if name in PAPERS else None
        return entry is not None and number in entry.claims

    def of_study(self, name: str, laws: tuple[str, ...] | None = None) -> StudyMade:
        """Return the current digests of a study, except `plans` and `rows`.

        Args:
            name: the study, as `paper/study`.
            laws: the laws that its plans name. None means that they are read from all its plans.

        Raises:
            ScenarioError: the study's sweep is invalid.
        """
        paper, study = self.paper(name.partition("/")[0]), name.partition("/")[2]
        both = [load_study(paper, study, Form(Path(), quick=quick)) for quick in (False, True)]
        own = paper.studies[study]
        made = [[[p.params, p.seed] for p in sweep.points()] for sweep in both]
        first = _planned(_scenarios(both[0], both[0].points()[:1])[0])
        if laws is None:
            laws = laws_named(_all_plans(paper, study, both), self._checkout)
        return StudyMade(
            laws=laws,
            runs=digest([made, own.batches, own.grid_replicates, both[0].calibrate]),
            base=digest([sweep.base for sweep in both]),
            plan=digest(first),
            code=self._code(both[0], laws, market=first[1] is not None),
        )

    def _code(self, sweep: Sweep, laws: tuple[str, ...], *, market: bool) -> str:
        measures = _python(measure_modules(sweep.measure, _APART))
        if laws not in self._engine:
            self._engine[laws] = source_digest(self._checkout, FOLDERS, laws)
        codes = python_codes(self._checkout / name for name in GATHERING)
        if market:
            codes = sorted(codes + economy_codes(self._checkout))
        return digest([self._engine[laws], measures, codes])

    def plans_of(self, name: str) -> str:
        """Return the digest of a study's plans and markets in full form, one seed per point."""
        paper, study = self.paper(name.partition("/")[0]), name.partition("/")[2]
        sweep = load_study(paper, study, Form(Path()))
        return digest([_planned(one) for one in _scenarios(sweep, first_of_each(sweep))])

    def of_claim(
        self, name: str, item: str, number: str, studies: Mapping[str, StudyMade]
    ) -> ClaimMade:
        """Return the current digests of a claim, given the digests of its studies."""
        paper = self.paper(name)
        entry = paper.entries[item]
        made = {study: studies.get(f"{name}/{study}", StudyMade()) for study in entry.studies}
        return ClaimMade(
            studies=digest({study: [of.runs, of.rows] for study, of in made.items()}),
            module=self._module(paper, entry),
            claim=digest(_claim(paper, entry, number)),
        )

    def _module(self, paper: Paper, entry: PaperEntry) -> str:
        key = paper.paper, entry.module
        if key not in self._modules:
            module = f"{_PACKAGE}.{paper.paper}.{entry.module}"
            codes = _python(measure_modules(module, _APART)) if entry.module else []
            self._modules[key] = digest(codes)
        return self._modules[key]


def first_of_each(sweep: Sweep) -> list[Point]:
    """Return the first point for each assignment of parameters in a sweep."""
    points: dict[bytes, Point] = {}
    for point in sweep.points():
        points.setdefault(msgspec.json.encode(point.params, order="sorted"), point)
    return list(points.values())


def study_variants(paper: Paper, study: str) -> list[Variant]:
    """Return the variants that require further runs of a study."""
    variants = {
        variant.name: variant
        for item, entry in paper.entries.items()
        if study in entry.studies
        for variant in variants_of(paper, item)
        if touched(paper, [study], variant)
    }
    return list(variants.values())


def _scenarios(sweep: Sweep, points: Iterable[Point]) -> list[Scenario]:
    return [sweep.scenario_at(point.params, point.seed) for point in points]


def _planned(scenario: Scenario) -> list[Any]:
    return [make_plan(scenario).digest, scenario.market]


def _all_plans(paper: Paper, study: str, sweeps: Iterable[Sweep]) -> Iterator[Plan]:
    varied = [
        load_study(paper, study, Form(Path(), quick=True), variant=variant)
        for variant in study_variants(paper, study)
    ]
    for sweep in (*sweeps, *varied):
        yield from map(make_plan, _scenarios(sweep, first_of_each(sweep)))


def _claim(paper: Paper, entry: PaperEntry, number: str) -> list[Any]:
    claim = msgspec.structs.replace(entry.claims[number], says="", tolerance="")
    settings = {name: paper.settings[name] for name in entry.grid_of(number) or ()}
    varied = {name: [s.also, s.not_in, s.only] for name, s in settings.items()}
    return [claim, varied]


def _python(modules: Iterable[str]) -> list[str]:
    """Return the code of modules, without the modules' names."""
    import importlib.util

    specs = [importlib.util.find_spec(name) for name in modules]
    files = [Path(spec.origin) for spec in specs if spec is not None and spec.origin]
    return python_codes(files)
