# SPDX-License-Identifier: Apache-2.0
"""The model that SolaraViz steps: an open market, held values, and observations.

At a reset, SolaraViz creates a new model and drops the previous one, while its playing thread may
be about to take several steps. So a Stage holds the only market of a page. It ends the previous
engine and opens another one when the playing thread has ended.

A request to draw the page makes the drawing thread start over. If drawing takes longer than a step,
requests from a playing thread would never let it finish. So a step waits until the last requested
picture is drawn (Drawn).
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Final

from ecnomy.agents.errors import EcnomyError
from ecnomy.agents.times import PS_PER_S
from ecnomy.analysis.dashboard.figures import Watch
from ecnomy.analysis.dashboard.groups import groups_of
from ecnomy.analysis.dashboard.held_values import Hand
from ecnomy.markets.model.market import Market
from ecnomy.markets.scenario import Scenario
from ecnomy.markets.session.session import open_market

__all__ = ["Drawn", "LiveMarket", "Stage"]

_PLAYER_ENDS_S: Final = 2.0  # the playing thread sleeps for half a second at most
_LONGEST_S: Final = 5.0  # longest wait, because a hidden page is not drawn


class Drawn:
    """The number of the last completely drawn picture."""

    def __init__(self) -> None:
        """Start before the first picture."""
        self._number = -1
        self._changed = threading.Condition()

    def done(self, number: int) -> None:
        """Record the number of a picture that has just been drawn."""
        with self._changed:
            self._number = max(self._number, number)
            self._changed.notify_all()

    def wait(self, number: int) -> None:
        """Wait for a picture, but at most some seconds.

        If the picture is not complete by then, wait once more, because its thread is still drawing.
        """
        began_s = time.monotonic()
        with self._changed:
            if self._number >= number:
                return
            self._changed.wait_for(lambda: self._number >= number, _LONGEST_S)
        time.sleep(min(time.monotonic() - began_s, 1.0))


class Stage:
    """The holder of the current market of a page, over several runs."""

    def __init__(self, scenario: Scenario, engine: str) -> None:
        """Create a stage without a market."""
        self.scenario, self.engine = scenario, engine
        self._lock = threading.RLock()
        self._market: Market | None = None
        self._closed = False
        self._players: set[threading.Thread] = set()  # threads that stepped the current market

    def open(self, seed: int) -> Market:
        """End the current market and open another.

        Raises:
            EcnomyError, OSError: as for open_market.
        """
        self._end()
        self._await_players()
        with self._lock:
            self._market = open_market(self.scenario, seed=seed, tables=False, engine=self.engine)
            return self._market

    def _await_players(self) -> None:
        """Wait until threads that still play a closed market have ended."""
        players, self._players = self._players - {threading.current_thread()}, set()
        for player in players:
            player.join(_PLAYER_ENDS_S)

    def replaces(self, market: Market) -> bool:
        """Return whether a reset has ended the market, so that another market follows."""
        return self._market is not market and not self._closed

    def close(self) -> None:
        """End the current market and its engine for good."""
        self._closed = True
        self._end()

    def _end(self) -> None:
        with self._lock:
            market, self._market = self._market, None
            if market is not None:
                market.close()

    def step(self, live: LiveMarket) -> None:
        """Step the current market; ignore a step of another market.

        Raises:
            EcnomyError, OSError: as Market.step.
        """
        with self._lock:
            if self._market is not live.market:
                return
            self._players.add(threading.current_thread())
            live.hand.apply(live.market, live.groups)
            live.market.step()
            live.watch.look(live.market)


class LiveMarket:
    """A market with the interface of SolaraViz models: `step`, `running`, `steps`, `time`.

    Attributes:
        stage: the stage of the page.
        market: the running market.
        groups: the groups with knobs.
        hand: the held values.
        watch: the record of observations.
        failure: the error that ended the run, in one line; "" if there was no error.
        drawn: the last picture of the page; `asked`: the number of the last requested picture.
    """

    def __init__(self, stage: Stage, seed: int) -> None:
        """Open a market on the stage.

        Raises:
            EcnomyError, OSError: as for open_market.
        """
        self.stage = stage
        self.market = stage.open(int(seed))
        self.groups = groups_of(stage.scenario, self.market)
        self.hand = Hand()
        self.watch = Watch(self.market, self.groups)
        self.failure = ""
        self.drawn = Drawn()
        self.asked: Callable[[], int] = lambda: -1

    @property
    def running(self) -> bool:
        """Whether another epoch follows.

        It is also true for a market that a reset has ended. Otherwise, Mesa's playing thread would
        disable the buttons of the next market.
        """
        return not self.failure and (self.stage.replaces(self.market) or self.market.running)

    @property
    def steps(self) -> int:
        """The number of simulated epochs."""
        return int(self.market.steps)

    @property
    def time(self) -> float:
        """The simulated time in seconds."""
        return self.market.t_ps / PS_PER_S

    def step(self) -> None:
        """Simulate one epoch; an error ends the run and sets `failure`."""
        if not self.running:
            return
        self.drawn.wait(self.asked())
        try:
            self.stage.step(self)
        except (EcnomyError, OSError) as error:
            self.failure = " ".join(str(error).split())
