# SPDX-License-Identifier: Apache-2.0
"""`ecnomy doctor`: checks the installation and gives advice on faults."""

from __future__ import annotations

from ecnomy.markets.doctor.examine import examine
from ecnomy.markets.doctor.finding import Finding

__all__ = ["Finding", "examine"]
