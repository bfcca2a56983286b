# SPDX-License-Identifier: Apache-2.0
"""`ecnomy evaluate`: verdicts by hand, recomputed columns, every condition, whole evaluations."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from ecnomy.agents.errors import InputError, ResultsError
from ecnomy.analysis.evaluate import criteria_figure, wording
from ecnomy.analysis.evaluate.advice import advice
from ecnomy.analysis.evaluate.command import folder_label
from ecnomy.analysis.evaluate.criteria import Condition, Criterion, CriterionColumn, criteria
from ecnomy.analysis.evaluate.measures import source_columns
from ecnomy.analysis.evaluate.page import write_page
from ecnomy.analysis.evaluate.runs import Evaluation, checked, measured, sweep_of, values_of
from ecnomy.analysis.evaluate.verdicts import JudgedCriterion, OutcomeVerdict, verdict_of
from ecnomy.analysis.evaluate.verdicts import judged as judged_all
from ecnomy.analysis.statistics.intervals import t_interval
from ecnomy.markets import load, run
from ecnomy.markets.cli.main import app
from ecnomy.markets.sweep.driver import task_of
from ecnomy.markets.sweep.outcome import DONE, execute
from sweep_world import Here, Watcher
from tiers import full

CUBIC = {"law": "cubic", "sack": True}


def judged(own: list[float | None], *, better: str = "higher", **more: float) -> str:
    """The verdict on these values, compared with 100 (Reno) and 120 (CUBIC), each +- 1."""
    figure = CriterionColumn(column="x", of="x", better=better, **more)
    case = Condition(Criterion("c", "5", "C", "?", (), {"all": {}}, (figure,)), "all", "all", "")
    return verdict_of(
        case, figure, {"new": own, "Reno": [99.0, 100.0, 101.0], "CUBIC": [121.0, 120.0, 119.0]}
    ).verdict


@pytest.mark.parametrize(
    ("own", "margin", "better", "expected"),
    [
        ([89.0, 90.0, 91.0], 0.05, "higher", "worse"),  # 10 below the worst, margin 5
        ([89.0, 90.0, 91.0], 0.11, "higher", "as good"),  # margin 11
        ([93.0, 95.0, 97.0], 0.05, "higher", "open"),  # on the margin
        ([93.0, 100.0, 107.0], 0.05, "higher", "open"),  # too uncertain
        ([113.0, 114.0, 115.0], 0.05, "higher", "as good"),  # between both
        ([131.0, 130.0, 129.0], 0.05, "higher", "better"),  # 10 above the best, margin 6
        ([131.0, 130.0, 129.0], 0.1, "higher", "as good"),  # margin 12
        ([131.0, 130.0, 129.0], 0.05, "lower", "worse"),  # the worst is now CUBIC
        ([89.0, 90.0, 91.0], 0.05, "lower", "better"),
        ([None, None, 90.0], 0.05, "higher", "open"),  # one value has no interval
        ([None, 90.0, 91.0], 0.05, "higher", "worse"),  # two seeds are compared with their own
    ],
)
def test_verdicts_by_hand(
    own: list[float | None], margin: float, better: str, expected: str
) -> None:
    """A law is worse beyond the worst standard's margin, and better beyond the best one's."""
    assert judged(own, margin=margin, better=better) == expected


def test_bounds_and_small_differences() -> None:
    """A bound is absolute; `least` is the smallest margin."""
    assert judged([0.5, 0.6, 0.7], better="lower", at_most=1) == "as good"
    assert judged([1.5, 1.6, 1.7], better="lower", at_most=1) == "worse"
    assert judged([0.5, 1.0, 1.7], better="lower", at_most=1) == "open"
    assert judged([89.0, 90.0, 91.0], margin=0.01, least=12) == "as good"


def test_columns_are_what_the_tables_say(tmp_path: Path) -> None:
    """Shares, losses, packets per round trip and page times, counted from the tables."""
    end = {"from": "servers", "to": "homes"}
    web = {"kind": "web", "reading": "1 s", "size": "fixed", "mean": "30 kB"}
    cbr = {"kind": "cbr", "rate": "3 Mbps"}
    sources = [
        {"name": "long", "count": 2, "transport": CUBIC, "spread": "1 s", **end},
        {"name": "burst", "transport": {"law": "udp"}, "traffic": cbr, **end},
        {"name": "pages", "count": 3, "transport": CUBIC, "traffic": web, **end},
    ]
    file = tmp_path / "s.yaml"
    file.write_text(json.dumps(criteria().scenario | {"sources": sources, "warmup": "5 s"}))
    out = tmp_path / "r"
    run(load(file, overrides=["duration=15 s"]), seed=3, out=out)
    columns = source_columns(out)
    flows = pq.read_table(out / "flows.parquet").to_pydict()
    own = [i for i, source in enumerate(flows["source"]) if source == "long"]
    rates = np.array([flows["goodput_bps"][i] for i in own])
    assert columns["long.goodput_sum_bps"] == pytest.approx(rates.sum())
    assert columns["long.fair_share"] == columns["long.least_share"] == 1
    assert columns["long.jain"] == pytest.approx(rates.sum() ** 2 / (2 * (rates**2).sum()))
    lost, arrived = (sum(flows[key][i] for i in own) for key in ("lost", "delivered"))
    assert lost > 0 and columns["long.lost_share"] == pytest.approx(lost / (lost + arrived))
    sent = sum(flows["sent"][i] for i in own) / 2
    assert columns["long.sent_per_round"] == pytest.approx(sent / 10 * 0.040)
    rows = pq.read_table(out / "transfers.parquet").to_pylist()
    times = [
        (row["end_ps"] - row["start_ps"]) / 1e12
        for row in rows
        if row["start_ps"] >= 5e12 and row["complete"]
    ]
    assert columns["pages.mean_transfer_s"] == pytest.approx(np.mean(times))
    assert columns["burst.mean_transfer_s"] is None and 0 < columns["burst.late_over_150ms"] < 1


def test_the_smaller_of_two_shares_counts_whoever_has_it(tmp_path: Path) -> None:
    """Both sources count with the smaller share, so an advantage never seems fairer."""
    sources = [
        {"name": name, "from": start, "to": "homes", "transport": CUBIC, "spread": "1 s"}
        for name, start in (("near", "servers"), ("far", "distant"))
    ]
    file = tmp_path / "s.yaml"
    file.write_text(json.dumps(criteria().scenario | {"sources": sources, "warmup": "5 s"}))
    run(load(file, overrides=["duration=15 s"]), seed=3, out=tmp_path / "r")
    columns = source_columns(tmp_path / "r")
    flows = pq.read_table(tmp_path / "r" / "flows.parquet").to_pydict()
    near, far = flows["goodput_bps"]
    assert near > far and columns["near.fair_share"] == pytest.approx(2 * near / (near + far))
    assert columns["near.least_share"] == columns["far.least_share"] == columns["far.fair_share"]


def test_every_condition_runs_and_has_its_figures() -> None:
    """All conditions are valid scenarios; the first of each criterion has a value per figure."""
    evaluation = Evaluation("new", CUBIC, criteria().criteria, seeds=1)
    sweep = sweep_of(evaluation)
    points = iter(sweep.points())
    for criterion in evaluation.criteria:
        for number, case in enumerate(evaluation.cases(criterion)):
            for law in evaluation.laws:
                point = next(points)
                sweep.scenario_at(point.params, point.seed)
                if number == 0 and law == "new":
                    made = execute(task_of(sweep, point))
                    assert made.status == DONE, (criterion.name, made.reason)
                    missing = [f.column for f in case.figures if made.values[f.column] is None]
                    assert not missing, (criterion.name, missing)
    assert next(points, None) is None


def test_reno_is_as_good_as_reno(tmp_path: Path) -> None:
    """Against the same runs nothing is worse. Packets per round trip have an absolute bound."""
    own = tuple(one for one in criteria().criteria if one.name in ("backoff", "loss"))
    transport = criteria().standards["Reno"]
    evaluation = Evaluation("newreno", transport, own, seeds=3, quick=True)
    pool = Here()
    values = measured(evaluation, tmp_path / "e", pool, lambda total, missing: Watcher())
    pool.close()
    judgements = judged_all(evaluation, values)
    assert [(one.criterion.name, one.verdict) for one in judgements] == [
        ("backoff", "as good"),
        ("loss", "as good"),
    ]
    backoff = (
        judgements[0].verdicts[0].candidate
    )  # ACKs return, so it measures the law, not silence
    assert backoff is not None and 0.05 < backoff.mean < 1
    means = judgements[1].verdicts[0].means
    assert means["newreno"] == means["Reno"] != means["CUBIC"]
    page = write_page(evaluation, judgements, tmp_path / "page.html")
    text = (tmp_path / "page.html").read_text()
    opens = "newreno is at least as good as the worse of Reno and CUBIC by 2 of 2 criteria"
    assert page.opens == opens and opens in text and "Only 2 of 23 criteria." in text
    assert "Margin: packets lost, 10 % or 0.2 %, whichever is more." in text
    assert "Bound of packets sent per round trip: 1." in text and 'id="warnings"' not in text
    assert criteria_figure.row_label(judgements[1].verdicts[0]) == "a quarter of a BDP\nas good"
    assert "http" not in text.replace("http://www.w3.org", "") and "<script" not in text


@pytest.mark.parametrize("status", ["failed", None])
def test_verdicts_need_all_seeds(status: str | None) -> None:
    """A failed or missing run is an error with its reason, so no verdict lacks seeds."""
    collapse = next(one for one in criteria().criteria if one.name == "collapse")
    own = Evaluation("cubic", CUBIC, (collapse,), seeds=3, quick=True)
    rows = [{"number": n, "status": "done", "reason": "", "x": 1.0} for n in range(9)]
    assert len(values_of(own, pd.DataFrame(rows), Path("out"))) == 3
    rows[4:5] = [rows[4] | {"status": status, "reason": "too slow"}] if status else []
    reason = "too slow" if status else "missing"
    with pytest.raises(ResultsError, match=rf"out: 1 of 9 runs .* 100 ms, Reno\): {reason}"):
        values_of(own, pd.DataFrame(rows), Path("out"))


def test_headlines_count_what_is_sure() -> None:
    """Open criteria are not counted as good; `worse` means worse than both standards."""
    case = Condition(Criterion("c", "5", "C", "?", (), {"all": {}}, ()), "all", "all", "")
    figure = CriterionColumn(column="x", of="x", better="lower")
    mean = t_interval([1.0, 2.0], 0.95)
    found = [
        JudgedCriterion(
            case.criterion, (OutcomeVerdict(case, figure, verdict, {"new": mean, "Reno": mean}),)
        )
        for verdict in ("as good", "better", "open", "worse")
    ]
    assert (
        wording.headline("new", found) == "new is worse than both Reno and CUBIC by 1 of 4 criteria"
    )
    least = "new is at least as good as the worse of Reno and CUBIC by"
    assert wording.headline("new", found[:3]) == f"{least} 2 of 3 criteria"
    assert wording.headline("new", found[:1]) == f"{least} 1 of 1 criterion"
    assert wording.sentence(found[2:]) == "Worse: c. Open: c."


def test_warnings_are_those_of_the_law_only() -> None:
    """BBR ignores marks over 40 ms; a warning that Reno has in its place is not the law's."""
    own = tuple(one for one in criteria().criteria if one.name in ("aqm-standard", "real-time"))
    bbr = Evaluation("bbr", {"law": "bbr", "sack": True}, own, seeds=2)
    ((line, cases),) = advice(bbr).items()
    assert line.startswith("source candidate: bbr ignores marks over a round trip of 41.2 ms")
    assert wording.places(cases) == "4 networks", "all that mark"
    assert advice(Evaluation("newreno", criteria().standards["Reno"], own, seeds=2)) == {}


@full
def test_dctcp_starves_cubic_where_packets_are_marked(tmp_path: Path) -> None:
    """RFC 8257 section 5: DCTCP must not share a queue with standard flows. Runs are kept."""
    command = ["evaluate", "dctcp", "--quick", "--jobs", "1", "--json"]
    command += ["--only", "aqm-standard", "--out", str(tmp_path / "e")]
    first = CliRunner().invoke(app, command)
    document = json.loads(first.stdout)
    (figure,) = document["criteria"][0]["figures"]
    assert document["criteria"][0]["verdict"] == "worse" and figure["means"]["dctcp"]["mean"] < 0.5
    assert figure["means"]["Reno"]["mean"] > 0.8
    again = CliRunner().invoke(app, command)
    assert again.stdout == first.stdout and "new runs" not in again.stderr


@pytest.mark.parametrize(
    ("law", "expected"),
    [
        ("cubik", "LAW: law: found 'cubik', expected 'cubic'"),
        ("{law: cubic, hystat: true}", "LAW: hystat: found the unknown key 'hystat', expected 'hy"),
        ("udp", "LAW: found udp, which has no congestion control"),
        (" ", "LAW: found an empty text, expected a window law or a transport"),
        ("[cubic]", "LAW: found [cubic], expected a window law or a transport with 'law'"),
    ],
)
def test_what_is_no_law_is_refused(law: str, expected: str, tmp_path: Path) -> None:
    """One line names the key; nothing is written."""
    made = CliRunner().invoke(app, ["evaluate", law, "--out", str(tmp_path / "e")])
    assert isinstance(made.exception, InputError) or made.exit_code == 2
    said = str(made.exception) if isinstance(made.exception, InputError) else made.stderr
    assert said.removeprefix("ecnomy: ").startswith(expected)
    assert not (tmp_path / "e").exists()


@pytest.mark.parametrize(
    ("transport", "label"),
    [
        (CUBIC, "cubic"),
        ({"law": "cubic", "hystart": True}, "cubic-no-sack-hystart-true"),
        ({"law": "bbr", "ecn": "off", "sack": True}, "bbr-ecn-off"),
        ({"law": "wtp", "sack": True, "cwnd_min": "0.5 packets"}, "wtp-cwnd-min-0.5-packets"),
    ],
)
def test_transports_have_their_own_folders(transport: dict[str, object], label: str) -> None:
    """The page of a variant does not replace that of the law."""
    assert folder_label(transport) == label


def test_a_refused_transport_has_its_key() -> None:
    """The check of a transport names the key below it."""
    with pytest.raises(InputError, match="LAW: sack: found 'perhaps'"):
        checked(Evaluation("cubic", {"law": "cubic", "sack": "perhaps"}, criteria().criteria))
