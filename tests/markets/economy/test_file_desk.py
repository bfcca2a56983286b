# SPDX-License-Identifier: Apache-2.0
"""Files on sale: their payers, and which of them are late."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, Final

import numpy as np

from ecnomy.agents.elastic_tariff import ElasticTariff
from ecnomy.markets.economy.file_desk import FileDesk
from ecnomy.markets.economy.ledger import Ledger
from ecnomy.markets.terms.ledger_kinds import REIMBURSEMENT, TRANSFER

DEADLINE_PS: Final = 1000


def files(*rows: tuple[int, int, int, int]) -> Any:
    """Records of the table `transfers`: flow, start, end, complete."""
    names = ("flow", "start_ps", "end_ps", "complete")
    return {
        name: np.array(values) for name, values in zip(names, zip(*rows, strict=True), strict=True)
    }


def test_a_file_is_late_from_one_picosecond_after_its_deadline() -> None:
    """A refund is due if a file took longer than promised, not if it took exactly as long."""
    ledger = Ledger()
    seller = ledger.open("shop")
    users = np.array([ledger.open(f"user {flow}") for flow in range(4)])
    parties: Any = SimpleNamespace(first_offer=np.zeros(4), users=users, account=lambda _: seller)
    desk = FileDesk(parties, ledger)
    desk.open("shop", ElasticTariff(10, DEADLINE_PS, 4, "files"), np.array([0, 1, 2]))
    in_time, late = 7 + DEADLINE_PS, 8 + DEADLINE_PS
    desk.judge(files((1, 7, late, 1), (0, 7, in_time, 1), (2, 7, late, 0), (3, 7, late, 1)))
    desk.book()
    desk.book()
    booked = [
        (one.kind, int(flow), int(t_ps), int(amount))
        for one in ledger.take()
        for flow, t_ps, amount in zip(one.flow, one.t_ps, one.amount_micro, strict=True)
    ]
    assert booked == [
        (TRANSFER, 0, in_time, 10),
        (TRANSFER, 1, late, 10),
        (REIMBURSEMENT, 1, late, 4),
    ]
    assert ledger.balances_micro[[seller, *users]].tolist() == [16, -10, -6, 0, 0]
