# SPDX-License-Identifier: Apache-2.0
"""The books: who has which account, what is sold to whom, what is metered and owed.

phases       in which order agents act
parties      accounts, who uses which flows, what is on sale
domains      the prices of links, and each source's way through them
settlement   who pays whom for marks: one class per rule
contracts    what is owed for an epoch; readings: what is metered; charges: fees and marks
book         all contracts of a run, booked at each report
call_desk    calls that are sold one by one
aims         what flows are told to aim at
sight        what agents see
ledger       all money moved; journal: what agents did
accruers     what rows owe under a tariff; exact: to the micro-unit
"""
