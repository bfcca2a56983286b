# SPDX-License-Identifier: Apache-2.0
"""Prices on the call desk that a strategy posts while a tariff has prices by the hour."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np

from ecnomy.agents.call_tariff import CallTariff, Hours
from ecnomy.markets.economy.call_desk import CallDesk
from ecnomy.markets.economy.ledger import Ledger

BASE, NOON = 100, 300  # micro-units
TARIFF = CallTariff(BASE, 0, 1.0, 0, hours=(Hours(10, 20, NOON),), day_ps=40)


def test_a_posted_price_replaces_the_prices_by_the_hour() -> None:
    """This includes the price outside the hours, which then holds at all times."""
    seller: Any = None
    parties: Any = SimpleNamespace(first_offer=np.zeros(1), account=lambda _: 0)
    for price in (BASE, 200):
        desk = CallDesk(parties, Ledger())
        line = desk.open("gsp", seller, TARIFF, np.array([0]))
        assert [desk.tariff(line, t).price_micro for t in (5, 15, 55)] == [BASE, NOON, NOON]
        assert desk.post(line, price)
        assert [desk.tariff(line, t).price_micro for t in (5, 15, 55)] == [price] * 3
        assert not desk.post(line, price)
