# SPDX-License-Identifier: Apache-2.0
"""The command line: main looks up a verb. Each module of verbs/ is one verb of this package."""
