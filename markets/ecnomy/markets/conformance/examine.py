# SPDX-License-Identifier: Apache-2.0
"""Run a strategy through hostile situations, three times each, in every role that it fits.

    once      the role judges the answers, and the inputs are compared with a copy
    again     a new object with the same seed must give the same answers
    together  the answers must stay the same if another agent's object answers between them

findings.py describes the kinds of findings.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import mesa
import numpy as np

from ecnomy.agents.errors import StrategyError
from ecnomy.agents.money import MICRO
from ecnomy.agents.roles import preset_of
from ecnomy.agents.roles.fitting import roles_of, wanted_instead
from ecnomy.agents.strategies import find, make
from ecnomy.markets.conformance.asks import ASKS
from ecnomy.markets.conformance.course import (
    Course,
    Play,
    asks,
    calls,
    decisions,
    differ,
    draws_of,
    fees,
    prices,
    put_down,
)
from ecnomy.markets.conformance.findings import (
    CLOCK,
    MUTATES,
    RANDOM,
    REFUSES,
    SHARED,
    Examined,
    FindingCollector,
)
from ecnomy.markets.conformance.other_situations import CALLS, CLASSES, PRICES
from ecnomy.markets.conformance.situations import FLOWS
from ecnomy.markets.conformance.subject import SEED, Subject
from ecnomy.markets.conformance.watching import CLOCKS, ENTROPY, GENERATORS, CallWatch

__all__ = ["examine"]

_WARNINGS: Final = "warning"
_ALL: Final = "all situations"
_SMALL_MICRO: Final = 1000.0  # 0.001 money
_NO_CLASSES: Final = ("flows in no class", "nothing on offer")


def examine(
    kind: str, params: Mapping[str, object] | None = None, *, roles: Sequence[str] = ()
) -> Examined:
    """Run a strategy through all situations of the examined roles, and collect the findings.

    Args:
        kind: built-in name, `module:Class` or entry point.
        params: parameters in the units of the class's annotations.
        roles: roles to examine; by default all roles that the strategy fits.

    Raises:
        StrategyError: the strategy does not exist, cannot be created with these parameters, fits
            no role, or does not fit one of `roles`.
    """
    wanted, given = tuple(roles) or roles_of(find(kind)), dict(params or {})
    own = ", ".join(getattr(find(kind), "roles", ()))
    if not wanted:
        raise StrategyError(
            f"strategy {kind!r}: roles: found {own or 'no role'}, expected a role of ecnomy"
        )
    for role in wanted:
        if needed := wanted_instead(kind, role):
            raise StrategyError(f"strategy {kind!r} as {role}: expected {needed}")
    make(kind, given)
    exam = _Exam(kind, given)
    for role in wanted:
        exam.all_of(role)
    return Examined(
        kind,
        wanted,
        exam.shown,
        exam.defects.all(),
        exam.refusals.all(),
        exam.warned.all(),
    )


class _Exam:
    def __init__(self, kind: str, params: Mapping[str, object]) -> None:
        self._kind, self._params = kind, params
        self._model = mesa.Model(rng=SEED)
        self._needs_rate = bool(getattr(make(kind, params), "needs_rate", ""))
        self.defects, self.refusals, self.warned = (
            FindingCollector(),
            FindingCollector(),
            FindingCollector(),
        )
        self._marked: dict[str, str] = {}
        self.shown = 0

    def all_of(self, role: str) -> None:
        """Run every situation of a role."""
        refused, answered, most_micro = [], 0, 0.0
        for situation, play in self._situations(role):
            self.shown += 1
            name = situation.name
            once, refusal = self._watched(role, situation, play)
            answered += bool(once.answers)
            most_micro = max(most_micro, once.subject.most_micro)
            if refusal:
                refused.append((name, refusal))
                continue
            if once.broken:
                continue
            self._compare(role, situation, play, once)
        for name, refusal in refused:
            if answered:
                self.refusals.add(REFUSES, role, name, refusal)
            else:
                self.defects.add(REFUSES, role, name, refusal)
        if 0 < most_micro < _SMALL_MICRO:
            what = "its price" if "post_price" in preset_of(role).asks else "its willingness to pay"
            words = (
                f"{what} is at most {most_micro:.3g} micro-units ({most_micro / MICRO:.3g} money)"
            )
            self.warned.add(_WARNINGS, role, _ALL, f"{words}; 1 money is 1,000,000 micro-units")

    def _situations(self, role: str) -> Iterator[tuple[Any, Play]]:
        preset = preset_of(role)
        methods = preset.asks
        if "post_price" in methods:
            yield from ((course, prices) for course in PRICES)
        elif "admit" in methods:
            yield from ((course, calls) for course in CALLS)
        elif "order" in methods:
            yield from ((course, asks) for course in ASKS)
        else:
            limit = 1e6 if self._needs_rate else np.inf
            for situation in FLOWS:
                if "classes" in preset.takes and situation.name in _NO_CLASSES:
                    continue  # it observes only flows in its classes
                yield situation, decisions(limit, in_classes=not preset.pays_itself)
            if "classes" in preset.takes:
                first = self._subject(role, CLASSES[0], "examined")
                yield from ((course, fees) for course in CLASSES if first.sells_classes)

    def _subject(self, role: str, situation: Any, name: str) -> Subject:
        balance = situation.balance_micro
        return Subject(self._model, name, role, self._kind, self._params, balance)

    def _watched(self, role: str, situation: Any, play: Play) -> tuple[Course, str]:
        """Run a situation for the first time; return the course and any refusal, or ""."""
        watch, name = CallWatch(), situation.name
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            course = Course(self._subject(role, situation, "examined"))
            turns = play(situation, draws_of(name), course.subject)
            with watch:
                course.play(turns)
        for warning in warned:
            what = f"{warning.category.__name__}: {warning.message}"
            where = f"{warning.filename}:{warning.lineno}"
            self.warned.add(_WARNINGS, role, name, f"{what} ({where})")
        for field in course.subject.mutated():
            self.defects.add(MUTATES, role, name, f"modifies its input: {field}")
        self._marked = dict(watch.calls)
        for what, where in watch.calls:
            if what != ENTROPY:
                kind = CLOCK if what == CLOCKS else RANDOM
                self.defects.add(kind, role, name, f"{what}: {where}")
        if course.error is None:
            return course, ""
        kind, what = put_down(course.error)
        if kind == REFUSES:
            return course, what
        self.defects.add(kind, role, name, f"decision {course.step}: {what}")
        course.broken = True
        return course, ""

    def _compare(self, role: str, situation: Any, play: Play, once: Course) -> None:
        """Run a situation for the second and the third time, and compare the answers."""
        name = situation.name
        state = _state(find(self._kind))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            again = Course(self._subject(role, situation, "examined"))
            again.play(play(situation, draws_of(name), again.subject))
            together = Course(self._subject(role, situation, "examined"))
            other = Course(self._subject(role, situation, "another"))
            together.play(
                play(situation, draws_of(name), together.subject),
                meanwhile=play(situation, draws_of(name + " elsewhere"), other.subject),
            )
        shared = [key for key, value in _state(find(self._kind)).items() if state.get(key) != value]
        parted = differ(once, again)
        named = f" ({', '.join(shared)})" if shared else ""
        if parted and GENERATORS in self._marked:
            self.defects.add(RANDOM, role, name, "the same seed gives different answers")
        elif parted and shared:
            words = f"a new object answers differently from the previous one{named}"
            self.defects.add(SHARED, role, name, words)
        elif parted and CLOCKS not in self._marked:
            beside = self._marked.get(ENTROPY, "something other than its input")
            words = f"the same seed gives different answers, which depend on {beside}"
            self.defects.add(RANDOM, role, name, words)
        elif not parted and differ(once, together):
            words = f"an object answers differently if another object decides in between{named}"
            self.defects.add(SHARED, role, name, words)


def _state(cls: type) -> dict[str, str]:
    """Return class attributes and module variables, which objects of a class share, as text."""
    state = {}
    for owner in cls.__mro__[:-1]:
        for name, value in vars(owner).items():
            if not name.startswith("__") and not callable(value):
                state[f"{owner.__name__}.{name}"] = repr(value)
    module = sys.modules.get(cls.__module__)
    for name, value in vars(module).items() if module else ():
        if not name.startswith("__") and not callable(value) and not hasattr(value, "__spec__"):
            state[name] = repr(value)
    return state
