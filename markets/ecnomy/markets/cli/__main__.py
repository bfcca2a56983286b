# SPDX-License-Identifier: Apache-2.0
"""Start the program `ecnomy`, also as `python -m ecnomy.markets.cli`.

During the import of the command line, Ctrl-C and SIGTERM print one line and kill the process.
Afterwards, they print one line, and the process exits with a status.
"""

import contextlib
import os
import signal

__all__ = ["start"]

_STDERR = 2


def start() -> None:
    """Run the command line of this process."""
    heeded = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    for number, handler in heeded.items():
        if handler in (signal.default_int_handler, signal.SIG_DFL):  # unless a shell ignores it
            signal.signal(number, _end_early)
    from ecnomy.markets.cli.ending import ending_process
    from ecnomy.markets.cli.main import main

    signal.signal(signal.SIGINT, heeded[signal.SIGINT])
    with ending_process():
        main()


def _end_early(number: int, _: object) -> None:
    word = "interrupted" if number == signal.SIGINT else "terminated"
    with contextlib.suppress(OSError):  # the terminal may be gone
        os.write(_STDERR, f"ecnomy: {word}\n".encode())
    signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)


if __name__ == "__main__":
    start()
