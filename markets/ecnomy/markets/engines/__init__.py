# SPDX-License-Identifier: Apache-2.0
"""Find packet engines (registry), and start and watch them (process, omnet, linux)."""
