# SPDX-License-Identifier: Apache-2.0
"""From a scenario to a plan, and what `ecnomy check` says of it.

make         the plan; make_laws, make_traffic: its parts; paths: routes by hand
rem_steps    what `auto` stands for in REM; rem_loops: its derivation
check        all warnings, each in a separate module: settling, full_pipes, alternatives, worth
summary      what would run, in words; summary_values: as JSON
"""
