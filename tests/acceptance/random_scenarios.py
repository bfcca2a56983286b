# SPDX-License-Identifier: Apache-2.0
"""Small random scenarios for Hypothesis, with every law of the table and one or two links.

Numbers come from lists with extreme values (almost no buffer, a probability of 1, an epoch
longer than the run), so that a scenario may also be refused.
"""

from __future__ import annotations

from typing import Any, Final

from hypothesis import strategies as st

__all__ = ["MARKING", "TRAFFIC", "TRANSPORTS", "scenarios"]

Strategy = st.SearchStrategy[dict[str, Any]]


def _one(*values: Any) -> st.SearchStrategy[Any]:
    return st.sampled_from(values)


def _of(key: str, name: str, more: dict[str, Any], **optional: Any) -> Strategy:
    """A mapping with a name under `key`, all required values and some optional ones."""
    fixed = {key: st.just(name), **more}
    return st.fixed_dictionaries(fixed, optional=optional)


_PACKETS = _one("0.5 packets", "2 packets", "10 packets")
_SHARE = _one(0, 0.01, 0.3, 1)
_INTERVAL = _one("1 ms", "20 ms", "3 s")
_MEAN: Final = {"mean_packet": _one("60 bytes", "1000 bytes")}
_PROJECTION: Final = {**_MEAN, "estimator": _one("rounds", "screened"), "rtt_memory": _SHARE}
MARKING: Final[dict[str, Strategy]] = {
    "drop-tail": _of("law", "drop-tail", {}),
    "fixed": _of("law", "fixed", {"probability": _SHARE}),
    "red": _of(
        "law",
        "red",
        {
            "min_threshold": _one("0 packets", "3 packets"),
            "max_threshold": _one("3 packets", "9 packets"),
        },
        max_probability=_SHARE,
        weight=_one(0.002, 1),
        gentle=st.booleans(),
        wait=st.booleans(),
        count=st.booleans(),
        above_max=_one("mark", "drop"),
        limit=_one("20 packets"),
        **_MEAN,
    ),
    "virtual-queue": _of(
        "law",
        "virtual-queue",
        {},
        theta=_one(0.1, 0.95, 1),
        buffer=_one("1 packets", "20 packets"),
        variant=_one("busy-period", "per-overflow"),
        service=_one("fluid", "packet"),
        **_MEAN,
    ),
    "load-based": _of(
        "law", "load-based", {}, interval=_INTERVAL, threshold=_SHARE, slope=_one(0, 0.7, 1e5)
    ),
    "threshold": _of(
        "law", "threshold", {"threshold": _PACKETS}, scope=_one("arriving", "queue", "departing")
    ),
    "rem": _of(
        "law",
        "rem",
        {},
        price=_one("pc1", "pc2", "pc3"),
        phi=_one("auto", 1.001, 100),
        gamma=_one("auto", 0.005),
        interval=_INTERVAL,
        mark_at=_one("departure", "arrival"),
        unit=_one("packets", "bytes"),
    ),
    "pi": _of(
        "law",
        "pi",
        {"reference": _one("5 packets", "3 kB"), "a": _one(0.01, 0.5), "b": _one(0.0005, 0.01)},
        interval=_INTERVAL,
    ),
    "adaptive-virtual-queue": _of(
        "law", "adaptive-virtual-queue", {}, utilization=_one(0.5, 0.98), alpha=_one(0.15, 10)
    ),
    "adaptive-threshold": _of(
        "law", "adaptive-threshold", {}, utilization=_one(0.5, 0.95), alpha=_one(0.5, 10)
    ),
    "codel": _of("law", "codel", {}, target=_one("1 ms", "20 ms"), interval=_INTERVAL),
    "pie": _of("law", "pie", {}, target=_one("2 ms", "20 ms"), update=_INTERVAL, mark_p=_one(0, 1)),
    "blue": _of("law", "blue", {}, freeze=_INTERVAL, limit=_one("3 packets", "20 packets")),
    "sred": _of("law", "sred", {}, flows=_one(1, 16), memory=_one(3, 1000), overwrite=_one(0.1, 1)),
    "choke": _of(
        "law",
        "choke",
        {"min_threshold": _one("2 packets", "2 kB"), "max_threshold": _one("9 packets", "9 kB")},
        weight=_one(0.002, 0.1),
    ),
    "sfb": _of("law", "sfb", {}, bins=_one(3, 23), bin=_one("3 packets", "20 packets")),
    "self-configuring-red": _of(
        "law",
        "self-configuring-red",
        {"min_threshold": _one("2 packets", "2 kB"), "max_threshold": _one("9 packets", "9 kB")},
        weight=_one(0.002, 0.1),
    ),
    "flow-projection": _of("law", "flow-projection", {}, **_PROJECTION),
    "flow-projection-heuristic": _of(
        "law",
        "flow-projection-heuristic",
        {},
        interval=_INTERVAL,
        filter=_one("serial", "parallel"),
        stages=_one(1, 3),
        least=_one("0 bytes", "25 kB"),
        **_PROJECTION,
    ),
}

_COMMON: Final = {
    "receiver_window": _one("1 packets", "8 packets"),
    "initial_window": _one("1 packets", "30 packets"),
    "mss": _one("100 bytes", "1460 bytes"),
    "min_rto": _one("50 ms", "1 s"),
}
_MARKED: Final = {**_COMMON, "send": _one("paced", "ack-clocked"), "repair": st.booleans()}
_TCP: Final = {
    **_COMMON,
    "sack": st.booleans(),
    "delayed_acks": _one(1, 2, 5),
    "send": _one("paced", "ack-clocked"),
    "slow_start": st.booleans(),
    "reduce_from": _one("window", "flight", "pipe"),
}
_ECHO = _one("accurate", "accecn", "rfc3168", "off")
_RATE = _one("1 packets/s", "500 packets/s")
TRANSPORTS: Final[dict[str, Strategy]] = {
    "wtp": _of(
        "law",
        "wtp",
        {"mark_rate": _one("0.1 marks/s", "40 marks/s")},
        form=_one("proportional-increase", "inverse-decrease"),
        ect=_one("data", "all"),
        **_TCP,
    ),
    "wtp-sender": _of(
        "law", "wtp-sender", {"mark_rate": _one("2 marks/s")}, gain=_one(0.01, 1), **_MARKED
    ),
    **{
        name: _of("law", name, {}, ecn=_ECHO, **_TCP)
        for name in (
            "reno",
            "newreno",
            "tahoe",
            "vegas",
            "cubic",
            "dctcp",
            "prague",
            "bbr",
            "bbr1",
            "scream",
        )
    },
    "multcp": _of("law", "multcp", {"flows": _one(1, 3.5)}, ect=_one("data", "all"), **_TCP),
    "rem": _of(
        "law", "rem", {"phi": _one(1.001, 2), "max_rate": _RATE, "weight": _RATE}, **_COMMON
    ),
    "primal": _of("law", "primal", {"mark_rate": _one("5 marks/s")}, kappa=_RATE, **_COMMON),
    "udp": _of("law", "udp", {}, payload=_one("1 bytes", "1000 bytes"), ecn=_one("off", "ect")),
}

TRAFFIC: Final[dict[str, Strategy]] = {
    "greedy": _of("kind", "greedy", {}),
    "rate-capped": _of("kind", "rate-capped", {"rate": _one("10 kbps", "2 Mbps")}),
    "cbr": _of("kind", "cbr", {"interval": _one("2 ms", "1 s")}),
    "poisson": _of("kind", "poisson", {"rate": _one("5 packets/s", "300 kbps")}),
    "voip": _of("kind", "voip", {}, idle=_one("0.1 s", "20 s"), call=_one("0.01 s", "2 s")),
    "file": _of("kind", "file", {"size": _one("1 bytes", "80 kB")}),
    "on-off": _of(
        "kind",
        "on-off",
        {},
        packets=_one("1 packets", "40 packets"),
        pause=_one("0.01 s", "1 s"),
        connection=_one("new", "lasting"),
    ),
    "web": _of(
        "kind",
        "web",
        {},
        reading=_one("0.05 s", "1 s"),
        size=_one("fixed", "exponential", "pareto"),
        mean=_one("2 kB", "60 kB"),
        patience=_one("0.2 s", "3 s"),
        connection=_one("new", "lasting"),
    ),
    "video": _of("kind", "video", {}, packets=_one("together", "spread"), group=_one(1, 12)),
}
_PLAIN: Final = frozenset({"cbr", "poisson", "voip", "video"})  # of datagrams


@st.composite
def scenarios(draw: st.DrawFn) -> dict[str, Any]:
    """A scenario of a few seconds as plain values; some are refused."""
    hops = draw(st.integers(1, 2))
    links = [_link(draw, f"l{hop}", "abc"[hop], "abc"[hop + 1]) for hop in range(hops)]
    sources = [_source(draw, f"s{number}", "abc"[hops]) for number in range(draw(_one(1, 2, 3)))]
    found = {
        "version": 1,
        "duration": draw(_one("1 s", "2.5 s", "4 s")),
        "seed": draw(st.integers(0, 2**31)),
        "network": {"links": links},
        "sources": sources,
    }
    if draw(_one(True, True, True, False)):
        found["market"] = _market(draw, links, [source["name"] for source in sources])
    return found


def _link(draw: st.DrawFn, name: str, start: str, end: str) -> dict[str, Any]:
    named = {"name": st.just(name), "from": st.just(start), "to": st.just(end)}
    return draw(
        st.fixed_dictionaries(
            {**named, "rate": _one("200 kbps", "2 Mbps"), "marking": _any(MARKING)},
            optional={
                "delay": _one("0 s", "2 ms", "80 ms"),
                "buffer": _one("1 packets", "12 packets", "9 kB"),
                "not_ect": _one("drop", "pass"),
                "loss": _one(0.02, 0.5),
                "duplex": _one(True, "half"),
                "framing": _one("0 bytes", "18 bytes"),
            },
        )
    )


def _source(draw: st.DrawFn, name: str, end: str) -> dict[str, Any]:
    kind = draw(_one(*TRAFFIC))
    transport = TRANSPORTS["udp"] if kind in _PLAIN else _any(TRANSPORTS, without="udp")
    named = {"name": st.just(name), "from": st.just("a"), "to": st.just(end)}
    return draw(
        st.fixed_dictionaries(
            {**named, "traffic": TRAFFIC[kind], "transport": transport, "count": _one(1, 2)},
            optional={"stop": _one("0.5 s", "2 s"), "rows": st.just("together")},
        )
    )


def _market(draw: st.DrawFn, links: list[dict[str, Any]], names: list[str]) -> dict[str, Any]:
    carriers = [{"name": "isp", "role": "connectivity-provider"}]
    settlement = {}
    if len(links) == 2 and draw(st.booleans()):
        prices = [draw(_one("0.01 money", "0.2 money")) for _ in links]
        carriers = [
            {**carriers[0], "name": f"isp{n}", "links": link["name"], "price_per_mark": price}
            for n, (link, price) in enumerate(zip(links, prices, strict=True))
        ]
        settlement = {"settlement": draw(_one("retail", "cascade", "direct"))}
    fee = draw(_one("0 money/s", "0.1 money/s", "7 money/s"))
    classes = {name: {"fee": fee, "sources": name} for name in names[:1]}
    agents = [*carriers, {"name": "shop", "role": "application-provider", "classes": classes}]
    if len(names) > 1:
        charge = {"kind": "constant-charge", "charge": draw(_one("0.01 money/s", "3 money/s"))}
        joe = {"name": "joe", "role": "price-handler", "sources": names[1], "strategy": charge}
        agents.append(joe)
    price = draw(_one("0.001 money", "0.25 money"))
    epoch = draw(_one("0.1 s", "0.7 s", "1 s"))
    return {"epoch": epoch, "price_per_mark": price, **settlement, "agents": agents}


def _any(laws: dict[str, Strategy], without: str = "") -> Strategy:
    return st.one_of(*(one for name, one in laws.items() if name != without))
