# SPDX-License-Identifier: Apache-2.0
"""The market: who owns what, what is sold to whom, what is metered and owed, and when agents act.

market      the Mesa model: a report in, a decision out
phases      in which order agents act
seat        what an agent's role has of the market
parties     accounts, who uses which flows, what is on sale
domains     who owns which links, at what price per mark
settlement  who pays whom for marks: one class per rule
contracts   what is owed for an epoch; readings has what is metered
book        all contracts of a run, booked at each report
call_desk   calls that are sold one by one
orders      what flows are told to aim at
sight       what agents see
ledger      all money moved
"""
