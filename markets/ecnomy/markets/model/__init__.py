# SPDX-License-Identifier: Apache-2.0
"""The market as a Mesa model.

market     a report in, a decision out
seat       an agent's interface to the market
stepped    steps, time and end, as Mesa's users expect them
by_hand    operations of a user between two steps
"""
