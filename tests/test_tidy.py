# SPDX-License-Identifier: Apache-2.0
"""The rules of the project that a machine can check."""

from __future__ import annotations

import ast
import functools
import re
import subprocess
import tomllib
from pathlib import Path

import pytest
from typer.testing import CliRunner

import prose
import rooms
from ecnomy.markets.cli.main import app, commands
from outline import outline
from processes import LIMIT_S
from waiting_rule import unlimited_waits

ROOT = Path(__file__).parents[1]
CODE = (".py", ".h", ".cc", ".cpp", ".ned")
TEXT = (*CODE, ".yaml", ".yml", ".toml", ".txt", ".cmake")
LONGEST_FILE = 500
LONGEST_FUNCTION = 60


@functools.cache
def tracked() -> list[Path]:
    """Files that git tracks or would add; outside a checkout (an unpacked sdist) all files."""
    words = ["git", "-C", str(ROOT), "ls-files", "--cached", "--others", "--exclude-standard"]
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=LIMIT_S)
    if done.returncode:
        pytest.skip("not a git checkout: there is no list of files to check")
    return [ROOT / name for name in done.stdout.splitlines() if (ROOT / name).is_file()]


def named(*suffixes: str) -> list[Path]:
    return [path for path in tracked() if path.suffix in suffixes]


def test_files_are_short() -> None:
    """No source file is longer than 500 lines."""
    long = {
        p.name: n for p in named(*CODE) if (n := len(p.read_text().splitlines())) > LONGEST_FILE
    }
    assert not long


def test_functions_are_short() -> None:
    """No Python function is longer than 60 lines, docstring and signature included."""
    functions = [function for path in named(".py") for function in outline(path).functions]
    assert len(functions) > 5000
    long = [f"{f.file.name}:{f.name} {f.lines}" for f in functions if f.lines > LONGEST_FUNCTION]
    assert not long


def test_every_file_names_its_licence() -> None:
    """An SPDX line stands at the top of every source, build and scenario file."""
    sources = [p for p in named(*TEXT) if p.parent.name != "LICENSES"]
    bare = [p for p in sources if "SPDX-License-Identifier:" not in p.read_text()[:200]]
    bare += [p for p in tracked() if p.name == "Makefile" and "SPDX" not in p.read_text()[:200]]
    assert not bare


def test_portions_have_no_init() -> None:
    """`ecnomy` is a namespace: no __init__.py in it or in the component roots (PEP 420)."""
    homes = [ROOT / part for part in ("agents", "markets", "analysis")]
    assert not [
        p for home in homes for p in (home, home / "ecnomy") if (p / "__init__.py").exists()
    ]


def test_python_modules_say_what_they_export() -> None:
    """Every module of the packages has a docstring, and __all__ unless it exports nothing."""
    for part in ("agents", "markets", "analysis"):
        for path in (ROOT / part / "ecnomy").rglob("*.py"):
            assert outline(path).documented, path
            assert not outline(path).public or "__all__" in path.read_text(), path


def listed_modules(text: str) -> list[str]:
    """Return the modules that the docstring of a package lists, a line or a clause each."""
    modules: list[str] = []
    for line in text.splitlines():
        names = re.match(r"([a-z_]+(?:, [a-z_]+)*)(?::|  )", line)
        more = re.findall(r"; ([a-z_]+(?:, [a-z_]+)*): ", line) if names else ()
        modules += [
            name
            for each in (*(names.groups() if names else ()), *more)
            for name in each.split(", ")
        ]
    return modules


def test_packages_list_modules_that_exist() -> None:
    """A renamed module would leave a reader of the docstring without the file."""
    listed = [
        path.with_name(name)
        for part in ("agents", "markets", "analysis")
        for path in (ROOT / part / "ecnomy").rglob("__init__.py")
        for name in listed_modules(ast.get_docstring(ast.parse(path.read_text())) or "")
    ]
    assert len(listed) > 40
    assert not [m for m in listed if not m.is_dir() and not m.with_suffix(".py").exists()]


@pytest.mark.parametrize("package", rooms.PACKAGES)
def test_no_modules_or_rooms_import_each_other(package: str) -> None:
    """The rule includes circles, imports within functions and imports for types alone."""
    graph = rooms.imports(package)
    assert rooms.circles(graph) == []
    assert rooms.circles(graph, rooms.room) == []


@pytest.mark.parametrize("package", rooms.PACKAGES)
def test_rooms_import_only_rooms_below_them(package: str) -> None:
    """Each room is in a layer of pyproject.toml, and imports only from lower layers."""
    graph, heights = rooms.imports(package), rooms.heights(package)
    assert {rooms.room(module) for module in graph} == set(heights)
    assert rooms.upward(graph, heights) == []


PLANTED = {
    "agents/ecnomy/agents/__init__.py": "",
    "agents/ecnomy/agents/high/__init__.py": "",
    "agents/ecnomy/agents/high/one.py": "from ecnomy.agents.low.two import name\n",
    "agents/ecnomy/agents/low/two.py": "",
    "agents/ecnomy/agents/low/three.py": "def f():\n    from ecnomy.agents.high import x\n",
    "agents/ecnomy/agents/four.py": "",
    "pyproject.toml": "[[tool.importlinter.contracts]]\n"
    'containers = ["ecnomy.agents"]\nlayers = ["high", "low | four"]\n',
}


def test_an_upward_import_and_a_circle_are_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two rooms may import each other even if none of their modules do."""
    for name, text in PLANTED.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    monkeypatch.setattr(rooms, "ROOT", tmp_path)
    graph = rooms.imports("agents")
    assert rooms.circles(graph) == []
    assert rooms.circles(graph, rooms.room) == [["high", "low"]]
    assert rooms.upward(graph, rooms.heights("agents")) == [("low", "high")]
    beside = {**graph, "four": {"low.two", ""}}
    assert rooms.upward(beside, rooms.heights("agents")) == [
        ("four", ""),
        ("four", "low"),
        ("low", "high"),
    ]
    with pytest.raises(KeyError):
        rooms.upward({"fifth": {"low.two"}}, rooms.heights("agents"))


@pytest.mark.parametrize("part", rooms.PACKAGES)
def test_folders_of_tests_are_rooms(part: str) -> None:
    """Each room has a folder of tests with its name, and each folder of tests is of a room."""
    known = {file.parent.name for file in (ROOT / part / "ecnomy" / part).glob("*/__init__.py")}
    folders = {file.parent.name for file in (ROOT / "tests" / part).glob("*/test_*.py")}
    assert folders and folders == known


def test_tests_say_what_they_test() -> None:
    """Every test has a docstring."""
    mute = [
        f"{path.name}:{function.name}"
        for path in (ROOT / "tests").rglob("test_*.py")
        for function in outline(path).functions
        if function.name.startswith("test_") and not function.documented
    ]
    assert not mute


def test_nothing_is_awaited_without_a_limit() -> None:
    """Waits for processes, threads and peers have limits, and exceptions give a reason."""
    waits = [
        f"{path.relative_to(ROOT)}:{wait}" for path in named(".py") for wait in outline(path).waits
    ]
    assert not waits


def test_tests_start_processes_in_one_place() -> None:
    """Only processes.py starts processes, and it ends them. Programs beside tests are exempt."""
    apart = {ROOT / "tests/processes.py", ROOT / "tests/engine/drive.py"}
    starters = [
        path.name
        for path in named(".py")
        if ROOT / "tests" in path.parents and path not in apart
        if path.parent.name not in ("bench", "torture")
        if "Popen" in (text := path.read_text())
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Call) and ast.unparse(node.func) in ("subprocess.Popen", "Popen")
    ]
    assert not starters


WAITS = {
    "subprocess.run(words, check=True)": True,
    "subprocess.run(words, timeout=5)": False,
    "subprocess.check_output(words)": True,
    "from subprocess import run as go; go(words)": True,
    "process.wait()": True,
    "process.wait(5)": False,
    "process.wait(timeout=5)": False,
    "process.communicate()": True,
    "process.communicate(timeout=5)": False,
    "thread.join()": True,
    "thread.join(5)": False,
    "', '.join(words)": False,
    "process.stdout.readline()": True,
    "file.read()": False,
    "process.stdout.read()": True,
    "for line in process.stdout: print(line)": True,
    "words = [line for line in process.stderr]": True,
    "done.stdout.splitlines()": False,
    "listener.accept()": True,
    "listener.accept(timeout_s=5)": False,
    "fcntl.flock(file, fcntl.LOCK_EX)": True,
    "lockf(file, LOCK_SH)": True,
    "fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)": False,
    "fcntl.flock(file, fcntl.LOCK_UN)": False,
    "os.wait()": True,
    "os.waitpid(pid, 0)": True,
    "os.waitpid(pid, os.WNOHANG)": False,
    "with subprocess.Popen(words) as process: pass": True,
    "process.wait()  # no limit: it is a wait for a person": False,
    "process.wait()  # no limit:": True,
}


@pytest.mark.parametrize("snippet", WAITS)
def test_a_wait_without_a_limit_is_found(snippet: str) -> None:
    """Each kind of wait is found, but not code that only looks like one."""
    assert bool(unlimited_waits(snippet)) is WAITS[snippet]


@pytest.fixture(scope="module")
def helps() -> dict[str, str]:
    """The help of every verb and of some sub-commands, by its command."""
    verbs = ([], *([verb] for verb in commands()), ["report", "gsp"])
    commands_of_help = [[*words, "--help"] for words in verbs]
    return {" ".join(["ecnomy", *c]): CliRunner().invoke(app, c).output for c in commands_of_help}


def test_help_shows_flags_without_a_type(helps: dict[str, str]) -> None:
    """`--force` takes no value, so no verb's help shows it as `--force <bool>`."""
    for command, shown in helps.items():
        assert "bool" not in shown.casefold(), command
        assert "--help" in shown, command


def test_texts_avoid_turns_that_readers_stumble_over(helps: dict[str, str]) -> None:
    """The rule covers Markdown, Python, comments and strings of C++, and the help of every verb."""
    texts = {str(path.relative_to(ROOT)): prose.words_of(path) for path in named(*prose.SUFFIXES)}
    turns = [(name, *turn) for name, text in (texts | helps).items() for turn in prose.turns(text)]
    assert turns == []


def test_a_turn_is_found_with_what_to_write() -> None:
    """Each pattern is found in its sentence; plain words are not."""
    text = "It is told. Laws of its own, anew; what hangs on it, whoever reads."
    assert [turn for turn, _ in prose.turns(text)] == [
        "is told",
        "of its own",
        "whoever",
        "anew",
        "hangs on",
    ]
    assert not [*prose.turns("Each carrier is paid for marks of its own links.")]


def test_no_global_randomness_or_wall_clock_in_results() -> None:
    """The packages use no std:: random engine, rand(), random module or numpy generator."""
    banned = ("std::mt19937", "rand()", "std::random", "import random", "np.random.seed")
    banned += ("np.random.rand", "_distribution<", "ffast-math", "march=native")
    homes = [ROOT / part for part in ("agents", "markets", "analysis", "omnet")]
    files = [p for home in homes for p in home.rglob("*") if p.suffix in (".py", ".h", ".cc")]
    uses = [(p.name, word) for p in files for word in banned if word in p.read_text()]
    assert not uses


def test_builds_do_not_depend_on_the_machine() -> None:
    """Build files name flags for fast-math or the machine's instructions only to refuse them."""
    flags = ("ffast-math", "Ofast", "funsafe-math", "march=native")
    names = ("CMakeLists.txt", "Makefile", "makefrag", "pyproject.toml", "browser_engine.py")
    files = [p for p in tracked() if p.name in names or p.suffix == ".cmake"]
    assert {path.name for path in files} >= set(names)
    lines = [line.partition("#")[0] for path in files for line in path.read_text().splitlines()]
    used = [line for line in lines if "$(filter" not in line and "$(error" not in line]
    assert not [line for line in used for flag in flags if flag in line]


def test_the_readme_is_short() -> None:
    """README.md has at most 150 lines."""
    assert len((ROOT / "README.md").read_text().splitlines()) <= 150


def test_the_table_of_the_papers_agents_names_what_there_is() -> None:
    """Examples, tests and entries of tests/README.md exist, and each strategy is built in."""
    table = (ROOT / "tests" / "README.md").read_text().partition("## The papers' agents")[2]
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in table.splitlines()[6:]]
    rows = [row for row in rows if row and row[0].startswith("F")]
    assert len(rows) == 34
    claims = {p.name: (p / "claims.yaml").read_text() for p in (ROOT / "configs/papers").iterdir()}
    assert len({row[0] for row in rows}) == len(rows)
    for number, _, chosen, example, tests, entry in rows:
        assert all((ROOT / "tests" / test).is_file() for test in tests.split(", ")), number
        assert (ROOT / "configs" / "examples" / example).exists(), number
        paper, _, name = entry.partition(".")
        assert not entry or re.search(rf"^  {name}:", claims[paper], re.MULTILINE), number
        for word in re.findall("`([a-z-]+)`", chosen):
            file = word.replace("-", "_") + ".py"
            known = (ROOT / "agents/ecnomy/agents/strategies" / file).is_file()
            assert known, (number, word)


def test_every_mark_is_listed() -> None:
    """Marks are in pyproject.toml, even xdist's, which pytest lacks with `-p no:xdist`."""
    lines = (ROOT / "pyproject.toml").read_text().partition("\nmarkers = [")[2].partition("\n]")[0]
    listed = set(re.findall(r'^  "(\w+)', lines, re.M))
    known = {"filterwarnings", "parametrize", "skipif", "timeout", "usefixtures"} | listed
    for file in sorted((ROOT / "tests").rglob("*.py")):
        assert set(re.findall(r"pytest\.mark\.(\w+)", file.read_text())) <= known, file


def test_types_of_helpers_are_searched_where_pytest_finds_them() -> None:
    """All folders of pytest's pythonpath are in mypy's path."""
    tools = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]
    assert set(tools["pytest"]["ini_options"]["pythonpath"]) <= set(tools["mypy"]["mypy_path"])
