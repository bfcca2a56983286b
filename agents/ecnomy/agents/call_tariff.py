# SPDX-License-Identifier: Apache-2.0
"""The tariff of a guaranteed stream: a price, a promise, and what is paid back if it breaks.

Andreassen 2002, 4.1 and 4.2: a connection is sold at a price V known before it begins; a packet is
bad when it is lost or later than `max_delay`; when the share of bad packets L of a connection is
above `max_delay_rate` (L^G), the customer is paid `reimbursement` (R).
"""

from __future__ import annotations

from typing import Final

import msgspec

__all__ = ["DEFAULT_ADMISSION", "FREE", "CallTariff"]

DEFAULT_ADMISSION: Final = "marking-quantile"


class CallTariff(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """What one connection costs and promises.

    Attributes:
        price_micro: paid for an accepted call, once; micro-units.
        max_delay_ps: a packet later than this is bad.
        max_delay_rate: the largest share of bad packets that keeps the promise.
        reimbursement_micro: paid back for a broken promise, once; micro-units.
        name: of the row in the tariff table.
        price_micro_per_min: paid for each minute beside that; micro-units.
        max_time_ps: the longest connection T; -1 where none is told.
        peak_pps: the most packets a second; 0 where none is told.
        max_blocking_rate: B^G, the largest share of calls that is blocked; -1 where none is told.
        quality_seen_by: who judges whether the promise was kept: `gsp`, `subscriber` or `both`.
    """

    price_micro: int
    max_delay_ps: int
    max_delay_rate: float
    reimbursement_micro: int
    name: str = "calls"
    price_micro_per_min: int = 0
    max_time_ps: int = -1
    peak_pps: float = 0.0
    max_blocking_rate: float = -1.0
    quality_seen_by: str = "gsp"

    def broken(self, sent: int, bad: int) -> bool:
        """Whether a call of which `bad` of `sent` packets were late or lost breaks the promise."""
        return bad > self.max_delay_rate * sent


FREE: Final = CallTariff(0, 0, 1.0, 0)  # costs nothing and promises nothing: no tariff was told
