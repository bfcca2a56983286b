# SPDX-License-Identifier: Apache-2.0
"""Reading what users write: strict YAML with places, units, variants and overrides."""
