# SPDX-License-Identifier: Apache-2.0
"""Run the command `ecnomy`, with verbs from cli/verbs and from entry points `ecnomy.commands`.

Each verb is a function that typer turns into a command, or a Typer with sub-commands. The module of
a verb is imported when the verb or its help is used. An error prints one line on standard error.
The exit status is 2 for invalid input, 130 after Ctrl-C, and 1 for other errors.
"""

from __future__ import annotations

import functools
import importlib
import importlib.metadata
import pkgutil
import sys
from collections.abc import Sequence
from typing import Annotated, Any, Final

import typer

from ecnomy.agents.errors import EcnomyError, ScenarioError
from ecnomy.markets.cli import verbs
from ecnomy.markets.cli.memory import shortage
from ecnomy.markets.cli.plain_flags import Verb, VerbGroup
from ecnomy.markets.support.printable import say

__all__ = ["GROUP", "app", "commands", "main"]

GROUP: Final = "ecnomy.commands"
_INTERRUPTED: Final = 130
_UsageError: Final[Any] = typer.BadParameter.__base__  # Typer does not export it
# Former spellings of options, accepted for one more release: all verbs have --jobs.
_OLD_OPTIONS: Final = {"workers": "jobs"}
_WITH_VALUES: Final = ("sweep", "calibrate", "tune")  # their files have the key `set`
# Kinds of pydantic's number errors, and the expected value in the message.
_WANTED: Final = {
    "int_parsing": "a whole number",
    "float_parsing": "a number",
    "greater_than_equal": "at least {ge}",
    "less_than_equal": "at most {le}",
}


class _Verbs(VerbGroup):
    """The verbs of `ecnomy`, which are imported when used."""

    def list_commands(self, ctx: Any) -> list[str]:
        return list(commands())

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        target = _own_verbs().get(cmd_name) or commands().get(cmd_name)
        if target is None:
            return None
        module, _, function = target.partition(":")
        command = getattr(importlib.import_module(module), function)
        if isinstance(command, typer.Typer):  # the verb has sub-commands
            group = typer.main.get_command(command)
            group.name = cmd_name  # help lists a command by its name
            return group
        single = typer.Typer(
            add_completion=False, context_settings={"token_normalize_func": _option_now}
        )
        single.command(cmd_name, cls=Verb)(command)
        return typer.main.get_command(single)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        known = args[0].startswith("-") or args[0] in _own_verbs() or args[0] in commands()
        if not known:
            from ecnomy.markets.inputs.reading import known_name

            ctx.fail(f"unknown command {args[0]!r}, expected {known_name(args[0], commands())}")
        return super().resolve_command(ctx, args)


app = typer.Typer(
    cls=_Verbs,
    name="ecnomy",
    help="ecnomy simulates markets in which ECN marks on packets carry the price.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)


def _option_now(name: str) -> str:
    return _OLD_OPTIONS.get(name, name)


def _print_version(wanted: bool) -> None:
    if wanted:
        try:
            print(f"ecnomy {importlib.metadata.version('ecnomy')}")
        except importlib.metadata.PackageNotFoundError:
            print("ecnomy (not installed)")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version."
        ),
    ] = False,
) -> None:
    """ecnomy simulates markets in which ECN marks on packets carry the price."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit.

    Args:
        arguments: arguments of the command line; None means the arguments of the process.
    """
    try:
        if short := shortage():
            _leave(short, 1)
        given = None if arguments is None else list(arguments)
        status = app(args=given, prog_name="ecnomy", standalone_mode=False) or 0
        if status == _INTERRUPTED:  # typer's status for Ctrl-C
            raise KeyboardInterrupt
        raise SystemExit(status)
    except _UsageError as error:
        if error.format_message():
            _leave(_usage(error), error.exit_code)
        error.show()  # prints the help if there is no verb
        raise SystemExit(error.exit_code) from None
    except ScenarioError as error:
        from ecnomy.markets.reference.hint import hint

        _leave(error.on_command_line + hint(error), error.exit_status)
    except EcnomyError as error:
        _leave(error.on_command_line, error.exit_status)
    except KeyboardInterrupt:
        _leave("interrupted", _INTERRUPTED)
    except MemoryError as error:
        _leave(f"out of memory: {error}".rstrip(": "), 1)
    except OSError as error:
        named = f"{error.filename}: " if error.filename else ""
        _leave(f"{named}{error.strerror or error}", 1)


def _usage(error: Any) -> str:
    """Describe a fault of the command line in one line."""
    fault = _value(error) or str(error.format_message()).rstrip(".")
    if error.ctx is None:
        return fault
    path = error.ctx.command_path
    verb = path.partition(" ")[2]
    if verb in _WITH_VALUES and fault.startswith("No such option: --set"):
        fault += "; write values for all runs in the file, such as `set: {duration: 60 s}`"
    return f"{verb}{': ' if verb else ''}{fault}; see `{path} --help`"


def _value(error: Any) -> str:
    """Describe a fault of an option's value, or return "" to use typer's description."""
    faults: Any = getattr(error.__cause__, "errors", list)()  # pydantic's errors, if typer uses it
    wanted = _WANTED.get(faults[0]["type"]) if faults else None
    if not wanted:
        return ""
    name = max(error.param.opts, key=len)
    given = faults[0]["input"]
    return f"{name}: found {given!r}, expected {wanted.format(**faults[0].get('ctx', {}))}"


def _leave(message: str, status: int) -> None:
    say(f"ecnomy: {' '.join(message.split())}", sys.stderr)
    raise SystemExit(status) from None


def _own_verbs() -> dict[str, str]:
    """Return the path of each verb's function, by verb, for the modules of cli/verbs."""
    own = (module.name for module in pkgutil.iter_modules(verbs.__path__))
    return {name.replace("_", "-"): f"{verbs.__name__}.{name}:{name}_command" for name in own}


@functools.cache
def commands() -> dict[str, str]:
    """Return the path of each verb's function, by verb, for all installed packages."""
    added = {entry.name: entry.value for entry in importlib.metadata.entry_points(group=GROUP)}
    return dict(sorted((added | _own_verbs()).items()))
