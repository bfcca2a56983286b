# SPDX-License-Identifier: Apache-2.0
"""The command line. main.py looks up a verb; each module of verbs/ is a verb of this package."""
