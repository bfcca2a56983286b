# SPDX-License-Identifier: Apache-2.0
"""The types of `ecnomy_laws_testing`, for type checkers and readers, and its loader.

Times are int picoseconds.
"""

from __future__ import annotations

import functools
import importlib.machinery
import importlib.util
from collections.abc import Sequence
from pathlib import Path
from typing import Final, Protocol, cast, overload

__all__ = [
    "ALL_FLOWS",
    "DROP",
    "DROP_PAIR",
    "FARTHEST",
    "MARK",
    "MODULE",
    "NEVER",
    "NO_FLOW",
    "PASS",
    "ClassRow",
    "Laws",
    "Marking",
    "Packet",
    "PathState",
    "Profile",
    "Queue",
    "RoundTrip",
    "Row",
    "Rto",
    "Scheduler",
    "Stream",
    "Traffic",
    "Window",
    "WindowState",
    "load_module",
]

MODULE: Final = "ecnomy_laws_testing"
PASS: Final = 0
MARK: Final = 1
DROP: Final = 2
DROP_PAIR: Final = 3
NO_FLOW: Final = -2
ALL_FLOWS: Final = -1
NEVER: Final = -1
FARTHEST: Final = 2**62  # ps; the limit of draws and of sums of times

Queue = tuple[int, int, int, int]  # waiting packets, bytes, rate in bit/s, idle since (-1 busy)
Packet = tuple[int, int] | tuple[int, int, bool, bool]  # flow, bytes; ect and ce, or just ECT
WindowState = tuple[float, float, float, float]  # cwnd, ssthresh, min, max in packets
# now, srtt, least rtt in ps; packets acknowledged, sent, in flight; limited by the application
PathState = tuple[int, int, int, int, int, int, bool]
# Packets and bytes waiting, rate in bit/s, credit in bytes, share, loss in this busy period.
ClassRow = tuple[int, int, float, float, float, float]
Row = tuple[str, str, float, float, float, str]  # name, unit, default, min, max, choices


class Marking(Protocol):
    """A marking law; verdicts are (action, waiting, draws used)."""

    def on_arrival(
        self, queue: Queue, packet: Packet, now: int, draws: Sequence[float], /
    ) -> tuple[int, int, int]: ...
    def on_departure(
        self, queue: Queue, packet: Packet, now: int, draws: Sequence[float], /
    ) -> tuple[int, int, int]: ...
    def on_drop(self, packet: tuple[int, int, bool, bool], now: int, /) -> None: ...
    def watches_departures(self) -> bool: ...
    def first_timer(self) -> int: ...
    def on_timer(self, queue: Queue, now: int, /) -> int: ...
    def probability(self) -> float: ...
    def configure(self, values: Sequence[float], /) -> None:
        """Set new parameters, and keep the law's state."""

    def measure(self) -> float:
        """RED's average, the measured load, the virtual backlog in bytes or REM's price; else NaN.

        For the adaptive virtual queue it is the virtual capacity over the link's, for the adaptive
        threshold the threshold in bytes, for projected arrivals their excess over the buffer.
        """


class Window(Protocol):
    """A window law, which takes a window and returns it."""

    def per_mark(self) -> bool: ...
    def recovery(self) -> str:
        """`first-ack`, `all-acked` or `go-back`: how its host repairs losses."""

    def on_ack(
        self, window: WindowState, n: int, k: int, trips: float = -1.0, /
    ) -> WindowState: ...
    def on_congestion(self, window: WindowState, used: float, /) -> WindowState: ...
    def on_loss(self, window: WindowState, used: float, /) -> WindowState: ...
    def see(self, path: PathState, /) -> None: ...
    def on_timeout(self, window: WindowState, flight: float, /) -> WindowState: ...
    def weight(self) -> float: ...
    def set_weight(self, weight: float, /) -> None: ...
    def gain(self) -> float:
        """NaN if the law has none."""

    def set_gain(self, gain: float, /) -> None: ...
    def halves(self) -> bool:
        """Whether an echo halves the window, so that a window of one packet waits for the timer."""

    def every_ack(self) -> bool:
        """Whether the law receives all acknowledged packets, not only those that may grow cwnd."""

    def begin(self, window: WindowState, /) -> WindowState: ...
    def on_rtt(self, window: WindowState, rtt: int, /) -> WindowState: ...
    def disturb(self, normal: float, /) -> None: ...
    def aim(self, marks_per_s: float, /) -> None: ...
    def send_rate(self) -> float:
        """The rate in packets/s, or NaN if the law has none."""

    def on_sent(self, path: PathState, seq: int, /) -> None: ...
    def on_delivered(self, first: int, end: int, /) -> None: ...
    def on_lost(self, below: int, selective: bool, /) -> None: ...


class Traffic(Protocol):
    """A traffic law; draws return (value, draws used). Methods that a kind lacks raise."""

    def cap_bps(self, now: int, /) -> int: ...
    def lifted_at(self) -> int: ...
    def first(self, draws: Sequence[float], /) -> tuple[int, int]: ...
    def gap(self, draws: Sequence[float], /) -> tuple[int, int]: ...
    def reading(self, draws: Sequence[float], /) -> tuple[int, int]: ...
    def file_bytes(self, draws: Sequence[float], /) -> tuple[int, int]: ...
    def give_up(self) -> None:
        """The user gave up the last file before its end (parts of `web`)."""

    def payload_bytes(self) -> int:
        """The payload of the last packet (video)."""


class Profile(Protocol):
    """A rate profile over the day."""

    def stretch(self, now: int, pause: int, /) -> int: ...
    def at(self, now: int, /) -> float: ...
    def next_step(self, now: int, /) -> int: ...
    def on(self, now: int, member: int, count: int, /) -> bool: ...


class RoundTrip(Protocol):
    """The round-trip time of a flow with a weight per second."""

    def sample(self, now: int, rtt: int, /) -> None: ...
    def known(self) -> bool: ...
    def min(self) -> int: ...
    def mean(self) -> int: ...
    def for_weight(self) -> int: ...
    def saturated(self) -> bool: ...


class Rto(Protocol):
    """Retransmission timeout."""

    def sample(self, rtt: int, /) -> None: ...
    def back_off(self) -> None: ...
    def rto(self) -> int: ...
    def srtt(self) -> int: ...


class Stream(Protocol):
    """A component's random stream."""

    def next(self) -> int: ...
    def uniform(self) -> float: ...


class Scheduler(Protocol):
    """A class scheduler; packets are (flow, bytes, ect, ce). Only DualPI2 and DOCSIS draw."""

    def arrive(
        self, service: int, packet: tuple[int, int, bool, bool], busy: bool, now: int, /
    ) -> None: ...
    def join(
        self,
        service: int,
        packet: tuple[int, int, bool, bool],
        ect_1: bool,
        flow: int,
        busy: bool,
        now: int,
        draws: Sequence[float],
        /,
    ) -> tuple[int, bool, int]:
        """The queue joined, whether to mark the packet, and the number of draws used."""

    def drop(self, overflow: bool, now: int, /) -> int:
        """The class that lost its last packet, or -1."""

    def settle(self, now: int, /) -> None: ...
    @overload
    def next(self, now: int, /) -> tuple[int, bool, int]:
        """The class, whether to mark the packet, and its waiting time."""

    @overload
    def next(self, now: int, draws: Sequence[float], /) -> tuple[int, bool, int, bool, int]:
        """Like Scheduler.next, then whether to drop the packet instead, and the draws used."""

    def classes(self) -> list[ClassRow]: ...
    def projected(self) -> tuple[float, float]:
        """Bytes beyond the buffer, and the sum of the rates needed, in bit/s."""

    def idle_since(self, service: int, now: int, /) -> int:
        """The time since which a class's part of the link is idle, else -1 (by weights)."""


class Laws(Protocol):
    """The module; a law that is not linked raises KeyError or RuntimeError."""

    def marking(self, name: str, values: Sequence[float], /) -> Marking: ...
    def window(self, name: str, values: Sequence[float], /) -> Window: ...
    def traffic(self, name: str, values: Sequence[float], /) -> Traffic: ...
    def part(self, name: str, values: Sequence[float], /) -> Traffic: ...
    def sizes(
        self, sizes: Sequence[int], weights: Sequence[float], draws: Sequence[float], /
    ) -> list[int]: ...
    def round_trip(self) -> RoundTrip: ...
    def profile(self, period: int, steps: Sequence[tuple[int, int]], /) -> Profile: ...
    def rto(self, initial: int, minimum: int, maximum: int, /) -> Rto: ...
    def stream(self, seed: int, name: str, /) -> Stream: ...
    def start(
        self, at: int, stagger: int, spread: int, index: int, draws: Sequence[float], /
    ) -> tuple[int, int]: ...
    def philox4x32(self, counter: Sequence[int], key: Sequence[int], /) -> list[int]: ...
    def fnv1a64(self, text: str, /) -> int: ...
    def mix64(self, value: int, /) -> int: ...
    def uniform_from_words(self, word: int, /) -> float: ...
    def scheduler(
        self,
        values: Sequence[float],
        classes: Sequence[Sequence[float]],
        rate_bps: int,
        law: str = "class-based",
    ) -> Scheduler: ...
    def weights(self, ratios: Sequence[float], /) -> list[float]: ...
    def codepoint_class(self, ect: bool, ce: bool, ect_1: bool, /) -> int:
        """The class of a packet by its ECN field: 0 for L4S traffic, 1 for all other."""

    def flow_class(self, flow: int, salt: int, queues: int, /) -> int:
        """The queue of a flow among `queues`."""

    def tables(self) -> dict[str, dict[str, list[Row]]]: ...


@functools.cache
def load_module(path: Path) -> Laws:
    """Imports the module at `path`; a process can hold one such module."""
    loader = importlib.machinery.ExtensionFileLoader(MODULE, str(path))
    spec = importlib.util.spec_from_loader(MODULE, loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return cast(Laws, module)
