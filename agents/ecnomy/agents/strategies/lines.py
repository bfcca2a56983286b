# SPDX-License-Identifier: Apache-2.0
"""`lines`: a call is let in while fewer than so many are under way, as on a trunk of circuits.

A call that finds all lines taken is lost. With c lines, calls of mean length 1/m, and N users who
are idle for 1/a on the mean between calls, the share of calls that are lost is Engset's

    B = C(N - 1, c) (a / m)^c / sum over k from 0 to c of C(N - 1, k) (a / m)^k

and with many users, a N / m = A erlang in all, that of Erlang B: A^c / c! over the sum of A^k / k!.
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
        lines: calls under way at a time, at most.
    """

    lines: int

    def __post_init__(self) -> None:
        if self.lines < 1:
            raise Refused("lines", f"{self.lines}", "a whole number of 1 or more")

    def admit(self, call: Call) -> bool:
        """Where a line is free."""
        return call.under_way < self.lines
