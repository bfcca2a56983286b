# SPDX-License-Identifier: Apache-2.0
"""Suites that hang, leave processes behind, are killed or inherit ignored signals (guard.py)."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace

import pytest

import guard
import tiers
from guardian import marked
from processes import LIMIT_S, ended, started, wait_for
from tiers import full, rare

pytestmark = pytest.mark.skipif(
    not Path("/proc/self/environ").exists(), reason="no /proc: processes cannot be found"
)

ENV = "THIS_INNER_SUITE"  # in the environment of all processes of an inner suite
Waited = Callable[[str], tuple[Path, int, str]]
SLEEP = "subprocess.Popen(['sleep', '1000'], start_new_session=True)"


def suite(folder: Path, body: str, *options: str) -> tuple[Sequence[str], dict[str, str], str]:
    """A suite of one test: the command, its environment, and the mark of its processes."""
    text = f"import os, signal, subprocess, sys, time\n\ndef test_inner():\n    {body}\n"
    (folder / "test_it.py").write_text(text)
    (folder / "pytest.ini").write_text("[pytest]\ntimeout = 300\ntimeout_method = thread\n")
    mark = f"{ENV}={folder}"
    alone = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTHONPATH": str(Path(__file__).parent)}
    environ = os.environ | alone | {ENV: str(folder)}
    plugins = ["guard", "no:cacheprovider", "pytest_timeout"]
    plugins += [] if "no:xdist" in options else ["xdist.plugin"]
    words = [
        sys.executable,
        "-m",
        "pytest",
        *(w for name in plugins for w in ("-p", name)),
        *options,
    ]
    return [*words, str(folder)], environ, mark


def outcome(folder: Path, body: str, *options: str) -> tuple[int, str]:
    """Exit status and output of such a suite, which leaves no process."""
    command, environ, mark = suite(folder, body, *options)
    with started(command, cwd=folder, env=environ, stdout=-1, stderr=-2) as process:
        status, out, _ = ended(process)
        wait_for(lambda: not marked(mark), "the end of all processes of the suite", 20)
    return status, out


def hangs(folder: Path, *options: str) -> tuple[int, str]:
    """A test waits for a process that never ends."""
    return outcome(folder, f"{SLEEP}.wait()", "--timeout=2", *options)


def fixture_hangs(folder: Path, *options: str) -> tuple[int, str]:
    """A fixture waits for such a process."""
    fixture = f"@pytest.fixture(autouse=True)\ndef shared(): {SLEEP}.wait()\n"
    (folder / "conftest.py").write_text(f"import pytest, subprocess\n{fixture}")
    return outcome(folder, "pass", "--timeout=2", *options)


def workers_end(folder: Path) -> tuple[int, str]:
    """Three files of five tests, one of which hangs in each, in groups like those of this suite."""
    lines = "def test_{}(): open('made', 'a').write('{} ')\n"
    for name in "abc":
        tests = [lines.format(name + n, name + n) for n in "12345"]
        tests[int(ord(name) - ord("a")) * 2] = "import time\ndef test_hang(): time.sleep(1000)\n"
        (folder / f"test_{name}.py").write_text("".join(tests))
    (folder / "conftest.py").write_text(
        "import scheduling\ndef pytest_xdist_make_scheduler(config, log):\n"
        "    return scheduling.scheduler(config, log, lambda test: test.partition('::')[0])\n"
    )
    body = "open('made', 'a').write('last ')"
    return outcome(folder, body, "--timeout=2", "-n2", "--dist=loadgroup")


def holds_the_interpreter(folder: Path) -> tuple[int, str]:
    """A test hangs in compiled code."""
    (folder / "conftest.py").write_text("import guard\nguard.LATER_S = 1.0\n")
    hold = "import ctypes; ctypes.PyDLL(None).sleep(1000)"
    return outcome(folder, hold, "--timeout=1", "-n1")


@pytest.fixture(scope="module")
def waited(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Waited]:
    """Suites that wait for their limits do so at the same time: the folder and the outcome."""
    suites: dict[str, Callable[[Path], tuple[int, str]]] = {
        "hangs": lambda folder: hangs(folder, "-n1"),
        "fixture hangs": lambda folder: fixture_hangs(folder, "-n0"),
        "workers end": workers_end,
        "holds": holds_the_interpreter,
    }
    folders = {name: tmp_path_factory.mktemp(name.replace(" ", "-")) for name in suites}
    with ThreadPoolExecutor(len(suites)) as pool:
        outcomes = {name: pool.submit(make, folders[name]) for name, make in suites.items()}
        yield lambda name: (folders[name], *outcomes[name].result(timeout=LIMIT_S))


def test_a_test_that_hangs_is_named_with_its_stack(waited: Waited) -> None:
    """A test that hangs ends within its limit, and its processes end with it."""
    _, status, out = waited("hangs")
    named_with_its_stack(status, out)


@full
@pytest.mark.parametrize("options", [["-n0"], ["-p", "no:xdist"]], ids=" ".join)
def test_a_test_that_hangs_without_workers_is_named(tmp_path: Path, options: list[str]) -> None:
    """The process that leads the suite ends itself."""
    named_with_its_stack(*hangs(tmp_path, *options))


def named_with_its_stack(status: int, out: str) -> None:
    """The output of such a suite."""
    assert status != 0
    assert "in test_inner\n" in out and f"{SLEEP}.wait()" in out and "Timeout" in out, out
    assert "test_it.py::test_inner" in out


def test_a_fixture_that_hangs_is_named_with_its_test(waited: Waited) -> None:
    """The stack of a fixture shared by tests does not tell which of them has made it."""
    _, status, out = waited("fixture hangs")
    assert status != 0
    assert "in shared\n" in out and "test_it.py::test_inner has not ended within 2 s" in out, out


@full
def test_a_fixture_that_hangs_in_a_worker_is_named(tmp_path: Path) -> None:
    """A fixture that hangs in a worker is named too."""
    status, out = fixture_hangs(tmp_path, "-n1")
    assert status != 0 and "in shared\n" in out
    assert "test_it.py::test_inner has not ended within 2 s" in out, out


@pytest.mark.parametrize("options", [["-n0"], rare(["-n1"])], ids=" ".join)
def test_signals_act_as_before_after_a_test(tmp_path: Path, options: list[str]) -> None:
    """SIGTERM acts as before after a test whose command has handled it."""
    text = "import signal\ndef test_after(): assert signal.getsignal(15) == signal.SIG_DFL\n"
    (tmp_path / "test_later.py").write_text(text)
    status, out = outcome(tmp_path, "signal.signal(15, lambda *_: None)", *options)
    assert status == 0 and "2 passed" in out, out


@pytest.mark.parametrize("given_s, own", [(20.0, []), (None, [1800.0])])
def test_a_limit_of_the_command_line_holds_in_the_full_tier(
    request: pytest.FixtureRequest, given_s: float | None, own: list[float]
) -> None:
    """`--full --timeout 20` ends tests after 20 s, not after the limit of that tier."""
    config = SimpleNamespace(getoption=lambda name, default: given_s)
    marks: list[pytest.MarkDecorator] = []
    item = SimpleNamespace(path=Path(__file__), get_closest_marker=lambda name: None)
    item.add_marker = marks.append
    before = tiers.in_full()
    tiers.set_full(True)
    try:
        plugins = request.config.pluginmanager
        settings = plugins.get_plugin(str(Path(__file__).with_name("conftest.py")))
        settings.pytest_collection_modifyitems(config, [item])
    finally:
        tiers.set_full(before)
    assert [mark.args[0] for mark in marks] == own


TAKEN = {
    "SIGINT": "try: os.kill(os.getpid(), 2); time.sleep(60)\n    except KeyboardInterrupt: pass",
    "SIGTERM": "signal.signal(15, lambda *_: None); os.kill(os.getpid(), 15)",
}


@pytest.mark.parametrize("signal", [rare("SIGINT"), "SIGTERM"])
@pytest.mark.parametrize("options", [["-n0"], rare(["-n1"])], ids=" ".join)
def test_a_signal_that_a_test_takes_ends_the_suite(
    tmp_path: Path, signal: str, options: list[str]
) -> None:
    """If Ctrl-C ends a command in a test, the suite ends after this test."""
    (tmp_path / "test_later.py").write_text("def test_after(): open('later', 'w').close()\n")
    status, out = outcome(tmp_path, TAKEN[signal], *options)
    assert status == 2 and not (tmp_path / "later").exists(), out
    assert f"{signal} in test_it.py::test_inner" in out or "-n1" in options, out


def test_a_test_may_send_itself_signals(tmp_path: Path) -> None:
    """A test marked `signals` may send itself signals, and the suite continues."""
    (tmp_path / "conftest.py").write_text(
        "def pytest_collection_modifyitems(items): items[0].add_marker('signals')\n"
    )
    status, out = outcome(tmp_path, TAKEN["SIGTERM"], "-n0", "-W", "ignore")
    assert status == 0, out


def test_a_worker_that_is_ended_costs_one_test(waited: Waited) -> None:
    """The suite loses the test of the ended worker, and runs all other tests once."""
    folder, status, out = waited("workers end")
    assert status == 1 and "3 failed, 13 passed" in out, out
    assert out.count("crashed while running") >= 3
    made = (folder / "made").read_text().split()
    assert len(made) == len(set(made)) == 13


def test_a_test_that_hangs_in_compiled_code_ends(waited: Waited) -> None:
    """A test that never releases the interpreter is ended by faulthandler, with its stack."""
    _, status, out = waited("holds")
    assert status != 0
    assert "in test_inner" in out and "test_it.py::test_inner" in out


class Slept:
    """A clock of the time slept, which does not advance while the machine is suspended."""

    def __init__(self) -> None:
        self._now_s = 0.0

    def monotonic(self) -> float:
        return self._now_s

    def sleep(self, s: float) -> None:
        time.sleep(s)
        self._now_s += s


def test_a_process_that_has_just_started_is_found(monkeypatch) -> None:
    """A starting process briefly has no environment: one search may miss it, three do not."""
    monkeypatch.setattr(guard, "GRACE_S", 0.2)
    monkeypatch.setattr(guard, "time", Slept())
    with started([sys.executable, "-c", "import time; time.sleep(1000)"]) as process:
        wait_for(lambda: guard._command(process.pid), "its words", while_runs=process)
        marked = iter([[], []])
        monkeypatch.setattr(guard.guardian, "marked", lambda mark: next(marked, [process.pid]))
        (left,) = guard._left("any")
        assert left.startswith(f"process {process.pid} (")


@pytest.mark.parametrize("options", [rare(["-n1"]), ["-p", "no:xdist"]], ids=" ".join)
def test_what_a_file_leaves_behind_is_named(tmp_path: Path, options: list[str]) -> None:
    """The file fails with the command of the process, which is ended."""
    (tmp_path / "conftest.py").write_text("import guard\nguard.GRACE_S = 0.5\n")
    status, out = outcome(tmp_path, f"os.leak = {SLEEP}", "-W", "ignore", *options)
    assert status == 1
    assert "left behind by test_it.py: process" in out and "(sleep 1000)" in out


def test_what_ended_is_not_left_behind(tmp_path: Path) -> None:
    """A file whose processes have ended passes."""
    status, out = outcome(tmp_path, f"p = {SLEEP}; p.kill(); p.wait()", "-p", "no:xdist")
    assert status == 0, out


@pytest.mark.parametrize("options", [["-n2"], rare(["-p", "no:xdist"])], ids=" ".join)
def test_a_killed_suite_leaves_nothing(tmp_path: Path, options: list[str]) -> None:
    """After SIGKILL of pytest its workers end, with all their processes in other sessions."""
    hang = f"{SLEEP}; open('there', 'w').close(); time.sleep(1000)"
    command, environ, mark = suite(tmp_path, hang, *options)
    with started(command, cwd=tmp_path, env=environ, stdout=-3, stderr=-3) as process:
        wait_for((tmp_path / "there").exists, "the inner test", while_runs=process)
        assert len(marked(mark)) > 2
        process.kill()
        wait_for(lambda: not marked(mark), "the end of all processes of the suite", 20)


@pytest.mark.parametrize("options", [["-n1"], rare(["-p", "no:xdist"])], ids=" ".join)
def test_ignored_signals_are_not_inherited(tmp_path: Path, options: list[str]) -> None:
    """As under `nohup make test &`, Ctrl-C reaches a test and its processes."""
    code = "import os, signal; os.kill(os.getpid(), signal.SIGINT)"
    body = f"assert subprocess.run([sys.executable, '-c', {code!r}], timeout=60).returncode == -2"
    body += "\n    try: os.kill(os.getpid(), signal.SIGINT); time.sleep(60)"
    body += "\n    except KeyboardInterrupt: open('reached', 'w').close()"
    command, environ, _ = suite(tmp_path, body, *options)
    ignoring = ["sh", "-c", 'trap "" INT QUIT; exec "$@"', "sh", *command]
    with started(ignoring, cwd=tmp_path, env=environ, stdout=-1, stderr=-2) as process:
        status, out, _ = ended(process)
    assert status == 2 and (tmp_path / "reached").exists(), out
