# SPDX-License-Identifier: Apache-2.0
"""Who owes what to whom: meters, contracts, parties, the booking of an epoch and the ledger."""
