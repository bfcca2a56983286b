# SPDX-License-Identifier: Apache-2.0
"""One run in numbers: phases, windows, balances, marking, carriers, calls and files.

opened       its tables and manifest
summary      rates and payments, phase by phase
guarantees   profit and loss of guaranteed stream providers; guaranteed_calls, guarantors: its parts
carriers     links, prices and payers of carriers; choices: customers of each carrier
network_loads, link_marking, congestion: loads, marks and costs of links
"""
