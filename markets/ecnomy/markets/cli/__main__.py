# SPDX-License-Identifier: Apache-2.0
"""The program: `ecnomy`, and `python -m ecnomy.markets.cli`, which needs no installed command.

Until all modules of the command line are imported, Ctrl-C ends it as the system does, without a
traceback. From then on `main` answers.
"""

import signal

__all__ = ["start"]


def start() -> None:
    """Run the command line of this process."""
    heeded = signal.getsignal(signal.SIGINT)
    if heeded is signal.default_int_handler:  # not where the shell has it ignored
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from ecnomy.markets.cli.main import main

    signal.signal(signal.SIGINT, heeded)
    main()


if __name__ == "__main__":
    start()
