# SPDX-License-Identifier: Apache-2.0
"""TCP transports that derive a rate from the marks: the REM source and primal control."""

from __future__ import annotations

from typing import Annotated

from ecnomy.markets.inputs.amounts import Amount, Choice, Number
from ecnomy.markets.inputs.reading import Misfit
from ecnomy.markets.scenario.law_numbers import number_of
from ecnomy.markets.scenario.tcp_options import SMALLEST_WINDOW, MarkRate, TcpOptions

__all__ = ["Primal", "Rem"]

_MarkWeight = Amount(
    what="a rate", example="36 marks/s", units=("mark/s",), whole=False, least=1e-9, most=1e12
)
_PacketRate = Amount(
    what="a rate",
    example="12 packets/ms",
    units=("packet/s",),
    whole=False,
    least=1e-9,
    most=1e9,
)
_Kappa = Amount(
    what="a rate",
    example="5 packets/s",
    units=("packet/s",),
    whole=False,
    least=1e-9,
    most=1e9,
)
_RttError = Amount(what="a time", example="-1 ms", units=("ps",), least=-(10**15), most=10**15)
_RttErrorStd = Amount(what="a time", example="1 ms", units=("ps",), most=10**15)


class _Priced(TcpOptions, frozen=True, kw_only=True):
    """Options of laws that observe every mark and derive a rate from the marks.

    Attributes:
        mark_rate: marks per second that the source is willing to pay for, instead of a weight.
    """

    mark_rate: Annotated[float | None, MarkRate] = None
    min_rate: Annotated[float, _PacketRate]
    max_rate: Annotated[float, _PacketRate]

    def _priced(self, law: str, send: str, least_window: float) -> None:
        fixed: dict[str, object] = {"ecn": "accurate", "send": send, "slow_start": False}
        for key, value in fixed.items():
            given = getattr(self, key)
            if given is not None and given != value:
                word = "off" if value is False else value
                raise Misfit(key, f"{given!r} with law: {law}", f"{word}, or omit it")
        if self.max_rate < self.min_rate:
            given, least = (f"{rate:g} packets/s" for rate in (self.max_rate, self.min_rate))
            raise Misfit("max_rate", given, f"at least min_rate, {least}")
        self._fill(fixed | {"initial_window": 1.0, "cwnd_min": least_window})
        self._check()


class Rem(_Priced, frozen=True, kw_only=True, tag="rem", tag_field="law"):
    """The REM source (athuraliya2000), which sets its rate and window by the price in its marks.

    Note:
        A `mark_rate` equals weight x ln phi. The source receives that rate if marks are rare, and a
        lower rate if they are frequent. Losses do not change its window. Prices begin at 0, so
        flows start at `max_rate`. Set `max_rate` to the rate of the path's slowest link, and
        provide a large buffer. With buffers of 200 packets, losses at the start leave a ring of six
        links 11 to 20 % away from its optimum after 40 s. If phi is `auto` here, or phi, gamma or
        alpha at a REM link, it is computed from capacities, round trips and initial weights. The
        computation assumes that all REM sources are active, and ignores other traffic. All `auto`
        values of phi are equal; if the scenario states phi as a number elsewhere, that number is
        used. `ecnomy check` warns about a gamma or alpha beyond the bound of stability, and a phi
        that marks fewer than 5 % or more than 99 % of a source's packets. In the paper all packets
        can be marked, so `ect: all` is the default. With `ect: data`, links drop retransmissions
        whenever they would mark data. With `not_ect: pass`, retransmissions count as unmarked
        instead, and the source sends faster into the queue that delayed its ACKs.
    """

    utility: Annotated[str, Choice(("log", "quadratic"))] = "log"
    weight: Annotated[float | None, _PacketRate] = None
    phi: Annotated[float, number_of("window", "rem", "phi", auto=True)]
    min_rate: Annotated[float, _PacketRate] = 1.0
    max_rate: Annotated[float, _PacketRate]
    samples: Annotated[int, Number(what="a number", least=1, most=128, whole=True)] = 100
    initial_fraction: Annotated[float, number_of("window", "rem", "initial_fraction")] = 1.0
    rtt_weight: Annotated[float, number_of("window", "rem", "rtt_weight")] = 0.01
    smoothed: Annotated[str, Choice(("off", "unit", "fraction"))] = "off"
    step: Annotated[float, number_of("window", "rem", "step")] = 0.1
    rtt_error: Annotated[int, _RttError] = 0
    rtt_error_std: Annotated[int, _RttErrorStd] = 0

    def __post_init__(self) -> None:
        if (self.weight is None) == (self.mark_rate is None):
            neither = self.weight is None
            found = "neither 'weight' nor 'mark_rate'" if neither else "'weight' and 'mark_rate'"
            raise Misfit("weight", found, "one of them")
        self._fill({"ect": "all"})
        self._priced("rem", "ack-clocked", 1.0)


class Primal(_Priced, frozen=True, kw_only=True, tag="primal", tag_field="law"):
    """Rate-based primal control (siris2002 Eq. 1) that receives `weight` marks per second.

    Note:
        The source paces its packets at a rate x. Each acknowledged packet raises x by
        kappa w / x, and each mark lowers x by kappa. At any round trip, the source settles at
        `weight` (or `mark_rate`) marks per second.
    """

    weight: Annotated[float | None, _MarkWeight] = None
    kappa: Annotated[float, _Kappa] = 5.0
    initial_rate: Annotated[float, _PacketRate] = 10.0
    min_rate: Annotated[float, _PacketRate] = 0.1
    max_rate: Annotated[float, _PacketRate] = 1e9

    def __post_init__(self) -> None:
        if self.weight is not None and self.mark_rate is not None:
            raise Misfit("mark_rate", "both 'weight' and 'mark_rate'", "one of them")
        self._priced("primal", "paced", SMALLEST_WINDOW)
