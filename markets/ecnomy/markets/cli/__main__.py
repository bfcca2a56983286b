# SPDX-License-Identifier: Apache-2.0
"""`python -m ecnomy.markets.cli`, which needs no installed command."""

from ecnomy.markets.cli.main import main

main()
