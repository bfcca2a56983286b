# SPDX-License-Identifier: Apache-2.0
"""`ecnomy show`: the results of a run or a sweep as tables in the terminal."""
