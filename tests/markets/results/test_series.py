# SPDX-License-Identifier: Apache-2.0
"""Every series over time, over intervals of several reports, from the raw rows of the tables."""

from __future__ import annotations

import itertools
import math
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from ecnomy.markets import Results, run
from ecnomy.markets.results.timeseries import FLOW_SERIES, LINK_SERIES

EXAMPLE = Path(__file__).parents[3] / "configs" / "examples" / "gold-silver.yaml"
SHORT = (
    *("duration=17 s", "warmup=1 s", "sources.gold.traffic.until=3 s"),
    *("sources.silver.traffic.until=2 s", "sources.background.start=2 s"),
)
PS = 10**12
FRAMING = 0  # bytes per packet


def ratio(top: float, bottom: float) -> float:
    """The quotient, NaN if the denominator is 0."""
    return top / bottom if bottom else math.nan


# from the gains of an interval, its length and the state at its end
OF_FLOWS = {
    "goodput": lambda d, s, _: d["acked_bytes"] * 8 / 1e6 / s,
    "sent": lambda d, s, _: d["sent_bytes"] * 8 / 1e6 / s,
    "delivered": lambda d, s, _: d["delivered"] / s,
    "marks": lambda d, s, _: d["ce"] / s,
    "marking": lambda d, s, _: ratio(d["ce"], d["delivered"]),
    "lost": lambda d, s, _: d["lost"] / s,
    "delay": lambda d, s, _: ratio(d["delay_sum_ps"] / 1e12, d["delivered"]),
    "window": lambda d, s, now: d["cwnd_integral"] / s / now["n"],
    "fee": lambda d, s, _: d["fee_micro"] / 1e6 / s,
    "charge": lambda d, s, _: d["mark_charge_micro"] / 1e6 / s,
    "price_per_mark": lambda d, s, _: ratio(d["mark_charge_micro"] / 1e6, d["ce"]),
    "active": lambda d, s, now: now["active"],
    "rtt": lambda d, s, now: ratio(now["srtt_s"], now["heard"]),
}
OF_LINKS = {
    "throughput": lambda d, s, _: d["departed_bytes"] * 8 / 1e6 / s,
    "utilization": lambda d, s, _: (d["departed_bytes"] + FRAMING * d["departures"]) * 8 / 1e7 / s,
    "queue": lambda d, s, _: d["queue_integral"] / s,
    "wait": lambda d, s, _: ratio(d["queue_integral"], d["departures"]),
    "arrivals": lambda d, s, _: d["arrivals"] / s,
    "marks": lambda d, s, _: d["marks"] / s,
    "marking": lambda d, s, _: ratio(d["marks"], d["arrivals"]),
    "drops": lambda d, s, _: d["drops"] / s,
    "loss": lambda d, s, _: ratio(d["drops"], d["arrivals"]),
}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Results:
    """Gold and silver for 17 s."""
    return run(EXAMPLE, overrides=SHORT, out=tmp_path_factory.mktemp("series") / "r")


def rows(result: Results, table: str) -> list[dict]:
    """A table as a list of rows, without pandas and the tested code."""
    return pq.read_table(result.folder / f"{table}.parquet").to_pylist()


def test_each_series_has_its_formula_here() -> None:
    """A new series needs a row above."""
    assert OF_FLOWS.keys() - {"active", "rtt"} == FLOW_SERIES.keys()
    assert OF_LINKS.keys() == LINK_SERIES.keys()


@pytest.mark.parametrize("every_s", [3.0, 7.0])
def test_series_over_longer_intervals_are_those_of_the_counters(
    made: Results, every_s: float
) -> None:
    """Each series of flows, links and accounts follows from the raw rows by its formula."""
    wire = [k["link"] for k in rows(made, "links") if k["name"] == "bottleneck"]
    own = [f["flow"] for f in rows(made, "flows") if f["source"] == "gold"]
    tables = {name: rows(made, name) for name in ("flow_epochs", "link_epochs", "ledger")}
    postings = tables["ledger"]

    def at(table: str, t_s: float, keys: list[int]) -> dict[str, float]:
        number = table.removesuffix("_epochs")
        now = [r for r in tables[table] if r["t_ps"] == t_s * PS and r[number] in keys]
        numbers = [name for name, value in now[0].items() if not isinstance(value, str)]
        heard = sum(r.get("srtt_s", 0) > 0 for r in now)
        return {"n": len(now), "heard": heard, **{n: sum(r[n] for r in now) for n in numbers}}

    def through(account: str, side: str, t_s: float) -> float:
        mine = (p for p in postings if p[side] == account and p["t_ps"] <= t_s * PS)
        return sum(p["amount_micro"] for p in mine) / 1e6

    frames = {
        **{("flow", w): made.timeseries(w, "source", every_s=every_s)["gold"] for w in OF_FLOWS},
        **{
            ("link", w): made.timeseries(w, "link", every_s=every_s)["bottleneck"] for w in OF_LINKS
        },
    }
    times = [0.0, *frames["flow", "goodput"].index]
    assert times[1:-1] == [every_s * k for k in range(1, len(times) - 1)]
    for t, u in itertools.pairwise(times):
        for of, keys, formulas in (("flow", own, OF_FLOWS), ("link", wire, OF_LINKS)):
            then, now = at(f"{of}_epochs", t, keys), at(f"{of}_epochs", u, keys)
            grown = {name: now[name] - then[name] for name in now}
            for what, formula in formulas.items():
                value = formula(grown, u - t, now)
                assert frames[of, what][u] == pytest.approx(value, rel=1e-9, nan_ok=True), what
        for account in made.manifest.balances_micro or ():
            got, paid = (
                (through(account, s, t), through(account, s, u)) for s in ("credit", "debit")
            )
            for what, value in (
                ("received", (got[1] - got[0]) / (u - t)),
                ("paid", (paid[1] - paid[0]) / (u - t)),
                ("balance", got[1] - paid[1]),
            ):
                series = made.timeseries(what, every_s=every_s)[account]
                assert series[u] == pytest.approx(value, abs=1e-9), (what, account)


def test_a_round_trip_time_is_the_mean_of_flows_that_have_one(made: Results) -> None:
    """The background traffic begins at 2 s."""
    now = [row["srtt_s"] for row in rows(made, "flow_epochs") if row["t_ps"] == PS]
    known = [srtt_s for srtt_s in now if srtt_s > 0]
    assert 0 < len(known) < len(now)
    mean = sum(known) / len(known)
    assert made.timeseries("rtt")["rtt"][1.0] == pytest.approx(mean, rel=1e-9)
