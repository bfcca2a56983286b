# SPDX-License-Identifier: Apache-2.0
"""The tariff of a guaranteed stream: a price, a promise, and a refund if the promise is broken.

Andreassen 2002, 4.1 and 4.2: a connection is sold at a price V known before it begins. A packet is
bad if it is lost or its delay exceeds `max_delay`. If the share L of bad packets exceeds
`max_delay_rate` (L^G), the customer gets `reimbursement`. The provider keeps the price, so this
refund is the paper's R plus V.

A tariff may also charge for the time of a call and for its packets. Together, the two charges make
the price depend on the mean packet rate (4.4). effective_bandwidth.py derives both charges from the
peak rate and the declared mean rate.
"""

from __future__ import annotations

from typing import Final

import msgspec

from ecnomy.agents.times import PS_PER_DAY, PS_PER_MIN, PS_PER_S

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
MEGA: Final = 10**6


class Hours(msgspec.Struct, frozen=True):
    """The price of a call that begins during the part [begin_ps, end_ps) of a day."""

    begin_ps: int
    end_ps: int
    price_micro: int


class CallTariff(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An entry of a provider's tariff table: the price and promise of one call.

    Attributes:
        price_micro: price of an admitted call, paid once [micro-units].
        max_delay_ps: largest delay of a good packet [ps].
        max_delay_rate: the largest share of bad packets at which the promise is kept.
        reimbursement_micro: refund for a broken promise, paid once [micro-units].
        name: name of the tariff.
        price_micro_per_min: price of the call's time, paid at the end of the call [micro-units per
            minute].
        price_micro_per_mega: price of the call's packets, paid at the end of the call [micro-units
            per million packets].
        money_back: whether the refund equals the amount charged for the call.
        hours: call prices by time of day; `price_micro` applies at other times.
        day_ps, offset_ps: length of a day, and the time of day at which the run starts [ps].
        max_time_ps: T, the longest call that the tariff covers [ps]; -1 if not set.
        peak_pps: the largest packet rate that the tariff covers [packets/s]; -1 if not set.
        mean_pps: the declared mean packet rate [packets/s]; -1 if not set.
        max_blocking_rate: the largest share of blocked calls, B^G; -1 if not set.
        quality_seen_by: the party that reports a broken promise: the provider, which measures
            quality (`gsp`), the subscriber (`subscriber`), or both together (`both`).
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
    day_ps: int = PS_PER_DAY
    offset_ps: int = 0
    max_time_ps: int = UNSAID
    peak_pps: float = UNSAID
    mean_pps: float = UNSAID
    max_blocking_rate: float = UNSAID
    quality_seen_by: str = PROVIDER_SEES

    def broken(self, sent: int, bad: int) -> bool:
        """Return whether the promise is broken if `bad` of `sent` packets are late or lost."""
        return bad > self.max_delay_rate * sent

    def at(self, t_ps: int) -> CallTariff:
        """Return the tariff of a call that begins at `t_ps`, at the price for that time of day."""
        if not self.hours:
            return self
        clock_ps = (t_ps + self.offset_ps) % self.day_ps
        for hours in self.hours:
            if hours.begin_ps <= clock_ps < hours.end_ps:
                return self.posted(hours.price_micro)
        return self

    def posted(self, price_micro: int) -> CallTariff:
        """Return the tariff at another price. A refund of the full price changes with the price."""
        back = price_micro if self.money_back else self.reimbursement_micro
        return msgspec.structs.replace(self, price_micro=price_micro, reimbursement_micro=back)

    def use_charge_micro(self, time_ps: int, packets: int) -> int:
        """Return the charge for a call's time and packets, rounded down to a micro-unit."""
        time = self.price_micro_per_min * time_ps * MEGA
        return (time + self.price_micro_per_mega * packets * PS_PER_MIN) // (PS_PER_MIN * MEGA)

    def expected_use_micro(self, minutes: float, packets: float) -> float:
        """Return the expected charge for a call's time and packets, not rounded [micro-units]."""
        return self.price_micro_per_min * minutes + self.price_micro_per_mega * packets / MEGA

    def usual_packets(self, time_ps: int) -> int:
        """Return the number of packets that a call sends in `time_ps` at the declared mean rate.

        Without a mean rate, the peak rate is used. Without either, the result is 0.
        """
        rate_pps = self.mean_pps if self.mean_pps >= 0 else max(self.peak_pps, 0.0)
        return round(rate_pps * time_ps / PS_PER_S)

    def back_micro(self, charge_micro: int) -> int:
        """Return the refund for a call that cost `charge_micro` and whose promise was broken."""
        return charge_micro if self.money_back else self.reimbursement_micro


FREE: Final = CallTariff(0, 0, 1.0, 0)  # replaces a missing tariff; costs and promises nothing
