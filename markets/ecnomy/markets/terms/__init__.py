# SPDX-License-Identifier: Apache-2.0
"""The terms of contracts (meters, prices and tariffs), and the ownership of links.

meters       countable quantities of a flow
unit_price   money for a number of units
tariffs      money as a function of a meter; own_tariff: custom tariffs
ownership    the carrier of each link
"""
