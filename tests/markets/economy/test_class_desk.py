# SPDX-License-Identifier: Apache-2.0
"""The desk of classes: admission and a provider's view, over epochs made by hand."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import market_world as world
from ecnomy.agents.classes import ClassObservation, ClassRequest
from ecnomy.agents.observation import NO_OFFER, Offer
from ecnomy.agents.spec import ClassSpec
from ecnomy.markets.economy.class_desk import ClassDesk
from ecnomy.markets.economy.journal import REFUSED

PS = 10**12
START = [0, 0, 1, 2, NO_OFFER, NO_OFFER]
FEES = (400, 900, 250)


class Desk:
    """Six flows; the shop sells gold (0) and tin (2), the rival lead (1). Flow 1 stops at 6 s."""

    def __init__(self, *, decides: bool = False, watched: bool = True, **limits: int) -> None:
        sources = [world.source(f"s{n}", stop_ps=6 * PS if n == 1 else -1) for n in range(6)]
        names = (("shop", "gold"), ("rival", "lead"), ("shop", "tin"))
        offers = [Offer(who, name, fee) for (who, name), fee in zip(names, FEES, strict=True)]
        self.noted: list[tuple[int, str, list[int], float]] = []
        journal: Any = SimpleNamespace(many=self._note)
        parties: Any = SimpleNamespace(offers=tuple(offers))
        self.desk = ClassDesk(world.plan(sources), parties, journal)
        self.requests: list[ClassRequest] = []
        self.answer = True
        for number, offer in enumerate(offers):
            own = limits if number == 0 else {}
            sold = ClassSpec(offer.name, offer.fee_micro_per_s, (), **own)
            own_desk, watches = decides and number == 0, watched and number == 0
            seller: Any = SimpleNamespace(
                decides_requests=own_desk, watches_classes=watches, let_in=self._let_in
            )
            self.desk.open(sold, seller if number < 2 else None)
        self.desk.settle()
        self.offer = np.array(START)

    def _note(self, t_ps: int, who: str, rows: np.ndarray, name: str, value: np.ndarray) -> None:
        assert name == REFUSED
        assert len(rows)
        assert len(set(value.tolist())) == 1
        self.noted.append((t_ps, who, rows.tolist(), float(value[0])))

    def _let_in(self, request: ClassRequest) -> bool:
        self.requests.append(request)
        return self.answer

    def close(self, from_s: int, to_s: int, ce: list[int], charge: list[int]) -> None:
        """An epoch with marks delivered and their cost, by flow."""
        columns = {"ce": np.array(ce), "active": np.ones(6, dtype=np.int64)}
        epoch: Any = SimpleNamespace(
            from_ps=from_s * PS,
            to_ps=to_s * PS,
            offer=self.offer.copy(),
            charge_micro=np.array(charge),
            flows=columns.__getitem__,
            active=np.ones(6, dtype=np.bool_),
        )
        self.desk.close(epoch)

    def admit(self, t_s: int, **wanted: int) -> list[bool]:
        """Whether these flows, named f<number>, enter the classes that they want."""
        rows = np.array([int(name[1:]) for name in wanted])
        answer = self.desk.admit(t_s * PS, rows, self.offer, np.array([*wanted.values()]))
        return answer.tolist()

    def observe(self, t_s: int, *off: int) -> ClassObservation:
        """The shop's view; flows `off` are switched off."""
        active = np.array([flow not in off for flow in range(6)])
        agent: Any = None
        return self.desk.observation("shop", t_s * PS, self.offer, active, agent)


def test_a_provider_sees_what_its_classes_had_since_its_last_look() -> None:
    """Members, time, marks and costs are by the class of the epoch, and all start at 0."""
    desk = Desk(members=3)
    first = desk.observe(0)
    assert (first.t_ps, first.dt_ps, first.names) == (0, 0, ("gold", "tin"))
    assert first.classes.fee_micro_per_s.tolist() == [400, 250]
    assert first.classes.charge_micro_per_s.tolist() == [400, 250]
    assert first.classes.most.tolist() == [3, -1]
    for column in ("flow_s", "marks", "charge_micro", "refused"):
        assert getattr(first.classes, column).tolist() == [0, 0]
    desk.close(0, 2, [5, 6, 7, 8, 9, 10], [50, 60, 70, 80, 90, 100])
    desk.close(2, 4, [1, 0, 0, 0, 0, 0], [7, 0, 0, 0, 0, 0])
    assert desk.admit(4, f4=0, f5=0) == [True, False]
    desk.close(4, 7, [0, 0, 0, 2, 3, 0], [0, 0, 0, 20, 30, 0])
    second = desk.observe(7, 0, 3)
    assert (second.t_ps, second.dt_ps) == (7 * PS, 7 * PS)
    classes = second.classes
    assert classes.members.tolist() == [2, 1]  # flow 1 has stopped
    assert classes.active.tolist() == [1, 0]
    assert classes.flow_s.tolist() == [2 * 4 + 3 + 2 + 3, 7]
    assert classes.marks.tolist() == [5 + 6 + 1 + 3, 8 + 2]
    assert classes.charge_micro.tolist() == [50 + 60 + 7 + 30, 80 + 20]
    assert classes.refused.tolist() == [1, 0]
    desk.close(7, 8, [0, 0, 0, 0, 4, 0], [0, 0, 0, 0, 40, 0])
    look = desk.observe(8)
    third = look.classes
    assert (look.t_ps, look.dt_ps) == (8 * PS, PS)
    assert (third.flow_s.tolist(), third.marks.tolist()) == ([2, 1], [4, 0])
    assert (third.charge_micro.tolist(), third.refused.tolist()) == ([40, 0], [0, 0])
    assert desk.noted == [(4 * PS, "shop", [5], 0.0)]


def test_a_class_whose_seller_does_not_decide_is_open_to_all() -> None:
    """The seat of a custom role may sell such a class without a desk. Its members do not count."""
    desk = Desk(watched=False)
    desk.close(0, 2, [0] * 6, [0] * 6)
    assert desk.admit(2, f4=2, f5=2) == [True, True]


@pytest.mark.parametrize(("most", "let_in"), [(-1, 3), (5, 3), (4, 2), (3, 1), (2, 0), (0, 0)])
def test_a_class_is_full_at_its_limit(most: int, let_in: int) -> None:
    """Members whose source has stopped do not count; other classes have no limit."""
    desk = Desk(members=most)
    answers = desk.admit(1, f2=0, f3=0, f4=0, f5=1)
    assert answers == [k < let_in for k in range(3)] + [True]
    assert desk.offer.tolist()[2:] == [*(0 if k < let_in else START[2 + k] for k in range(3)), 1]
    out = [2 + k for k in range(let_in, 3)]
    assert desk.noted == ([(PS, "shop", out, 0.0)] if out else [])
    later = Desk(members=most)
    places = 3 if most < 0 else max(0, min(3, most - 1))
    assert later.admit(6, f2=0, f3=0, f4=0) == [k < places for k in range(3)]


@pytest.mark.parametrize("decides", [False, True])
def test_a_flow_enters_while_the_cost_of_marks_is_below_the_limit(decides: bool) -> None:
    """The cost is the recent mean, plus the class's charge for each member not in it yet."""
    limit, late, hidden = 2_000, 0.0, 0.0
    desk, expected = Desk(cost_micro_per_s=limit, decides=decides), []
    for t_s, dt_s, spent in ((4, 4, 9_000), (5, 1, 0), (9, 4, 0), (19, 10, 1_000), (40, 21, 0)):
        desk.close(t_s - dt_s, t_s, [0] * 6, [spent, 0, 500, 500, 0, 0])
        fade = math.exp(-dt_s / 10)
        late = late * fade + (1 - fade) * spent / dt_s
        hidden *= fade
        for flow in (4, 5, 4):
            desk.offer[flow] = NO_OFFER
            fits = late + (hidden + 1) * FEES[0] <= limit
            asks = len(desk.requests)
            assert desk.admit(t_s, **{f"f{flow}": 0}) == [fits], (t_s, flow)
            assert len(desk.requests) - asks == (decides and fits)
            if decides and fits:
                assert desk.requests[-1].cost_micro_per_s == pytest.approx(late)
            hidden += fits
            expected.append(fits)
            desk.offer[0] = 0
    assert 3 < sum(expected) < 12


@pytest.mark.parametrize(("limit", "fits"), [(0, False), (399, False), (400, True), (-1, True)])
def test_a_member_that_costs_just_the_limit_is_let_in(limit: int, fits: bool) -> None:
    """The class's marks have cost nothing so far; a limit of 0 admits nobody."""
    assert Desk(cost_micro_per_s=limit).admit(0, f4=0) == [fits]


@pytest.mark.parametrize("answer", [True, False])
def test_a_provider_with_an_admission_rule_decides(answer: bool) -> None:
    """A provider decides on its own class only, and gets the current number of members."""
    desk = Desk(decides=True)
    desk.answer = answer
    assert desk.admit(2, f2=0, f4=1, f5=0) == [answer, True, answer]
    members = [2, 2 + answer]
    assert desk.requests == [
        ClassRequest(2 * PS, "gold", flow, count, 0.0)
        for flow, count in zip((2, 5), members, strict=True)
    ]
    assert desk.noted == ([] if answer else [(2 * PS, "shop", [2, 5], 0.0)])
    assert desk.observe(2).classes.refused.tolist() == [0, 0]
