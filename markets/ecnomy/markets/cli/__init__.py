# SPDX-License-Identifier: Apache-2.0
"""The command line of ecnomy. main.py looks up verbs, and each module in verbs/ defines a verb."""
