# SPDX-License-Identifier: Apache-2.0
"""The market: who owns what, what is sold to whom, what is metered and owed, and when agents act.

market       the Mesa model: a report in, a decision out
phases       in which order agents act
seat         what an agent's role has of the market
parties      accounts, who uses which flows, what is on sale
ownership    who owns which links; domains: their prices, and each source's way through them
settlement   who pays whom for marks: one class per rule
contracts    what is owed for an epoch; readings: what is metered; charges: fees and marks
book         all contracts of a run, booked at each report
call_desk    calls that are sold one by one
aims         what flows are told to aim at
sight        what agents see
ledger       all money moved
tariffs      money as a function of a meter: what there are; prices, accruers, exact: what is owed
"""
