# SPDX-License-Identifier: Apache-2.0
"""Makes the runs of calibrations: studies whose runs are chosen by a search.

The search is ecnomy.analysis.calibrate. This module is separate from studies.py, so that changes to
the search leave the digests of claims without a calibration unchanged.
"""

from __future__ import annotations

import msgspec

from ecnomy.analysis.calibrate.calibration import calibrated, planned_sweep, search_results
from ecnomy.analysis.calibrate.search import SearchResult
from ecnomy.analysis.reproduce.catalogue import Paper
from ecnomy.analysis.reproduce.grid import Variant, touched
from ecnomy.analysis.reproduce.studies import (
    Form,
    Studies,
    StudyProgress,
    load_study,
    make_study,
    seeds_of,
    study_folder,
    unmade,
)
from ecnomy.analysis.sweeps.open_sweep import open_sweep
from ecnomy.markets.sweep.config import Sweep
from ecnomy.markets.sweep.driver import missing
from ecnomy.markets.sweep.head import head_of, is_sweep
from ecnomy.markets.sweep.pool import Pool
from ecnomy.markets.sweep.store import Store

__all__ = ["make_any", "search_results_of", "unmade_of_any"]


def make_any(
    paper: Paper,
    name: str,
    form: Form,
    pool: Pool,
    listener: StudyProgress,
    doublings: int = 0,
    variant: Variant | None = None,
    least: int = 0,
) -> int:
    """Make the missing runs of a study like `make_study`, or run the search of a calibration.

    The result counts old and new runs.

    Raises:
        ScenarioError, InputError: the study's sweep or variant is invalid.
        ResultsError: runs of a calibration failed.
        SweepError, PoolLost: as for ecnomy.markets.sweep.driver.sweep_runs.
    """
    sweep = load_study(paper, name, form, doublings, variant)
    if sweep.calibrate is None:
        return make_study(paper, name, form, pool, listener, doublings, variant, least)
    folder = study_folder(paper, name, form, variant)
    had = seeds_of(paper, name, form, variant) if is_sweep(folder) else 0
    sweep = msgspec.structs.replace(sweep, replicates=max(sweep.replicates, least, had))
    folder.parent.mkdir(parents=True, exist_ok=True)
    label = f"{name}@{variant.name}" if variant else name
    calibrated(sweep, folder, pool, lambda *runs: listener.study(paper.paper, label, *runs))
    return len(head_of(folder)["points"])


def unmade_of_any(paper: Paper, name: str, form: Form, variant: Variant | None = None) -> int:
    """Return the number of missing, failed or outdated runs of a study or calibration search.

    Raises:
        ResultsError: the study has no store.
    """
    sweep = load_study(paper, name, form, variant=variant)
    if sweep.calibrate is None:
        return unmade(paper, name, form, variant)
    folder = study_folder(paper, name, form, variant)
    planned = planned_sweep(
        _as_made(sweep, paper, name, form, variant), open_sweep(folder, raw=True)
    )
    store = Store(folder, planned)
    try:
        engine = form.engine
        return len(missing(store, retry_failed=True, accept_old_code=False, engine=engine))
    finally:
        store.close()


def search_results_of(studies: Studies, name: str) -> list[SearchResult]:
    """Return the results of a calibration's searches, in the order of points.

    Raises:
        ResultsError: a search has not ended.
    """
    paper, form, variant = studies._paper, studies._form, studies._variant
    if variant and not touched(paper, [name], variant):
        variant = None
    sweep = load_study(paper, name, form, variant=variant)
    sweep = msgspec.structs.replace(sweep, replicates=studies.replicates(name))
    return search_results(sweep, studies[name].frame)


def _as_made(sweep: Sweep, paper: Paper, name: str, form: Form, variant: Variant | None) -> Sweep:
    """Return the sweep with the number of seeds that its runs have after any doublings."""
    return msgspec.structs.replace(sweep, replicates=seeds_of(paper, name, form, variant))
