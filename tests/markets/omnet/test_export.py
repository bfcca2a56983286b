# SPDX-License-Identifier: Apache-2.0
"""Plans as OMNeT++ projects: texts that do not change, and folders that are written once."""

from __future__ import annotations

import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import msgspec
import pytest

from ecnomy.agents.errors import InputError
from ecnomy.markets import load, make_plan
from ecnomy.markets.omnet.export import project, write_new
from ecnomy.markets.omnet.names import identifiers, quoted, tag
from ecnomy.markets.omnet.wiring import PORT, wired
from ecnomy.markets.plan import Plan
from omnet_world import CONFIGS, everything, ini_values, texts
from processes import LIMIT_S

GOLDEN = Path(__file__).parent / "golden"


def gold_silver() -> dict[str, str]:
    """The example's project, with a placeholder for the folder of the modules."""
    return project(make_plan(load(CONFIGS / "examples/gold-silver.yaml")), "MODULES")


@pytest.mark.parametrize("name", ["network.ned", "omnetpp.ini", "README.txt"])
def test_example_is_exported_as_ever(name: str) -> None:
    """Every line of the first example is compared, so no text changes by accident."""
    assert gold_silver()[name] == (GOLDEN / f"gold-silver.{name}.golden").read_text()


@pytest.mark.parametrize("file", sorted(CONFIGS.glob("examples/*.yaml")), ids=lambda f: f.stem)
def test_every_example_can_be_exported(file: Path) -> None:
    """Two exports are equal, with one queue per link and one source and sink per source."""
    plan = make_plan(load(file))
    network, ini = texts(plan)
    assert (network, ini) == texts(make_plan(load(file)))
    values = ini_values(ini)
    ends = Counter(key.rpartition(".")[2] for key in values)
    assert ends["linkName"] == len(plan.links) == network.count("DatarateChannel {")
    assert ends["sourceName"] == 2 * len(plan.sources)
    assert not any(end.endswith("Index") for end in ends)
    assert values["Scenario.market.links"].strip('"').split() == [link.name for link in plan.links]
    assert "Scenario.market.warmup" not in values  # the ini file's warmup-period is the market's
    assert sum(int(values[k]) for k in values if k.endswith(".numApps")) == 2 * len(plan.sources)


def test_plan_json_is_the_engines_plan() -> None:
    """The built-in engine can run the exported plan: it has the same digest."""
    plan = make_plan(load(CONFIGS / "examples/gold-silver.yaml"))
    read = msgspec.json.decode(gold_silver()["plan.json"], type=Plan)
    assert read == plan and read.sealed().digest == plan.digest


def walk(plan: Plan, address: str, start: int) -> int:
    """Return the node reached from `start` by following routes to an address, gate by gate."""
    network, ini = texts(plan)
    values, nodes = ini_values(ini), [node.name for node in wired(plan).nodes]
    wires = re.findall(r"(\w+)\.pppg\$o\[(\d+)\] -->[^>]*?--> (\w+)\.pppg\$i", network, re.DOTALL)
    there = {
        (name, values[f"Scenario.{name}.ppp[{gate}].interfaceName"].strip('"')): end
        for name, gate, end in wires
    }
    here = nodes[start]
    for _ in range(len(nodes) + 1):
        routes = dict(r.split("/32>") for r in _list(values, f"Scenario.{here}.routes"))
        if address not in routes:
            break
        here = there[here, routes[address]]
    return nodes.index(here)


def _list(values: dict[str, str], key: str) -> list[str]:
    return values[key].strip('"').split()


@pytest.mark.parametrize("name", ["everything", "abilene"])
def test_routes_lead_along_the_plans_paths(name: str) -> None:
    """Data reach the receiving node and ACKs the sending one, which hold the source's addresses."""
    plan = everything() if name == "everything" else make_plan(load(_abilene()))
    wiring, values = wired(plan), ini_values(texts(plan)[1])
    for index, source in list(enumerate(plan.sources))[:: max(1, len(plan.sources) // 8)]:
        local, remote = wiring.addresses[index]
        first, last = plan.links[source.path[0]].source, plan.links[source.path[-1]].target
        assert walk(plan, remote, first) == last
        assert remote in _list(values, f"Scenario.{wiring.nodes[last].name}.localAddresses")
        assert local in _list(values, f"Scenario.{wiring.nodes[first].name}.localAddresses")
        if source.ack_path:
            assert walk(plan, local, last) == first


def _abilene() -> Path:
    pytest.importorskip("topohub")
    return CONFIGS / "examples/abilene.yaml"


def test_addresses_are_all_different() -> None:
    """Each source has two addresses, which stay different across byte boundaries."""
    plan = everything()
    many = msgspec.structs.replace(plan, sources=plan.sources[:1] * 20_000)
    addresses = [address for pair in wired(many).addresses for address in pair]
    assert len(set(addresses)) == 40_000
    assert all(0 <= int(part) <= 255 for address in addresses for part in address.split("."))


def test_reverse_shares_its_links_gates_unless_framing_differs() -> None:
    """A duplex link has one pair of gates; directions with unequal framing have a pair each."""
    plan = everything()
    assert [len(node.framing) for node in wired(plan).nodes] == [1, 4, 3]
    links = list(plan.links)
    links[1] = msgspec.structs.replace(links[1], framing_bytes=9)
    apart = wired(msgspec.structs.replace(plan, links=links))
    assert [node.framing for node in apart.nodes] == [[7, 9], [7, 9, 0, 0, 0], [0, 0, 0]]


def test_names_become_identifiers_without_collisions() -> None:
    """Other characters become _. Keywords of NED and ecnomy's names get a number."""
    names = identifiers(["a-b", "a_b", "a.b", "network", "market", "7up", "Zürich"], ["market"])
    assert list(names.values()) == [
        *("a_b", "a_b_2", "a_b_3", "network_2", "market_2", "_7up", "Z_rich")
    ]


def test_texts_are_escaped() -> None:
    """Quotes, backslashes and line breaks in strings are escaped, and signs in display strings."""
    assert quoted('a "b" \\ c\n') == '"a \\"b\\" \\\\ c\\x0a"'
    assert tag("x;y=z") == "x\\\\;y\\\\=z"


def test_more_flows_than_ports_are_refused() -> None:
    """Ports of a node start at 5000. If they do not suffice, the message names the source."""
    plan = everything()
    crowd = msgspec.structs.replace(plan.sources[0], count=65536 - PORT + 1)
    with pytest.raises(InputError, match="source 'files': 60,537 flows"):
        texts(msgspec.structs.replace(plan, sources=[crowd]))


def test_nothing_is_written_over(tmp_path: Path) -> None:
    """A file or a folder with content is refused; an empty folder is used."""
    (tmp_path / "empty").mkdir()
    write_new(tmp_path / "empty", {"a.txt": "a"})
    write_new(tmp_path / "deep/er", {"a.txt": "a"})
    (tmp_path / "file").write_text("mine")
    for taken in ("empty", "file"):
        with pytest.raises(InputError, match="already exists"):
            write_new(tmp_path / taken, {"a.txt": "b"})
    assert (tmp_path / "empty/a.txt").read_text() == "a"
    assert (tmp_path / "file").read_text() == "mine"


def test_nothing_is_written_over_that_comes_after_the_look(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another export fills the new folder between the check and the first file."""
    make = Path.mkdir

    def mkdir(folder: Path, **words: bool) -> None:
        make(folder, **words)
        (folder / "a.txt").write_text("theirs")

    monkeypatch.setattr(Path, "mkdir", mkdir)
    with pytest.raises(InputError, match="already exists"):
        write_new(tmp_path / "new", {"a.txt": "ours"})
    assert (tmp_path / "new/a.txt").read_text() == "theirs"


def test_export_is_a_verb(tmp_path: Path) -> None:
    """Changes and seed reach the project. A second export gives one line and status 2."""
    words = [sys.executable, "-m", "ecnomy.markets.cli", "export"]
    config = CONFIGS / "examples/gold-silver.yaml"
    words += [str(config), str(tmp_path / "p"), "--set", "duration=70 s", "--seed", "5"]
    done = subprocess.run(words, capture_output=True, text=True, check=True, timeout=LIMIT_S)
    assert str(tmp_path / "p") in done.stdout
    ini = (tmp_path / "p/omnetpp.ini").read_text()
    general, *more = re.split(r"^\[Config (\w+)\]$", ini, flags=re.MULTILINE)
    values = ini_values(general)
    assert values["sim-time-limit"] == values["Scenario.market.duration"] == "70s"
    assert values["Scenario.market.seed"] == "5 + ${repetition}"
    assert more[::2] == ["WithoutMarket", "Repetitions", "Serve"]  # the first is preselected
    assert all(text.count("\ndescription = ") == 1 for text in (general, *more[1::2]))
    assert values["warmup-period"] == "10s" and "Scenario.market.warmup" not in values
    assert "<name>p</name>" in (tmp_path / "p/.project").read_text()
    again = subprocess.run(words, capture_output=True, text=True, check=False, timeout=LIMIT_S)
    assert again.returncode == 2
    assert again.stderr == f"ecnomy: {tmp_path / 'p'} already exists; choose a new folder\n"
