# SPDX-License-Identifier: Apache-2.0
"""Reading users' files: strict YAML with places, units, variants and overrides."""
