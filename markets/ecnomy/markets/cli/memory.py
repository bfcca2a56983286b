# SPDX-License-Identifier: Apache-2.0
"""Check that the limit on the address space of this process (`ulimit -v`) is large enough.

A library that cannot start a thread for lack of memory hangs or kills the process without an
exception, so the command line checks the limit first. On two CPUs, `ecnomy run` worked from 750,000
kB on; at 700,000 kB, it hung in one of two runs. Libraries start threads for each CPU, so each
further CPU adds three stacks of 8 MB.
"""

from __future__ import annotations

import os
import resource
from typing import Final

__all__ = ["shortage"]

_LEAST_KB: Final = 750_000
_PER_CPU_KB: Final = 25_000


def shortage() -> str:
    """Return the fault of the limit, or "" if the limit is large enough."""
    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    least_kb = _LEAST_KB + _PER_CPU_KB * (os.cpu_count() or 1)
    if limit == resource.RLIM_INFINITY or limit >= least_kb * 1024:
        return ""
    return (
        f"not enough memory: found a limit of {limit // 1024:,} kB (ulimit -v), expected at "
        f"least {least_kb:,} kB"
    )
