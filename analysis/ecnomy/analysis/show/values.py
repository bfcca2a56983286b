# SPDX-License-Identifier: Apache-2.0
"""The output of `ecnomy show RUN --json`: all parts of a run's summary, unrounded.

The keys are the fields of the structs from which tables are printed: Notices (results/notices.py),
Welfare (welfare/welfare.py) and, in run/, Summary (summary.py), Guarantee (guarantees.py), Carrier
(carriers.py), Settling (price_settling.py), AgentChoices (choices.py), FilesSent (files_sent.py)
and BusyLines (busy_lines.py).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

if TYPE_CHECKING:
    from ecnomy.markets.results.rawrun import RawRun

__all__ = ["show_values"]


def show_values(run: RawRun) -> dict[str, Any]:
    """Return all values that `ecnomy show` prints for a run.

    Raises:
        ResultsError: a table is missing or unreadable.
    """
    from ecnomy.analysis.run.busy_lines import lines_of
    from ecnomy.analysis.run.carriers import carriers_of
    from ecnomy.analysis.run.choices import choices_of
    from ecnomy.analysis.run.files_sent import files_of
    from ecnomy.analysis.run.guarantees import guarantees_of
    from ecnomy.analysis.run.price_settling import settling_of
    from ecnomy.analysis.run.summary import summarize
    from ecnomy.analysis.welfare.welfare import welfare_of
    from ecnomy.markets.results.notices import notices

    return {
        "folder": str(run.path),
        "seed": run.manifest.seed,
        "measured": run.measured,
        "by_hand": run.manifest.by_hand,
        "summary": summarize(run),
        **msgspec.structs.asdict(notices(run)),
        "lines": lines_of(run),
        "carriers": carriers_of(run),
        "settling": settling_of(run),
        "choices": choices_of(run),
        "files": files_of(run),
        "welfare": welfare_of(run),
        "guarantees": guarantees_of(run),
    }
