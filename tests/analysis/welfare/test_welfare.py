# SPDX-License-Identifier: Apache-2.0
"""Welfare of runs against manual counts of their tables."""

from __future__ import annotations

import json
import math
from pathlib import Path

import msgspec
import numpy as np
import pandas as pd
import pytest
from rich.console import Console
from typer.testing import CliRunner

import welfare_world as world
from ecnomy.agents.spec import StrategySpec
from ecnomy.analysis.run.windows import Epochs
from ecnomy.analysis.show.command import print_summary
from ecnomy.analysis.show.welfare_table import print_welfare
from ecnomy.analysis.welfare.declared_utilities import agent_specs, declared_of, lived
from ecnomy.analysis.welfare.welfare import Welfare, welfare_columns, welfare_of
from ecnomy.markets import run
from ecnomy.markets.results.rawrun import RawRun, open_raw
from undigested import undigested

EXAMPLES = Path(__file__).parents[3] / "configs" / "examples"
FOUND: dict[Path, Welfare] = {}  # of runs that tests request repeatedly
FROM_S, TO_S, S = world.FROM_S, world.TO_S, world.S
CLASSES = """
version: 1
duration: 30 s
warmup: 5 s
network:
  links:
    - name: link
      from: a
      to: b
      rate: 2 Mbps
      delay: 5 ms
      marking: {law: fixed, probability: 0.05}
sources:
  - {name: film, count: 3, rows: together, from: a, to: b, transport: {law: wtp, mss: 960 bytes}}
  - {name: mail, from: a, to: b, stop: 20 s, transport: {law: wtp, mss: 960 bytes}}
market:
  epoch: 1 s
  price_per_mark: 0.05 money
  agents:
    - {name: isp, role: connectivity-provider}
    - name: shop
      role: application-provider
      classes: {gold: {fee: 0.7 money/s, sources: film}}
      strategy:
        kind: elastic-utility
        utility: {kind: alpha-fair, a: 1 money/s, alpha: 2, x0: 0.5 Mbps}
    - {name: viewers, role: customer, sources: film}
"""


def found(a_run: RawRun) -> Welfare:
    if a_run.path not in FOUND:
        welfare = welfare_of(a_run)
        assert welfare is not None
        FOUND[a_run.path] = welfare
    return FOUND[a_run.path]


def shown(a_run: RawRun) -> str:
    console = Console(width=120, highlight=False, force_terminal=False)
    with console.capture() as capture:
        print_welfare(a_run, console)
    return capture.get()


@pytest.fixture(scope="module")
def lot(tmp_path_factory: pytest.TempPathFactory) -> RawRun:
    """Two links in a row; travellers have logarithms, neighbours have square roots."""
    return world.made(world.PARKING_LOT, tmp_path_factory.mktemp("lot"))


def by_hand(a_run: RawRun, flows: tuple[int, ...], log: bool) -> tuple[float, float]:
    """The sum of U(x_t) second by second, and the utility of the mean rates."""

    def worth(x_bps: float) -> float:
        if log:
            return world.LOG_A * math.log(1 + x_bps / world.LOG_X0)
        return world.SQRT_A * math.sqrt(x_bps / world.SQRT_X0)

    lived = steady = 0.0
    for flow in flows:
        rates = world.rates_bps(a_run, flow, FROM_S, TO_S)
        lived += sum(worth(x) for x in rates)
        steady += worth(sum(rates) / len(rates)) * len(rates)
    return lived, steady


def test_utilities_are_those_of_the_reports(lot: RawRun) -> None:
    """U(x_t) is added up over all seconds; U of the mean is larger."""
    travellers, neighbours = found(lot).consumers
    for one, flows, log in ((travellers, (0, 1), True), (neighbours, (2, 3), False)):
        lived, steady = by_hand(lot, flows, log)
        assert one.utility_micro == round(1e6 * lived)
        assert one.steady_micro == pytest.approx(1e6 * steady, abs=1)
        assert one.utility_micro < one.steady_micro
        assert one.users == 2


def test_money_is_that_of_the_ledger(lot: RawRun) -> None:
    """Payments, surplus and profit in the window agree with the ledger's postings."""
    welfare = found(lot)
    for one in welfare.consumers:
        paid = world.paid_micro(lot, one.account.name, FROM_S, TO_S)
        assert one.account.paid_micro == {"marks": paid} and paid > 0
        assert one.surplus_micro == one.utility_micro - paid
    (isp,) = welfare.sellers
    assert isp.name == "isp"
    assert isp.net_micro == world.paid_micro(lot, "isp", FROM_S, TO_S, "credit")
    whole = lot.raw.ledger["amount_micro"].sum()
    assert isp.net_micro < whole  # that of the warm-up does not count


def test_surplus_and_profits_are_welfare_to_the_micro_unit(lot: RawRun) -> None:
    """If all money has an account, it only changes hands."""
    welfare = found(lot)
    assert welfare.others == ()
    assert welfare.surplus_micro + welfare.profit_micro == welfare.welfare_micro
    assert welfare.profit_micro > 0


@pytest.mark.parametrize("name", ["price-handler", "switching"])
def test_the_sum_holds_in_the_examples(name: str, tmp_path: Path) -> None:
    """If some users declare no utility, their payments are exactly the difference."""
    more = ["sources.crowd.start=20 s", "sources.crowd.stop=40 s"] if name[0] == "p" else []
    short = ["duration=50 s", "warmup=10 s", *more]
    example = run(EXAMPLES / f"{name}.yaml", overrides=short, out=tmp_path / "r")
    welfare = found(open_raw(example.folder))
    paid = sum(sum(one.paid_micro.values()) for one in welfare.others)
    assert (paid > 0) == (name == "price-handler")
    assert welfare.surplus_micro + welfare.profit_micro - paid == welfare.welfare_micro
    assert welfare.optimum_ratio <= 1
    assert welfare.per_s(welfare.steady_micro) <= welfare.distance.optimum_per_s * (1 + 1e-6)


def test_jain_by_hand(lot: RawRun) -> None:
    """(sum x)^2 / (n sum x^2) for mean rates, and for utilities over their amount `a`."""
    welfare = found(lot)
    rates = [np.mean(world.rates_bps(lot, flow, FROM_S, TO_S)) for flow in range(4)]
    worth = [by_hand(lot, (flow,), log=flow < 2)[0] for flow in range(4)]
    per = [w / (world.LOG_A if flow < 2 else world.SQRT_A) for flow, w in enumerate(worth)]
    for index, values in ((welfare.jain_rates, rates), (welfare.jain_utilities, per)):
        assert index == pytest.approx(sum(values) ** 2 / (4 * sum(v * v for v in values)))
        assert 0.5 < index < 1


def test_a_user_with_alternatives_is_one(tmp_path: Path) -> None:
    """Flows count while they are on, and two flows of one user count as one."""
    short = ["duration=60 s", "warmup=10 s"]
    done = run(EXAMPLES / "switching.yaml", overrides=short, out=tmp_path / "r")
    a_run = open_raw(done.folder)
    table = a_run.flow_epochs.sort_values(["t_ps", "flow"])
    on = table["active"].to_numpy().reshape(-1, 24)
    bits = 8.0 * table["acked_bytes"].to_numpy().reshape(-1, 24)
    lived, volume, seconds = 0.0, np.zeros(12), np.zeros(12)
    for second in range(10, 60):
        for flow in range(24):
            if on[second + 1, flow]:
                x = bits[second + 1, flow] - bits[second, flow]
                lived += math.log(1 + x / 2e5)
                volume[flow % 12] += x
                seconds[flow % 12] += 1
    (users,) = found(a_run).consumers
    assert (seconds == 50).all() and users.users == 12
    assert users.utility_micro == round(1e6 * lived)
    mean = volume / seconds
    index = mean.sum() ** 2 / (12 * (mean**2).sum())
    assert found(a_run).jain_rates == pytest.approx(index)


def test_a_provider_that_declares_one(tmp_path: Path) -> None:
    """The provider has its classes' flows, rows of many and fees. Customers are other users."""
    a_run = world.made(CLASSES, tmp_path)
    welfare = found(a_run)
    (shop,) = welfare.consumers
    each = [x / 3 for x in world.rates_bps(a_run, 0, 5, 30)]
    floored = [max(x / 5e5, 1e-3) for x in each]
    assert shop.account.name == "shop" and shop.users == 3
    assert shop.utility_micro == round(1e6 * 3 * sum(-1 / r for r in floored))
    assert shop.account.received_micro == {"class-fee": round(3 * 0.7e6 * 25)}
    assert shop.surplus_micro == shop.utility_micro + shop.account.net_micro
    others = {one.name: one.net_micro for one in welfare.others}
    mail = world.paid_micro(a_run, "source:mail", 5, 30)
    assert others == {"viewers": -round(3 * 0.7e6 * 25), "source:mail": -mail} and mail > 0
    rest = welfare.surplus_micro + welfare.profit_micro + welfare.others_micro
    assert rest == welfare.welfare_micro
    assert math.isnan(welfare.optimum_ratio)  # the optimum is below 0: there is no ratio
    assert welfare.per_s(welfare.welfare_micro) < welfare.distance.optimum_per_s < 0
    assert math.isnan(welfare.jain_utilities)


def test_a_strategy_of_ones_own(tmp_path: Path) -> None:
    """Any strategy object with a utility declares it; a non-concave one has no optimum."""
    sated = found(world.one_link(tmp_path, first="{kind: 'welfare_world:Content'}"))
    assert [one.account.name for one in sated.consumers] == ["first-user", "second-user"]
    rates = world.rates_bps(open_raw(tmp_path / "r"), 0, 5, 30)
    assert sated.consumers[0].utility_micro == round(
        3e6 * sum(1 - math.exp(-x / 1e6) for x in rates)
    )
    assert 0.9 < sated.optimum_ratio <= 1
    crooked = "{kind: 'welfare_world:Content', crooked: true}"
    other = found(world.one_link(tmp_path / "crooked", first=crooked))
    assert other.distance.why == "the utility of first-user is not concave"
    assert math.isnan(other.optimum_ratio)
    assert "no optimum: the utility of first-user" in shown(open_raw(tmp_path / "crooked" / "r"))


def test_a_source_of_two_counts_once(tmp_path: Path) -> None:
    """If a user and a provider both declare a utility, the flows count for the user."""
    a_run = world.made(CLASSES, tmp_path)
    isp, shop, viewers = agent_specs(a_run)
    also = msgspec.structs.replace(viewers, strategy=StrategySpec("welfare_world:Content"))
    assert [one.agent for one in declared_of(a_run, (isp, shop, viewers))] == ["shop"]
    (one,) = declared_of(a_run, (isp, shop, also))
    assert one.agent == "viewers" and one.rows.tolist() == [0]


def test_a_scenario_that_does_not_load_has_none(tmp_path: Path) -> None:
    """If a role or strategy is missing when the scenario is read, there is no welfare or error."""
    a_run = world.one_link(tmp_path, first="{kind: 'welfare_world:Content'}")
    file = undigested(a_run.path) / "manifest.json"
    file.write_text(file.read_text().replace("welfare_world:Content", "no_such_world:Content"))
    assert welfare_of(open_raw(a_run.path)) is None


def test_show_prints_it(lot: RawRun) -> None:
    """Consumers, sellers, sums, fairness, distance and margin, in money per second."""
    text, welfare = " ".join(shown(lot).split()), found(lot)
    travellers = welfare.consumers[0]
    row = [travellers.utility_micro, travellers.steady_micro]
    row += [travellers.account.paid_micro["marks"], travellers.surplus_micro]
    cells = " ".join(f"{amount / 50e6:.2f}" for amount in row[:2])
    assert f"travellers 2 {cells}" in text
    assert f"isp {welfare.profit_micro / 50e6:.2f} 0.00 +{welfare.profit_micro / 50e6:.2f}" in text
    assert f"welfare {welfare.welfare_micro / 50e6:.2f} = surplus" in text
    assert "Jain's index over 4 users: rates 0.9" in text
    assert f"welfare is {100 * welfare.optimum_ratio:.1f} % of it" in text
    assert "gain (p + x p') / w_dec = 0.1" in text


def test_show_names_surpluses_below_zero(lot: RawRun, tmp_path: Path) -> None:
    """`show` names exactly the users who paid more than their utility."""
    assert "below zero" not in shown(lot)
    first = "{kind: 'welfare_world:Content', worth: 0.3}"
    a_run = world.one_link(tmp_path, first=first)
    one, other = found(a_run).consumers
    assert one.surplus_micro < 0 < other.surplus_micro
    seconds = found(a_run).window.seconds
    words = f"surplus below zero: first-user ({one.surplus_micro / 1e6 / seconds:.3f})"
    assert words in shown(a_run)


def test_a_utility_without_a_zero_is_compared_by_differences(lot: RawRun, tmp_path: Path) -> None:
    """U = a log(r) is -infinity at 0, so signs of surpluses and shares of an optimum mean nothing.

    The first user's surplus is below 0, because its x0 is far above the link's rate.
    """
    assert "differences" not in shown(lot)
    a_run = world.one_link(
        tmp_path, utilities=("{kind: alpha-fair, a: 2 money/s, x0: 9 Mbps, alpha: 1}", world.LOG)
    )
    welfare = found(a_run)
    assert [one.has_zero for one in welfare.consumers] == [False, True]
    assert welfare.consumers[0].surplus_micro < 0
    assert math.isnan(welfare.optimum_ratio)
    best = welfare.distance.optimum_per_s
    less = best - welfare.per_s(welfare.welfare_micro)
    text = " ".join(shown(a_run).split())
    assert "below zero" not in text
    assert "only differences of the utility of first-user are meaningful" in text
    assert 0 < less < 0.1 and f"welfare is lower by {less:.3g}" in text


def test_show_prints_it_before_the_accounts(lot: RawRun) -> None:
    """The summary of a run contains welfare."""
    console = Console(width=120)
    with console.capture() as capture:
        print_summary(lot, console)
    text = capture.get()
    assert text.index("Welfare (money/s, 10 s to 60 s)") < text.index("account (whole run")


def test_other_runs_have_none(gold_silver: Path, tmp_path: Path) -> None:
    """Without declared utilities nothing is printed, and no column is made."""
    assert welfare_of(open_raw(gold_silver)) is None
    assert shown(open_raw(gold_silver)) == ""
    assert welfare_columns(gold_silver) == {}
    short = ["duration=10 s", "warmup=2 s"]
    done = run(EXAMPLES / "gold-silver.yaml", overrides=short, out=tmp_path / "r")
    assert shown(open_raw(done.folder)) == ""


def test_a_run_cut_short(lot: RawRun, tmp_path: Path) -> None:
    """A partial run's welfare ends with its reports; a run without two reports has none."""
    for until_s in (25, 10):
        folder = tmp_path / str(until_s)
        folder.mkdir()
        for file in lot.path.glob("*.parquet"):
            table = pd.read_parquet(file)
            kept = table[table["t_ps"] <= until_s * S] if "t_ps" in table else table
            kept.to_parquet(folder / file.name, index=False)
        manifest = json.loads((lot.path / "manifest.json").read_text())
        (folder / "manifest.json").write_text(json.dumps({**manifest, "complete": False}))
        undigested(folder)
        welfare = welfare_of(open_raw(folder))
        if until_s == 10:
            assert welfare is None
            continue
        assert welfare is not None and welfare.window.seconds == 15
        lived = sum(
            world.LOG_A * math.log(1 + x / world.LOG_X0)
            for flow in (0, 1)
            for x in world.rates_bps(lot, flow, FROM_S, 25)
        )
        assert welfare.consumers[0].utility_micro == round(1e6 * lived)


def test_the_verb_show(lot: RawRun) -> None:
    """`ecnomy show` prints welfare."""
    import typer

    from ecnomy.analysis.show.command import show_command

    app = typer.Typer()
    app.command()(show_command)
    done = CliRunner().invoke(app, [str(lot.path), "--no-plot"])
    assert done.exit_code == 0 and "welfare" in done.output


def test_a_flow_that_stops_amid_an_epoch_lived_to_that_moment(tmp_path: Path) -> None:
    """A stop at 20.4 s gives 15.4 s from 5 s on, with the bytes acknowledged in the last one."""
    text = CLASSES.replace("sources: film}\n", "sources: [film, mail]}\n").replace(
        "stop: 20 s", "stop: 20.4 s"
    )
    text = text.replace("sources: film}}", "sources: [film, mail]}}")
    a_run = world.made(text, tmp_path)
    (one,) = declared_of(a_run, agent_specs(a_run))
    flows = Epochs(a_run.flow_epochs, "flow", a_run.plan.row_count)
    had = lived(flows, one, 5 * S, 30 * S)
    assert had.on_s == pytest.approx([75.0, 15.4])
    acked = flows.column("acked_bytes")
    assert had.bits[1] == 8 * (acked[flows.t_ps == 21 * S, 1] - acked[flows.t_ps == 5 * S, 1])[0]
