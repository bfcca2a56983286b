# SPDX-License-Identifier: Apache-2.0
"""The checks that compare each law with its oracle, and a command that runs them on a module.

`python law_checks.py MODULE LAW ...` prints for each law the check that finds a fault, and
exits with 3 if every law has a fault, with 0 if one passes; other errors (a module that does not
load, a check that breaks) give other codes. It is a command because a process can load only one
such module.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final

from check_aqm import AQM_CHECKS
from check_bbr import BBR_CHECKS
from check_bbr1 import BBR1_CHECKS
from check_configure import CONFIGURE_CHECKS
from check_controllers import CONTROLLER_CHECKS
from check_docsis import DOCSIS_CHECKS
from check_dualpi2 import DUALPI2_CHECKS
from check_fq_codel import FQ_CODEL_CHECKS
from check_marking import MARKING_CHECKS
from check_once_per_round import ONCE_PER_ROUND_CHECKS
from check_parts import PART_CHECKS
from check_path import PATH_CHECKS
from check_prague import PRAGUE_CHECKS
from check_profile import PROFILE_CHECKS
from check_projection import PROJECTION_CHECKS
from check_random import RANDOM_CHECKS
from check_rates import RATE_CHECKS
from check_red import RED_CHECKS
from check_round_robin import ROUND_ROBIN_CHECKS
from check_scheduling import SCHEDULING_CHECKS
from check_scream import SCREAM_CHECKS
from check_traffic import TRAFFIC_CHECKS
from check_users import USER_CHECKS
from check_window import WINDOW_CHECKS
from law_api import Laws, load_module

__all__ = ["AT_FAULT", "CHECKS", "main"]

AT_FAULT: Final = 3
CHECKS: Final[dict[str, list[Callable[[Laws], None]]]] = {
    **RED_CHECKS,
    **MARKING_CHECKS,
    **CONTROLLER_CHECKS,
    **AQM_CHECKS,
    **PROJECTION_CHECKS,
    **SCHEDULING_CHECKS,
    **ROUND_ROBIN_CHECKS,
    **DUALPI2_CHECKS,
    **DOCSIS_CHECKS,
    **FQ_CODEL_CHECKS,
    **WINDOW_CHECKS,
    **ONCE_PER_ROUND_CHECKS,
    **RATE_CHECKS,
    **PATH_CHECKS,
    **PRAGUE_CHECKS,
    **SCREAM_CHECKS,
    **BBR_CHECKS,
    **BBR1_CHECKS,
    **TRAFFIC_CHECKS,
    **USER_CHECKS,
    **PART_CHECKS,
    **PROFILE_CHECKS,
    **RANDOM_CHECKS,
    **CONFIGURE_CHECKS,
}


def main(module: str, *names: str) -> int:
    """Runs these laws' checks on the module at a path; returns the exit status."""
    laws = load_module(Path(module))
    faults = {name: fault_of(laws, name) for name in names}
    for name, fault in faults.items():
        print(f"{name}: {fault or 'passes'}")
    return AT_FAULT if all(faults.values()) else 0


def fault_of(laws: Laws, name: str) -> str:
    """The first check that fails for a law, with its message; "" if all pass."""
    for check in CHECKS[name]:
        try:
            check(laws)
        except AssertionError as fault:
            return f"{check.__name__}: {fault}"
    return ""


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
