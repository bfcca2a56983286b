# SPDX-License-Identifier: Apache-2.0
"""The books: accounts, sales, meters and debts.

turn_order   the order in which agents act
parties      accounts, users of flows, products on sale
price_domains  the prices of marks by domain, and each source's path through the domains
settlement   payers and payees of marks, one class per rule
contracts    amounts due for an epoch; readings: meters; charges: fees and marks
book         all contracts of a run, booked at each report
call_desk    calls sold one by one
willingness  targets of flows in marks per second; mark_caps: budgets
observations: changes of counters since an agent's last decision
ledger       all money moved; journal: decisions of agents
hand_changes: values that a user set in a running market
tariff_amounts: amounts due under a tariff; exact: to the micro-unit
"""
