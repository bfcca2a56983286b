# SPDX-License-Identifier: Apache-2.0
"""Computes the outcomes of a stored run, under the column names of sweeps.

The columns are those in markets/README.md, "A sweep's table" (sweeps/outcome_names.py), and the
same functions compute them. For a run that a sweep kept, they equal the sweep's values to the last
digit.
"""

from __future__ import annotations

from ecnomy.agents.errors import ResultsError
from ecnomy.agents.times import PS_PER_S
from ecnomy.analysis.run.prices import price_columns
from ecnomy.markets.results.rawrun import RawRun
from ecnomy.markets.sweep.gathered import outcome_row
from ecnomy.markets.sweep.measure import added_measures, measured

__all__ = ["outcomes_of"]


def outcomes_of(run: RawRun) -> dict[str, float | None]:
    """Return the outcomes of a run by column; a mean over no values is None.

    Raises:
        ResultsError: a table is missing, unreadable, or from an earlier version that lacks a
            column.
    """
    flows, links = (
        {str(name): frame[name].to_numpy() for name in frame.columns}
        for frame in (run.flows, run.links)
    )
    window_s = (run.measured.to_ps - run.measured.from_ps) / PS_PER_S
    try:
        row = outcome_row(flows, links, window_s, run.manifest.balances_micro or {})
    except KeyError as error:
        remedy = "another version wrote these tables; run the scenario again"
        raise ResultsError(f"{run.path}: missing column {error}: {remedy}") from None
    row |= price_columns(run.path)
    for measure in added_measures():
        more = measured(measure, run.path, {})
        row |= {name: value for name, value in more.items() if name not in row}
    return row
