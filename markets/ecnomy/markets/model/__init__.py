# SPDX-License-Identifier: Apache-2.0
"""The market as a Mesa model.

market     a report in, a decision out
seat       what an agent's role has of the market
stepped    steps, time and end, as Mesa's users expect them
by_hand    what a user may do to a market between two steps
"""
