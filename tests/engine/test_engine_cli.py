# SPDX-License-Identifier: Apache-2.0
"""The engine's own command line: its description of laws, and its errors for a bad plan."""

from __future__ import annotations

import copy
import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import plans
from drive import engine
from ecnomy.markets import load, make_plan

EXAMPLES = Path(__file__).parents[2] / "configs" / "examples"


def call(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([engine(), *arguments], capture_output=True, text=True, timeout=60)


def test_describe_lists_every_law() -> None:
    """JSON lists families, names, traits and parameters. Required ones have no default."""
    laws = json.loads(call("describe").stdout)
    assert set(laws) == {"marking", "window", "traffic", "part", "scheduling", "service"}
    red = {p["name"]: p for p in laws["marking"]["red"]["parameters"]}
    assert red["min_threshold"]["default"] is None and red["weight"]["default"] == 0.002
    assert red["unit"]["choices"] == ["packets", "bytes"]
    assert laws["window"]["tahoe"]["traits"]["recovery"] == "go-back"
    paced = [name for name, law in laws["window"].items() if law["traits"]["paced"]]
    assert paced == ["primal", "bbr", "bbr1", "scream"]


def test_totals_without_a_bridge(tmp_path) -> None:
    """Without a market, the engine runs the plan and prints one JSON line."""
    path = tmp_path / "plan.json"
    path.write_bytes(plans.reference_dumbbell(2.0).to_json())
    totals = json.loads(call("run", "--plan", str(path)).stdout)
    assert totals["data_packets"] > 10_000
    assert totals["packet_hops"] == pytest.approx(6 * totals["data_packets"], rel=0.02)


BAD = {
    "no JSON": ("{", "plan: "),
    "no version": ("{}", "plan: has no key 'plan'"),
    "rate": ('"rate_bps":100000000,', '"rate_bps":0,', "plan.links[2].rate_bps: is 0, expected a"),
    "law": ('"law":"red"', '"law":"rod"', "unknown marking law 'rod'"),
    "range": ('"max_probability":0.1', '"max_probability":7', "max_probability is 7"),
    "type": ('"seed":1', '"seed":"x"', "plan.seed"),
    "flag": ('"sack":false', '"sack":"no"', 'transport.sack: is "no", expected true or false'),
    "order": (
        '"max_threshold":150',
        '"max_threshold":49',
        "red: max_threshold is below min_thresh",
    ),
    "memory": ('"min_window":1.0', '"min_window":1.1e6', "min_window: is 1100000.0, expected a"),
    "largest": ('"max_window":1000000000.0', '"max_window":0.5', "max_window: is 0.5, expected a"),
    "codepoint": ('"codepoint":"ect-0"', '"codepoint":"ect"', 'codepoint: is "ect", expected ect-'),
    "path": ('"path":[0,2,4]', '"path":[0,2,44]', "path[2]: is 44, expected a whole number from"),
    "no path": ('"path":[0,2,4]', '"path":[]', "plan.sources[0]: path is empty"),
    "no way back": ('"ack_path":[5,3,1]', '"ack_path":[]', "plan.sources[0]: ack_path is empty"),
    "repair": (
        '"repair":true,"rtt":"smoothed","sack":false',
        '"repair":false,"rtt":"smoothed","sack":true',
        "transport: repair is false with sack",
    ),
    "class": ('"classes":[],"count"', '"classes":[0,0,0],"count"', "are not the classes of its"),
    "traffic": (
        '"law":"greedy","params":{}',
        '"law":"cbr","params":{"interval_s":1.0,"random_phase":0.0}',
        "does not go with its transport",
    ),
    "no period": ('"counts":[]', '"counts":["sent"]', "counts_every_ps must be positive where"),
    "last": ('"stagger_ps":100000000000', f'"stagger_ps":{2**62}', "start: its last flow starts"),
}
HOSTILE = (-2, 0.5, 2**63, 2**65, 1e301)


def numbers(value: object, place: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """The places of all numbers, except parameters of laws, whose table has their ranges."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if key != "params":
                yield from numbers(inner, (*place, key))
    elif isinstance(value, list):
        for i, inner in enumerate(value):
            yield from numbers(inner, (*place, i))
    elif type(value) in (int, float):
        yield place


def with_number(plan: dict[str, Any], place: tuple[str | int, ...], number: float) -> str:
    """The plan with another number in a place."""
    there: Any = (changed := copy.deepcopy(plan))
    for step in place[:-1]:
        there = there[step]
    there[place[-1]] = number
    return json.dumps(changed)


CHOICES = {
    "not_ect": "drop or pass",
    "kind": "tcp or udp",
    "send": "paced or ack-clocked",
    "ect": "data or all",
    "rtt": "smoothed or mean",
    "reduce_from": "window, flight or pipe",
    "rows": "each or together",
    "series": "cwnd, rtt, rate, queue or marking_probability",
    "counts": "arrivals, marks, drops, sent, delivered or ce",
}


@pytest.mark.parametrize(
    ("key", "good"),
    [
        *(("not_ect", "pass"), ("not_ect", "drop"), ("kind", "tcp"), ("send", "ack-clocked")),
        *(("send", "paced"), ("ect", "data"), ("ect", "all"), ("rtt", "smoothed"), ("rtt", "mean")),
        *(("reduce_from", word) for word in ("window", "flight", "pipe")),
        *(("rows", "each"), ("rows", "together")),
        *(("series", word) for word in ("cwnd", "rtt", "rate", "queue", "marking_probability")),
        *(("counts", w) for w in ("arrivals", "marks", "drops", "sent", "delivered", "ce")),
    ],
)
def test_a_word_of_a_plan_is_one_of_its_choices(key: str, good: str, tmp_path) -> None:
    """Each word is read; with one letter more, it is refused with its place and the choices."""
    plan = json.loads(plans.reference_dumbbell(2.0).to_json())
    record, source = plan["record"], plan["sources"][0]
    path = tmp_path / "plan.json"

    def answer(word: str) -> tuple[int, str]:
        if key in ("series", "counts"):
            record.update({key: [word], "counts_every_ps": 10**12, "every_ps": 10**12})
        elif key == "not_ect":
            plan["links"][0]["not_ect"] = word
        else:
            (source if key == "rows" else source["transport"])[key] = word
        path.write_text(json.dumps(plan))
        done = call("read", "--plan", str(path))
        return done.returncode, done.stderr

    assert answer(good) == (0, "")
    status, said = answer(f"{good}s")
    assert status == 2 and f'is "{good}s", expected {CHOICES[key]}' in said


def test_every_number_of_a_plan_has_a_range(tmp_path) -> None:
    """Each number is refused if it is below 0, not whole, beyond 64 bits or beyond 10^300."""
    plan = json.loads(plans.reference_dumbbell(2.0).to_json())
    one = {tuple(s for s in place if isinstance(s, str)): place for place in numbers(plan)}
    assert len(one) > 35
    windows = dict.fromkeys(("initial_window", "min_window", "max_window"), (0.5, 2**63, 2**65))
    fits = {"seed": (2**63,), "loss": (0.5,), "initial_mark_rate": (0.5,)} | windows
    path = tmp_path / "plan.json"
    for (*_, name), place in one.items():
        for number in set(HOSTILE) - set(fits.get(name, ())):
            path.write_text(with_number(plan, place, number))
            done = call("read", "--plan", str(path))
            assert done.returncode == 2 and done.stderr.count("\n") == 1, (place, number, done)
            assert name in done.stderr and "expected" in done.stderr, (place, number, done)


@pytest.mark.parametrize("case", BAD)
def test_bad_plans_are_refused_with_their_place(case: str, tmp_path) -> None:
    """One line on stderr names the place; exit status 2. `read` and `run` refuse alike."""
    *change, expected = BAD[case]
    text = change[0]
    if len(change) == 2:
        good = plans.reference_dumbbell(2.0).to_json().decode()
        assert change[0] in good
        text = good.replace(change[0], change[1])
    path = tmp_path / "plan.json"
    path.write_text(text)
    done = call("run", "--plan", str(path))
    assert done.returncode == 2 and done.stderr.count("\n") == 1
    assert expected in done.stderr
    assert call("read", "--plan", str(path)).stderr == done.stderr


LONG = "\\u202e\\u001b[2J\u202e" + 10_000 * "x"
STRANGE = {
    "text": ('"codepoint":"ect-0"', f'"codepoint":"{LONG}"'),
    "law": ('"law":"red"', f'"law":"{LONG}"'),
    "number": ('"loss":0', f'"loss":"{LONG}"'),
    "list": ('"series":[]', f'"series":{{"{LONG}":1}}'),
    "no JSON": ('"seed":1', f'"{LONG}":"\x1b'),
}


@pytest.mark.parametrize("case", STRANGE)
def test_a_message_repeats_a_strange_value_in_ascii_and_cut(case: str, tmp_path) -> None:
    """Values may come from files of others, so direction marks and escapes are not printed."""
    good, text = plans.reference_dumbbell(2.0).to_json().decode(), STRANGE[case]
    assert text[0] in good
    path = tmp_path / "plan.json"
    path.write_text(good.replace(*text))
    done = call("read", "--plan", str(path))
    assert done.returncode == 2
    assert len(done.stderr) < 450 and done.stderr.isascii()
    assert done.stderr.endswith("\n") and done.stderr[:-1].isprintable(), done.stderr


@pytest.mark.parametrize(
    ("example", "parameter", "value", "expected"),
    [
        ("service-classes", "rate_bps", 1e12, "the sum of the classes' rates must be below"),
        ("service-classes", "delay_ratio", -0.5, "class: delay_ratio"),
        ("two-classes", "share", 0.95, "the sum of shares is above 1"),
    ],
)
def test_classes_of_a_link_that_contradict_each_other(
    example: str, parameter: str, value: float, expected: str, tmp_path
) -> None:
    """`read` and `run` refuse a plan whose scheduler cannot be made."""
    plan = json.loads(make_plan(load(EXAMPLES / f"{example}.yaml")).to_json())
    path = tmp_path / "plan.json"
    path.write_text(json.dumps(plan))
    assert call("read", "--plan", str(path)).returncode == 0
    (link,) = [i for i, one in enumerate(plan["links"]) if one["scheduler"]]
    plan["links"][link]["scheduler"]["classes"][-1]["params"][parameter] = value
    path.write_text(json.dumps(plan))
    done = [call(verb, "--plan", str(path)) for verb in ("read", "run")]
    assert [one.returncode for one in done] == [2, 2], done
    assert done[0].stderr == done[1].stderr
    assert f"plan.links[{link}].scheduler: " in done[0].stderr and expected in done[0].stderr


@pytest.mark.parametrize("laws", [0, 1, 3])
def test_each_of_two_classes_by_shares_has_one_marking_law(laws: int, tmp_path) -> None:
    """Fewer or more laws are refused."""
    plan = json.loads(make_plan(load(EXAMPLES / "two-classes.yaml")).to_json())
    (scheduler,) = [one["scheduler"] for one in plan["links"] if one["scheduler"]]
    assert len(scheduler["classes"]) == len(scheduler["marking"]) == 2
    scheduler["marking"] = [*scheduler["marking"], scheduler["marking"][0]][:laws]
    path = tmp_path / "plan.json"
    path.write_text(json.dumps(plan))
    done = call("read", "--plan", str(path))
    assert done.returncode == 2 and "scheduler: needs one marking law per class" in done.stderr


@pytest.mark.parametrize(
    "words", [(), ("walk",), ("run",), ("run", "--plan"), ("run", "--fast", "1")]
)
def test_bad_command_lines(words: tuple[str, ...]) -> None:
    """The engine prints a line and the usage; exit status 2."""
    done = call(*words)
    assert done.returncode == 2 and "usage:" in done.stderr
