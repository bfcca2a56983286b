# SPDX-License-Identifier: Apache-2.0
"""Results of one run: phases, windows, balances, marking, carriers, calls and files.

summary      rates and payments, phase by phase; phases, windows: time intervals
guarantees   profit and loss of guaranteed stream providers; guaranteed_calls: their calls
carriers     links, prices and payers of carriers; choices: customers of each carrier
price_settling  whether a carrier's price has settled; profit_slope, priced_out: evidence for it
network_loads, link_marking, congestion: loads, marks and costs of links
"""
