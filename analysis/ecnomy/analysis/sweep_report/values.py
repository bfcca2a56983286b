# SPDX-License-Identifier: Apache-2.0
"""The findings of a sweep as unrounded values, for `show SWEEP --json` and `sweep --json`.

The values equal those in the table, in the sentences and on the page. Their units are those of the
columns in the sweep's table.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from ecnomy.analysis.sweep_report.contrasts import Contrast
from ecnomy.analysis.sweep_report.findings import SweepFindings, findings_of
from ecnomy.analysis.sweep_report.points import Swept, Varied, half_widths, open_swept
from ecnomy.analysis.sweep_report.printed import guarantee_values
from ecnomy.markets.sweep.head import head_of
from ecnomy.markets.sweep.main_outcomes import unit_of

__all__ = ["sweep_values"]


def sweep_values(folder: Path, outcomes: Sequence[str] = ()) -> dict[str, Any]:
    """Return the findings of a sweep as plain values.

    Args:
        folder: the folder of the sweep.
        outcomes: the outcomes to report; if empty, those of the sweep file or the usual ones.

    Raises:
        ResultsError: the sweep has no completed run.
        InputError: an outcome is missing from all runs, or DuckDB is not installed.
    """
    swept = open_swept(folder, outcomes)
    findings = findings_of(swept)
    head = head_of(folder)
    points, done = _points(swept, folder)
    return {
        "folder": folder,
        "title": swept.title,
        "runs": {"asked": len(head["points"]), "done": done},
        "paired": swept.paired,
        "level": swept.level,
        "notes": swept.notes,
        "headline": findings.headline,
        "detail": findings.detail,
        "sure": findings.sure,
        "more": findings.more,
        "parameters": [_parameter(varied, head.get("whole", ())) for varied in swept.varied],
        "outcomes": [{"outcome": name, "unit": unit_of(name) or None} for name in swept.outcomes],
        "points": points,
        "comparisons": [_comparison(swept, one) for one in findings.contrasts],
        "best": _bests(swept, findings),
        "matters": [_matters(swept, one) for one in findings.matters],
        "guarantees": guarantee_values(folder),
    }


def _parameter(varied: Varied, whole: Sequence[str]) -> dict[str, Any]:
    factor = varied.factor
    values: Sequence[Any] = factor.values or factor.labels
    if factor.values and factor.paths[0] in whole:
        values = [int(value) for value in factor.values]
    return {
        "name": factor.name,
        "paths": factor.paths,
        "unit": factor.unit or None,
        "sampled": factor.sampled,
        "values": None if factor.sampled else values,
    }


def _points(swept: Swept, folder: Path) -> tuple[list[dict[str, Any]], int]:
    given, done = _given(folder)
    points: list[dict[str, Any]] = [
        {"label": label or None, "values": values, "outcomes": {}}
        for label, values in zip(swept.labels, given, strict=True)
    ]
    for name in swept.outcomes:
        mean, spread, n = swept.table(name)
        half = half_widths(spread, n, swept.level)
        for i, point in enumerate(points):
            ends = {"low": mean[i] - half[i], "high": mean[i] + half[i]}
            point["outcomes"][name] = {"mean": mean[i], **ends, "sd": spread[i], "n": n[i]}
    return points, done


def _given(folder: Path) -> tuple[list[dict[str, Any]], int]:
    from ecnomy.analysis.sweeps.labels import quoted_name
    from ecnomy.analysis.sweeps.open_sweep import connect

    with connect(folder) as connection:
        there = {str(row[0]) for row in connection.execute("describe runs").fetchall()}
        paths = [path for path in head_of(folder)["kinds"] if path in there]
        columns = ", ".join(
            ["point", "count(*)", *(f"any_value({quoted_name(path)})" for path in paths)]
        )
        rows = connection.execute(
            f"select {columns} from runs where status = 'done' group by point order by point"
        ).fetchall()
    given = [dict(zip(paths, row[2:], strict=True)) for row in rows]
    return given, sum(row[1] for row in rows)


def _comparison(swept: Swept, one: Contrast) -> dict[str, Any]:
    factor, compared = swept.varied[one.varied].factor, one.compared
    return {
        "parameter": factor.name,
        "first": factor.labels[one.first],
        "second": factor.labels[one.second],
        "outcome": one.outcome,
        "means": {"first": compared.first, "second": compared.second},
        "difference": compared.difference,
        "effect": compared.effect,
        "p": compared.p,
        "q": one.q,
        "paired": compared.paired,
    }


def _bests(swept: Swept, findings: SweepFindings) -> list[dict[str, Any]]:
    return [
        {
            "parameter": swept.varied[number].factor.name,
            "outcome": outcome,
            "value": best.x,
            "mean": best.mean,
            "curve": {"at": best.at, "low": best.low, "high": best.high, "limit": best.limit},
        }
        for (number, outcome), best in findings.bests.items()
    ]


def _matters(swept: Swept, one: Any) -> dict[str, Any]:
    names = [varied.factor.name for varied in swept.varied]
    return {
        "outcome": one.outcome,
        "alone": dict(zip(names, map(msgspec.to_builtins, one.alone), strict=True)),
        "total": dict(zip(names, map(msgspec.to_builtins, one.total), strict=False)),
        "chance": one.chance if one.grid else None,
        "rest": one.rest,
    }
