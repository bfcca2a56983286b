# SPDX-License-Identifier: Apache-2.0
"""Check the installation, and give advice on faults (`ecnomy doctor`)."""

from __future__ import annotations

from ecnomy.markets.doctor.examine import examine
from ecnomy.markets.doctor.finding import Finding

__all__ = ["Finding", "examine"]
