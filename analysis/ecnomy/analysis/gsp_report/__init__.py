# SPDX-License-Identifier: Apache-2.0
"""The page on the business of a guaranteed stream provider (GSP), with each amount's query."""
