# SPDX-License-Identifier: Apache-2.0
"""Two engines side by side: the same scenario, the same seeds, are their answers the same?

figures     what is compared: numbers of one run, by source and link
verdicts    the statistics: ratios with intervals, two one-sided tests
runs        making the runs that are missing, and keeping what they gave
table, picture, command     `ecnomy compare`
record, recording           what an engine gave once, kept to compare with later
currency                    whether it still speaks of the code as it is
"""
