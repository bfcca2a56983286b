# SPDX-License-Identifier: Apache-2.0
"""Which checks hold a law to its oracle, and a command that runs them on a module of its own.

`python law_checks.py MODULE LAW` exits 0 if all checks hold, 3 if one finds the law at fault;
anything else (a module that does not load, a check that breaks) exits otherwise. A process of its
own because one process can hold only one such module.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final

from check_controllers import CONTROLLER_CHECKS
from check_marking import MARKING_CHECKS
from check_once_per_round import ONCE_PER_ROUND_CHECKS
from check_parts import PART_CHECKS
from check_profile import PROFILE_CHECKS
from check_projection import PROJECTION_CHECKS
from check_random import RANDOM_CHECKS
from check_rates import RATE_CHECKS
from check_red import RED_CHECKS
from check_round_robin import ROUND_ROBIN_CHECKS
from check_scheduling import SCHEDULING_CHECKS
from check_traffic import TRAFFIC_CHECKS
from check_users import USER_CHECKS
from check_window import WINDOW_CHECKS
from law_api import Laws
from law_build import load_module

__all__ = ["AT_FAULT", "CHECKS", "main"]

AT_FAULT: Final = 3
CHECKS: Final[dict[str, list[Callable[[Laws], None]]]] = {
    **RED_CHECKS,
    **MARKING_CHECKS,
    **CONTROLLER_CHECKS,
    **PROJECTION_CHECKS,
    **SCHEDULING_CHECKS,
    **ROUND_ROBIN_CHECKS,
    **WINDOW_CHECKS,
    **ONCE_PER_ROUND_CHECKS,
    **RATE_CHECKS,
    **TRAFFIC_CHECKS,
    **USER_CHECKS,
    **PART_CHECKS,
    **PROFILE_CHECKS,
    **RANDOM_CHECKS,
}


def main(module: str, law: str) -> int:
    """Runs the law's checks on the module at a path; the exit status."""
    laws = load_module(Path(module))
    for check in CHECKS[law]:
        try:
            check(laws)
        except AssertionError as fault:
            print(f"{check.__name__}: {fault}")
            return AT_FAULT
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
