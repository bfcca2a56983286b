# SPDX-License-Identifier: Apache-2.0
"""Read users' files: strict YAML with places, units, variants and overrides."""
