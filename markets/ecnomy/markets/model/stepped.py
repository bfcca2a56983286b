# SPDX-License-Identifier: Apache-2.0
"""The interface of a Mesa model for a market with an engine.

    with open_market("configs/examples/gold-silver.yaml") as market:
        while market.running:
            market.step()

A model steps through its session (session/session.py), which holds everything that must be closed:
engine, socket, results folder. The session does not refer to the model. A market that is no longer
referenced is therefore garbage-collected, and its run ends.

`time` is simulated time in seconds, with every version of Mesa. Since version 3.5, Mesa keeps its
own clock, which counts steps and schedules events, in an attribute with this name. A market uses
its engine's clock instead.
"""

from __future__ import annotations

import itertools
from types import TracebackType
from typing import Any, NoReturn, Protocol, Self

import mesa
import numpy as np

from ecnomy.agents.errors import InputError, NotRunningError
from ecnomy.agents.times import PS_PER_S
from ecnomy.markets.results.results import Results
from ecnomy.markets.results.writer import ended_by

__all__ = ["Stepped", "Steps"]


class Steps(Protocol):
    """The object that advances a model's run."""

    @property
    def running(self) -> bool:
        """Return whether the run is still in progress."""

    def check(self) -> None:
        """Raise NotRunningError if a step is impossible."""

    def step(self, model: Any) -> None:
        """Advance to the next report."""

    def close(self, model: Any, reason: str | None = None) -> Results:
        """End the run."""

    def abandon(self, model: Any) -> None:
        """End the run of a model that is no longer referenced; never raises."""


class Stepped(mesa.Model):
    """A model that steps through a session.

    Attributes:
        t_ps: simulated time of the last report [ps].
    """

    _session: Steps | None = None

    def __init__(self, seed: int) -> None:
        """Seed Mesa's own draws (`random`, `rng`) with `seed`."""
        self._stopped = False
        self._numbers = itertools.count(1)
        self.t_ps = 0
        super().__init__(rng=seed)
        # Replace Mesa's wrapper, because that of Mesa 3.5 silently does nothing after an error or
        # within a step.
        self.step = self._checked_step  # type: ignore[method-assign]

    @property
    def running(self) -> bool:
        """Return whether another epoch follows. Set it to False to stop, as in any Mesa model."""
        return not self._stopped and (self._session is None or self._session.running)

    @running.setter
    def running(self, on: bool) -> None:
        self._stopped = not on

    @property
    def time(self) -> float:
        """Return the simulated time of the last report [s]."""
        return self.t_ps / PS_PER_S

    @time.setter
    def time(self, _: float) -> None:
        """Ignore Mesa's count of steps, which Mesa sets here.

        The engine's clock does not change.
        """

    def attach(self, session: Steps) -> None:
        """Use this session for `step` and `close`."""
        self._session = session

    def step(self) -> None:
        """Simulate packets, bookings and decisions up to the next report.

        Reports come at every multiple of the epoch, at the end of the warm-up, and at the end of
        the run. Changes since the last report are sent first. The last step closes the results.

        Raises:
            NotRunningError: this market has no engine, or its run has ended.
            EcnomyError, OSError: as for `run`; the run has then ended.
        """
        if self._session is not None:
            self._session.step(self)

    def _checked_step(self) -> None:
        if self._session is None:
            raise NotRunningError("this market has no engine; use open_market() to start one")
        self._session.check()
        self.steps += 1
        type(self).step(self)

    def run_until(self, end_time: float) -> None:
        """Step until simulated time is `end_time` seconds or more, or the run has ended.

        Raises:
            TypeError: the time is not a number.
            NotRunningError, EcnomyError, OSError: as for `step`.
        """
        _seconds("run_until", end_time)
        while self.running and self.time < end_time:
            self.step()

    def run_for(self, duration: float) -> None:
        """Step for `duration` seconds of simulated time (0 or more); see run_until.

        Raises:
            InputError: the duration is negative; further errors as for run_until.
        """
        _seconds("run_for", duration)
        if not duration >= 0:
            raise InputError(f"run_for: found {duration:g} s, expected 0 s or more")
        self.run_until(self.time + duration)

    def schedule_event(self, *_: Any, **__: Any) -> NoReturn:
        """Refuse the event, because Mesa schedules events by a clock that a market does not have.

        Raises:
            NotImplementedError: always.
        """
        raise NotImplementedError(
            "a market has no events; act between two steps and read market.time"
        )

    schedule_recurring = schedule_event

    def close(self) -> Results:
        """End the run if it has not ended, and return its results.

        Returns:
            The results, which are incomplete before the end of the run. With `tables=False`, the
            results are in memory, and have the tables `flows`, `links` and `pairs`, the summary and
            the balances.

        Raises:
            NotRunningError: this market has no engine, or a step is in progress (the call comes
                from an agent).
            OSError: the results cannot be written.
        """
        if self._session is None:
            raise NotRunningError("this market has no engine and no results")
        return self._session.close(self)

    def register_agent(self, agent: mesa.Agent) -> None:
        """See mesa.Model. Mesa 3.3 would number agents in a table that keeps every model alive."""
        getattr(mesa.Agent, "_ids", {}).pop(self, None)
        agent.unique_id = next(self._numbers)
        super().register_agent(agent)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> None:
        if self._session is not None:
            left = error is None or isinstance(error, GeneratorExit)
            self._session.close(self, None if left or error is None else ended_by(error))

    def __del__(self) -> None:
        if self._session is not None:
            self._session.abandon(self)


def _seconds(who: str, time: object) -> None:
    if not isinstance(time, int | float | np.integer | np.floating):
        raise TypeError(f"{who}: the time must be a number (seconds), got {time!r}")
