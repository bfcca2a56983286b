# SPDX-License-Identifier: Apache-2.0
"""Run an examined agent through a situation, one decision at a time."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from typing import Any, Final

import numpy as np

from ecnomy.agents.errors import EcnomyError
from ecnomy.agents.times import PS_PER_S
from ecnomy.markets.conformance.asks import ask_of, heard
from ecnomy.markets.conformance.findings import ANSWER, RAISES, REFUSES
from ecnomy.markets.conformance.other_situations import (
    call_at,
    class_observation,
    link_observation,
    stream_observation,
)
from ecnomy.markets.conformance.situations import PLAIN_S, observation
from ecnomy.markets.conformance.subject import Subject

__all__ = [
    "Course",
    "Play",
    "calls",
    "decisions",
    "differ",
    "draws_of",
    "fees",
    "prices",
    "put_down",
]

_JUDGES: Final = (
    "ecnomy.agents.decision",
    "ecnomy.agents.roles.",
    "ecnomy.markets.conformance.",
)

Play = Callable[[Any, np.random.Generator, Subject], Iterator[None]]


class Course:
    """The course of an examined agent through a situation.

    Attributes:
        error: exception that ended the course, or None if the course finished.
        step: number of decisions begun, if an exception ended the course.
        broken: whether this course ended with a defect.
    """

    def __init__(self, subject: Subject) -> None:
        self.subject, self.step, self.broken = subject, 0, False
        self.error: BaseException | None = None

    @property
    def answers(self) -> list[tuple[object, ...]]:
        """See Subject."""
        return self.subject.answers

    def play(self, turns: Iterator[None], meanwhile: Iterator[None] | None = None) -> None:
        """Take all turns, or those before an exception, each followed by a turn of `meanwhile`."""
        while True:
            try:
                self.step += 1
                next(turns)
            except StopIteration:
                return
            except (Exception, SystemExit) as error:
                self.error = error
                return
            try:
                if meanwhile is not None:
                    next(meanwhile, None)
            except Exception:  # the other subject's exceptions are reported by its own examination
                meanwhile = None


def decisions(limit_bps: float, *, in_classes: bool) -> Play:
    """Return a function that runs the course of a strategy for flows, with or without classes."""

    def play(situation: Any, draws: np.random.Generator, subject: Subject) -> Iterator[None]:
        for step, t_ps in _turns(situation):
            view = observation(situation, step, t_ps, draws, limit_bps)
            if not in_classes:
                view.flows.offer[:] = -1
            subject.decide(view)
            yield

    return play


def _turns(course: Any) -> Iterator[tuple[int, int]]:
    """Yield (step, time of the observation [ps]), including the plain observations at the end."""
    t_ps = 0
    for step, dt_s in enumerate((*course.dt_s, *PLAIN_S)):
        t_ps += round(dt_s * PS_PER_S)
        yield step, t_ps


def prices(course: Any, draws: np.random.Generator, subject: Subject) -> Iterator[None]:
    """Let a carrier's strategy post prices, one per observation."""
    for step, t_ps in _turns(course):
        subject.post(link_observation(course, step, t_ps, draws, subject.price_micro))
        yield


def fees(course: Any, draws: np.random.Generator, subject: Subject) -> Iterator[None]:
    """Let a provider's strategy post fees, one set per observation."""
    for step, t_ps in _turns(course):
        subject.post_fees(class_observation(course, step, t_ps, draws, subject.fees))
        yield


def calls(course: Any, draws: np.random.Generator, subject: Subject) -> Iterator[None]:
    """Let a strategy observe test streams, and admit or refuse calls."""
    for step, t_ps in _turns(course):
        if step or not course.asks_first:
            subject.watch(stream_observation(course, step, t_ps, draws))
        for flow in range(3):
            subject.admit(call_at(course, t_ps, flow))
        yield


def asks(course: Any, draws: np.random.Generator, subject: Subject) -> Iterator[None]:
    for number in range(course.calls):
        subject.hear(heard(course, number, draws))
        subject.order(ask_of(course, number))
        subject.claims(broken=number % 3 == 0)
        yield


def draws_of(name: str) -> np.random.Generator:
    """Return the random stream of a situation."""
    key = int.from_bytes(hashlib.blake2b(name.encode(), digest_size=16).digest(), "little")
    return np.random.Generator(np.random.Philox(key=key))


def put_down(error: BaseException) -> tuple[str, str]:
    """Return the kind of finding for an exception, and its message without the agent's name."""
    cause = error.__cause__
    innermost, traceback = "", (cause or error).__traceback__
    while traceback is not None:
        innermost = str(traceback.tb_frame.f_globals.get("__name__", ""))
        traceback = traceback.tb_next
    text = str(error).removeprefix("examined ").removeprefix("examined: ")
    if not isinstance(error, EcnomyError):
        return RAISES, f"{type(error).__name__}: {error}"
    if innermost.startswith(_JUDGES):
        return ANSWER, text
    if cause is None or isinstance(cause, EcnomyError):
        return REFUSES, str(cause or error)
    return RAISES, text


def differ(one: Course, other: Course) -> bool:
    """Return whether the answers of two courses differ."""
    return one.answers != other.answers or (one.error is None) != (other.error is None)
