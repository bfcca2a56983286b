# SPDX-License-Identifier: Apache-2.0
"""papers.json: the outcome of every claim, whole and quick, with what it was measured with.

    python -m ecnomy.analysis.reproduce.record results/reproduce tests/validation/papers.json

judges the runs that are there and makes none; a claim whose runs are missing keeps its old outcome.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Final

import msgspec

from ecnomy.agents.errors import EcnomyError, ResultsError
from ecnomy.analysis.reproduce.catalogue import PAPERS, Paper, load_paper
from ecnomy.analysis.reproduce.entries import Outcome, measured
from ecnomy.analysis.reproduce.studies import Form
from ecnomy.analysis.statistics import Interval

__all__ = ["Figure", "Recorded", "read_record", "recorded", "write_record", "write_whole"]

_DIGITS: Final = 9


class Figure(msgspec.Struct, frozen=True, omit_defaults=True):
    """A figure: mean and interval (None where nothing was measured), its region and verdict."""

    name: str
    mean: float | None
    low: float | None
    high: float | None
    n: int
    region: tuple[float | None, float | None] | None = None
    verdict: str = ""


class Recorded(msgspec.Struct, frozen=True, omit_defaults=True):
    """The outcome of a claim.

    Attributes:
        claim: `paper.entry.cN`.
        quick: verdict and figures in the quick form.
        versions: engine and version.
    """

    claim: str
    priority: str
    verdict: str
    reason: str
    figures: tuple[Figure, ...]
    versions: dict[str, str]
    quick_verdict: str = ""
    quick: tuple[Figure, ...] = ()


def recorded(outcome: Outcome, quick: Outcome | None, versions: dict[str, str]) -> Recorded:
    """The record of a claim's outcome."""
    return Recorded(
        claim=outcome.claim,
        priority=outcome.priority,
        verdict=outcome.verdict.verdict,
        reason=outcome.reason,
        figures=_figures(outcome),
        versions=versions,
        quick_verdict=quick.verdict.verdict if quick else "",
        quick=_figures(quick) if quick else (),
    )


def _figures(outcome: Outcome) -> tuple[Figure, ...]:
    own = [_figure(f.name, f.measured, (f.low, f.high), f.verdict) for f in outcome.verdict.figures]
    more = [_figure(name, interval, None, "") for name, interval in outcome.controls.items()]
    return (*own, *more)


def _figure(
    name: str,
    interval: Interval | None,
    region: tuple[float | None, float | None] | None,
    verdict: str,
) -> Figure:
    if interval is None:
        return Figure(name, None, None, None, 0, region, verdict)
    mean, low, high = (_rounded(v) for v in (interval.mean, interval.low, interval.high))
    return Figure(name, mean, low, high, interval.n, region, verdict)


def _rounded(value: float) -> float:
    return float(f"{value:.{_DIGITS}g}")


def read_record(file: Path) -> list[Recorded]:
    """The recorded outcomes.

    Raises:
        ResultsError: it is no such record.
    """
    try:
        return msgspec.json.decode(file.read_bytes(), type=list[Recorded])
    except (OSError, msgspec.DecodeError) as error:
        raise ResultsError(f"{file}: no record of claims ({error})") from None


def write_record(file: Path, outcomes: list[Recorded]) -> None:
    """Write a record; the same outcomes give the same bytes."""
    write_whole(file, msgspec.json.format(msgspec.json.encode(outcomes), indent=1) + b"\n")


def write_whole(file: Path, data: bytes) -> None:
    """Write a file so that it is the old or the new one whenever the process ends."""
    temporary = file.with_name(file.name + ".tmp")
    temporary.write_bytes(data)
    temporary.replace(file)


def outcomes_of(paper: Paper, form: Form) -> dict[str, Outcome]:
    """The outcomes of all claims whose runs are there, by claim."""
    found: dict[str, Outcome] = {}
    for item in paper.entries:
        try:
            found |= {one.claim: one for one in measured(paper, item, form).outcomes}
        except ResultsError as error:
            print(f"ecnomy: {paper.paper}.{item}: {error}", file=sys.stderr)
    return found


def main(arguments: list[str]) -> int:
    """Judge the runs in a folder and write the record."""
    runs, file = Path(arguments[0]), Path(arguments[1])
    old = {record.claim: record for record in read_record(file)} if file.is_file() else {}
    records: list[Recorded] = []
    try:
        for name in PAPERS:
            paper = load_paper(name)
            whole, quick = outcomes_of(paper, Form(runs)), outcomes_of(paper, Form(runs, True))
            for claim in claims_of(paper):
                if claim in whole:
                    records.append(recorded(whole[claim], quick.get(claim), versions()))
                elif claim in old:
                    records.append(old[claim])
    except EcnomyError as error:
        print(f"ecnomy: {error}", file=sys.stderr)
        return 2
    write_record(file, records)
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
