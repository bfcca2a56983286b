# SPDX-License-Identifier: Apache-2.0
"""The terms of contracts: what is counted, for how much, and whose the links are.

meters       what may be counted of a flow
unit_price   money for so many of it
tariffs      money as a function of a meter; own_tariff: one of a user's
ownership    which carrier owns which links
"""
