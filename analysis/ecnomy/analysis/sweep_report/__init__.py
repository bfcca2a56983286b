# SPDX-License-Identifier: Apache-2.0
"""The findings of a sweep (points, comparisons, curves, maps and fronts), and their page."""

from ecnomy.analysis.sweep_report.findings import Found, found_of
from ecnomy.analysis.sweep_report.points import Swept, open_swept

__all__ = ["Found", "Swept", "found_of", "open_swept"]
