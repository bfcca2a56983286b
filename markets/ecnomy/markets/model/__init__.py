# SPDX-License-Identifier: Apache-2.0
"""The market as a Mesa model.

market     reads a report, returns a decision
seat       an agent's interface to the market
stepped    steps, time and end, in Mesa's terms
by_hand    operations of a user between two steps
"""
