# SPDX-License-Identifier: Apache-2.0
"""Utilities: the worth of a rate, a transfer or a call to its user, in money.

    family              of                       money/...  kinds
    UTILITIES           a rate (utility.py)      s          log, alpha-fair, sqrt, quadratic, target
                                                            (elastic.py); sigmoid, step
                                                            (inelastic.py)
    TIME_UTILITIES      a transfer's time        transfer   file-deadline, page (times.py)
    CALL_UTILITIES      a call's delay and loss  s          e-model (e_model.py)

A new kind is a class in one of these files and an entry in find.py. Each file gives its formulas
and their sources. find.py describes how a strategy declares a utility, and how users name a custom
utility. `ecnomy.analysis.draw.utilities_plot` draws the utilities.
"""

from __future__ import annotations

from ecnomy.agents.utilities.e_model import CallUtility, EModel
from ecnomy.agents.utilities.elastic import AlphaFair, Log, Quadratic, Sqrt, Target
from ecnomy.agents.utilities.find import (
    CALL_UTILITIES,
    GROUPS,
    TIME_UTILITIES,
    UTILITIES,
    call_utility_of,
    concave_utility_of,
    find_call_utility,
    find_time_utility,
    find_utility,
    time_utility_of,
    utility_of,
)
from ecnomy.agents.utilities.inelastic import Sigmoid, Step
from ecnomy.agents.utilities.times import FileDeadline, PageWait, TimeUtility, TransferUtility
from ecnomy.agents.utilities.utility import AtRate, RateUtility, Utility, delay_cost_of

__all__ = [
    "CALL_UTILITIES",
    "GROUPS",
    "TIME_UTILITIES",
    "UTILITIES",
    "AlphaFair",
    "AtRate",
    "CallUtility",
    "EModel",
    "FileDeadline",
    "Log",
    "PageWait",
    "Quadratic",
    "RateUtility",
    "Sigmoid",
    "Sqrt",
    "Step",
    "Target",
    "TimeUtility",
    "TransferUtility",
    "Utility",
    "call_utility_of",
    "concave_utility_of",
    "delay_cost_of",
    "find_call_utility",
    "find_time_utility",
    "find_utility",
    "time_utility_of",
    "utility_of",
]
