# SPDX-License-Identifier: Apache-2.0
"""The verbs of ecnomy.markets, one module each. A new module here is a new verb.

The verbs of ecnomy.analysis are entry points (pyproject.toml).

`ecnomy test-strategy` is the function test_strategy_command of test_strategy.py.
"""
