# SPDX-License-Identifier: Apache-2.0
"""The tariff of an elastic connection type: a price a file, a deadline, what is paid back if late.

Beside the constant-rate connections of andreassen2002, section 4.1, whose delay is promised, a
provider can promise when a file or a page is there (antoniadis2000, section 5: rate control under a
constraint on the total budget).
"""

from __future__ import annotations

import msgspec

__all__ = ["ElasticTariff"]


class ElasticTariff(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The price and deadline of one file.

    Attributes:
        price_micro: paid for a file that is complete, when it is; micro-units.
        deadline_ps: from when it begins.
        reimbursement_micro: paid back for one that took longer; micro-units.
        name: of the row.
    """

    price_micro: int
    deadline_ps: int
    reimbursement_micro: int
    name: str
