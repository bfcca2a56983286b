# SPDX-License-Identifier: Apache-2.0
"""The exceptions of ecnomy.

    EcnomyError                 base of all, exit status 1
    ├── InputError              invalid user input, exit status 2
    │   ├── ScenarioError       in a scenario file: file, line, path, found, expected
    │   ├── SourceError         a source that an engine cannot run: source, found, expected
    │   ├── FolderTakenError    a results folder is not empty, and `force` is not set
    │   └── ResultsError        a results folder is missing or incomplete, or has an unknown format
    ├── StrategyError           a strategy could not be loaded, failed or gave an invalid answer
    ├── TariffError             a custom tariff could not be loaded, failed or gave a wrong charge
    ├── EngineError             the packet engine could not start, died, hung or reported an error
    │   └── ProtocolError       the engine or ecnomy broke the bridge protocol
    ├── NotRunningError         a step of a market without an engine, or after the end of its run
    └── LedgerError             an impossible posting

This package is the lowest of three (agents <- markets <- analysis), so all three can raise these
exceptions.
"""

from __future__ import annotations

__all__ = [
    "EcnomyError",
    "EngineError",
    "FolderTakenError",
    "InputError",
    "LedgerError",
    "NotRunningError",
    "ProtocolError",
    "ResultsError",
    "ScenarioError",
    "SourceError",
    "StrategyError",
    "TariffError",
]


class EcnomyError(Exception):
    """Base of all errors that ecnomy raises deliberately. Commands exit with `exit_status`."""

    exit_status = 1

    @property
    def on_command_line(self) -> str:
        """The message as printed on the command line."""
        return str(self)


class InputError(EcnomyError):
    """Invalid user input. The message gives the error and its place in one line."""

    exit_status = 2


class ScenarioError(InputError):
    """A fault in a scenario file, with its place.

    Attributes:
        file: path as given by the user.
        line: number of the line, from 1; None if there is no line, as for a missing file.
        path: dotted path inside the document, such as `network.links[1].rate`.
        found: the content at this path.
        expected: the expected content.
    """

    def __init__(self, file: str, line: int | None, path: str, found: str, expected: str) -> None:
        self.file, self.line, self.path = file, line, path
        self.found, self.expected = found, expected
        place = file if line is None else f"{file}:{line}"
        where = f"{place}: {path}" if path else place
        super().__init__(f"{where}: found {found}, expected {expected}")


class SourceError(InputError):
    """A source that the engine cannot run.

    Attributes:
        source: name of the source.
        found: setting of the source that the engine does not support.
        expected: the settings that the engine supports.
    """

    def __init__(self, source: str, found: str, expected: str) -> None:
        self.source, self.found, self.expected = source, found, expected
        super().__init__(f"source {source!r}: found {found}, expected {expected}")


class FolderTakenError(InputError):
    """A results folder is not empty, and the caller has not asked to replace its content."""

    def __init__(self, folder: object) -> None:
        self._folder = folder
        super().__init__(
            f"{folder} already exists; replace it with force=True, or choose another folder with "
            "out="
        )

    @property
    def on_command_line(self) -> str:
        """The message with the options of the command line."""
        return (
            f"{self._folder} already exists; replace it with --force, or choose another folder "
            "with --out"
        )


class StrategyError(EcnomyError):
    """A strategy could not be loaded, failed, or returned a value that its role cannot use."""


class TariffError(EcnomyError):
    """A custom tariff could not be loaded, failed, or returned an invalid charge."""


class EngineError(EcnomyError):
    """The packet engine could not start, died, hung or reported an error."""


class ProtocolError(EngineError):
    """A peer broke the protocol. `name` is the fixed name of the error (see PROTOCOL.md)."""

    def __init__(self, name: str, detail: str) -> None:
        self.name, self.detail = name, detail
        super().__init__(f"{name}: {detail}")


class NotRunningError(EcnomyError):
    """A step of a market without an engine, or after the end of its run."""


class LedgerError(EcnomyError):
    """An impossible posting. `name` is the fixed name of the error."""

    def __init__(self, name: str, detail: str) -> None:
        self.name, self.detail = name, detail
        super().__init__(f"{name}: {detail}")


class ResultsError(InputError):
    """A results folder is missing or incomplete, or this version cannot read its format."""
