# SPDX-License-Identifier: Apache-2.0
"""Collect the findings of all checks, in the order of the doctor's table."""

from __future__ import annotations

from pathlib import Path

from ecnomy.markets.doctor.engine import engine_findings
from ecnomy.markets.doctor.finding import Finding
from ecnomy.markets.doctor.linux import linux_findings
from ecnomy.markets.doctor.packages import extra_findings, package_findings
from ecnomy.markets.doctor.surroundings import disk_finding, omnetpp_findings

__all__ = ["examine"]


def examine(results: Path) -> list[Finding]:
    """Check all required and optional parts of the installation.

    Args:
        results: folder for results, which need not exist.
    """
    return [
        *package_findings(),
        *engine_findings(),
        disk_finding(results),
        *extra_findings(),
        *omnetpp_findings(),
        *linux_findings(),
    ]
