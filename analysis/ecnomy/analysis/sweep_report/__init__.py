# SPDX-License-Identifier: Apache-2.0
"""The findings of a sweep (points, comparisons, curves, maps and fronts), and their page."""

from ecnomy.analysis.sweep_report.findings import SweepFindings, findings_of
from ecnomy.analysis.sweep_report.points import Swept, open_swept

__all__ = ["SweepFindings", "Swept", "findings_of", "open_swept"]
