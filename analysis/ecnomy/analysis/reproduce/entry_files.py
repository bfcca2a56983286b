# SPDX-License-Identifier: Apache-2.0
"""Writes the files of an entry: its figure, its quantities as CSV, and its outcomes as JSON.

    <out>/<paper>/figures/<entry>.png .csv .json      with -quick or -omnet, as for its runs

The entry's module draws the figure.
"""

from __future__ import annotations

import csv
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from ecnomy.analysis.draw.panels import panel_style, save
from ecnomy.analysis.reproduce.entries import code_of
from ecnomy.analysis.reproduce.judge import Samples, interval_of
from ecnomy.analysis.reproduce.record import versions
from ecnomy.analysis.reproduce.record_file import write_record
from ecnomy.analysis.reproduce.recorded import recorded
from ecnomy.analysis.reproduce.session import Reproduced
from ecnomy.analysis.reproduce.studies import Form, Studies
from ecnomy.analysis.statistics.intervals import Interval

__all__ = ["entry_file", "write_entry"]


def entry_file(paper: str, item: str, form: Form, suffix: str) -> Path:
    """Return the path of an entry's file with this suffix."""
    return form.out / paper / "figures" / f"{item}{form.ending}{suffix}"


def write_entry(reproduction: Reproduced, form: Form) -> list[Path]:
    """Write an entry's outcomes, quantities and figure, and return the paths of the last two.

    Without quantities, only the outcomes are written. Some entries have no figure.
    """
    paper, entry = reproduction.paper, reproduction.paper.entries[reproduction.item]
    files: list[Path] = []
    outcome = entry_file(paper.paper, reproduction.item, form, ".json")
    outcome.parent.mkdir(parents=True, exist_ok=True)
    records = [recorded(each, None, versions()) for each in reproduction.outcomes]
    write_record(outcome, records)
    samples = reproduction.measured.samples
    if not samples:
        return files
    table = entry_file(paper.paper, reproduction.item, form, ".csv")
    _write_csv(table, samples)
    files.append(table)
    code = code_of(paper, entry)
    if hasattr(code, "draw"):
        picture = entry_file(paper.paper, reproduction.item, form, ".png")
        _draw(code, reproduction.measured.studies, picture)
        files.append(picture)
    return files


def _write_csv(file: Path, samples: Samples) -> None:
    with file.open("w", encoding="utf-8", newline="") as out:
        rows = csv.writer(out)
        rows.writerow(["figure", "mean", "low_90", "high_90", "n"])
        for name, sample in samples.items():
            interval = interval_of(sample)
            if interval is None:
                count = sample.n if isinstance(sample, Interval) else np.size(sample)
                rows.writerow([name, "", "", "", count])
            else:
                values = (interval.mean, interval.low, interval.high)
                rows.writerow([name, *(f"{value:.9g}" for value in values), interval.n])


def _draw(code: Any, studies: Studies, file: Path) -> None:
    from matplotlib.figure import Figure

    with panel_style(), warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.filterwarnings("ignore", message="All-NaN|Mean of empty")
        figure = Figure(figsize=(8, 4.5), layout="constrained")
        code.draw(studies, figure)
        save(figure, file)
