# SPDX-License-Identifier: Apache-2.0
"""Rounds of a sweep with `until`: the replicates that points need, given the recorded runs."""

from __future__ import annotations

from pathlib import Path

import msgspec

from ecnomy.markets.sweep.recorded import columns_in, figures
from ecnomy.markets.sweep.sequential import chosen_outcome, counts_of
from ecnomy.markets.sweep.store import every_name
from ecnomy.markets.sweep.sweep_file import Sweep

__all__ = ["grown"]


def grown(sweep: Sweep, folder: Path) -> Sweep:
    """Return the sweep with the replicates that its points need; without `until`, unchanged.

    All looks are repeated from the first, so the same records give the same sweep in any order.

    Args:
        sweep: the loaded sweep.
        folder: folder of its records, which may not exist.

    Raises:
        InputError: the runs do not have the outcome of the rule.
    """
    if sweep.until is None:
        return sweep
    columns = columns_in(folder)
    if not columns:
        return msgspec.structs.replace(sweep, counts=(sweep.replicates,) * sweep.places)
    outcome = chosen_outcome(sweep.file, sweep.until, sweep.outcomes, columns)
    known = figures(folder, outcome)
    counts, _ = counts_of(every_name(sweep), known, sweep.until, sweep.replicates)
    until = msgspec.structs.replace(sweep.until, outcome=outcome)
    return msgspec.structs.replace(sweep, counts=counts, until=until)
