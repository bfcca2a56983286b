# SPDX-License-Identifier: Apache-2.0
"""Times of observations, in integer picoseconds and in seconds."""

from __future__ import annotations

from typing import Final

__all__ = ["LONGEST_PS", "PS_PER_DAY", "PS_PER_MIN", "PS_PER_S", "Timed"]

PS_PER_S: Final = 10**12
PS_PER_MIN: Final = 60 * PS_PER_S
PS_PER_DAY: Final = 86_400 * PS_PER_S
LONGEST_PS: Final = 2**62  # longest interval between two decisions


class Timed:
    """Adds times in seconds to an observation with times in picoseconds.

    Attributes:
        t_ps: time of the report [ps].
        dt_ps: time since the last observation [ps].
    """

    t_ps: int
    dt_ps: int

    @property
    def t_s(self) -> float:
        """The time of the report [s]."""
        return self.t_ps / PS_PER_S

    @property
    def dt_s(self) -> float:
        """The time since the last observation [s]."""
        return self.dt_ps / PS_PER_S
