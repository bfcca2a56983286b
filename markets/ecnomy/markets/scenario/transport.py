# SPDX-License-Identifier: Apache-2.0
"""What users write under `transport:`: a window law on TCP, or UDP."""

from __future__ import annotations

from typing import Annotated

import msgspec

from ecnomy.markets.inputs.amounts import Amount, Choice, number_of
from ecnomy.markets.inputs.reading import Misfit
from ecnomy.markets.scenario.rate_laws import Primal, Rem
from ecnomy.markets.scenario.tcp_options import (
    LARGEST_WINDOW,
    SMALLEST_WINDOW,
    Header,
    MarkRate,
    Payload,
    TcpOptions,
)

__all__ = [
    "MulTcp",
    "NewReno",
    "Primal",
    "Rem",
    "Reno",
    "Tahoe",
    "TcpOptions",
    "TcpTransport",
    "Transport",
    "Udp",
    "Vegas",
    "Wtp",
    "WtpSender",
]

_Ssthresh = Amount(
    what="a window",
    example="2 packets",
    units=("packet",),
    whole=False,
    least=1,
    most=LARGEST_WINDOW,
    plain=True,
)
_Weight = Amount(
    what="a weight",
    example="4 marks",
    units=("mark",),
    whole=False,
    least=1e-9,
    most=1e9,
    plain=True,
)
_ReferenceRtt = Annotated[
    int,
    Amount(
        what="a round-trip time",
        example="200 ms",
        units=("ps",),
        least=10**6,
        most=10**16,
        words=(("none", -1),),
    ),
]
_Queued = Amount(
    what="a number of packets",
    example="3 packets",
    units=("packet",),
    whole=False,
    most=1e9,
    plain=True,
)


class Wtp(TcpOptions, frozen=True, kw_only=True, tag="wtp", tag_field="law"):
    """Willingness to pay: `weight` marks per round trip, or `mark_rate` marks per second."""

    form: Annotated[str, Choice(("proportional-increase", "inverse-decrease", "general"))] = (
        "proportional-increase"
    )
    gain: Annotated[float, number_of("window", "wtp", "gain")] = 0.5
    weight: Annotated[float | None, _Weight] = None
    w_inc: Annotated[float | None, _Weight] = None
    w_dec: Annotated[float | None, _Weight] = None
    mark_rate: Annotated[float | None, MarkRate] = None
    reference_rtt: _ReferenceRtt = -1

    def __post_init__(self) -> None:
        self._check_weights()
        paced = self.send != "ack-clocked"
        self._fill(
            {
                "ecn": "accurate",
                "send": "paced",
                "slow_start": False,
                "initial_window": 1.0,
                "cwnd_min": SMALLEST_WINDOW if paced else 1.0,
            }
        )
        if self.form != "general" and self.mark_rate is None:
            self._fill({"weight": 1.0})
        self._check()

    def _check_weights(self) -> None:
        general = self.form == "general"
        for key in ("w_inc", "w_dec"):
            given = getattr(self, key) is not None
            if general and not given:
                raise Misfit(key, f"no {key!r}", "a weight such as 4 marks with form: general")
            if given and not general:
                raise Misfit(key, f"{key!r}", "'weight' (w_inc and w_dec are for form: general)")
        for key in ("weight", "mark_rate"):
            if general and getattr(self, key) is not None:
                raise Misfit(key, f"{key!r}", "w_inc and w_dec with form: general")
        if self.weight is not None and self.mark_rate is not None:
            raise Misfit("mark_rate", "both 'weight' and 'mark_rate'", "one of them")


class WtpSender(TcpOptions, frozen=True, kw_only=True, tag="wtp-sender", tag_field="law"):
    """WTP at the sender only: RFC 3168 echo, one response per round trip (antoniadis2000 3.1)."""

    gain: Annotated[float, number_of("window", "wtp-sender", "gain")] = 0.5
    weight: Annotated[float | None, _Weight] = None
    mark_rate: Annotated[float | None, MarkRate] = None
    reference_rtt: _ReferenceRtt = -1
    only_down: bool = False

    def __post_init__(self) -> None:
        if self.weight is not None and self.mark_rate is not None:
            raise Misfit("mark_rate", "both 'weight' and 'mark_rate'", "one of them")
        self._fill(
            {
                "ecn": "rfc3168",
                "send": "ack-clocked",
                "slow_start": False,
                "initial_window": 1.0,
                "cwnd_min": 1.0,
            }
        )
        self._check()


class _Loss(TcpOptions, frozen=True, kw_only=True):
    """Laws that take a mark for a loss: the defaults of ordinary TCP."""

    min_ssthresh: Annotated[float, _Ssthresh] = 2.0

    def __post_init__(self) -> None:
        self._fill(
            {
                "ecn": "rfc3168",
                "send": "ack-clocked",
                "slow_start": True,
                "initial_window": rfc5681_initial_window(self.mss),
                "cwnd_min": 1.0,
            }
        )
        self._check()


class Reno(_Loss, frozen=True, kw_only=True, tag="reno", tag_field="law"):
    """Reno: half the window once per round trip with a mark or a loss."""

    decrease: Annotated[float, number_of("window", "reno", "decrease")] = 0.5


class NewReno(Reno, frozen=True, kw_only=True, tag="newreno", tag_field="law"):
    """Reno that stays in recovery until all losses of a window are repaired (RFC 6582)."""


class Udp(msgspec.Struct, frozen=True, kw_only=True, tag="udp", tag_field="law"):
    """Datagrams of one size; by default those of calls and of test streams are ECN-capable."""

    payload: Payload = 1000
    header: Header = 28
    ecn: Annotated[str, Choice(("auto", "off", "ect", "on"))] = "auto"

    def __post_init__(self) -> None:
        if self.ecn == "on":
            msgspec.structs.force_setattr(self, "ecn", "ect")


class Tahoe(Reno, frozen=True, kw_only=True, tag="tahoe", tag_field="law"):
    """Tahoe: a loss puts the window back to one packet; a mark halves it."""


class MulTcp(_Loss, frozen=True, kw_only=True, tag="multcp", tag_field="law"):
    """MulTCP: behaves as `flows` Reno flows (Crowcroft and Oechslin 1998)."""

    flows: Annotated[float, number_of("window", "multcp", "flows")]
    decrease: Annotated[str, Choice(("one-of-w", "halve"))] = "one-of-w"


class Vegas(_Loss, frozen=True, kw_only=True, tag="vegas", tag_field="law"):
    """Vegas: keeps alpha to beta packets of its own queued; a mark or a loss shrinks the window."""

    alpha: Annotated[float, _Queued] = 1.0
    beta: Annotated[float, _Queued] = 3.0
    gamma: Annotated[float, _Queued] = 1.0
    decrease: Annotated[float, number_of("window", "vegas", "decrease")] = 0.75

    def __post_init__(self) -> None:
        if self.beta < self.alpha:
            least = f"at least alpha, {self.alpha:g} packets"
            raise Misfit("beta", f"{self.beta:g} packets", least)
        super().__post_init__()


TcpTransport = Wtp | WtpSender | Reno | NewReno | Tahoe | MulTcp | Vegas | Rem | Primal
Transport = TcpTransport | Udp


def rfc5681_initial_window(mss_bytes: int) -> float:
    """Packets a connection may begin with (RFC 5681 section 3.1)."""
    if mss_bytes > 2190:
        return 2.0
    return 3.0 if mss_bytes > 1095 else 4.0
