# SPDX-License-Identifier: Apache-2.0
"""The YAML under `transport:`, which is TCP with a window law, or UDP."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, ClassVar, Final, Union

import msgspec

from ecnomy.markets.inputs.amounts import Amount, Choice
from ecnomy.markets.inputs.reading import Misfit
from ecnomy.markets.inputs.schema_rules import Rules, at_most_one
from ecnomy.markets.plan.law_table import law_table
from ecnomy.markets.scenario.law_forms import (
    Field,
    check_order,
    default_of,
    in_table,
    kind_of,
    law_struct,
)
from ecnomy.markets.scenario.law_numbers import number_of
from ecnomy.markets.scenario.rate_laws import Primal, Rem
from ecnomy.markets.scenario.tcp_options import (
    SMALLEST_WINDOW,
    Codepoint,
    Header,
    MarkRate,
    Payload,
    TcpOptions,
)

__all__ = [
    "Primal",
    "Rem",
    "TcpOptions",
    "TcpTransport",
    "Transport",
    "Udp",
    "WindowForm",
    "Wtp",
    "WtpSender",
    "window_form",
]

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


class Wtp(TcpOptions, frozen=True, kw_only=True, tag="wtp", tag_field="law"):
    """Willingness to pay (WTP), with a target of marks per round trip or per second.

    Attributes:
        weight: target number of marks per round trip. The sum of the weights on a link should be at
            most the number of packets that fit into the round trip and the buffer. Beyond this
            limit, losses determine the rates, and `ecnomy check` warns.
        mark_rate: target number of marks per second, instead of `weight`.
        reference_rtt: round trip at which weight and gain apply as written. At a round trip of T,
            both are multiplied by T / reference_rtt. Equal weights then give equal rates at any
            round trip.
    """

    form: Annotated[str, Choice(("proportional-increase", "inverse-decrease", "general"))] = (
        "proportional-increase"
    )
    gain: Annotated[float, number_of("window", "wtp", "gain")] = 0.5
    weight: Annotated[float | None, _Weight] = None
    w_inc: Annotated[float | None, _Weight] = None
    w_dec: Annotated[float | None, _Weight] = None
    mark_rate: Annotated[float | None, MarkRate] = None
    reference_rtt: _ReferenceRtt = -1
    schema_rules: ClassVar[Rules] = (at_most_one("weight", "mark_rate"),)

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
    """WTP at the sender only, with RFC 3168 echo and one response per RTT (antoniadis2000 3.1).

    Attributes:
        mark_rate: target number of marks per second, instead of `weight`.
        reference_rtt: round trip at which weight and gain apply as written. At a round trip of T,
            both are multiplied by T / reference_rtt. Equal weights then give equal rates at any
            round trip.
    """

    gain: Annotated[float, number_of("window", "wtp-sender", "gain")] = 0.5
    weight: Annotated[float | None, _Weight] = None
    mark_rate: Annotated[float | None, MarkRate] = None
    reference_rtt: _ReferenceRtt = -1
    only_down: bool = False
    schema_rules: ClassVar[Rules] = (at_most_one("weight", "mark_rate"),)

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


class WindowForm(TcpOptions, frozen=True, kw_only=True):
    """A window law as written in YAML; its fields come from the table of laws.

    The defaults are those of ordinary TCP, with two exceptions. Laws that count marks use the
    accurate echo, and laws with a rate and L4S laws pace packets.
    """

    @property
    def mark_rate(self) -> float | None:
        """Return None, because the law has no target of marks per second."""
        return None

    def __post_init__(self) -> None:
        entry = law_table()["window"][self.law]
        l4s, rated = entry.traits["ect_1"], entry.traits["paced"]
        self._fill(
            {
                "ecn": "accurate" if entry.traits["per_mark"] else "rfc3168",
                "send": "paced" if rated or l4s else "ack-clocked",
                "slow_start": True,
                "initial_window": rfc5681_initial_window(self.mss),
            }
        )
        self._fill({"cwnd_min": SMALLEST_WINDOW if l4s and self.send == "paced" else 1.0})
        for more, less in entry.at_least:
            check_order(self, entry.named(more), entry.named(less))
        self._check()

    @property
    def law(self) -> str:
        """Return the name of the law."""
        return str(self.__struct_config__.tag)

    def values(self) -> dict[str, float | str]:
        """Return the parameters of the law by their names in the table of laws."""
        table = law_table()["window"][self.law].parameters
        return {p.name: in_table(p, getattr(self, p.key)) for p in table}


class Udp(msgspec.Struct, frozen=True, kw_only=True, tag="udp", tag_field="law"):
    """Datagrams of one size.

    Attributes:
        payload: payload bytes of a datagram.
        header: IP and UDP header bytes.
        ecn: datagrams that are ECN-capable: all (ect, on), none (off), or only those of calls
            and test streams (auto).
        codepoint: codepoint of ECN-capable datagrams: ECT(0), or ECT(1) for L4S (RFC 9331).
    """

    payload: Payload = 1000
    header: Header = 28
    ecn: Annotated[str, Choice(("auto", "off", "ect", "on"))] = "auto"
    codepoint: Annotated[str, Codepoint] = "ect-0"

    def __post_init__(self) -> None:
        if self.ecn == "on":
            msgspec.structs.force_setattr(self, "ecn", "ect")


class PricedForm(WindowForm, frozen=True, kw_only=True):
    """A window law whose weight the market can set; its fields come from the table of laws.

    Attributes:
        mark_rate: target number of marks per second, instead of the weight.
    """

    mark_rate: Annotated[float | None, MarkRate] = None


def _made(law: str) -> type[WindowForm]:
    entry = law_table()["window"][law]
    base = PricedForm if entry.traits["weighted"] else WindowForm
    chosen = [] if entry.traits["weighted"] else entry.traits["weight"].split(",")  # required
    fields: list[Field] = []
    for parameter in sorted(entry.parameters, key=lambda p: p.name != "min_ssthresh"):
        kind, default = kind_of("window", law, parameter), default_of(parameter)
        needed = default is None or parameter.name in chosen
        key = parameter.key
        fields.append((key, kind) if needed else (key, kind, default))
    return law_struct(law, entry.about, fields, base=base, tag_field="law")  # type: ignore[no-any-return]


_KNOWN: Final = (Wtp, WtpSender, Rem, Primal)
_FORMS: Final = {
    law: _made(law)
    for law in law_table()["window"]
    if law not in {known.__struct_config__.tag for known in _KNOWN}
}
globals().update({form.__name__: form for form in _FORMS.values()})  # pickle looks for them here

if TYPE_CHECKING:
    TcpTransport = Wtp | WtpSender | WindowForm | Rem | Primal
    Transport = TcpTransport | Udp
else:
    TcpTransport = Union[Wtp, WtpSender, *_FORMS.values(), Rem, Primal]
    Transport = Union[TcpTransport, Udp]  # noqa: UP007


def window_form(law: str) -> type[WindowForm]:
    """Return the YAML struct of a law, or raise KeyError if the table does not have the law."""
    return _FORMS[law]


def rfc5681_initial_window(mss_bytes: int) -> float:
    """Return the initial window of a connection in packets (RFC 5681 section 3.1)."""
    if mss_bytes > 2190:
        return 2.0
    return 3.0 if mss_bytes > 1095 else 4.0
