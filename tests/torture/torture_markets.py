# SPDX-License-Identifier: Apache-2.0
"""`make torture`, second part: single markets and their engines are killed at random moments.

A run, a served market with its guest, a market stepped from Python, the live page's market and
`ecnomy dashboard` are started, and one of their processes gets SIGKILL, SIGHUP or SIGTERM (all by a
seed, which is printed). After each signal, these conditions must hold:

- Incomplete results are not called complete.
- All processes have ended, and no traceback was printed.
- The same command works the next time, in the same folder, on the same socket or port.
- Then nothing is left: no temporary folder, no socket, no part of a table.

    python tests/torture/torture_markets.py [--seed N] [--events N]
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import random
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path[:0] = [str(Path(__file__).parents[1])]

import guardian  # noqa: E402
from ecnomy.markets import load, make_plan  # noqa: E402
from ecnomy.markets.engines.registry import BINARY, find_engine  # noqa: E402
from ecnomy.markets.omnet.names import SERVED  # noqa: E402
from processes import LIMIT_S, ended, session_of, started, wait_for  # noqa: E402

LIVE = Path(__file__).parents[2] / "configs/examples/live.yaml"
LONG, SHORT, SHORT_PS = "duration=1000000 s", "duration=12 s", 12 * 10**12
STEPPED = """
import sys
from ecnomy.markets import open_market
with open_market("live.yaml", overrides=[sys.argv[1]], out="out", force=True) as market:
    market.run_model()
"""
PAGE = """
import sys
from ecnomy.analysis.dashboard.live import LiveMarket, Stage
from ecnomy.markets import load
stage = Stage(load("live.yaml", overrides=[sys.argv[1]]), "builtin")
live = LiveMarket(stage, 1)
while live.running and not live.failure:
    live.step()
stage.close()
sys.exit(live.failure or 0)
"""
KINDS = ("run", "serve", "stepped", "page", "dashboard")


class World:
    """A folder with a scenario, a place for temporary files, and their commands."""

    def __init__(self, root: Path) -> None:
        self.home, self.scratch = root / "home", root / "scratch"
        for folder in (self.home, self.scratch):
            folder.mkdir()
        shutil.copy(LIVE, self.home)
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]

    def command(self, kind: str, duration: str) -> list[str]:
        """The command of a kind of market with this duration."""
        cli = [sys.executable, "-m", "ecnomy.markets.cli"]
        if kind == "run":
            return [*cli, "run", "live.yaml", "--out", "out", "--force", "--set", duration]
        if kind == "serve":
            return [*cli, "serve", "live.yaml", "--once", "--out", "served", "--set", duration]
        if kind == "dashboard":
            return [*cli, "dashboard", "live.yaml", "--port", str(self.port)]
        return [sys.executable, "-c", STEPPED if kind == "stepped" else PAGE, duration]

    @contextlib.contextmanager
    def start(self, words: list[str], said: Path) -> Iterator[subprocess.Popen[str]]:
        """A process whose output goes to a file."""
        environment = os.environ | {"TMPDIR": str(self.scratch)}
        with said.open("w") as file:
            opened = started(words, cwd=self.home, env=environment, stdout=file, stderr=file)
            with opened as process:
                yield process

    def guest(self, duration: str) -> list[str]:
        """The engine that a user starts for a served market."""
        plan = make_plan(load(self.home / "live.yaml", overrides=[duration]))
        (self.home / "plan.json").write_bytes(plan.to_json())
        words = [str(find_engine()), "run", "--plan", "plan.json"]
        return [*words, "--connect", f"unix:{SERVED}"]

    def manifests(self) -> list[dict[str, Any]]:
        """The current manifests of all results."""
        return [json.loads(file.read_text()) for file in self.home.rglob("manifest.json")]


def main() -> None:
    """Run the torture. Exit status 1 with the reason if a condition fails."""
    options = argparse.ArgumentParser()
    options.add_argument("--seed", type=int, default=secrets.randbelow(10**6))
    options.add_argument("--events", type=int, default=30)
    given, _ = options.parse_known_args()
    guardian.guarded()
    print(f"markets: seed {given.seed}, {given.events} events", flush=True)
    draw, happened = random.Random(given.seed), Counter[str]()
    with tempfile.TemporaryDirectory(prefix="torture-") as name:
        world = World(Path(name).resolve())
        for number in range(given.events):
            kind = KINDS[number % len(KINDS)]
            words = _event(world, kind, draw)
            happened[kind] += 1
            print(f"{number + 1}: {words}", flush=True)
    print(f"events: {dict(happened)}; nothing left, nothing falsely complete")


def _event(world: World, kind: str, draw: random.Random) -> str:
    """Disturbs one market, then repeats it undisturbed; returns the disturbance."""
    sent = draw.choice([signal.SIGKILL, signal.SIGKILL, signal.SIGHUP, signal.SIGTERM])
    settled, wait_s, at_engine = draw.random() < 0.7, draw.uniform(0.0, 2.0), draw.random() < 0.3
    for folder in ("out", "served"):
        shutil.rmtree(world.home / folder, ignore_errors=True)
    said, guest_said = world.home / "said.txt", world.home / "guest.txt"
    with contextlib.ExitStack() as stack:
        process = stack.enter_context(world.start(world.command(kind, LONG), said))
        pids = [process.pid]
        if kind == "serve" and settled:
            wait_for((world.home / SERVED).exists, "a socket", while_runs=process)
            guest = stack.enter_context(world.start(world.guest(LONG), guest_said))
            pids.append(guest.pid)
        if settled and kind != "dashboard":
            wait_for(lambda: _engines(pids), "an engine", while_runs=process)
        time.sleep(wait_s)
        engines = _engines(pids)
        victim = draw.choice(engines) if engines and at_engine else process.pid
        with contextlib.suppress(ProcessLookupError):
            os.kill(victim, sent)
        status = ended(process).status
        wait_for(lambda: not any(map(session_of, pids)), f"the end of all processes of {kind}")
    who = "engine" if victim != process.pid else kind
    words = f"{kind}: {sent.name} to {who}, {'settled' if settled else 'early'}, status {status}"
    _check(world, kind, words, status, [said, guest_said])
    _again(world, kind, words)
    return words


def _check(world: World, kind: str, words: str, status: int, said: list[Path]) -> None:
    """No result is falsely complete, and there is no traceback."""
    output = "".join(file.read_text() for file in said if file.exists())
    for file in said:
        file.unlink(missing_ok=True)
    if status == 0 and kind != "dashboard":
        raise SystemExit(f"{words}: ended with status 0: {output}")
    # A user's own program in which the engine dies rightly ends with a traceback.
    if "Traceback" in output and kind in ("run", "serve", "dashboard"):
        raise SystemExit(f"{words}: {output}")
    if any(manifest["complete"] is not False for manifest in world.manifests()):
        raise SystemExit(f"{words}: results are called complete")


def _again(world: World, kind: str, words: str) -> None:
    """Run the same without disturbance. It works, and removes what the previous run left."""
    said = world.home / "said.txt"
    with contextlib.ExitStack() as stack:
        process = stack.enter_context(world.start(world.command(kind, SHORT), said))
        if kind == "serve":
            wait_for(lambda: "listening" in said.read_text(), "a market", while_runs=process)
            guest = stack.enter_context(world.start(world.guest(SHORT), said.with_name("g.txt")))
            ended(guest)
        if kind == "dashboard":
            wait_for(lambda: _answers(world.port), "the page", while_runs=process)
            process.send_signal(signal.SIGINT)
        status = ended(process).status
    if status != 0:
        raise SystemExit(f"{words}; the next ended with status {status}: {said.read_text()}")
    runs = [m["complete"] for m in world.manifests() if m["plan"]["duration_ps"] == SHORT_PS]
    wanted = [True] if kind in ("run", "serve", "stepped") else []
    parts = [*world.home.rglob("*.tmp"), *world.home.rglob("*.sock")]
    parts += [p for p in world.scratch.rglob("*") if p.name not in (_private(), "runs")]
    if kind == "serve":  # the incomplete run beside it stays unchanged
        parts = [p for p in parts if "served" not in p.parts]
    if runs != wanted or parts:
        raise SystemExit(f"{words}; then complete: {runs}, left: {parts}")


def _private() -> str:
    return f"ecnomy-{os.getuid()}"


def _engines(leaders: list[int]) -> list[int]:
    pids = []
    for pid in (pid for leader in leaders for pid in session_of(leader)):
        with contextlib.suppress(OSError):
            if Path(f"/proc/{pid}/comm").read_text().startswith(BINARY[:15]):
                pids.append(pid)
    return pids


def _answers(port: int) -> bool:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=LIMIT_S):
            raise SystemExit("the page can be had without its token")
    except urllib.error.HTTPError as refused:
        return refused.code == 403
    except OSError:
        return False


if __name__ == "__main__":
    main()
