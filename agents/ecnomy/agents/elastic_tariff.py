# SPDX-License-Identifier: Apache-2.0
"""The tariff of a type of elastic connection: a price per file, a deadline and a refund.

A provider can promise a delay for constant-rate connections (Andreassen 2002, 4.1). It can also
promise the arrival time of a file or a page (antoniadis2000, section 5: rate control under a
constraint on the total budget).
"""

from __future__ import annotations

import msgspec

__all__ = ["ElasticTariff"]


class ElasticTariff(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The price and deadline of one file.

    Attributes:
        price_micro: price of a file, paid when the file is complete [micro-units].
        deadline_ps: promised time from the start of the file to its completion [ps].
        reimbursement_micro: refund for a file that misses the deadline [micro-units].
        name: name of the tariff.
    """

    price_micro: int
    deadline_ps: int
    reimbursement_micro: int
    name: str
