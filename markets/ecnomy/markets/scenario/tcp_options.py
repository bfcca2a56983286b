# SPDX-License-Identifier: Apache-2.0
"""Options of all TCP transports: echo, pacing, windows, sizes, timers and recovery.

A default that depends on other fields is None until the window law fills it in.
"""

from __future__ import annotations

from typing import Annotated, Final

import msgspec

from ecnomy.agents.times import PS_PER_S
from ecnomy.markets.inputs.amounts import Amount, Choice, Size, SizeReader
from ecnomy.markets.inputs.reading import Misfit
from ecnomy.markets.plan.law_table import law_table, trait_value, with_trait

__all__ = ["LARGEST_WINDOW", "SMALLEST_WINDOW", "Header", "MarkRate", "Payload", "TcpOptions"]

LARGEST_WINDOW: Final = 1e9
SMALLEST_WINDOW: Final = 1 / 64

Payload = Annotated[
    int, Amount(what="a size", example="1460 bytes", units=("byte",), least=1, most=65_535)
]
Header = Annotated[int, Amount(what="a size", example="40 bytes", units=("byte",), most=1000)]
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
_LeastWindow = msgspec.structs.replace(  # as in omnet/host/plan.cc; kept in memory
    _Window, least=1e-6, above=False, most=1e6, words=()
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
# RFC 1122 section 4.2.3.2: an ACK waits for less than half a second.
_AckDelay = Annotated[
    int, Amount(what="a time", example="40 ms", units=("ps",), least=1000, most=5 * 10**11)
]
_Send = Annotated[str | None, Choice(("paced", "ack-clocked"))]
_Echo = Annotated[str | None, Choice(("accurate", "accecn", "rfc3168", "off"))]
_Ect = Annotated[str | None, Choice(("data", "all"))]
Codepoint = Choice(("ect-0", "ect-1"))
_Rtt = Annotated[str, Choice(("smoothed", "mean"))]
_ReduceFrom = Annotated[str, Choice(("window", "flight", "pipe"))]


MarkRate = Amount(what="a rate", example="36 marks/s", units=("mark/s",), whole=False, most=1e12)


class TcpOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Options of all window laws. None stands for the law's default, which is filled in later.

    Attributes:
        ecn: echo of marks by the receiver: accurate (a count), accecn (a count modulo 8), rfc3168
            (repeated until CWR), or off. With off, no packet is ECN-capable. The count of accecn is
            the ACE field of AccECN, without the AccECN option (RFC 9768).
        ect: packets that are ECN-capable: data, or all, which adds SYNs, retransmissions and ACKs.
            The default is all for L4S laws and rem, and data for other laws.
        codepoint: codepoint of ECN-capable packets: ECT(0), or ECT(1) for L4S (RFC 9331). L4S laws
            send ECT(1) by default, except scream with `marks: classic`.
        sack: whether to use selective acknowledgements (RFC 2018, RFC 6675).
        delayed_acks: number of packets that one ACK acknowledges; with off, each packet gets an
            ACK.
        delayed_ack_time: longest time for which an ACK is delayed; at most min_rto.
        receiver_window: buffer space at the receiver beyond the cumulative ACK, which limits the
            data in flight.
        send: timing of packets: paced spreads them evenly over the round trip; ack-clocked sends
            them when ACKs arrive.
        slow_start: whether a connection begins in slow start.
        initial_window: window at the start of a connection; by default 1 packet for wtp,
            wtp-sender, rem and primal. For other laws it is 2 to 4 packets, depending on mss (RFC
            5681).
        cwnd_min: smallest window after a decrease; at least 1 packet if ack-clocked.
        cwnd_max: largest window.
        mss: payload bytes of a full packet.
        header: IP and TCP header bytes of a data packet.
        ack: bytes of a pure ACK, SYN or SYN-ACK.
        min_rto: smallest retransmission timeout.
        max_rto: largest retransmission timeout.
        initial_rto: retransmission timeout before the first round trip is measured.
        rtt: round trip used for pacing and for weights in marks/s: smoothed (RFC 6298), or the mean
            over 2 s to 4 s.
        reduce_from: quantity that an ECN echo halves: the window, the data in flight, or the pipe
            of RFC 6675, which a loss halves too.
        repair: whether losses are repaired; without repair, a loss leaves the window unchanged.
    """

    ecn: _Echo = None
    ect: _Ect = None
    codepoint: Annotated[str | None, Codepoint] = None
    sack: bool = False
    delayed_acks: _DelayedAcks = 1
    delayed_ack_time: _AckDelay = 40_000_000_000
    receiver_window: _ReceiverWindow = Size(-1, "packets")
    send: _Send = None
    slow_start: bool | None = None
    initial_window: Annotated[float | None, _Window] = None
    cwnd_min: Annotated[float | None, _LeastWindow] = None
    cwnd_max: Annotated[float, _Window] = LARGEST_WINDOW
    mss: Payload = 1460
    header: Header = 40
    ack: _Ack = 40
    min_rto: _Timeout = 200_000_000_000
    max_rto: _Timeout = 60_000_000_000_000
    initial_rto: _Timeout = 1_000_000_000_000
    rtt: _Rtt = "smoothed"
    reduce_from: _ReduceFrom = "window"
    repair: bool = True

    def _fill(self, defaults: dict[str, object]) -> None:
        for name, value in defaults.items():
            if getattr(self, name) is None:
                msgspec.structs.force_setattr(self, name, value)

    def _is_l4s(self) -> bool:
        law = str(self.__struct_config__.tag)
        if law not in with_trait("window", "ect_1"):
            return False
        parameters = law_table()["window"][law].parameters
        choices = {p.name: p.choices.index(getattr(self, p.key)) for p in parameters if p.choices}
        return not trait_value("window", law, "classic", choices)

    def _check(self) -> None:
        l4s = self._is_l4s()
        self._fill(
            {
                "ect": "all" if l4s and self.ecn != "off" else "data",
                "codepoint": "ect-1" if l4s else "ect-0",
            }
        )
        least = self.cwnd_min or 0.0
        if self.send == "ack-clocked" and least < 1:
            # Otherwise no ACK would return to release the next packet.
            raise Misfit("cwnd_min", f"{least:g} packets", "at least 1 packet when ack-clocked")
        if self.cwnd_max < least:
            raise Misfit("cwnd_max", f"{self.cwnd_max:g} packets", f"at least {least:g} packets")
        if self.max_rto < self.min_rto:
            floor, given = (f"{ps / PS_PER_S:g} s" for ps in (self.min_rto, self.max_rto))
            raise Misfit("max_rto", given, f"at least min_rto, {floor}")
        if self.ect == "all" and self.ecn == "off":
            raise Misfit("ect", "'all' with ecn: off", "'data', or ecn other than off")
        if not self.repair and self.sack:
            raise Misfit("sack", "sack: true with repair: false", "sack: false")
        if not self.repair and self.delayed_acks > 1:
            given = f"{self.delayed_acks} packets with repair: false"
            raise Misfit("delayed_acks", given, "one ACK per packet, delayed_acks: off")
        if self.delayed_acks > 1 and self.delayed_ack_time > self.min_rto:
            # Otherwise the retransmission timer would expire before the ACK.
            wait_s, most_s = self.delayed_ack_time / PS_PER_S, self.min_rto / PS_PER_S
            raise Misfit("delayed_ack_time", f"{wait_s:g} s", f"at most min_rto, {most_s:g} s")
