# SPDX-License-Identifier: Apache-2.0
"""Define the verbs of ecnomy.markets. Each module in this folder defines a verb.

For example, `ecnomy test-strategy` is the function test_strategy_command of test_strategy.py. The
verbs of ecnomy.analysis are entry points (pyproject.toml).
"""
