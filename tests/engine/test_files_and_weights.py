# SPDX-License-Identifier: Apache-2.0
"""Files in reports, weights in orders, and drops by cause."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest

import plans
from drive import EngineOutput, run
from ecnomy.markets.bridge.messages import Decide, Report, flow_orders
from ecnomy.markets.plan import Law

PS = plans.PS
WEB = dict(
    size=1, reading_mean_s=0.2, reading_spread=4, size_mean_bytes=20e3, size_min_bytes=1,
    size_max_bytes=1e6, size_shape=1.2, reading=0, patience_s=-1, lasting=0.0,
)  # fmt: skip
LAWS = {
    "file": Law("file", {"size_bytes": 700_001.0}),
    "on-off": Law("on-off", {"packets_mean": 20.0, "pause_mean_s": 0.3, "lasting": 0.0}),
    "lasting": Law("on-off", {"packets_mean": 20.0, "pause_mean_s": 0.3, "lasting": 1.0}),
    "web": Law("web", {k: float(v) for k, v in WEB.items()}),
    "impatient": Law("web", {k: float(v) for k, v in (WEB | {"patience_s": 0.4}).items()}),
}


def downloads(rows: str) -> EngineOutput:
    """Three flows of every traffic of files over a link with losses, and one without files."""
    links = plans.duplex("l", 0, 1, 3e6, 0.02, buffer=12)
    newreno = Law("newreno", plans.RENO.params)
    sources = [
        plans.source(name, [0], [1], plans.tcp(newreno), law, count=3, rows=rows)
        for name, law in LAWS.items()
    ]
    sources.append(plans.source("greedy", [0], [1], plans.tcp(newreno)))
    return run(plans.plan(links, sources, 20, epoch_s=0.5))


@pytest.fixture(scope="module")
def each() -> EngineOutput:
    return downloads("each")


def test_finished_files_are_those_of_the_table(each: EngineOutput) -> None:
    """Each report has each flow's complete transfers so far, without those given up."""
    done = each.table("transfers")
    assert 3 < (done["complete"] == 0).sum() < 200
    for report in each.reports:
        so_far = (done["end_ps"] < report.t_ps) & (done["complete"] == 1)
        counted = np.bincount(done["flow"][so_far], minlength=16)
        np.testing.assert_array_equal(report.flows["files"], counted)


def test_what_is_left_is_what_was_not_acknowledged(each: EngineOutput) -> None:
    """If no file is given up, `left` is the requested minus the acknowledged payload."""
    left = 0
    for report in each.reports:
        flows = {name: column[:12] for name, column in report.flows.items()}
        payload = flows["acked_bytes"] - 40 * flows["acked"]
        np.testing.assert_array_equal(flows["file_left"], flows["file_bytes"] - payload)
        left += (flows["file_left"] > 0).sum()
    assert left > 100
    done, last = each.table("transfers"), each.reports[-1].flows
    sent_bytes = np.bincount(done["flow"], done["bytes"], 16).astype(np.int64)
    present = last["file_bytes"] - sent_bytes  # files still under way
    assert np.all((present > 0) == (last["file_left"] > 0)) and np.all(last["file_left"] <= present)
    assert last["file_bytes"][0] == 700_001 and last["files"][:3].tolist() == [1, 1, 1]
    assert not any(last[name][15] for name in ("files", "file_bytes", "file_left"))


def test_a_row_of_many_has_the_sums(each: EngineOutput) -> None:
    """The row of three flows holds the sums of their columns."""
    for one, row in zip(each.reports, downloads("together").reports, strict=True):
        for name in ("files", "file_bytes", "file_left"):
            sums = one.flows[name][:15].reshape(5, 3).sum(axis=1)
            np.testing.assert_array_equal(row.flows[name][:5], sums)


WEIGHTS = {
    "multcp": (plans.multcp(4.0), {"flows": 1.0}, 4.0),
    "multcp-halve": (plans.multcp(4.0, halve=True), {"flows": 2.0}, 4.0),
    "rem": (plans.rem_source(w=500.0), {"w": 90.0}, 500.0),
    "wtp": (plans.wtp(6), {"w_inc": 2.0}, 6.0),
    "wtp-sender": (plans.wtp_sender(6.0), {"w": 2.0}, 6.0),
}


def with_rival(law: Law, decide=None) -> EngineOutput:
    """A flow with this law beside a NewReno flow."""
    links = plans.duplex("l", 0, 1, 5e6, 0.02, marking=plans.red(5, 25))
    rival = plans.source("rival", [0], [1], plans.tcp(Law("newreno", plans.RENO.params)))
    flow = plans.source("f", [0], [1], plans.tcp(law))
    return run(plans.plan(links, [flow, rival], 20, trace=True), decide)


@pytest.mark.parametrize("name", WEIGHTS)
def test_a_weight_that_is_decided_is_as_good_as_a_planned_one(name: str) -> None:
    """A weight decided before the first packet gives the same packets; one in mid-run does not."""
    law, other, weight = WEIGHTS[name]
    params = {**law.params, **other}
    planned = with_rival(law)
    changed = msgspec.structs.replace(law, params=params)

    def at(epoch: int):
        def decide(report: Report) -> Decide:
            orders = flow_orders([0], weight=weight) if report.epoch == epoch else {}
            return Decide(report.epoch, orders)

        return decide

    decided, plain = with_rival(changed, at(0)), with_rival(changed)
    for column, values in planned.table("trace").items():
        np.testing.assert_array_equal(values, decided.table("trace")[column], column)
    late = with_rival(changed, at(10))
    for at_s, same in ((10.0, True), (20.0, False)):
        one, two = (outcome.at(at_s).flows["sent"] for outcome in (late, plain))
        assert np.array_equal(one, two) == same, at_s


def test_a_weight_takes_the_place_of_a_mark_rate() -> None:
    """A decided weight replaces a mark rate, and vice versa: the last decision counts."""

    def decide(report: Report) -> Decide:
        said = {0: {"mark_rate": 40.0}, 5: {"weight": 1.0}, 12: {"mark_rate": 40.0}}
        orders = said.get(report.epoch)
        return Decide(report.epoch, flow_orders([0], **orders) if orders else {})

    outcome = with_rival(plans.wtp(1), decide)
    weight = [float(report.flows["weight"][0]) for report in outcome.reports]
    assert all(w == 1.0 for w in weight[6:13])
    assert all(w > 1.5 for w in weight[3:6] + weight[14:])


@pytest.mark.parametrize("buffer", [-1, 8])
def test_drops_by_cause(buffer: int) -> None:
    """A packet that is not ECT is dropped instead of marked; a full buffer drops any packet."""
    links = plans.duplex("l", 0, 1, 4e6, 0.01, buffer=buffer, marking=plans.fixed(0.1))
    poisson = Law("poisson", {"mean_interval_s": 0.004})
    sources = [
        plans.source("ect", [0], [1], plans.udp(ect=True), poisson),
        plans.source("not-ect", [0], [1], plans.udp(), poisson),
    ]
    outcome = run(plans.plan(links, sources, 60))
    links, pairs = (getattr(outcome.reports[-1], part) for part in ("links", "pairs"))
    drops = pairs["drops"][pairs["link"] == 0]
    of_law, full = links["not_ect_drops"][0], links["drops"][0] - links["law_drops"][0]
    assert of_law == links["law_drops"][0] and of_law > 1000
    assert (full > 20) == (buffer > 0) and drops[0] <= full
    assert drops[0] + drops[1] == links["drops"][0]
    if buffer < 0:
        assert drops[0] == 0 and of_law == drops[1]
