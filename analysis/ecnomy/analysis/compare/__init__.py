# SPDX-License-Identifier: Apache-2.0
"""Two engines compared: do they give the same results for the same scenario and seeds?

figures     what is compared: numbers of one run, by source and link
verdicts    the statistics: ratios with intervals, two one-sided tests
runs        making the runs that are missing, and keeping what they gave
table, picture, command     `ecnomy compare`
record, recording           what an engine gave once, kept to compare with later
currency                    whether it still speaks of the code as it is
"""
