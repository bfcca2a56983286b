# SPDX-License-Identifier: Apache-2.0
"""Tests whether two engines give the same results for the same scenario and seeds.

figures     the compared outcomes of one run, by source, link and kind of posting
verdicts    the statistics: ratios with intervals, two one-sided tests
runs        simulates the missing runs and keeps their outcomes
table, comparison_plot, command     `ecnomy compare`
record, recording           earlier results of an engine, stored for later comparisons
currency                    checks whether a record still holds for the current code
"""
