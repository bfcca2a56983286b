# SPDX-License-Identifier: Apache-2.0
"""The program: `ecnomy`, and `python -m ecnomy.markets.cli`, which needs no installed command.

Until all modules of the command line are imported, Ctrl-C ends the process by the system's default,
without a traceback. After that `main` handles it.
"""

import signal

__all__ = ["start"]


def start() -> None:
    """Run the command line of this process."""
    heeded = signal.getsignal(signal.SIGINT)
    if heeded is signal.default_int_handler:  # not if the shell ignores it
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from ecnomy.markets.cli.main import main

    signal.signal(signal.SIGINT, heeded)
    try:
        main()
    finally:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # libraries still clean up at exit


if __name__ == "__main__":
    start()
