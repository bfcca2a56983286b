# SPDX-License-Identifier: Apache-2.0
"""omnet/simulations: a network made by hand agrees with its market.yaml."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from ecnomy.markets import load
from ecnomy.markets.compile.make import make_plan
from ecnomy.markets.omnet.names import law_parameter
from ecnomy.markets.plan import Law, Plan, Tcp
from ecnomy.markets.plan.law_table import param

ROOT = Path(__file__).parents[2] / "omnet" / "simulations"
NETWORKS = ["gold_silver", "voip_web"]
PS = {"us": 10**6, "ms": 10**9, "s": 10**12, "min": 60 * 10**12}


def settings(name: str) -> dict[str, str]:
    """Assignments of the ini file in [Config Market]; they take precedence over [General]'s."""
    sections: dict[str, dict[str, str]] = {}
    section = ""
    for line in (ROOT / name / "omnetpp.ini").read_text().splitlines():
        text = line.split("#")[0].strip()
        if text.startswith("["):
            section = text.strip("[]")
        elif text:
            key, value = text.split("=", 1)
            sections.setdefault(section, {}).setdefault(key.strip(), value.strip().strip('"'))
    return sections["Config Market"] | {
        key: value
        for key, value in sections["General"].items()
        if key not in sections["Config Market"]
    }


def found(ini: dict[str, str], path: str) -> str | None:
    """Return a parameter's value, from the first matching pattern, [Config ...] first."""
    for pattern, value in ini.items():
        regex = re.escape(pattern).replace(r"\*\*", ".*").replace(r"\*", r"[^.\[\]]*")
        if re.fullmatch(regex, path):
            return value
    return None


def named(plan: Plan, path: list[int]) -> str:
    """A path by the names of its links."""
    return " ".join(plan.links[index].name for index in path)


def time_ps(value: str) -> int:
    number, unit = re.fullmatch(r"([\d.]+)(\w+)", value).groups()
    return round(float(number) * PS[unit])


@pytest.fixture(params=NETWORKS)
def both(request: pytest.FixtureRequest) -> tuple[dict[str, str], Plan]:
    return settings(request.param), make_plan(load(ROOT / request.param / "market.yaml"))


def test_times_are_the_plans(both: tuple[dict[str, str], Plan]) -> None:
    """The run ends, and its measurements begin, at the plan's times."""
    ini, plan = both
    assert plan.seed == 1  # of the first repetition
    assert time_ps(ini["*.market.duration"]) == plan.duration_ps
    assert time_ps(ini["warmup-period"]) == plan.warmup_ps  # MarketBridge's too, by its default
    assert "*.market.warmup" not in ini
    assert plan.epoch_ps == PS["s"]  # MarketBridge's default


def test_links_are_the_plans(both: tuple[dict[str, str], Plan]) -> None:
    """Every link has its name, node and buffer."""
    ini, plan = both
    links = {link.name: link for link in plan.links}
    assert ini["*.market.links"].split() == list(links)
    names = {key: value for key, value in ini.items() if key.endswith(".linkName")}
    assert sorted(names.values()) == sorted(links)
    for key, name in names.items():
        queue, link = key.removesuffix(".linkName"), links[name]
        assert queue.split(".")[1] == plan.nodes[link.source]
        assert found(ini, f"{queue}.bufferPackets") == str(link.buffer_packets)
        law = found(ini, f"{queue}.typename")
        assert law == f"ecnomy.queue.{'RedQueue' if link.marking.law == 'red' else 'TailDropQueue'}"


def test_sources_are_the_plans(both: tuple[dict[str, str], Plan]) -> None:
    """Every source has its name, number of flows, paths, start and send overhead, at both ends."""
    ini, plan = both
    names = [source.name for source in plan.sources]
    assert ini["*.market.sources"].split() == names
    for source in plan.sources:
        ends = [key.removesuffix(".sourceName") for key in ini if ini[key] == source.name]
        (app,) = (end for end in ends if f"{end}.remoteAddress" in ini)
        (sink,) = (end for end in ends if end != app)
        assert int(found(ini, f"{app}.count") or 1) == source.count
        assert found(ini, f"{app}.path") == named(plan, source.path)
        assert (found(ini, f"{app}.ackPath") or "") == named(plan, source.ack_path)
        assert time_ps(found(ini, f"{app}.startSpread") or "0s") == source.start.spread_ps
        assert time_ps(found(ini, f"{app}.sendOverhead") or "0s") == source.send_overhead_ps
        assert ini[f"{sink}.address"] == ini[f"{app}.remoteAddress"]
        assert int(found(ini, f"{sink}.count") or 1) == source.count


def law_modules(ini: dict[str, str], plan: Plan) -> Iterator[tuple[str, str, Law]]:
    """Each law's module path, its family, and the law in the plan."""
    links = {link.name: link for link in plan.links}
    sources = {source.name: source for source in plan.sources}
    for key, name in ini.items():
        path, _, kind = key.rpartition(".")
        if kind == "linkName":
            yield path, "marking", links[name].marking
        elif kind == "sourceName" and f"{path}.remoteAddress" in ini:
            source = sources[name]
            yield f"{path}.traffic", "traffic", source.traffic
            if isinstance(source.transport, Tcp):
                yield f"{path}.window", "window", source.transport.window


def test_laws_have_the_plans_numbers(both: tuple[dict[str, str], Plan]) -> None:
    """A law's value in the ini file, or else its default, is the plan's value."""
    ini, plan = both
    for path, family, law in law_modules(ini, plan):
        for name, value in law.params.items():
            entry = param(family, law.law, name)
            key, unit = law_parameter(name, entry.unit)
            said = found(ini, f"{path}.{key}")
            if said in entry.choices:
                said = str(entry.choices.index(said))
            number = {None: entry.default, "true": 1.0, "false": 0.0}.get(said, said)
            assert number is not None
            assert float(str(number).removesuffix(unit)) == value, (path, name)
