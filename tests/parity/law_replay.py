# SPDX-License-Identifier: Apache-2.0
"""Repeats the calls of a law log on the laws themselves (format: omnet/host/law_log.h)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from ecnomy.markets.plan.law_table import with_trait
from law_api import Laws, Marking, Scheduler, Window, WindowState

__all__ = ["Replay", "replay"]

Maker = Callable[[str, Sequence[float]], Marking | Window | Scheduler]


@dataclass
class Replay:
    """The result: repeated calls by (law, hook), and those with another outcome."""

    calls: Counter[tuple[str, str]] = field(default_factory=Counter)
    differing: list[str] = field(default_factory=list)


def replay(laws: Laws, lines: Iterable[str], most: int = 10) -> Replay:
    """Repeats every call. Outcomes must agree in every bit.

    Args:
        laws: the module over the laws.
        lines: the log.
        most: the replay ends after this number of differing calls.

    Raises:
        KeyError: a hook or host that the log does not declare.
    """
    result = Replay()
    hosts: dict[str, tuple[str, Marking | Window | Scheduler]] = {}
    for number, line in enumerate(lines, 1):
        hook, host, *words = line.split()
        if hook == "new":
            family, name, *values = words
            numbers = [float.fromhex(value) for value in values]
            makers: dict[str, Maker] = {"marking": laws.marking, "window": laws.window}
            make = makers.get(family) or _scheduler(laws)
            hosts[host] = (name, make(name, numbers))
            continue
        name, law = hosts[host]
        result.calls[name, hook] += 1
        logged, now = _HOOKS[hook](law, words)
        if logged != now:
            result.differing.append(f"line {number}, {name} {hook}: logged {logged}, again {now}")
            if len(result.differing) == most:
                break
    return result


def _scheduler(laws: Laws) -> Callable[[str, Sequence[float]], Scheduler]:
    """A scheduler from the link's rate, its values and those of its classes, in one list."""
    tables = laws.tables()

    def make(name: str, values: Sequence[float]) -> Scheduler:
        own = len(tables["scheduling"][name])
        rest = values[1 + own :]
        if name in with_trait("scheduling", "by_codepoint"):
            return laws.scheduler(values[1:], [[], []], int(values[0]), name)
        if name in with_trait("scheduling", "by_flow"):
            return laws.scheduler(values[1:], [[]], int(values[0]), name)
        service = {"class-based": "service-class", "deficit-round-robin": "weighted-class"}[name]
        each = len(tables["service"][service])
        classes = [rest[i : i + each] for i in range(0, len(rest), each)]
        return laws.scheduler(values[1 : 1 + own], classes, int(values[0]), name)

    return make


Outcome = tuple[str | int, ...]
Pair = tuple[Outcome, Outcome]  # logged, again; floats as hexadecimal text


def _hex(words: Sequence[str]) -> Outcome:
    return tuple(float.fromhex(word).hex() for word in words)


def _decided(hook: str) -> Callable[[Marking, Sequence[str]], Pair]:
    def again(law: Marking, words: Sequence[str]) -> Pair:
        *queue, flow, bytes_, ect, ce, now, drawn = (int(word) for word in words[:10])
        draws = [float.fromhex(word) for word in words[10 : 10 + drawn]]
        action, queued, probability = words[10 + drawn :]
        packet = (flow, bytes_, bool(ect), bool(ce))
        said = getattr(law, hook)(tuple(queue), packet, now, draws)
        logged = (int(action), int(queued), drawn, *_hex([probability]))
        return logged, (*said, law.probability().hex())

    return again


def _dropped(law: Marking, words: Sequence[str]) -> Pair:
    flow, bytes_, ect, ce, now = (int(word) for word in words)
    law.on_drop((flow, bytes_, bool(ect), bool(ce)), now)
    return (), ()


def _timed(law: Marking, words: Sequence[str]) -> Pair:
    packets, size, rate, idle, now, following = (int(word) for word in words[:6])
    said = law.on_timer((packets, size, rate, idle), now)
    return (following, *_hex(words[6:])), (said, law.probability().hex())


def _state(words: Sequence[str]) -> WindowState:
    cwnd, ssthresh, least, most = (float.fromhex(word) for word in words)
    return cwnd, ssthresh, least, most


def _changed(
    call: Callable[[Window, WindowState, Sequence[str]], WindowState],
) -> Callable[[Window, Sequence[str]], Pair]:
    def again(law: Window, words: Sequence[str]) -> Pair:
        said = call(law, _state(words[:4]), words[4:-4])
        return _hex(words[-4:]), tuple(value.hex() for value in said)

    return again


def _set(call: Callable[[Window, float], None]) -> Callable[[Window, Sequence[str]], Pair]:
    def again(law: Window, words: Sequence[str]) -> Pair:
        call(law, float.fromhex(words[0]))
        return (), ()

    return again


def _acknowledged(law: Window, words: Sequence[str]) -> Pair:
    now, srtt, least, acked, sent, in_flight, limited = (int(word) for word in words)
    law.see((now, srtt, least, acked, sent, in_flight, bool(limited)))
    return (), ()


def _sent(law: Window, words: Sequence[str]) -> Pair:
    now, srtt, least, acked, sent, in_flight, limited, seq = (int(word) for word in words)
    law.on_sent((now, srtt, least, acked, sent, in_flight, bool(limited)), seq)
    return (), ()


def _delivered(law: Window, words: Sequence[str]) -> Pair:
    law.on_delivered(int(words[0]), int(words[1]))
    return (), ()


def _lost(law: Window, words: Sequence[str]) -> Pair:
    law.on_lost(int(words[0]), words[1] == "1")
    return (), ()


def _configure(law: Marking, words: Sequence[str]) -> Pair:
    law.configure([float.fromhex(word) for word in words])
    return (), ()


def _joined(law: Scheduler, words: Sequence[str]) -> Pair:
    service, flow, bytes_, ect, ce, ect_1, busy, now, hashed, drawn = (int(w) for w in words[:10])
    draws = [float.fromhex(word) for word in words[10 : 10 + drawn]]
    queue, mark = (int(word) for word in words[10 + drawn :])
    packet = (flow, bytes_, bool(ect), bool(ce))
    again = law.join(service, packet, bool(ect_1), hashed % 2**64, bool(busy), now, draws)
    return (queue, bool(mark), drawn), again


def _room(law: Scheduler, words: Sequence[str]) -> Pair:
    overflow, now, victim = (int(word) for word in words)
    return (victim,), (law.drop(bool(overflow), now),)


def _settled(law: Scheduler, words: Sequence[str]) -> Pair:
    law.settle(int(words[0]))
    return _hex(words[1:]), tuple(row[2].hex() for row in law.classes())


def _next(law: Scheduler, words: Sequence[str]) -> Pair:
    now, drawn = int(words[0]), int(words[1])
    draws = [float.fromhex(word) for word in words[2 : 2 + drawn]]
    service, mark, waited, drop = (int(word) for word in words[2 + drawn :])
    return (service, bool(mark), waited, bool(drop), drawn), law.next(now, draws)


_HOOKS: dict[str, Callable[..., Pair]] = {
    "arrival": _decided("on_arrival"),
    "departure": _decided("on_departure"),
    "drop": _dropped,
    "timer": _timed,
    "configure": _configure,
    "join": _joined,
    "room": _room,
    "settle": _settled,
    "next": _next,
    "ack": _changed(
        lambda law, w, more: law.on_ack(w, int(more[0]), int(more[1]), float.fromhex(more[2]))
    ),
    "congestion": _changed(lambda law, w, more: law.on_congestion(w, float.fromhex(more[0]))),
    "loss": _changed(lambda law, w, more: law.on_loss(w, float.fromhex(more[0]))),
    "timeout": _changed(lambda law, w, more: law.on_timeout(w, float.fromhex(more[0]))),
    "begin": _changed(lambda law, w, more: law.begin(w)),
    "rtt": _changed(lambda law, w, more: law.on_rtt(w, int(more[0]))),
    "see": _acknowledged,
    "sent": _sent,
    "delivered": _delivered,
    "lost": _lost,
    "weight": _set(lambda law, value: law.set_weight(value)),
    "gain": _set(lambda law, value: law.set_gain(value)),
    "aim": _set(lambda law, value: law.aim(value)),
    "disturb": _set(lambda law, value: law.disturb(value)),
}
