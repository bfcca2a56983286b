# SPDX-License-Identifier: Apache-2.0
"""papers.json: the outcome of every claim, whole and quick, with what it was measured with.

    python -m ecnomy.analysis.reproduce.record results/reproduce tests/validation/papers.json

judges the runs that are there and makes none. A claim whose runs are missing, or were made by other
code than the present, keeps its old outcome; where that is stale (made_of.py) it is named.

    {"format": 2, "probes": {"paper/study": digest, ...}, "records": [
    {"claim": ..., "verdict": ..., "reason": ..., "made_of": {...},
     "figures": [
      {"name": ..., "region": [low, high], "measured": [mean, low, high, n], "verdict": ...},
      ...
     ],
     "grid": [
      {"setting": ..., "alternative": ..., "verdict": ..., "figure": {...}},
      ...
     ]},
    ...
    ]}

One figure is one line, with what it was in the quick form beside it. For `probes` see probes.py,
for `carried` carry.py.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import msgspec

from ecnomy.agents.errors import EcnomyError, InputError, ResultsError
from ecnomy.analysis.compare.sources import find_checkout
from ecnomy.analysis.reproduce.calibrations import unmade_of_any
from ecnomy.analysis.reproduce.catalogue import Paper
from ecnomy.analysis.reproduce.entries import Outcome, measured
from ecnomy.analysis.reproduce.grid import Variant, touched, variants_of
from ecnomy.analysis.reproduce.judge import Judged, Verdict, deciding, told_of
from ecnomy.analysis.reproduce.made_of import MadeOf, Sources, changes
from ecnomy.analysis.reproduce.papers import PAPERS, load_paper
from ecnomy.analysis.reproduce.probes import all_studies, probes_of
from ecnomy.analysis.reproduce.studies import Form
from ecnomy.analysis.statistics import Interval

__all__ = [
    "FORMAT",
    "Figure",
    "Recorded",
    "Under",
    "claims_of",
    "outcomes_of",
    "quick_figures",
    "read_probes",
    "read_record",
    "recorded",
    "stale",
    "stale_lines",
    "write_record",
    "write_whole",
]

FORMAT: Final = 2
CLAIM: Final = ""
CONTROL: Final = "control"
REASON: Final = "reason"
_DIGITS: Final = 9
_P_DIGITS: Final = 3

Region = tuple[float | None, float | None]
Numbers = tuple[float, float, float, int]  # mean, ends of the interval, of how many


class Figure(msgspec.Struct, frozen=True, omit_defaults=True):
    """A figure, whole and quick; None: it was not measured.

    Attributes:
        region: that it is held to, None for one that is only told.
        verdict: "" where only the quick form has it.
        p: of lying in its region, see judge.py.
        of: what it belongs to: the claim (""), its `control`, or the `reason`.
    """

    name: str
    region: Region | None = None
    measured: Numbers | None = None
    verdict: str = ""
    p: float | None = None
    of: str = CLAIM
    quick: Numbers | None = None
    quick_verdict: str = ""


class Under(msgspec.Struct, frozen=True, omit_defaults=True):
    """The verdict under one alternative of a setting, with the figure that decides it."""

    setting: str
    alternative: str
    verdict: str
    figure: Figure | None = None


class Recorded(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """The outcome of a claim.

    Attributes:
        claim: `paper.entry.cN`.
        verdict: over the grid; `alone` at the chosen settings.
        depends: the settings that the verdict depends on.
        over: settings it was to be judged over, None where none were declared; `grid` is empty
            where it was not.
        versions: engine and version.
        made_of: digests of what it was made of; empty where that is not known.
        carried: the engine it was measured with, where that has changed since and moved nothing.
    """

    claim: str
    priority: str
    verdict: str
    alone: str = ""
    depends: tuple[str, ...] = ()
    identity: bool = False
    over: tuple[str, ...] | None = None
    reason: str = ""
    quick_verdict: str = ""
    versions: dict[str, str] = {}
    made_of: MadeOf = MadeOf()
    carried: str = ""
    figures: tuple[Figure, ...] = ()
    grid: tuple[Under, ...] = ()

    @property
    def told(self) -> str:
        """The verdict in words."""
        grid = [(under.setting, under.verdict) for under in self.grid]
        return told_of(self.verdict, self.depends, self.alone, grid)


class _File(msgspec.Struct, frozen=True):
    format: int
    records: list[Recorded]
    probes: dict[str, str] = {}


def recorded(
    outcome: Outcome, quick: Outcome | None, versions: dict[str, str], made_of: MadeOf | None = None
) -> Recorded:
    """The record of a claim's outcome."""
    verdict = outcome.verdict
    return Recorded(
        claim=outcome.claim,
        priority=outcome.priority,
        verdict=verdict.verdict,
        alone=verdict.alone,
        depends=verdict.depends,
        identity=outcome.identity,
        over=outcome.over,
        reason=outcome.reason,
        quick_verdict=quick.verdict.verdict if quick else "",
        versions=versions,
        made_of=made_of or MadeOf(),
        figures=_with_quick(_figures(outcome), _figures(quick) if quick else []),
        grid=tuple(
            Under(at.setting, at.alternative, at.verdict.verdict, _deciding(at.verdict, verdict))
            for at in verdict.grid
        ),
    )


def _deciding(verdict: Verdict, chosen: Verdict) -> Figure | None:
    figure = deciding(verdict, Verdict(chosen.alone, chosen.figures))
    return _of_judged(figure, CLAIM) if figure else None


def _figures(outcome: Outcome) -> list[Figure]:
    own = [_of_judged(figure, CLAIM) for figure in outcome.verdict.figures]
    own += [_of_judged(figure, CONTROL) for figure in outcome.verdict.control]
    told = outcome.controls.items()
    return own + [Figure(name, measured=_numbers(i), of=REASON) for name, i in told]


def _of_judged(judged: Judged, of: str) -> Figure:
    p = None if judged.p is None else _rounded(judged.p, _P_DIGITS)
    region = (judged.low, judged.high)
    return Figure(judged.name, region, _numbers(judged.measured), judged.verdict, p, of)


def _with_quick(whole: list[Figure], quick: list[Figure]) -> tuple[Figure, ...]:
    """Whole figures with the quick ones of the same name and region beside them."""
    left = list(quick)
    found = []
    for figure in whole:
        same = next((q for q in left if _key(q) == _key(figure)), None)
        if same is not None:
            left.remove(same)
            figure = _beside(figure, same)
        found.append(figure)
    return (*found, *(_beside(Figure(q.name, q.region, of=q.of), q) for q in left))


def quick_figures(of: Recorded | Outcome) -> tuple[str, list[Any]]:
    """The quick verdict of a claim and its quick figures: of a record, or as they are now.

    There are none in a record that was made without quick runs.
    """
    if isinstance(of, Recorded):
        figures = [f for f in of.figures if f.quick is not None or f.quick_verdict]
        told = [(*_key(f), f.quick, f.quick_verdict) for f in figures]
        return (of.quick_verdict, sorted(told, key=repr)) if told else ("", [])
    told = [(*_key(f), f.measured, f.verdict) for f in _figures(of)]
    return of.verdict.verdict, sorted(told, key=repr)


def _key(figure: Figure) -> Any:
    return figure.name, figure.region, figure.of


def _beside(figure: Figure, quick: Figure) -> Figure:
    return msgspec.structs.replace(figure, quick=quick.measured, quick_verdict=quick.verdict)


def _numbers(interval: Interval | None) -> Numbers | None:
    if interval is None:
        return None
    mean, low, high = (_rounded(v) for v in (interval.mean, interval.low, interval.high))
    return mean, low, high, interval.n


def _rounded(value: float, digits: int = _DIGITS) -> float:
    return float(f"{value:.{digits}g}")


def read_record(file: Path) -> list[Recorded]:
    """The recorded outcomes.

    Raises:
        ResultsError: it is no such record.
    """
    return _read(file).records


def read_probes(file: Path) -> dict[str, str]:
    """The recorded probes.

    Raises:
        ResultsError: it is no such record.
    """
    return _read(file).probes


def _read(file: Path) -> _File:
    try:
        found = msgspec.json.decode(file.read_bytes(), type=_File)
    except (OSError, msgspec.DecodeError) as error:
        raise ResultsError(f"{file}: no record of claims ({error})") from None
    if found.format != FORMAT:
        raise ResultsError(f"{file}: record format {found.format}, this version reads {FORMAT}")
    return found


def write_record(
    file: Path, records: Sequence[Recorded], probes: Mapping[str, str] | None = None
) -> None:
    """Write a record; the same outcomes give the same bytes."""
    text = ",\n".join(map(_text, records))
    each = [f' "{study}": "{digest}"' for study, digest in sorted((probes or {}).items())]
    told = '"probes": {\n' + ",\n".join(each) + "\n}, " if each else ""
    head = f'{{"format": {FORMAT}, {told}"records": ['
    write_whole(file, f"{head}\n{text}\n]}}\n".encode())


def _text(record: Recorded) -> str:
    head = _line(msgspec.structs.replace(record, figures=(), grid=()))[:-1]
    for name, items in (("figures", record.figures), ("grid", record.grid)):
        if items:
            lines = ",\n  ".join(map(_line, items))
            head += f',\n "{name}": [\n  {lines}\n ]'
    return head + "}"


def _line(value: Any) -> str:
    return msgspec.json.format(msgspec.json.encode(value), indent=0).decode()


def write_whole(file: Path, data: bytes) -> None:
    """Write a file so that it is the old or the new one whenever the process ends."""
    temporary = file.with_name(file.name + ".tmp")
    temporary.write_bytes(data)
    temporary.replace(file)


def stale(records: Iterable[Recorded], sources: Sources) -> dict[str, tuple[str, ...]]:
    """Why records are not of the code, the scenarios and the claims as they are, by claim."""
    found = {}
    for record in records:
        if reasons := _changes(record, sources):
            found[record.claim] = reasons
    return found


def _changes(record: Recorded, sources: Sources) -> tuple[str, ...]:
    name, _, rest = record.claim.partition(".")
    item, _, number = rest.rpartition(".")
    if not sources.has(name, item, number):
        return ("there is no such claim any more",)
    if record.made_of == MadeOf():
        return ("what it was made of is not known",)
    try:
        return changes(record.made_of, sources.of(name, item, number))
    except EcnomyError as error:
        return (f"its scenarios do not load: {error}",)


def stale_lines(reasons: dict[str, tuple[str, ...]]) -> list[str]:
    """One line for the claims of an entry that are stale for the same reasons."""
    groups: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for claim, why in reasons.items():
        entry, _, number = claim.rpartition(".")
        groups.setdefault((entry, why), []).append(number)
    return [f"{e}: {', '.join(c)} stale ({'; '.join(why)})" for (e, why), c in groups.items()]


def outcomes_of(paper: Paper, form: Form) -> dict[str, Outcome]:
    """The outcomes of all claims whose runs are there, by claim."""
    found: dict[str, Outcome] = {}
    known: dict[str, str] = {}
    for item, entry in paper.entries.items():
        try:
            needed: list[tuple[str, Variant | None]] = [(name, None) for name in entry.studies]
            for variant in variants_of(paper, item) if form.grid else ():
                needed += [(name, variant) for name in touched(paper, entry.studies, variant)]
            for name, of in needed:
                study = f"{name}@{of.name}" if of else name
                if study not in known:
                    known[study] = _unmade(paper, name, form, of)
                if known[study]:
                    raise ResultsError(known[study])
            found |= {one.claim: one for one in measured(paper, item, form).outcomes}
        except ResultsError as error:
            quick = " (quick)" if form.quick else ""
            print(f"ecnomy: {paper.paper}.{item}{quick}: {error}", file=sys.stderr)
    return found


def _unmade(paper: Paper, name: str, form: Form, variant: Variant | None) -> str:
    """Why the runs of a study cannot be judged, "" where they can."""
    try:
        left = unmade_of_any(paper, name, form, variant)
    except ResultsError as error:
        return str(error)
    study = f"{name}@{variant.name}" if variant else name
    return f"{paper.paper} {study}: {left} runs are missing or of other code" if left else ""


def main(arguments: list[str]) -> int:
    """Judge the runs in a folder, write the record and name what is stale in it."""
    runs, file = Path(arguments[0]), Path(arguments[1])
    records: list[Recorded] = []
    try:
        checkout = find_checkout(file.parent) or find_checkout()
        if checkout is None:
            raise InputError(f"{file}: found no checkout of ecnomy around it, expected one")
        sources = Sources(checkout)
        old = {record.claim: record for record in read_record(file)} if file.is_file() else {}
        for name in PAPERS:
            paper = load_paper(name)
            whole = outcomes_of(paper, Form(runs, grid=True))
            quick = outcomes_of(paper, Form(runs, quick=True))
            for claim in claims_of(paper):
                if claim in whole:
                    item, _, number = claim.partition(".")[2].rpartition(".")
                    made_of = sources.of(name, item, number)
                    outcome = whole[claim]
                    records.append(recorded(outcome, quick.get(claim), versions(), made_of))
                elif claim in old:
                    records.append(old[claim])
        for line in stale_lines(stale(records, sources)):
            print(f"ecnomy: {line}", file=sys.stderr)
        probes = probes_of(all_studies())
    except EcnomyError as error:
        print(f"ecnomy: {error}", file=sys.stderr)
        return 2
    write_record(file, records, probes)
    return 0


def claims_of(paper: Paper) -> list[str]:
    """The ids of all claims of a paper, in order."""
    return [
        f"{paper.paper}.{item}.{number}"
        for item, entry in paper.entries.items()
        for number in entry.claims
    ]


def versions() -> dict[str, str]:
    """Engine and version that runs are made with now."""
    import importlib.metadata

    return {"engine": "ecnomy-engine", "ecnomy": importlib.metadata.version("ecnomy")}


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
