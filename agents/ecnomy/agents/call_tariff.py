# SPDX-License-Identifier: Apache-2.0
"""The tariff of a guaranteed stream: a price, a promise, and what is paid back if it breaks.

Andreassen 2002, 4.1 and 4.2: a connection is sold at a price V known before it begins; a packet is
bad when it is lost or later than `max_delay`; when the share of bad packets L of a connection is
above `max_delay_rate` (L^G), the customer is paid `reimbursement` (R). The price is kept, so that
R here is the paper's R and V together.

What a call costs beside its price goes by its time and by the packets that it sent, which makes a
price by its mean packet rate (4.4); effective_bandwidth.py has one by its peak and mean rate.
"""

from __future__ import annotations

from typing import Final

import msgspec

from ecnomy.agents.times import PS_PER_S

__all__ = [
    "BOTH",
    "DEFAULT_ADMISSION",
    "FREE",
    "MEGA",
    "PROVIDER_SEES",
    "SUBSCRIBER_SEES",
    "CallTariff",
    "Hours",
]

DEFAULT_ADMISSION: Final = "marking-quantile"
PROVIDER_SEES: Final = "gsp"
SUBSCRIBER_SEES: Final = "subscriber"
BOTH: Final = "both"
UNSAID: Final = -1
PS_PER_MIN: Final = 60 * PS_PER_S
MEGA: Final = 10**6


class Hours(msgspec.Struct, frozen=True):
    """From `begin_ps` to `end_ps` of the day a call costs `price_micro`; [begin, end)."""

    begin_ps: int
    end_ps: int
    price_micro: int


class CallTariff(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The price and promise of one connection: a row of a provider's tariff table.

    Attributes:
        price_micro: paid for an accepted call, once; micro-units.
        max_delay_ps: a packet later than this is bad.
        max_delay_rate: the largest share of bad packets that keeps the promise.
        reimbursement_micro: paid back for a broken promise, once; micro-units.
        name: of the row.
        price_micro_per_min: paid for the time of the call, when it is over; micro-units a minute.
        price_micro_per_mega: paid for the packets that it sent, likewise; micro-units a million.
        money_back: what is paid back is what the call cost, whatever that was.
        hours: prices of a call by time of day; outside them `price_micro` holds.
        day_ps, offset_ps: length of a day, and how far into one the run begins.
        max_time_ps: the longest connection it is for, T; -1 where that is left open.
        peak_pps: the largest packet rate it is for [packets/s]; -1 likewise.
        mean_pps: the mean packet rate that is declared [packets/s]; -1 likewise.
        max_blocking_rate: the largest share of calls to be blocked, B^G; -1 likewise.
        quality_seen_by: whose word it is that a promise was broken: the provider's, who measures
            it, the subscriber's, or both have to say so.
    """

    price_micro: int
    max_delay_ps: int
    max_delay_rate: float
    reimbursement_micro: int
    name: str = "calls"
    price_micro_per_min: int = 0
    price_micro_per_mega: int = 0
    money_back: bool = False
    hours: tuple[Hours, ...] = ()
    day_ps: int = 86_400 * PS_PER_S
    offset_ps: int = 0
    max_time_ps: int = UNSAID
    peak_pps: float = UNSAID
    mean_pps: float = UNSAID
    max_blocking_rate: float = UNSAID
    quality_seen_by: str = PROVIDER_SEES

    def broken(self, sent: int, bad: int) -> bool:
        """Whether a call of which `bad` of `sent` packets were late or lost breaks the promise."""
        return bad > self.max_delay_rate * sent

    def at(self, t_ps: int) -> CallTariff:
        """The tariff of a call that begins at `t_ps`: the price is that of the hour."""
        if not self.hours:
            return self
        clock_ps = (t_ps + self.offset_ps) % self.day_ps
        for hours in self.hours:
            if hours.begin_ps <= clock_ps < hours.end_ps:
                return self.posted(hours.price_micro)
        return self

    def posted(self, price_micro: int) -> CallTariff:
        """The same at another price; what is paid back follows it where it is the price."""
        back = price_micro if self.money_back else self.reimbursement_micro
        return msgspec.structs.replace(self, price_micro=price_micro, reimbursement_micro=back)

    def use_charge_micro(self, time_ps: int, packets: int) -> int:
        """The price of a call's time and packets together, rounded down to a micro-unit."""
        time = self.price_micro_per_min * time_ps * MEGA
        return (time + self.price_micro_per_mega * packets * PS_PER_MIN) // (PS_PER_MIN * MEGA)

    def expected_use_micro(self, minutes: float, packets: float) -> float:
        """The same for what is expected of a call, not rounded."""
        return self.price_micro_per_min * minutes + self.price_micro_per_mega * packets / MEGA

    def usual_packets(self, time_ps: int) -> int:
        """How many packets a call of this time sends at the rate that is declared, 0 for none."""
        rate_pps = self.mean_pps if self.mean_pps >= 0 else max(self.peak_pps, 0.0)
        return round(rate_pps * time_ps / PS_PER_S)

    def back_micro(self, charge_micro: int) -> int:
        """The refund of a call that cost `charge_micro` and broke its promise."""
        return charge_micro if self.money_back else self.reimbursement_micro


FREE: Final = CallTariff(0, 0, 1.0, 0)  # costs nothing and promises nothing: no tariff was told
