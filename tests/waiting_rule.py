# SPDX-License-Identifier: Apache-2.0
"""The rule that every wait has a limit, which test_tidy.py checks in all Python code.

It finds calls that wait without a limit for a process, a thread or a peer:

- `subprocess.run`, `call`, `check_call`, `check_output` without `timeout=`
- `.wait()`, `.communicate()`, `.join()`, `.readline()`, `.accept()` with no argument
  (`", ".join(words)` has one)
- `with subprocess.Popen(...)`, which ends with a wait
- reading of `process.stdout` or `.stderr`: `read`, `readlines`, or a loop over its lines
- `fcntl.flock`, `fcntl.lockf` without `LOCK_NB`, but to unlock
- `os.wait`, `os.waitpid`, `os.waitid`, `os.wait3`, `os.wait4` without `os.WNOHANG`

A wait that is limited by other means, or must not be limited, states this on its first line: `# no
limit: REASON`.
"""

from __future__ import annotations

import ast
import re
from typing import Final

__all__ = ["unlimited_waits"]

_RUNS: Final = {"run", "call", "check_call", "check_output"}
_WAITS: Final = {"wait", "communicate", "join", "readline", "accept"}
_OF_OS: Final = {"wait", "waitpid", "waitid", "wait3", "wait4"}
_LOCKS: Final = {"flock", "lockf"}
_STREAMS: Final = {"stdout", "stderr"}
_WORTH_A_LOOK: Final = re.compile(  # every call below contains one of these words
    r"\b(subprocess|Popen|wait\w*|communicate|readline|accept|stdout|stderr|flock|lockf)\b"
    r"|\bjoin\s*\(\s*(\)|#|\w+\s*=)"
)
_REASON: Final = re.compile(r"# no limit: \S+")


def unlimited_waits(source: str, parsed: ast.Module | None = None) -> list[str]:
    """The waits of a source (perhaps already parsed) as `line: call`, in order."""
    if not _WORTH_A_LOOK.search(source):
        return []
    lines, waits = source.splitlines(), []
    tree = parsed or ast.parse(source)
    bare = _imported_runs(tree) if "from subprocess" in source else set()
    for node in ast.walk(tree):
        if (call := _unlimited(node, bare)) and not _REASON.search(lines[_line(node) - 1]):
            waits.append((_line(node), call))
    return [f"{line}: {call}" for line, call in sorted(waits)]


def _line(node: ast.AST) -> int:
    if isinstance(node, ast.comprehension):
        return node.iter.lineno
    if isinstance(node, ast.withitem):
        return node.context_expr.lineno
    assert isinstance(node, ast.stmt | ast.expr)
    return node.lineno


def _imported_runs(tree: ast.Module) -> set[str]:
    """Names of subprocess functions in a module."""
    return {
        alias.asname or alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module == "subprocess"
        for alias in node.names
        if alias.name in _RUNS
    }


def _unlimited(node: ast.AST, bare: set[str]) -> str:
    """The call as text if it may wait forever, else ""."""
    if isinstance(node, ast.For | ast.comprehension):
        lines = node.iter
        return f"for ... in {ast.unparse(lines)}" if _is_stream(lines) else ""
    if isinstance(node, ast.withitem):
        opened = node.context_expr
        popen = isinstance(opened, ast.Call) and _called(opened) == ("Popen", "subprocess")
        return "with subprocess.Popen(...)" if popen else ""
    if not isinstance(node, ast.Call):
        return ""
    name, of = _called(node)
    limited = any(word.arg in ("timeout", "timeout_s") for word in node.keywords)
    if (of == "subprocess" and name in _RUNS) or (of == "" and name in bare):
        return "" if limited else f"{of or 'subprocess'}.{name}(...) without timeout"
    if of == "os" and name in _OF_OS:
        return "" if "WNOHANG" in ast.unparse(node) else f"os.{name}(...) without os.WNOHANG"
    if name in _LOCKS:
        locks = not {"LOCK_NB", "LOCK_UN"} & set(re.findall(r"\w+", ast.unparse(node)))
        return f"{name}(...) without LOCK_NB" if locks else ""
    if not isinstance(node.func, ast.Attribute) or node.args or limited:
        return ""
    if name in _WAITS or (name in ("read", "readlines") and _is_stream(node.func.value)):
        return f"{ast.unparse(node)} without a limit"
    return ""


def _called(node: ast.Call) -> tuple[str, str]:
    """The names of the function and of the module or variable before it; "?" if it has none."""
    if isinstance(node.func, ast.Attribute):
        before = node.func.value
        return node.func.attr, before.id if isinstance(before, ast.Name) else "?"
    return (node.func.id, "") if isinstance(node.func, ast.Name) else ("?", "?")


def _is_stream(node: ast.AST) -> bool:
    return isinstance(node, ast.Attribute) and node.attr in _STREAMS
