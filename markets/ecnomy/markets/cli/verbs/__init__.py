# SPDX-License-Identifier: Apache-2.0
"""The verbs of ecnomy.markets, a module each.

`ecnomy test-strategy` is the function test_strategy_command of test_strategy.py.
"""
