# SPDX-License-Identifier: Apache-2.0
"""Hostile situations for strategies that post prices or fees, or admit calls.

As in situations.py, a situation is a series of unusual observations with finite numbers, followed
by two plain observations.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import msgspec
import numpy as np

from ecnomy.agents.call_tariff import CallTariff
from ecnomy.agents.calls import Call, EndedCalls, StreamObservation
from ecnomy.agents.classes import ClassColumns, ClassObservation
from ecnomy.agents.money import DEAREST_MICRO
from ecnomy.agents.observation import LinkColumns, PriceObservation
from ecnomy.agents.times import PS_PER_S
from ecnomy.markets.conformance.situations import HUGE, PLAIN_S

__all__ = [
    "CALLS",
    "CALL_TARIFF",
    "CLASSES",
    "PRICES",
    "ObservationSeries",
    "call_at",
    "class_observation",
    "link_observation",
    "stream_observation",
]

Columns = dict[str, Any]


class ObservationSeries(msgspec.Struct, frozen=True):
    """A series of observations of links, classes or test streams.

    Attributes:
        name: name of the situation in messages.
        count: number of links, classes or streams.
        dt_s: time since the previous observation, for each observation [s].
        odd: unusual values for columns, instead of ordinary values.
        price_micro: price or fee at the first observation, or price of a mark for all calls; -1 for
            an ordinary value.
        balance_micro: balance of the account [micro-units].
        asks_first: whether calls arrive before the first observation.
        ended: number of calls that end at each observation and began at the previous one.
        odd_calls: unusual values for columns of these calls, instead of ordinary values.
    """

    name: str
    count: int = 2
    dt_s: tuple[float, ...] = (0.0, 5.0, 5.0)
    odd: dict[str, object] = {}
    price_micro: int = -1
    balance_micro: int = 0
    asks_first: bool = False
    ended: int = 0
    odd_calls: dict[str, object] = {}


CALL_TARIFF: Final = CallTariff(50_000, 15 * 10**9, 0.01, 50_000)
_IDLE: Final[dict[str, object]] = {
    **{"arrivals": 0, "marks": 0, "drops": 0, "busy_ps": 0, "queue_packets": 0},
    "departed_bytes": 0,
}
_LONG: Final = (0.0, *(5.0,) * 20)
_HOUR: Final = (0.0, *(60.0,) * 60)
_WORST: Final[dict[str, object]] = {"marks": 1800, "reimbursed": 1, "reimbursement_micro": 50_000}

PRICES: Final = (
    ObservationSeries("a plain market", dt_s=_LONG),
    ObservationSeries("one link", 1),
    ObservationSeries("1,000 links", 1000),
    ObservationSeries("idle links", odd=_IDLE),
    ObservationSeries("no marks", odd={"marks": 0}),
    ObservationSeries("more marks than arrivals", odd={"arrivals": 0, "marks": 10}),
    ObservationSeries("full links that drop", odd={"busy_ps": 5 * PS_PER_S, "drops": 10**6}),
    ObservationSeries("a price of 0", dt_s=_LONG, price_micro=0),
    ObservationSeries("the highest price", dt_s=_LONG, price_micro=DEAREST_MICRO),
    ObservationSeries("a price of 1 micro-unit", dt_s=_LONG, price_micro=1),
    ObservationSeries("no time between decisions", dt_s=(0.0, 0.0, 5.0, 0.0, 0.0)),
    ObservationSeries("a day between decisions", dt_s=(0.0, 86400.0, 86400.0)),
    ObservationSeries(
        "the largest possible numbers",
        odd=dict.fromkeys((*_IDLE, "rate_bps"), 2**55),
        balance_micro=HUGE,
    ),
    ObservationSeries("debts", balance_micro=-HUGE),
)

CALLS: Final = (
    ObservationSeries("a plain market", dt_s=(0.0, *(60.0,) * 60)),
    ObservationSeries("calls before the first observation", asks_first=True),
    ObservationSeries("no test streams", 0),
    ObservationSeries("one test stream", 1),
    ObservationSeries("1,000 test streams", 1000),
    ObservationSeries(
        "nothing sent", odd={"sent": 0, "delivered": 0, "marks": 0, "late": 0, "lost": 0}
    ),
    ObservationSeries("nothing arrives", odd={"delivered": 0, "marks": 0, "lost": 500}),
    ObservationSeries("every packet marked and late", odd={"sent": 500, "marks": 500, "late": 500}),
    ObservationSeries("no marks", dt_s=(0.0, *(60.0,) * 60), odd={"marks": 0}),
    ObservationSeries("a price of 0", price_micro=0),
    ObservationSeries("the highest price", price_micro=DEAREST_MICRO),
    ObservationSeries("no time between observations", dt_s=(0.0, 0.0, 5.0, 0.0, 0.0)),
    ObservationSeries("a day between observations", dt_s=(0.0, 86400.0, 86400.0)),
    ObservationSeries(
        "the largest possible numbers",
        odd=dict.fromkeys(("sent", "delivered", "marks", "late", "lost"), 2**40),
    ),
    ObservationSeries("calls that end", dt_s=_HOUR, ended=3),
    ObservationSeries(
        "calls that all break and are all marked", dt_s=_HOUR, ended=3, odd_calls=_WORST
    ),
    ObservationSeries(
        "calls without packets", dt_s=_HOUR, ended=3, odd_calls={"sent": 0, "marks": 0}
    ),
    ObservationSeries("calls of length 0", dt_s=_HOUR, ended=3, odd_calls={"end_ps": 0}),
    ObservationSeries("1,000 calls per observation, most of them refused", ended=1000),
    ObservationSeries(
        "the largest calls", dt_s=_HOUR, ended=3, odd_calls={"sent": 2**40, "marks": 2**40}
    ),
)


CLASSES: Final = (
    ObservationSeries("fees: a plain market", dt_s=_LONG),
    ObservationSeries("fees: one class", 1),
    ObservationSeries("fees: 100 classes", 100),
    ObservationSeries(
        "fees: empty classes", odd=dict.fromkeys(("members", "active", "marks", "flow_s"), 0)
    ),
    ObservationSeries(
        "fees: full classes, many refused", odd={"members": 50, "most": 50, "refused": 10**6}
    ),
    ObservationSeries("fees: no room at all", odd={"members": 0, "active": 0, "most": 0}),
    ObservationSeries("fees: any number of members", odd={"most": -1}),
    ObservationSeries("fees: all switched off", dt_s=_LONG, odd={"active": 0, "flow_s": 0}),
    ObservationSeries("fees: expensive marks", dt_s=_LONG, odd={"charge_micro": 10**15}),
    ObservationSeries("fees: the highest fee", dt_s=_LONG, price_micro=DEAREST_MICRO),
    ObservationSeries("fees: a fee of 0", dt_s=_LONG, price_micro=0),
    ObservationSeries("fees: no time between decisions", dt_s=(0.0, 0.0, 5.0, 0.0, 0.0)),
    ObservationSeries("fees: a day between decisions", dt_s=(0.0, 86400.0, 86400.0)),
    ObservationSeries("fees: debts", balance_micro=-HUGE),
)


def link_observation(
    course: ObservationSeries, step: int, t_ps: int, draws: np.random.Generator, price_micro: int
) -> PriceObservation:
    """Return a carrier's observation. `price_micro` is the last posted price."""
    dt_ps = round((*course.dt_s, *PLAIN_S)[step] * PS_PER_S)
    count, plain = course.count, step >= len(course.dt_s)
    arrivals = draws.integers(100, 1000, count)
    columns: Columns = {
        "link": np.arange(count, dtype=np.int64),
        "rate_bps": np.full(count, 10_000_000, dtype=np.int64),
        "arrivals": arrivals,
        "marks": arrivals // 20,
        "drops": np.zeros(count, dtype=np.int64),
        "busy_ps": np.full(count, dt_ps // 2, dtype=np.int64),
        "queue_packets": draws.integers(0, 20, count),
        "departed_bytes": arrivals * 1000,
    }
    if dt_ps == 0:
        columns |= {n: np.zeros(count, dtype=np.int64) for n in _IDLE if n != "queue_packets"}
    _put(columns, {} if plain else course.odd)
    price = price_micro if course.price_micro < 0 or step else course.price_micro
    names = tuple(f"link-{i}" for i in range(count))
    return PriceObservation(t_ps, dt_ps, price, LinkColumns(**columns), None, names)


def class_observation(
    course: ObservationSeries,
    step: int,
    t_ps: int,
    draws: np.random.Generator,
    fees: Mapping[str, int],
) -> ClassObservation:
    """Return a class provider's observation. `fees` are the last posted fees."""
    dt_ps = round((*course.dt_s, *PLAIN_S)[step] * PS_PER_S)
    count, plain = course.count, step >= len(course.dt_s)
    names = tuple(f"class-{i}" for i in range(count))
    members = draws.integers(1, 50, count)
    marks = draws.integers(0, 1000, count) if dt_ps else np.zeros(count, dtype=np.int64)
    first = course.price_micro if course.price_micro >= 0 and not step else 10**6
    columns: Columns = {
        "fee_micro_per_s": np.array([fees.get(n, first) for n in names], dtype=np.int64),
        "charge_micro_per_s": np.full(count, 10**6, dtype=np.int64),
        "members": members,
        "active": members,
        "most": np.full(count, 50, dtype=np.int64),
        "flow_s": members * (dt_ps / PS_PER_S),
        "marks": marks,
        "charge_micro": marks * 250_000,
        "refused": draws.integers(0, 5, count),
    }
    odd = {} if plain else dict(course.odd)
    if (flow_s := odd.pop("flow_s", None)) is not None:
        columns["flow_s"] = np.full(count, flow_s, dtype=np.float64)
    _put(columns, odd)
    columns = {name: column.copy() for name, column in columns.items()}
    return ClassObservation(t_ps, dt_ps, names, ClassColumns(**columns))


def stream_observation(
    course: ObservationSeries, step: int, t_ps: int, draws: np.random.Generator
) -> StreamObservation:
    """Return a guaranteed stream provider's observation of its test streams."""
    dt_ps = round((*course.dt_s, *PLAIN_S)[step] * PS_PER_S)
    count, plain = course.count, step >= len(course.dt_s)
    sent = draws.integers(100, 1000, count) if dt_ps else np.zeros(count, dtype=np.int64)
    columns: Columns = {
        "sent": sent,
        "delivered": sent,
        "marks": np.rint(sent * draws.uniform(0, 0.2, count)).astype(np.int64),
        "late": sent // 100,
        "lost": np.zeros(count, dtype=np.int64),
    }
    _put(columns, {} if plain else course.odd)
    ended = _ended(course, t_ps, t_ps - dt_ps, 0 if plain else course.ended)
    copies = {name: column.copy() for name, column in columns.items()}
    return StreamObservation(
        t_ps, dt_ps, _price_of(course), **copies, calls=ended, tariff=CALL_TARIFF
    )


def call_at(course: ObservationSeries, t_ps: int, flow: int) -> Call:
    """Return a call of a flow. Flow k calls k picoseconds after the observation."""
    return Call(t_ps + flow, flow, CALL_TARIFF, float(_price_of(course)))


def _price_of(course: ObservationSeries) -> int:
    return 250_000 if course.price_micro < 0 else course.price_micro


def _ended(course: ObservationSeries, t_ps: int, began_ps: int, count: int) -> EndedCalls:
    flow = np.arange(count)
    columns: Columns = {
        "flow": flow,
        "tariff": np.zeros(count, dtype=np.int64),
        "bad": flow % 3,
        "start_ps": began_ps + flow,
        "end_ps": np.full(count, t_ps),
        "sent": np.full(count, 600),
        "marks": flow % 5,
        "charge_micro": np.full(count, CALL_TARIFF.price_micro),
        "reimbursement_micro": np.zeros(count, dtype=np.int64),
        "reimbursed": np.zeros(count, dtype=np.int64),
    }
    _put(columns, course.odd_calls)
    columns["reimbursed"] = columns["reimbursed"].astype(np.bool_)
    columns["end_ps"] = np.maximum(columns["end_ps"], columns["start_ps"])
    return EndedCalls(**columns)


def _put(columns: Columns, odd: dict[str, object]) -> None:
    for name, value in odd.items():
        columns[name] = np.full(len(columns[name]), value, dtype=np.int64)
