# SPDX-License-Identifier: Apache-2.0
"""The page on a provider's business loads neither whole tables nor libraries that do."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from ecnomy.agents.errors import ResultsError
from ecnomy.analysis.gsp_report.flow_reports import flow_reports
from ecnomy.analysis.pages.queries import Queries
from ecnomy.analysis.run.windows import Epochs
from ecnomy.markets.results.rawrun import open_raw
from guarantee_world import write_run
from tiers import rare

LIMIT_S = 60
STREAMS = np.array([3, 4])
NAMES = ("sent", "ce", "late_1")


MADE = "page.write_gsp_page([Path(sys.argv[1])], Path(sys.argv[1]) / 'page.html', []);"


@pytest.mark.parametrize("made", ["", rare(MADE)], ids=["imported", "made"])
def test_the_page_loads_no_library_of_whole_tables(made: str, tmp_path: Path) -> None:
    """Mesa and networkx take 120 MB, scipy.stats and IPython 30; the page of a run needs none."""
    code = (
        "import sys; from pathlib import Path;"
        "from ecnomy.analysis.gsp_report import page, business_plots;"
        "business_plots.svg_of = lambda figure: b'<svg/>';"  # drawing takes most of a page's time
        f"{made}"
        "print([m for m in ('mesa', 'networkx', 'IPython', 'scipy.stats') if m in sys.modules])"
    )
    command = [sys.executable, "-c", code, str(write_run(tmp_path))]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=LIMIT_S)
    assert done.stdout.strip() == "[]"


def test_reports_of_some_flows_are_those_of_the_table(tmp_path: Path) -> None:
    """Counters of two of six flows equal the whole table's; an incomplete report does not count."""
    run, db = open_raw(write_run(tmp_path)), Queries(tmp_path, "select 1")
    file, whole = tmp_path / "flow_epochs.parquet", run.flow_epochs
    wanted = Epochs(whole, "flow", 6)
    for rows in (whole, pd.concat([whole, whole.iloc[12:17].assign(t_ps=70 * 10**12)])):
        rows.to_parquet(file, index=False)
        found = flow_reports(db, run, STREAMS, NAMES)
        assert found.t_ps.tolist() == wanted.t_ps.tolist()
        for name in NAMES:
            assert (found.counters[name] == wanted.column(name)[:, STREAMS]).all()
            grown = np.diff(wanted.at(name, wanted.t_ps[1:])[:, STREAMS], axis=0)
            assert (found.differences(name, found.t_ps[1:]) == grown).all()
    db.close()


def test_a_table_without_the_counter_is_refused(tmp_path: Path) -> None:
    """One line names a missing column or a missing file."""
    run, db = open_raw(write_run(tmp_path)), Queries(tmp_path, "select 1")
    with pytest.raises(ResultsError, match="flow_epochs.parquet: missing column 'late_7'"):
        flow_reports(db, run, STREAMS, ("late_7",))
    (tmp_path / "flow_epochs.parquet").unlink()
    with pytest.raises(ResultsError, match="cannot be read .*flow_epochs.parquet"):
        flow_reports(db, run, STREAMS, NAMES)
    db.close()
