# SPDX-License-Identifier: Apache-2.0
"""Check that the limit on the address space of this process (`ulimit -v`) is high enough.

If a library cannot start a thread for lack of memory, it hangs or kills the process without an
exception. The command line therefore checks the limit first. On two CPUs, `ecnomy run` worked at
750,000 kB or more, and hung in one of two runs at 700,000 kB. Libraries start threads for each CPU,
so each further CPU adds three stacks of 8 MB.
"""

from __future__ import annotations

import os
import resource
from typing import Final

__all__ = ["shortage"]

_LEAST_KB: Final = 750_000
_PER_CPU_KB: Final = 25_000


def shortage() -> str:
    """Return an error message if the limit is too low, otherwise ""."""
    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    least_kb = _LEAST_KB + _PER_CPU_KB * (os.cpu_count() or 1)
    if limit == resource.RLIM_INFINITY or limit >= least_kb * 1024:
        return ""
    return (
        f"not enough memory: found a limit of {limit // 1024:,} kB (ulimit -v), expected at "
        f"least {least_kb:,} kB"
    )
