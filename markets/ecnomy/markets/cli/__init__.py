# SPDX-License-Identifier: Apache-2.0
"""The command line: main looks a verb up; each module of verbs/ is one verb of this package."""
