# SPDX-License-Identifier: Apache-2.0
"""The accounting of a market: accounts, sales, meters and debts.

turn_order       the order in which agents act
parties          accounts, users of flows, and service classes on sale
posted_prices    the posted prices of marks by domain, and each source's path through the domains
settlement       rules that determine who pays whom for marks
contracts        amounts due for an epoch; readings: meters; charges: class fees and mark charges
epoch_postings   posts the amounts due under all contracts at each report
call_desk        sales of single calls
willingness      mark rates of flows, derived from payments; mark_caps: budgets
observations     changes of counters since an agent's last observation
ledger           all payments; journal: decisions of agents
hand_changes     values that a user set in a running market
tariff_accruers  amounts due under a tariff; exact_charges: fractions carried over
"""
