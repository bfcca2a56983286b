# SPDX-License-Identifier: Apache-2.0
"""One run in numbers: phases, windows, balances, marking, carriers, calls, files.

opened       its tables and manifest
summary      who got which rate and paid what, phase by phase
guarantees   the business of guaranteed stream providers; guaranteed_calls, guarantors: its parts
carriers     links, prices and payers of carriers; choices: who is with whom
network_loads, link_marking, congestion: what links carried, marked and cost
"""
