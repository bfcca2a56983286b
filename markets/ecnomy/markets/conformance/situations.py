# SPDX-License-Identifier: Apache-2.0
"""Hostile situations for strategies that decide for flows, with extreme cases of a run.

A situation is a series of decisions, each with a number of flows, an elapsed time, and unusual
values in the columns of the flows. Two plain decisions follow, which reveal whether the situation
has corrupted the strategy's state (for example with a NaN). All numbers except limit_bps are
finite. Random numbers come from the situation's stream, so a situation is the same every time.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import msgspec
import numpy as np

from ecnomy.agents.money import DEAREST_MICRO
from ecnomy.agents.observation import NO_OFFER, FlowColumns, Observation, Offer
from ecnomy.agents.times import PS_PER_S

__all__ = ["FLOWS", "PLAIN_S", "Situation", "observation", "offers_of"]

Columns = dict[str, Any]
HUGE: Final = 2**62
PLAIN_S: Final = (5.0, 5.0)  # after every situation
SOURCES: Final = ("one", "two")
_PACKET_BITS: Final = 8000.0


class Situation(msgspec.Struct, frozen=True):
    """A series of decisions.

    Attributes:
        name: name of the situation in messages.
        counts: number of flows observed at each decision.
        dt_s: time since the previous decision, for each decision [s].
        odd: function that changes the columns of flows, given the number of the decision.
        classes: classes on sale: `some`, `none` or `many`.
        moves: whether the flows observed at decision k begin with flow k.
        balance_micro: balance of the account [micro-units].
    """

    name: str
    counts: tuple[int, ...] = (4, 4, 4)
    dt_s: tuple[float, ...] = (0.0, 5.0, 5.0)
    odd: Callable[[Columns, int], None] = lambda columns, step: None
    classes: str = "some"
    moves: bool = False
    balance_micro: int = 0


def _set(**values: object) -> Callable[[Columns, int], None]:
    def odd(columns: Columns, step: int) -> None:
        for name, value in values.items():
            columns[name] = np.full(len(columns["flow"]), value, dtype=columns[name].dtype)

    return odd


def _every(**values: tuple[object, ...]) -> Callable[[Columns, int], None]:
    """Return a function that gives flows these values in turn."""

    def odd(columns: Columns, step: int) -> None:
        for name, several in values.items():
            count = len(columns["flow"])
            tiled = [several[(row + step) % len(several)] for row in range(count)]
            columns[name] = np.array(tiled, dtype=columns[name].dtype)

    return odd


def _all_marked(columns: Columns, step: int) -> None:
    columns["marks"] = columns["delivered"].copy()
    columns["charge_micro"] = columns["marks"] * 250_000


_NOTHING: Final[dict[str, object]] = {
    **{"goodput_bps": 0.0, "payload_bps": 0.0, "delivered": 0, "marks": 0, "charge_micro": 0},
    "srtt_s": 0.0,
}
_EXTREME: Final[dict[str, object]] = {
    **{"goodput_bps": 1e15, "payload_bps": 1e15, "limit_bps": 1e15, "rate_cap_bps": 1e15},
    **{"delivered": 2**40, "marks": 2**40, "charge_micro": HUGE, "srtt_s": 1e6, "gain": 1e6},
    **{"files": 2**40, "file_bytes": HUGE, "file_left": HUGE, "weight": 1e12},
}
_LEAST: Final[dict[str, object]] = {
    **{"goodput_bps": 1e-6, "payload_bps": 1e-6, "limit_bps": 1e-6, "srtt_s": 1e-12},
    **{"gain": 1e-12, "weight": 1e-12, "delivered": 1, "marks": 1, "charge_micro": 1},
}
_OFF: Final[dict[str, object]] = {**_NOTHING, "active": 0, "switched_on": False}

FLOWS: Final = (
    Situation("a plain market", (4,) * 6, (0.0, *(5.0,) * 5)),
    Situation("no flows", (0, 0, 0)),
    Situation("one flow", (1, 1, 1)),
    Situation("an odd number of flows", (5, 5, 5)),
    Situation("5,000 flows", (5000, 5000), (0.0, 5.0)),
    Situation(
        "flows that appear and vanish", (4, 2, 6, 0, 4), (0.0, 5.0, 5.0, 5.0, 5.0), moves=True
    ),
    Situation("rows of 50 flows each", odd=_set(active=50)),
    Situation("zero rates", odd=_set(**_NOTHING)),
    Situation("rates that come and go", (4,) * 6, (0.0, *(5.0,) * 5), _every(goodput_bps=(0, 1e9))),
    Situation("a price of 0", odd=_set(price_micro=0.0, charge_micro=0)),
    Situation("a huge price", odd=_set(price_micro=DEAREST_MICRO, charge_micro=10**15)),
    Situation("prices that differ", odd=_every(price_micro=(0.0, 0.5, 250_000.25, 1e12))),
    Situation("no marks", (4,) * 5, (0.0, *(5.0,) * 4), _set(marks=0, charge_micro=0)),
    Situation("every packet marked", odd=_all_marked),
    Situation("the largest possible numbers", odd=_set(**_EXTREME), balance_micro=HUGE),
    Situation("the smallest possible numbers", odd=_set(**_LEAST)),
    Situation("no time between decisions", (4,) * 5, (0.0, 0.0, 5.0, 0.0, 0.0)),
    Situation("a day between decisions", dt_s=(0.0, 86400.0, 86400.0)),
    Situation("inactive flows", odd=_set(**_OFF)),
    Situation("flows that switch off and on", (4,) * 5, (0.0, *(5.0,) * 4), _every(active=(0, 1))),
    Situation("caps", odd=_every(rate_cap_bps=(0.0, 1.0, -1.0, 1e15))),
    Situation("files", odd=_every(file_left=(0, 1, HUGE), file_bytes=(0, 1, HUGE), files=(0, 1))),
    Situation("flows in no class", odd=_set(offer=NO_OFFER)),
    Situation("nothing on offer", classes="none"),
    Situation("200 classes on offer", classes="many"),
    Situation("debts", balance_micro=-HUGE),
)


def offers_of(classes: str) -> tuple[Offer, ...]:
    """Return the classes on sale; the provider `shop` sells the first two of every four."""
    if classes == "none":
        return ()
    fees = (1_000_000, 2_000_000, 0, 10**15) if classes == "some" else tuple(range(200))
    sellers = ("shop", "shop", "rival", "rival")
    return tuple(Offer(sellers[i % 4], f"class-{i}", fee) for i, fee in enumerate(fees))


def observation(
    situation: Situation, step: int, t_ps: int, draws: np.random.Generator, limit_bps: float
) -> Observation:
    """Return the observation at a decision; it is plain after the steps of the situation.

    Args:
        situation: the situation.
        step: number of the decision.
        t_ps: time of the decision [ps].
        draws: random stream of the situation.
        limit_bps: largest rate of the traffic [bit/s].

    Returns:
        An Observation with separate arrays, without an agent.
    """
    own = step < len(situation.counts)
    count = situation.counts[min(step, len(situation.counts) - 1)]
    dt_s = (*situation.dt_s, *PLAIN_S)[step]
    first = min(step, len(situation.counts) - 1) if situation.moves else 0
    offers = offers_of(situation.classes)
    columns = _plain(np.arange(first, first + count), dt_s, draws, limit_bps, len(offers))
    if dt_s == 0:
        columns |= {n: np.zeros_like(columns[n]) for n in _NOTHING if n != "srtt_s"}
    if own:
        situation.odd(columns, step)
    price = columns["price_micro"]
    mean = round(float(price.mean())) if count else 250_000
    return Observation(t_ps, round(dt_s * PS_PER_S), mean, offers, FlowColumns(**columns), SOURCES)


def _plain(
    rows: np.ndarray[Any, Any], dt_s: float, draws: np.random.Generator, limit: float, offers: int
) -> Columns:
    """Return flows, half of them from each source, with one packet in twenty marked."""
    count, half = len(rows), (len(rows) + 1) // 2
    goodput = draws.uniform(1e5, 1e6, count)
    delivered = np.rint(goodput * max(dt_s, 1.0) / _PACKET_BITS).astype(np.int64)
    marks = delivered // 20
    number = np.arange(count)
    classes = number % 2 if offers else np.full(count, NO_OFFER)
    return {
        "flow": rows.astype(np.int64),
        "active": np.ones(count, dtype=np.int64),
        "goodput_bps": goodput,
        "delivered": delivered,
        "marks": marks,
        "charge_micro": marks * 250_000,
        "srtt_s": np.full(count, 0.05),
        "gain": np.full(count, 0.1),
        "offer": classes.astype(np.int64),
        "limit_bps": np.full(count, limit),
        "price_micro": np.full(count, 250_000.0),
        "source": (number >= half).astype(np.int64),
        "member": np.where(number >= half, number - half, number).astype(np.int64),
        "payload_bps": 0.96 * goodput,
        "switched_on": np.ones(count, dtype=np.bool_),
        "files": np.full(count, 3, dtype=np.int64),
        "file_bytes": np.full(count, 10**6, dtype=np.int64),
        "file_left": np.full(count, 10**5, dtype=np.int64),
        "rate_cap_bps": np.full(count, -1.0),
        "weight": np.zeros(count),
    }
