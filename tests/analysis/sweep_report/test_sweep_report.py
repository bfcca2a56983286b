# SPDX-License-Identifier: Apache-2.0
"""The report on a sweep: comparisons, curves, sensitivity, fronts, and the page."""

from __future__ import annotations

import math
import re
from pathlib import Path

import msgspec
import numpy as np
import pandas as pd
import pytest
from scipy import stats
from typer.testing import CliRunner

from ecnomy.agents.errors import InputError, ResultsError
from ecnomy.analysis import open_sweep
from ecnomy.analysis.report.command import report_app
from ecnomy.analysis.show.command import show_command
from ecnomy.analysis.sweep_report.contrasts import contrasts_of
from ecnomy.analysis.sweep_report.curves import best_of
from ecnomy.analysis.sweep_report.findings import findings_of
from ecnomy.analysis.sweep_report.fronts import front_of
from ecnomy.analysis.sweep_report.maps import front_section, maps_section
from ecnomy.analysis.sweep_report.points import Swept, Varied, open_swept
from ecnomy.analysis.sweep_report.table import points_table
from ecnomy.analysis.sweep_report.variance_shares import matters_of
from ecnomy.analysis.sweeps.labels import Factor
from made_up_sweep import made_up
from tiers import in_full

SWEEP = """
version: 1
title: Marking and price
scenario: scenario.yaml
parameters:
  grid:
    network.links.wire.marking:
      - {label: rare, value: {law: fixed, probability: 0.02}}
      - {label: often, value: {law: fixed, probability: 0.05}}
    market.price_per_mark: [0.1 money, 0.2 money, 0.3 money, 0.4 money, 0.5 money]
replicates: 8
outcomes: [profit.shop, welfare]
"""


def figures(point) -> dict[str, int | float | None]:
    """A profit with its maximum at 0.3 money, which is 0.5 higher with rare marks, and noise."""
    price = float(point.params["market.price_per_mark"].split()[0])
    rare = "0.02" in point.params["network.links.wire.marking"]
    noise = np.random.default_rng([point.seed, point.number]).standard_normal(2)
    shared = np.random.default_rng(point.seed).standard_normal()
    profit = 5 - 40 * (price - 0.3) ** 2 + 0.5 * rare + 0.3 * shared + 0.05 * noise[0]
    return {"profit.shop": profit, "welfare": 9 - 4 * price + 0.05 * noise[1]}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A sweep over two laws and five prices."""
    return made_up(tmp_path_factory.mktemp("sweep"), SWEEP, figures)


@pytest.fixture(scope="module")
def swept(folder: Path) -> Swept:
    """The opened sweep."""
    return open_swept(folder)


def nothing_differs(rng: np.random.Generator, levels: int, outcomes: int) -> Swept:
    """Ten paired runs for each value of a factor without effect."""
    labels = tuple("abcdefgh"[:levels])
    factor = Factor("law", ("law",), "", labels, (), (labels,), False)
    codes = np.repeat(np.arange(levels), 10)
    shared = np.tile(rng.standard_normal((10, outcomes)), (levels, 1))
    return Swept(
        folder=Path("x"), title="", varied=(Varied(factor, codes, codes * 1.0),),
        outcomes=tuple(f"o{i}" for i in range(outcomes)),
        values=shared + rng.standard_normal((10 * levels, outcomes)), point=codes,
        replicate=np.tile(np.arange(10), levels), labels=labels, paired=True,
    )  # fmt: skip


def test_a_profit_of_one_value_alone_says_which_and_why() -> None:
    """Finished runs without declared utilities have no profit, so a balance is named."""
    whole = nothing_differs(np.random.default_rng(1), 3, 1)
    whole.values[whole.point != 1] = np.nan
    findings = findings_of(msgspec.structs.replace(whole, outcomes=("profit.isp",)))
    assert findings.headline == "Only b has finished runs that report profit.isp."
    assert findings.detail.endswith("declare utilities; balance.isp is for all.")


def test_false_discoveries_are_controlled() -> None:
    """Of 200 sweeps without any difference in 100 comparisons, one in twenty reports one.

    The fast tier has 25. Without differences every discovery is false, so the share of sweeps with
    a discovery is the rate.
    """
    rng = np.random.default_rng(11)
    controlled = plain = 0
    count = 200 if in_full() else 25
    for _ in range(count):
        contrasts = contrasts_of(nothing_differs(rng, 5, 10))
        assert len(contrasts) == 100
        controlled += any(c.q <= 0.05 for c in contrasts)
        plain += any(c.compared.p <= 0.05 for c in contrasts)
    assert controlled / count <= 0.05 + 2 * math.sqrt(0.05 * 0.95 / count)
    assert plain / count > 0.9, "without control nearly every sweep would tell of a difference"


def test_a_difference_is_found_through_what_seeds_share(swept: Swept) -> None:
    """The law's 0.5 is within its interval, which pairing makes far narrower."""
    findings = findings_of(swept)
    one = next(c for c in findings.contrasts if c.varied == 0 and c.outcome == "profit.shop")
    between = one.compared.difference
    assert between.low <= -0.5 <= between.high and between.half_width < 0.05 and one.q < 0.001
    assert one.ratio < 0.3 and one.compared.effect < -0.8
    assert findings.sure and findings.headline == "shop: profit per second is highest with rare."
    assert "0.5" in findings.detail and "more than often" in findings.detail


def test_comparisons_are_those_of_the_table_by_scipy(folder: Path, swept: Swept) -> None:
    """Difference, t interval, Hedges' g and q of every comparison equal scipy's."""
    frame = open_sweep(folder)
    columns = ("network.links.wire.marking", "market.price_per_mark")
    contrasts, ps = contrasts_of(swept), []
    assert len(contrasts) == 2 * (1 + 4), "two laws, and neighbours of five prices, in two outcomes"
    for one in contrasts:
        column = columns[one.varied]
        means = frame.groupby([column, "replicate"])[one.outcome].mean().unstack()
        levels = list(dict.fromkeys(frame.sort_values("number")[column]))
        a, b = (means.loc[levels[i]].to_numpy() for i in (one.first, one.second))
        test = stats.ttest_rel(b, a)
        low, high = test.confidence_interval(0.95)
        between = one.compared.difference
        assert between.mean == pytest.approx((b - a).mean())
        assert (between.low, between.high) == pytest.approx((low, high))
        pooled = math.sqrt((a.var(ddof=1) + b.var(ddof=1)) / 2)
        assert one.compared.effect == pytest.approx(
            (1 - 3 / (4 * 14 - 1)) * (b - a).mean() / pooled
        )
        ps.append(test.pvalue)
    ranks = pd.Series(ps).rank(method="max").to_numpy()
    scaled = np.array(ps) * len(ps) / ranks
    wanted = [min(1.0, scaled[ranks >= rank].min()) for rank in ranks]
    assert [one.q for one in contrasts] == pytest.approx(wanted)


def test_tables_are_stacked_on_a_telephone(folder: Path, tmp_path: Path) -> None:
    """Each cell has its column's head, which narrow screens show; wide screens have the table."""
    page = tmp_path / "page.html"
    assert CliRunner().invoke(report_app, [str(folder), "--out", str(page)]).exit_code == 0
    text = page.read_text()
    narrow = re.findall(r"@media screen and \(max-width: 47\.99rem\) \{(.*?)\n\}", text, re.S)
    assert any(".cards td::before { content: attr(data-label)" in rules for rules in narrow)
    figures = re.findall(
        r'<figure class="table( cards)?[^>]*id="([^"]+)">(.*?)</figure>', text, re.S
    )
    assert {name for cards, name, _ in figures if not cards} == {"how-table"}
    assert len(figures) >= 4
    for _, name, body in figures:
        heads = re.findall(r'<th scope="col"[^>]*>(.*?)</th>', body)
        for row in re.findall(r"<tr[^>]*>(<th scope=\"row\">.*?)</tr>", body, re.S):
            assert re.findall(r'data-label="([^"]*)"', row) == heads[1:], name


def test_the_best_price_is_found(swept: Swept) -> None:
    """The top of the curve, 0.3 money, is in its interval, which excludes the ends."""
    best = best_of(swept, swept.varied[1], "profit.shop")
    assert best is not None and best.x == 0.3 and best.inner and best.share > 0.9
    assert best.low - 0.002 <= 0.3 <= best.high + 0.002 and best.high - best.low < 0.02


def test_a_top_between_values_is_found() -> None:
    """Without noise, a parabola's top between two values is found exactly."""
    x = (1.0, 2.0, 3.0, 4.0)
    factor = Factor("p", ("p",), "", tuple(map(str, x)), x, (x,), False)
    codes = np.repeat(np.arange(4), 2)
    y = -((np.array(x)[codes] - 2.4) ** 2)
    one = Swept(Path("x"), "", (Varied(factor, codes, np.array(x)[codes]),), ("profit.a",),
                y[:, np.newaxis], codes, np.tile([0, 1], 4), tuple("abcd"), True)  # fmt: skip
    best = best_of(one, one.varied[0], "profit.a")
    assert best is not None and best.at == pytest.approx(2.4, abs=0.05)


def test_what_matters_is_the_variance_explained(swept: Swept) -> None:
    """Shares of a grid agree with the formula that made the outcomes."""
    matters = matters_of(swept, "profit.shop")
    assert matters is not None and matters.grid
    price = 40**2 * np.var((np.array([0.1, 0.2, 0.3, 0.4, 0.5]) - 0.3) ** 2)
    whole = price + 0.25**2 + 0.3**2 + 0.05**2
    assert matters.alone[1].mean == pytest.approx(price / whole, abs=0.12)
    assert matters.alone[0].mean == pytest.approx(0.25**2 / whole, abs=0.06)
    assert matters.order() == [1, 0] and abs(matters.rest) < 0.01
    assert matters.alone[1].low <= price / whole <= matters.alone[1].high


def test_samples_are_ranked_by_what_they_explain(tmp_path: Path) -> None:
    """Over a Latin hypercube the parameter with the largest effect comes first."""
    text = """
version: 1
scenario: scenario.yaml
parameters:
  latin-hypercube:
    samples: 80
    over:
      market.price_per_mark: {from: 0.1 money, to: 0.5 money}
      network.links.wire.rate: {from: 1 Mbps, to: 4 Mbps}
      network.links.wire.delay: {from: 1 ms, to: 9 ms}
"""

    def made(point) -> dict[str, int | float | None]:
        price, rate, _ = (float(str(v).split()[0]) for v in point.params.values())
        noise = np.random.default_rng(point.number).standard_normal()
        return {"welfare": 10 * price + 0.5 * rate + 0.1 * noise}

    one = open_swept(made_up(tmp_path, text, made))
    matters = matters_of(one, "welfare")
    assert matters is not None and not matters.grid and matters.order() == [0, 1, 2]
    assert matters.alone[0].mean > 0.7 and matters.alone[2].high < 0.05
    assert findings_of(one).headline.startswith("Most important parameters for welfare")


def test_what_may_matter_not_at_all_is_not_sure(tmp_path: Path) -> None:
    """A share is called unsure if its interval reaches 0, or with too few replicates."""

    def made(point) -> dict[str, int | float | None]:
        price = float(point.params["market.price_per_mark"].split()[0])
        noise = np.random.default_rng([point.seed, point.number]).standard_normal()
        return {"profit.shop": 9 * price + noise}

    text = SWEEP.replace("outcomes: [profit.shop, welfare]\n", "")
    for replicates, words in (
        (8, r"price_per_mark \(\d+ %\)"),
        (2, r"price_\w+ \(\d+ %, not sure\)"),
    ):
        few = text.replace("replicates: 8", f"replicates: {replicates}")
        findings = findings_of(open_swept(made_up(tmp_path / str(replicates), few, made)))
        (line,) = (one for one in findings.more if one.startswith("Most important"))
        assert re.search(words, line), line


def test_the_front_is_what_nothing_beats(swept: Swept) -> None:
    """Welfare falls with the price, so prices from the cheapest to the best are on the front."""
    front = front_of(swept)
    assert front is not None and (front.x, front.y) == ("welfare", "profit.shop")
    brute = [
        not any(
            (front.means[j] >= front.means[i]).all() and (front.means[j] > front.means[i]).any()
            for j in range(swept.points)
        )
        for i in range(swept.points)
    ]
    assert front.on.tolist() == brute and not (front.on & front.beaten).any()


def test_points_that_are_equal_are_on_the_front_together() -> None:
    """Equal points do not beat each other; a point equal in just one outcome may be beaten."""
    means = np.array([[1.0, 2.0], [2.0, 1.0], [1.0, 2.0], [2.0, 0.0], [0.0, 2.0]])
    swept = nothing_differs(np.random.default_rng(1), len(means), 2)
    swept.values[:] = means[swept.point]
    front = front_of(msgspec.structs.replace(swept, outcomes=("welfare", "profit.isp")))
    assert front is not None and front.on.tolist() == [True, True, True, False, False]


@pytest.mark.drawn
def test_the_page_says_first_what_was_found(folder: Path) -> None:
    """The page is one file without scripts: the answer, then tables, pictures and CSV."""
    done = CliRunner().invoke(report_app, [str(folder)])
    assert done.exit_code == 0, done.output
    assert done.stdout.startswith("shop: profit per second is highest with rare.\n")
    page = (folder / "report.html").read_text()
    assert "<h1>shop: profit per second is highest with rare.</h1>" in page
    assert "<script" not in page and not re.search(r'(src|href)="(?!data:|#)', page)
    for part in ("compared", "all-points", "curves", "maps", "trade-off", "matters", "seeds"):
        assert f'<section id="{part}">' in page, part
    assert page.count("<img ") == page.count('alt="') >= 8
    if in_full():
        assert CliRunner().invoke(report_app, [str(folder)]).exit_code == 0
        assert (folder / "report.html").read_text() == page, "the same runs, the same bytes"


def test_samples_are_drawn_by_what_they_are(tmp_path: Path) -> None:
    """Levels of Morris's method have their own cells; long names of points are left out."""
    over = "market.price_per_mark: {from: 0.1 money, to: 0.4 money}"
    more = (
        "sources.gold.count: {from: 1, to: 4}, network.links.wire.rate: {from: 2 Mbps, to: 5 Mbps}"
    )
    text = (
        "version: 1\nscenario: scenario.yaml\nparameters: {morris: {trajectories: 6, levels: 4, "
        f"over: {{{over}, {more}}}}}}}\nreplicates: 2\noutcomes: [profit.shop, welfare]\n"
    )

    def made(point) -> dict[str, int | float | None]:
        price = float(point.params["market.price_per_mark"].split()[0])
        count = float(point.params["sources.gold.count"])
        noise = float(np.random.default_rng([point.seed, point.number]).standard_normal())
        return {"profit.shop": 9 * price + count + 0.01 * noise, "welfare": -count + 0.01 * noise}

    swept = open_swept(made_up(tmp_path, text, made))
    findings = findings_of(swept)
    drawn = maps_section(swept, findings)
    assert drawn is not None
    cells = next(block.rows for block in drawn.blocks if hasattr(block, "alt"))
    assert len(cells) == 16 and {float(row[0]) for row in cells} == {1, 2, 3, 4}
    assert {float(row[1]) for row in cells} == {0.1, 0.2, 0.3, 0.4}
    front = front_section(swept)
    assert front is not None and "the CSV lists their values" in str(front.blocks[0])
    assert any("sampled for Morris's indices: ecnomy sensitivity" in note for note in swept.notes)


def test_outcomes_are_chosen(folder: Path, tmp_path: Path) -> None:
    """--outcome reports on another column; for an unknown one nothing is written."""
    page = tmp_path / "page.html"
    words = [str(folder), "--out", str(page), "--outcome", "welfare"]
    assert "welfare is highest" in CliRunner().invoke(report_app, words).stdout
    words[-1] = "wellfare"
    done = CliRunner().invoke(report_app, [*words[:2], str(tmp_path / "no.html"), *words[3:]])
    assert isinstance(done.exception, InputError) and not (tmp_path / "no.html").exists()
    assert "'wellfare', which no run has" in str(done.exception)


def test_a_folder_that_is_none(tmp_path: Path) -> None:
    """`report` of an invalid folder prints one line; --outcome is only for sweeps."""
    done = CliRunner().invoke(report_app, [str(tmp_path / "none")])
    assert isinstance(done.exception, InputError) and "no such folder" in str(done.exception)
    done = CliRunner().invoke(report_app, [str(tmp_path), "--outcome", "welfare"])
    assert isinstance(done.exception, InputError)


def test_show_prints_points_and_draws_them(folder: Path, capsys) -> None:
    """`ecnomy show SWEEP`: a row for each point, the best one marked, the answer, a picture."""
    show_command(folder)
    said = capsys.readouterr().out
    assert "rare, price_per_mark 0.3 money" in said and said.count("* best") == 1
    assert "shop: profit per second is highest with rare." in said and "picture: " in said
    assert (folder / "sweep.png").read_bytes()[:4] == b"\x89PNG"


def test_points_of_numbers_have_their_parameters_in_the_head(tmp_path: Path) -> None:
    """Parameters are in the head and not in each row, so the table fits into 80 columns."""
    grid = SWEEP[SWEEP.index("    network.links") : SWEEP.index("replicates")]
    numbers = "    sources.gold.count: [1, 2]\n    market.price_per_mark: [0.1 money, 0.2 money]\n"

    def made(point) -> dict[str, int | float | None]:
        return {"profit.shop": float(point.number), "welfare": float(-point.number)}

    table = points_table(open_swept(made_up(tmp_path, SWEEP.replace(grid, numbers), made)))
    first, *others = table.columns
    assert first.header == "gold.count,\nprice_per_mark"
    assert list(first.cells) == ["1, 0.1 money", "1, 0.2 money", "2, 0.1 money", "2, 0.2 money"]
    assert [str(column.header).split("\n")[:2] for column in others[:2]] == [
        ["runs"],
        ["profit.", "shop"],
    ]


def test_an_outcome_of_some_points_does_not_lead(tmp_path: Path) -> None:
    """Only one law's runs have a profit and one other run has no rate, so the balance leads."""
    unnamed = SWEEP.replace("outcomes: [profit.shop, welfare]\n", "")

    def made(point) -> dict[str, int | float | None]:
        known = figures(point)
        rare = "0.02" in point.params["network.links.wire.marking"]
        profit = {"profit.shop": known["profit.shop"]} if rare else {}
        rate = None if point.number == 0 else 1e6 + point.number
        return {**profit, "balance.shop": 60 * known["profit.shop"], "gold.goodput_bps": rate}

    swept = open_swept(made_up(tmp_path, unnamed, made))
    assert swept.outcomes == ("balance.shop", "gold.goodput_bps", "profit.shop")
    assert findings_of(swept).headline.startswith("shop: balance at the end is highest with rare")
    table = points_table(open_swept(swept.folder, ["profit.shop"]))
    cells = [list(column.cells) for column in table.columns[1:3]]
    assert set(cells[0]) == {"8"} and cells[1].count("-") == 5


def test_a_sweep_in_which_nothing_differs(tmp_path: Path) -> None:
    """The report says that nothing differs, and calls no value the best."""

    def made(point) -> dict[str, int | float | None]:
        return {"profit.shop": float(np.random.default_rng([9, point.number]).standard_normal())}

    text = SWEEP.replace("outcomes: [profit.shop, welfare]\n", "")
    findings = findings_of(open_swept(made_up(tmp_path, text, made)))
    assert findings.sure is False and "do not differ significantly" in findings.headline
    assert any("No significant difference" in line for line in findings.more)


def test_one_point_alone_and_failures(tmp_path: Path) -> None:
    """A single point gives a mean; runs without outcomes are mentioned."""
    text = "version: 1\nscenario: scenario.yaml\nreplicates: 3\n"
    one = made_up(tmp_path, text, lambda point: {"welfare": 2.0 + 0.1 * point.replicate})
    assert findings_of(open_swept(one)).headline.startswith("welfare is 2.10 \u00b1 0.25 money/s")
    with pytest.raises(ResultsError, match="the runs have no outcomes"):
        open_swept(made_up(tmp_path, text, lambda point: {}, "none"))
