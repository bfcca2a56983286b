# SPDX-License-Identifier: Apache-2.0
"""Determines the replicates that points of a sweep with `until` need, from recorded runs."""

from __future__ import annotations

from pathlib import Path

import msgspec

from ecnomy.markets.sweep.recorded import columns_in, figures
from ecnomy.markets.sweep.sequential import chosen_outcome, counts_of
from ecnomy.markets.sweep.store import every_name
from ecnomy.markets.sweep.sweep_file import Sweep

__all__ = ["grown"]


def grown(sweep: Sweep, folder: Path) -> Sweep:
    """Return the sweep with the replicates that its points need. Without `until`, it is unchanged.

    The result does not depend on the order in which the runs were made.

    Args:
        sweep: the loaded sweep.
        folder: folder of its records, which may not exist.

    Raises:
        InputError: the runs lack the outcome of the stopping rule.
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
