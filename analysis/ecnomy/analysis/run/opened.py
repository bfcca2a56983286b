# SPDX-License-Identifier: Apache-2.0
"""The raw tables of a results folder, as everything in ecnomy.analysis reads them.

People get `ecnomy.analysis.open_run`, which gives Results: seconds, Mbps and money. Its `raw` is a
`Run` of this module.
"""

from __future__ import annotations

from ecnomy.markets.results.manifest import FORMAT, Manifest, Measured
from ecnomy.markets.results.rawrun import RawRun as Run
from ecnomy.markets.results.rawrun import open_raw as open_run
from ecnomy.markets.results.results import Results

__all__ = ["FORMAT", "Manifest", "Measured", "Results", "Run", "open_run"]
