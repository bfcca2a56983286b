# SPDX-License-Identifier: Apache-2.0
"""`lines`: admit a call while fewer than a fixed number are in progress, as on a circuit trunk.

A call is lost if all lines are busy. All tariffs of a provider share its lines, but a tariff with a
separate strategy has separate lines. For c lines, calls of mean length 1/m, and N users with a mean
idle time of 1/a between calls, Engset's formula gives the share of lost calls:

    B = C(N - 1, c) (a / m)^c / sum over k from 0 to c of C(N - 1, k) (a / m)^k

For many users and a total load of a N / m = A erlang, the formula becomes Erlang B: A^c / c! over
the sum of A^k / k!.
"""

from __future__ import annotations

import dataclasses

from ecnomy.agents.calls import Call
from ecnomy.agents.parameters import Refused

__all__ = ["Lines"]


@dataclasses.dataclass
class Lines:
    """Admits calls while one of a fixed number of lines is free.

    Attributes:
        lines: the largest number of simultaneous calls [from 1].
    """

    lines: int

    def __post_init__(self) -> None:
        if self.lines < 1:
            raise Refused("lines", f"{self.lines}", "a whole number of 1 or more")

    def admit(self, call: Call) -> bool:
        """Admit a call if a line is free."""
        return call.under_way < self.lines
