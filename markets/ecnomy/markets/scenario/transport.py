# SPDX-License-Identifier: Apache-2.0
"""What users write under `transport:`: a window law on TCP, or UDP.

A window law leaves what depends on other fields open (None) and fills it in once they are known.
"""

from __future__ import annotations

from typing import Annotated, Final

import msgspec

from ecnomy.markets.inputs.amounts import (
    Amount,
    Choice,
    Number,
    Size,
    SizeReader,
    number_of,
)
from ecnomy.markets.inputs.reading import Misfit

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

PS_PER_S: Final = 1e12
LARGEST_WINDOW: Final = 1e9
SMALLEST_WINDOW: Final = 1 / 64

_Payload = Annotated[
    int, Amount(what="a size", example="1460 bytes", units=("byte",), least=1, most=65_535)
]
_Header = Annotated[int, Amount(what="a size", example="40 bytes", units=("byte",), most=1000)]
_Ack = Annotated[
    int, Amount(what="a size", example="40 bytes", units=("byte",), least=1, most=65_535)
]
_Timeout = Annotated[
    int, Amount(what="a time", example="200 ms", units=("ps",), least=1000, most=10**16)
]
_Window = Amount(
    what="a window",
    example="10 packets",
    units=("packet",),
    whole=False,
    above=True,
    most=LARGEST_WINDOW,
    words=(("unlimited", LARGEST_WINDOW),),
    plain=True,
)
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
_ReceiverWindow = Annotated[Size, SizeReader(least=1, unlimited="unlimited")]
_DelayedAcks = Annotated[
    int,
    Amount(
        what="a number of packets",
        example="2 packets",
        units=("packet",),
        least=1,
        most=1_000,
        words=(("off", 1),),
        plain=True,
    ),
]
# RFC 1122 section 4.2.3.2: less than half a second.
_AckDelay = Annotated[
    int, Amount(what="a time", example="40 ms", units=("ps",), least=1000, most=5 * 10**11)
]
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
_MarkRate = Amount(what="a rate", example="36 marks/s", units=("mark/s",), whole=False, most=1e12)
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
_Queued = Amount(
    what="a number of packets",
    example="3 packets",
    units=("packet",),
    whole=False,
    most=1e9,
    plain=True,
)
_RttError = Amount(what="a time", example="-1 ms", units=("ps",), least=-(10**15), most=10**15)
_RttErrorStd = Amount(what="a time", example="1 ms", units=("ps",), most=10**15)
_Send = Annotated[str | None, Choice(("paced", "ack-clocked"))]
_Echo = Annotated[str | None, Choice(("accurate", "rfc3168", "off"))]
_Ect = Annotated[str, Choice(("data", "all"))]


class TcpOptions(msgspec.Struct, frozen=True, kw_only=True):
    """What all window laws share. None: the law's own default, filled in when it is made."""

    ecn: _Echo = None
    ect: _Ect = "data"
    sack: bool = False
    delayed_acks: _DelayedAcks = 1
    delayed_ack_time: _AckDelay = 40_000_000_000
    receiver_window: _ReceiverWindow = Size(-1, "packets")
    send: _Send = None
    slow_start: bool | None = None
    initial_window: Annotated[float | None, _Window] = None
    cwnd_min: Annotated[float | None, _Window] = None
    cwnd_max: Annotated[float, _Window] = LARGEST_WINDOW
    mss: _Payload = 1460
    header: _Header = 40
    ack: _Ack = 40
    min_rto: _Timeout = 200_000_000_000
    max_rto: _Timeout = 60_000_000_000_000
    initial_rto: _Timeout = 1_000_000_000_000

    def _fill(self, defaults: dict[str, object]) -> None:
        for name, value in defaults.items():
            if getattr(self, name) is None:
                msgspec.structs.force_setattr(self, name, value)

    def _check(self) -> None:
        least = self.cwnd_min or 0.0
        if self.send == "ack-clocked" and least < 1:
            # No ACK would come back to release the next packet.
            raise Misfit("cwnd_min", f"{least:g} packets", "at least 1 packet when ack-clocked")
        if self.cwnd_max < least:
            raise Misfit("cwnd_max", f"{self.cwnd_max:g} packets", f"at least {least:g} packets")
        if self.max_rto < self.min_rto:
            floor, given = (f"{ps / PS_PER_S:g} s" for ps in (self.min_rto, self.max_rto))
            raise Misfit("max_rto", given, f"at least min_rto, {floor}")
        if self.ect == "all" and self.ecn == "off":
            raise Misfit("ect", "'all' with ecn: off", "'data', or ecn: accurate or rfc3168")
        if self.delayed_acks > 1 and self.delayed_ack_time > self.min_rto:
            # The retransmission timer would not wait for the ACK.
            wait_s, most_s = self.delayed_ack_time / PS_PER_S, self.min_rto / PS_PER_S
            raise Misfit("delayed_ack_time", f"{wait_s:g} s", f"at most min_rto, {most_s:g} s")


class Wtp(TcpOptions, frozen=True, kw_only=True, tag="wtp", tag_field="law"):
    """Willingness to pay: `weight` marks per round trip, or `mark_rate` marks per second."""

    form: Annotated[str, Choice(("proportional-increase", "inverse-decrease", "general"))] = (
        "proportional-increase"
    )
    gain: Annotated[float, number_of("window", "wtp", "gain")] = 0.5
    weight: Annotated[float | None, _Weight] = None
    w_inc: Annotated[float | None, _Weight] = None
    w_dec: Annotated[float | None, _Weight] = None
    mark_rate: Annotated[float | None, _MarkRate] = None
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
    mark_rate: Annotated[float | None, _MarkRate] = None
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

    payload: _Payload = 1000
    header: _Header = 28
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


class _Priced(TcpOptions, frozen=True, kw_only=True):
    """Laws that learn of every mark and set a rate by what marks say."""

    mark_rate: Annotated[float | None, _MarkRate] = None
    min_rate: Annotated[float, _PacketRate]
    max_rate: Annotated[float, _PacketRate]

    def _priced(self, law: str, send: str, least_window: float) -> None:
        fixed: dict[str, object] = {"ecn": "accurate", "send": send, "slow_start": False}
        for key, value in fixed.items():
            given = getattr(self, key)
            if given is not None and given != value:
                word = "off" if value is False else value
                raise Misfit(key, f"{given!r} with law: {law}", f"{word}, or leave it out")
        if self.max_rate < self.min_rate:
            given, least = (f"{rate:g} packets/s" for rate in (self.max_rate, self.min_rate))
            raise Misfit("max_rate", given, f"at least min_rate, {least}")
        self._fill(fixed | {"initial_window": 1.0, "cwnd_min": least_window})
        self._check()


class Rem(_Priced, frozen=True, kw_only=True, tag="rem", tag_field="law"):
    """The REM source (athuraliya2000): the path's price, read from marks, sets rate and window."""

    utility: Annotated[str, Choice(("log", "quadratic"))] = "log"
    weight: Annotated[float | None, _PacketRate] = None
    phi: Annotated[float, number_of("window", "rem", "phi")]
    min_rate: Annotated[float, _PacketRate] = 100.0
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
            found = "neither" if self.weight is None else "both"
            raise Misfit("weight", f"{found} 'weight' and 'mark_rate'", "one of them")
        self._priced("rem", "ack-clocked", 1.0)


class Primal(_Priced, frozen=True, kw_only=True, tag="primal", tag_field="law"):
    """Rate-based primal control (siris2002 Eq. 1): paced, `weight` marks per second."""

    weight: Annotated[float | None, _MarkWeight] = None
    kappa: Annotated[float, _PacketRate] = 5.0
    initial_rate: Annotated[float, _PacketRate] = 10.0
    min_rate: Annotated[float, _PacketRate] = 0.1
    max_rate: Annotated[float, _PacketRate] = 1e9

    def __post_init__(self) -> None:
        if self.weight is not None and self.mark_rate is not None:
            raise Misfit("mark_rate", "both 'weight' and 'mark_rate'", "one of them")
        self._priced("primal", "paced", SMALLEST_WINDOW)


TcpTransport = Wtp | WtpSender | Reno | NewReno | Tahoe | MulTcp | Vegas | Rem | Primal
Transport = TcpTransport | Udp


def rfc5681_initial_window(mss_bytes: int) -> float:
    """Packets a connection may begin with (RFC 5681 section 3.1)."""
    if mss_bytes > 2190:
        return 2.0
    return 3.0 if mss_bytes > 1095 else 4.0
