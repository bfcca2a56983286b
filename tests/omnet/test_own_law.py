# SPDX-License-Identifier: Apache-2.0
"""omnet/samples/own_law: laws of a separate project, built against ecnomy's library and run."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

import drive_omnet
from ecnomy.markets.omnet.installation import find_installation

pytestmark = [
    pytest.mark.skipif(bool(drive_omnet.missing()), reason=drive_omnet.missing()),
    pytest.mark.xdist_group("omnet-own-law"),
]

SAMPLE = Path(__file__).resolve().parents[2] / "omnet/samples/own_law"
TWICE = """
#include "Ramp.h"
#include "parameters/OwnLaws.h"
struct Red : own_law::Ramp {
  using Ramp::Ramp;
  static constexpr const char* kName = "red";
};
ECNOMY_MARKING_LAW(Red);
"""
FULL = 10e6 / 8 * 1460 / 1507 * 10  # payload of the link in the 10 s after the warm-up, bytes


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the project elsewhere, built by its Makefile."""
    folder = tmp_path_factory.mktemp("beside") / "own_law"
    shutil.copytree(SAMPLE, folder, ignore=shutil.ignore_patterns("out", "Makefile", "*.so"))
    shutil.copy(SAMPLE / "Makefile", folder)
    build(folder)
    return folder


def build(folder: Path) -> None:
    """Makes the library of the project."""
    here = find_installation()
    env = {k: v for k, v in drive_omnet.environment(here).items() if not k.startswith("MAKE")}
    config = here.omnetpp.folder / "Makefile.inc"
    mode = "debug" if here.suffix else "release"
    words = ["make", f"ECNOMY={here.modules}", f"MODE={mode}", f"OMNETPP_CONFIGFILE={config}"]
    done = subprocess.run(
        words, cwd=folder, env=env, capture_output=True, text=True, check=False, timeout=240
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    assert "warning" not in done.stderr, done.stderr


def run(folder: Path, config: str, *settings: str) -> tuple[str, dict[tuple[str, str], float]]:
    """Runs a configuration; returns its output, and {(module, scalar): value}."""
    here = find_installation()
    neds = [here.modules / "inet", folder, here.inet.folder / "src"]
    excluded = (here.inet.folder / ".nedexclusions").read_text().split()
    words = [here.opp_run, "-u", "Cmdenv", "-c", config, "-l", here.modules / "inet" / "ecnomy"]
    words += ["-l", folder / "src" / "own_law", "-n", os.pathsep.join(map(str, neds))]
    words += ["-x", ";".join(excluded), "--sim-time-limit=20s", "--vector-recording=false"]
    words += ["--output-scalar-file=run.sca", *(f"--{setting}" for setting in settings)]
    done = subprocess.run(
        [*words, "omnetpp.ini"],
        cwd=folder,
        env=drive_omnet.environment(here),
        capture_output=True,
        text=True,
        check=False,
        timeout=240,
    )
    if done.returncode != 0:
        return done.stdout + done.stderr, {}
    rows = [shlex.split(line) for line in (folder / "run.sca").read_text().splitlines()]
    return done.stdout, {
        (row[1], row[2]): float(row[3]) for row in rows if row and row[0] == "scalar"
    }


def received(scalars: dict[tuple[str, str], float]) -> list[float]:
    """Bytes of the two receivers."""
    names = [f"OwnLaw.receiver[{i}].app[0]" for i in range(2)]
    return [scalars[name, "packetReceived:sum(packetBytes)"] for name in names]


def test_own_laws_mark_and_send(sample: Path) -> None:
    """The link is full, the ramp marks, nothing is lost, and four times the weight gets most.

    The law gives rates as 4 to 1 where both have the same round trip and many packets under way; at
    some 10 packets together the smaller window rounds it, and half to twice that is allowed.
    """
    _, scalars = run(sample, "Own")
    light, heavy = received(scalars)
    assert light + heavy > 0.9 * FULL
    assert 2 < heavy / light < 8
    assert scalars["OwnLaw.left.ppp[2].queue", "marks:count"] > 100
    assert scalars["OwnLaw.left.ppp[2].queue", "drops:count"] == 0


def test_own_parameters_count(sample: Path) -> None:
    """Parameters of a marking law (NED) and of a window law (lawParameters) have an effect."""
    steep, equal = "*.left.ppp[2].queue.slope=1", "*.sender[1].tcp.lawParameters={w: 1}"
    _, scalars = run(sample, "Own", steep, equal)
    light, heavy = received(scalars)
    assert 0.8 < heavy / light < 1.25
    _, before = run(sample, "Own", equal)
    waits = ("OwnLaw.left.ppp[2].queue", "queueLength:timeavg")
    assert scalars[waits] < before[waits] / 2


@pytest.mark.parametrize(
    ("setting", "says"),
    [
        ("*.left.ppp[2].queue.slope=2", "ramp: slope is 2,"),
        ("*.sender[1].tcp.lawParameters={v: 4}", "law 'gentle' has no parameter 'v'"),
        ("*.sender[1].tcp.lawParameters={w: 0}", "gentle: w is 0,"),
        ('*.*.tcp.law="gentler"', "or a custom law in a library given by -l"),
    ],
)
def test_what_is_wrong_is_named(sample: Path, setting: str, says: str) -> None:
    """A custom law's table is checked like a built-in one, with errors of one line."""
    printed, scalars = run(sample, "Own", setting)
    assert not scalars
    assert [line for line in printed.splitlines() if "<!> Error" in line and says in line], printed


def test_a_name_that_is_taken_is_refused(sample: Path, tmp_path: Path) -> None:
    """A custom law called `red` stops the run that asks for red."""
    folder = tmp_path / "own_law"
    shutil.copytree(sample, folder)
    (folder / "src/twice.cc").write_text(TWICE)
    (folder / "src/Makefile").unlink()
    build(folder)
    printed, _ = run(folder, "Red")
    assert "two marking laws are called 'red': rename your own" in printed


def test_ecnomys_laws_beside_own_ones(sample: Path) -> None:
    """RedQueue and WTP behave the same with the library loaded as without it."""
    _, scalars = run(sample, "Red")
    light, heavy = received(scalars)
    assert 2 < heavy / light < 8
    assert scalars["OwnLaw.left.ppp[2].queue", "marks:count"] > 100


@pytest.mark.parametrize("inner", [["DropTailQueue"], ["RedDropperQueue", "red.useEcn=true"]])
def test_queues_of_inet_carry_traffic(sample: Path, inner: list[str]) -> None:
    """With a counted queue, INET's own between two gates, the link is full and losses repaired."""
    queue = "**.left.ppp[2].queue.queue"
    settings = [f'{queue}.typename="{inner[0]}"', *(f"{queue}.{one}" for one in inner[1:])]
    printed, scalars = run(sample, "InetQueue", *settings)
    assert scalars, printed
    assert sum(received(scalars)) > 0.85 * FULL


@pytest.mark.parametrize(("peer", "times"), [("inet.transportlayer.tcp.Tcp", 1), ("", 0)])
def test_a_peer_that_does_not_echo_is_warned_of_once(sample: Path, peer: str, times: int) -> None:
    """If a law needs each mark but receivers echo by RFC 3168, a run warns once for all."""
    tcp = [f'*.receiver[*].tcp.typename="{peer}"', "*.receiver[*].tcp.ecnWillingness=true"]
    printed, scalars = run(sample, "Own", *(tcp if peer else []))
    assert scalars
    assert printed.count("needs an echo of each mark") == times
