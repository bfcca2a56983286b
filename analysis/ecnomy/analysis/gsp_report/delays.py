# SPDX-License-Identifier: Apache-2.0
"""Draws the packet delays of sold calls by marking law, and compares them with the promise.

The delay of a call is the mean over its delivered packets, from the table `calls`. A call whose
mean delay is below the bound may still break its promise, because some of its packets are later
than the mean.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from ecnomy.agents.arrays import Floats
from ecnomy.agents.times import PS_PER_S
from ecnomy.analysis.gsp_report import business_plots
from ecnomy.analysis.gsp_report.database import Database
from ecnomy.analysis.gsp_report.estimates import owned
from ecnomy.analysis.gsp_report.law_comparison import runs_by_law
from ecnomy.analysis.gsp_report.opened_runs import Material, ReportRun
from ecnomy.analysis.gsp_report.profitability import Answer
from ecnomy.analysis.pages.parts import Picture

__all__ = ["delays_drawn"]

_SHARES: Final = np.linspace(0.0, 1.0, 101)  # shares of the calls


def delays_drawn(material: Material, db: Database, answer: Answer) -> Picture | None:
    """Draw the share of calls whose mean packet delay exceeds a value, with a curve per law.

    Return None if the provider sells no calls, no ended call delivered a packet, or an earlier
    version of ecnomy made the runs without recording the delays of calls.
    """
    tariffs = db.tariffs(answer.provider, answer.runs)
    groups = runs_by_law(material, answer) or {"calls that ended": answer.runs}
    delays = {name: _delays_ms(db, answer.provider, runs) for name, runs in groups.items()}
    delays = {name: delays_ms for name, delays_ms in delays.items() if len(delays_ms)}
    if not delays or not tariffs:
        return None
    curves = {name: np.quantile(delays_ms, _SHARES) for name, delays_ms in delays.items()}
    bounds = tuple(sorted({t.max_delay_ps * 1000 / PS_PER_S for t in tariffs}))
    delays_text = "; ".join(
        f"{name}: median {np.median(delays_ms):.3g} ms, "
        f"{100 * np.mean(delays_ms > bounds[0]):.3g} % of {len(delays_ms):,} calls "
        f"above {bounds[0]:g} ms"
        for name, delays_ms in delays.items()
    )
    return Picture(
        id=f"{answer.provider}-delays",
        caption="Mean delay of a call's packets: the share of calls above it, and the promise",
        alt=f"Falling curves of the share of calls over their mean delay. {delays_text}.",
        of="calls",
        svg=business_plots.exceeding(curves, 1 - _SHARES, bounds),
        head=("marking law", "share of calls above", "delay [ms]"),
        rows=tuple(
            (name, round(float(share), 2), float(x))
            for name, curve in curves.items()
            for share, x in zip(1 - _SHARES, curve, strict=True)
        ),
    )


def _delays_ms(db: Database, provider: str, runs: tuple[ReportRun, ...]) -> Floats:
    """Return the mean packet delay [ms] of each ended call that delivered packets, ascending."""
    if not {"delay_sum_ps", "delivered"} <= set(db.arrays("select * from asked limit 0")):
        return np.zeros(0)
    columns = db.arrays(
        f"select a.delay_sum_ps / a.delivered / 1e9 as ms\n"
        f"from (from calls where {owned(provider, runs)} and accepted and complete) as c\n"
        f"join asked as a on a.run = c.run and a.flow = c.flow and a.start_ps = c.start_ps\n"
        f"where a.delivered > 0 order by ms"
    )
    return np.asarray(columns["ms"], dtype=np.float64)
