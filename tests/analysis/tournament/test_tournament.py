# SPDX-License-Identifier: Apache-2.0
"""Tournaments: players, pay-offs, changes of strategy, the page."""

from __future__ import annotations

import csv
import json
import math
import re
import sys
from pathlib import Path

import msgspec
import numpy as np
import pytest

from command_line import ecnomy
from sweep_world import Here, Watcher
from tiers import in_full
from tournament_world import TOURNAMENT, made_up, write

pytest.importorskip("open_spiel", reason="the extra `tournament`")

from ecnomy.agents.errors import InputError, ResultsError, ScenarioError
from ecnomy.analysis.game.dynamics import egt
from ecnomy.analysis.game.profiles import mixed
from ecnomy.analysis.tournament.networks import NETWORKS
from ecnomy.analysis.tournament.page import PAGE, PAYOFFS, page_of, write_page, write_payoffs
from ecnomy.analysis.tournament.paying import findings_in
from ecnomy.analysis.tournament.payoffs import payoffs_of
from ecnomy.analysis.tournament.player_columns import player_columns
from ecnomy.analysis.tournament.playing import beginning, finalists_of, played, rounded
from ecnomy.analysis.tournament.profiles import assignment_of, pairs, simplex, sweep_of
from ecnomy.analysis.tournament.tournament_file import load_tournament
from ecnomy.analysis.tournament.wording import headline
from ecnomy.markets import run
from ecnomy.markets.results.rawrun import open_raw
from ecnomy.markets.sweep.config import load_sweep

SET_DELAY = "version: 1\nset: {network.links.wire.delay: 15 ms}"


@pytest.fixture(scope="module", autouse=True)
def few_starts():
    """Populations start from 6 mixes of three strategies in the fast tier, from 28 in the full."""
    with pytest.MonkeyPatch.context() as patch:
        if not in_full():
            patch.setattr("ecnomy.analysis.game.dynamics._STARTS", 2)
        yield


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """The small tournament, its folder, its table and its number of runs."""
    folder = tmp_path_factory.mktemp("tournament")
    tournament = load_tournament(write(folder))
    pool = Here()
    table = played(tournament, folder / "out", pool, lambda total, missing: Watcher())
    pool.close()
    return tournament, folder / "out", table, len(pool.points)


def test_the_command_gives_its_findings_as_json(small, capsys) -> None:
    """JSON contains the page's sentences and the pay-offs of its table, best strategy first."""
    tournament, folder, table, _ = small
    assert ecnomy("tournament", write(folder.parent), "--out", folder, "--json") == 0
    document = json.loads(capsys.readouterr().out)
    findings = findings_in(table, tournament.finalists)
    assert document["headline"] == headline(findings)
    assert [one["name"] for one in document["strategies"]] == [
        table.names[n] for n in findings.ranking
    ]
    for one in document["strategies"]:
        for of in one["populations"]:
            alone = table.alone(table.names.index(one["name"]), of["players"])
            assert of["earns"] == pytest.approx(np.mean(alone))
    assert Path(document["page"]).is_file() and document["absent"]["menu"] == "there is no provider"


def test_pairs_and_simplices_are_counted_right() -> None:
    """There are S + S (S - 1) / 2 (N - 1) profiles of pairs, and (N+2 over 2) mixes of three."""
    assert len(list(pairs(4, 5))) == len(set(pairs(4, 5))) == 5 + 10 * 3
    assert len(list(simplex((0, 2, 4), 8, 5))) == math.comb(10, 2)
    assert all(sum(each) == 8 and not each[1] for each in simplex((0, 2, 4), 8, 5))


def test_whole_players_of_a_mix() -> None:
    """Mixes are rounded by largest remainders, which keep the number of players."""
    assert rounded(np.array([0.5, 0.3, 0.2]), 4) == (2, 1, 1)
    assert rounded(np.array([1.0, 0.0]), 7) == (7, 0)
    assert rounded(np.full(3, 1 / 3), 8) == (3, 3, 2)


def test_players_stand_in_for_the_one_of_the_scenario(tmp_path: Path) -> None:
    """Each has its own source and agent; the link grows with them; others stay."""
    tournament = load_tournament(write(tmp_path))
    profile = mixed({0: 2, 2: 1}, 3)
    scenario = tournament.sweep.scenario_at(assignment_of(tournament, profile), 1)
    assert [source.name for source in scenario.document.sources] == ["one-1", "one-2", "one-3"]
    assert [a.name for a in scenario.market.agents] == ["isp", "one-1", "one-2", "one-3"]
    assert [a.strategy.kind for a in scenario.market.agents[1:]] == [
        *("constant-charge",) * 2,
        "stay",
    ]
    assert scenario.document.network.links[0].rate == 3_000_000


def test_who_plays_and_why_others_do_not(tmp_path: Path) -> None:
    """Entries are in order. Strategies of other roles or with required parameters have reasons."""
    tournament = load_tournament(write(tmp_path))
    assert tournament.names == ("payer", "saver", "free")
    assert tournament.absent["menu"] == "there is no provider"
    assert "connectivity-provider" in tournament.absent["hill-climbing"]
    assert tournament.absent["all-or-nothing"].startswith("needs threshold")


def test_a_users_strategy_plays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A strategy named on the command line plays under its class name, found beside the file."""
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "my_players.py").write_text(
        "from ecnomy.agents import Decision\n"
        "class Generous:\n"
        "    roles = ('price-handler',)\n"
        "    def decide_many(self, observation):\n"
        "        return Decision([3e6] * len(observation.flows.flow))\n"
    )
    tournament = load_tournament(write(tmp_path), ("my_players:Generous",))
    assert tournament.names[-1] == "Generous"
    assert len(beginning(tournament)) == (4 + 6) + (4 + 6 * 2)
    with pytest.raises(ScenarioError, match="fits no player"):
        load_tournament(write(tmp_path), ("hill-climbing",))


def test_pay_offs_are_utility_less_what_the_ledger_says(tmp_path: Path) -> None:
    """One run by hand: mean of U over epochs, and the postings of the window."""
    tournament = load_tournament(write(tmp_path))
    profile = mixed({0: 1, 2: 1}, 3)
    scenario = tournament.sweep.scenario_at(assignment_of(tournament, profile), 1)
    run(scenario, out=tmp_path / "run")
    columns = player_columns(tmp_path / "run")
    made = open_raw(tmp_path / "run")
    ledger = made.ledger[made.ledger["t_ps"] > 4 * 10**12]
    paid = ledger[ledger["debit"].astype(str) == "one-1"]["amount_micro"].sum() / 1e6 / 8
    assert columns["one-1.paid_per_s"] == pytest.approx(paid) and paid > 0
    assert columns["one-2.paid_per_s"] == 0
    rates = np.array(columns["one-1.goodputs_bps"])
    goodput = made.flows.set_index("name")["goodput_bps"].iloc[0]
    assert len(rates) == 8 and rates.mean() == pytest.approx(goodput)
    trips = np.array(columns["one-1.round_trips_s"])
    epochs = made.flow_epochs.sort_values("t_ps")
    first = epochs[(epochs["flow"] == 0) & (epochs["t_ps"] > 4 * 10**12)]["srtt_s"].to_numpy()
    assert len(trips) == 8 and trips == pytest.approx(first) and (trips > 0.01).all()
    assert tournament.worth(rates, trips) == pytest.approx(2 * np.log1p(rates / 1e6))
    costly = TOURNAMENT.replace("x0: 1 Mbps", "x0: 1 Mbps, delay_cost: 3 money/MB")
    delayed = load_tournament(write(tmp_path, costly))
    wanted = 2 * np.log1p(rates / 1e6) - 3 * rates / 8e6 * trips
    assert delayed.worth(rates, trips) == pytest.approx(wanted)


def test_rounds_play_what_is_missing_and_nothing_twice(small) -> None:
    """Rounds play pairs and then the mix of all three. A repetition makes no runs."""
    tournament, folder, table, runs = small
    assert len(table.earned) == 6 + 9 + 1 and runs == 2 * 16
    again = Here()
    same = played(tournament, folder, again, lambda total, missing: Watcher())
    again.close()
    assert not again.points
    assert all(
        np.array_equal(values, same.earned[profile], equal_nan=True)
        for profile, values in table.earned.items()
    )


def test_what_the_small_tournament_says(small, tmp_path: Path) -> None:
    """Payers pay and free riders do not. Page and CSV agree with the table."""
    tournament, _, table, _ = small
    findings = findings_in(table, tournament.finalists)
    assert findings.payers == (0, 1) and findings.finalists == (0, 1, 2)
    write_payoffs(findings, tmp_path / PAYOFFS)
    rows = list(csv.DictReader((tmp_path / PAYOFFS).read_text().splitlines()))
    assert len(rows) == 3 + 3 * 2 + 3 + 3 * 2 * 2 + 3
    lone = next(r for r in rows if r["mix"] == "1 payer, 2 free" and r["strategy"] == "payer")
    assert float(lone["payoff"]) == pytest.approx(table.lone(0, 2, 3).mean(), rel=1e-5)
    page = write_page(tournament, findings, tmp_path / "page.html")
    text = (tmp_path / "page.html").read_text()
    assert page.opens == headline(findings) and page.opens in text
    assert "http" not in text.replace("http://www.w3.org", "") and "<script" not in text
    assert page_of(tournament, findings) == page


@pytest.mark.parametrize(
    ("worth", "verdict", "says"),
    [((3, 2, 1), 1, "Paying pays"), ((1, 2, 3), -1, "Paying does not pay")],
)
def test_the_verdict_follows_who_is_left(worth, verdict, says) -> None:
    """A strategy that earns most in every mix is the only one left, and every seed agrees."""
    findings = findings_in(made_up(lambda own, shares: worth[own]), 3)
    for outcome in findings.outcomes:
        assert outcome.verdict == verdict and outcome.agree == 4
        assert outcome.rests[0].mix.max() == 1 and outcome.rests[0].starts == 1
    assert headline(findings) == says
    best = int(np.argmax(worth))
    assert all(reply.best == best for reply in findings.replies)
    assert [reply.stays for reply in findings.replies if reply.to == best] == [True, True]


def test_some_pay_where_both_do_best_while_they_are_few() -> None:
    """As with hawks and doves, half of the players pay in the end."""
    rare = {0: 0, 2: 2}
    findings = findings_in(
        made_up(lambda own, shares: -1.0 if own == 1 else 1 - shares[rare[own]] + 1e-9), 3
    )
    for outcome in findings.outcomes:
        assert outcome.verdict == 0 and outcome.paying == pytest.approx(0.5, abs=0.02)
    assert headline(findings) == "Paying pays for some"


def test_exploiting_is_gaining_while_the_others_lose() -> None:
    """A thief gains and the others lose; the reverse change exploits nobody."""
    findings = findings_in(made_up(lambda own, shares: 1.0 + (own == 2) - shares[2]), 3)
    exploits = {(c.players, c.new, c.old) for c in findings.changes if c.exploits}
    assert exploits == {(n, 2, old) for n in (2, 3) for old in (0, 1)}


def test_finalists_are_those_of_most_mass() -> None:
    """The strategy that beats both others is a finalist, together with the better of these."""
    assert finalists_of(made_up(lambda own, shares: [1.0, 2.0, 3.0][own]), 2) == (1, 2)


def test_a_failed_run_is_named(small) -> None:
    """The error names its mix and the reason."""
    tournament, *_ = small
    import pandas as pd

    frame = pd.DataFrame({"number": [3], "status": ["failed"], "reason": ["too slow"]})
    with pytest.raises(ResultsError, match=r"1 run failed \(2 saver\): too slow"):
        payoffs_of(tournament, beginning(tournament), frame)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "player: one",
            "player: two",
            "tournament.player: found 'two', expected a name that",
        ),
        ("populations: [2, 3]", "populations: [3, 2]", "found [3, 2], expected each number once"),
        ("populations: [2, 3]", "populations: [1]", "expected a number of players from 2 to 30"),
        ("x0: 1 Mbps", "x0: 1 s", "tournament.utility.x0: found '1 s'"),
        ("x0: 1 Mbps", "x0: 0 Mbps", "utility.x0: found 0 bit/s, expected a finite value above 0"),
        ("x0: 1 Mbps", "x0: 1 Mbps, delay_cost: -1 money/MB", "delay_cost: found -1 money/MB"),
        (", x0: 1 Mbps", "", "tournament.utility.x0: found no 'x0', expected a rate"),
        ("kind: log", "kind: lug", "tournament.utility.kind: found 'lug'"),
        ("kind: stay", "kind: stray", "tournament.strategies.free.strategy.kind: found 'stray'"),
        ("kind: stay", "kind: hill-climbing", "expected a strategy for price-handler or customer"),
        ("charge: 0.2 money/s", "charge: 2 s", "tournament.strategies.saver: found '2 s'"),
        ("links.wire.rate: 1 Mbps", "links.cable.rate: 1 Mbps", "cable"),
        ("replicates: 2", "replicates: 1", "replicates: found one run of each mix"),
        ("  player: one", "  player: one\n  price: 1", "unknown key 'price'"),
        (
            "  player: one",
            "  player: one\n  networks: {}",
            "networks: found an empty mapping",
        ),
        ("  player: one", "  player: one\n  networks: {a/b: {}}", "found the name 'a/b', expected"),
        ("  player: one", "  player: one\n  networks: {far: 9}", "networks.far: found 9, expected"),
        ("  player: one", "  player: one\n  networks: {far: {links: 9}}", "networks.far: found"),
        ("replicates: 2", "replicates: 2\nkeep: results", "keep together with tournament"),
    ],
)
def test_mistakes_are_one_line_with_their_place(tmp_path: Path, old, new, message) -> None:
    """The line has file and place, the value found and the expected one."""
    assert old in TOURNAMENT
    file = write(tmp_path, TOURNAMENT.replace(old, new))
    with pytest.raises(ScenarioError) as raised:
        load_tournament(file)
    assert message in str(raised.value) and "\n" not in str(raised.value)
    assert str(raised.value).startswith(f"{file}:")


def test_a_sweep_says_who_plays_tournaments(tmp_path: Path) -> None:
    """`ecnomy sweep` on a tournament names the command that plays it."""
    with pytest.raises(ScenarioError, match="run `ecnomy tournament .*`"):
        load_sweep(write(tmp_path))


def test_the_sweep_of_profiles_has_paired_seeds(tmp_path: Path) -> None:
    """Each profile has the same seeds, in sequence."""
    tournament = load_tournament(write(tmp_path))
    sweep = sweep_of(tournament, beginning(tournament))
    assert [point.seed for point in sweep.points()][:4] == [1, 2, 1, 2]
    assert len(sweep) == 2 * len(beginning(tournament))
    assert msgspec.json.decode(sweep.points()[0].params["sources"])[0]["name"] == "one-1"


def test_without_the_package_one_line_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """The line names the extra, and the command that installs it."""
    monkeypatch.setitem(sys.modules, "open_spiel.python.egt.alpharank", None)
    with pytest.raises(InputError, match=r"open_spiel.*pip install 'ecnomy\[all\]'"):
        egt("alpharank")


def test_networks_are_played_one_by_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each network has the results of the tournament on its scenario, and a row of shares.

    All networks share the workers.
    """
    pools: list[Here] = []
    made = "ecnomy.markets.sweep.pool.DaskPool"
    monkeypatch.setattr(made, lambda *args: pools.append(Here()) or pools[-1])
    own = "  player: one\n  networks: {near: {}, far: {network.links.wire.delay: 15 ms}}"
    two = TOURNAMENT.replace("  player: one", own).replace("[2, 3]", "[2]")
    file = write(tmp_path, two)
    out = tmp_path / "out"
    assert ecnomy("tournament", str(file), "--out", str(out), "--json") == 0
    said = json.loads(capsys.readouterr().out)
    assert list(said["networks"]) == ["near", "far"] and len(pools) == 1
    far = two.replace(own, "  player: one").replace("version: 1", SET_DELAY, 1)
    alone = tmp_path / "alone"
    assert ecnomy("tournament", str(write(tmp_path, far)), "--out", str(alone)) == 0
    assert (alone / PAYOFFS).read_bytes() == (out / "far" / PAYOFFS).read_bytes()
    assert (alone / PAYOFFS).read_bytes() != (out / "near" / PAYOFFS).read_bytes()
    pages = {name: (out / name / PAGE).read_text(encoding="utf-8") for name in ("near", "far")}
    assert "with network.links.wire.delay 15 ms" in pages["far"]
    assert "network.links.wire.delay" not in pages["near"]
    assert "the cost of its round trips" not in pages["near"]
    over = Path(said["page"]).read_text(encoding="utf-8")
    assert (
        over.count('href="near/tournament.html"') == over.count('href="far/tournament.html"') == 1
    )
    ends = re.search(r"<h1>On (\d) of 2 networks, players end with ", over)
    counts = [int(n) for n in re.findall(r"<b>(\d)</b> end with ", over)]
    assert ends is not None and int(ends[1]) == max(counts) and sum(counts) == 2
    rows = list(csv.DictReader((out / NETWORKS).read_text(encoding="utf-8").splitlines()))
    assert [row["network"] for row in rows] == ["near"] * 3 + ["far"] * 3
    for name in ("near", "far"):
        shares = [float(row["share"]) for row in rows if row["network"] == name]
        assert sum(shares) == pytest.approx(1, abs=1e-4)
    capsys.readouterr()
    write(tmp_path, two)
    assert ecnomy("tournament", str(file), "--out", str(out)) == 0
    assert len(pools) == 2  # the third command has nothing to run
    table = capsys.readouterr().out
    assert "share of players" in table and "near" in table and "far" in table
