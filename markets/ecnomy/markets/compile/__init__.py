# SPDX-License-Identifier: Apache-2.0
"""Compiles a scenario to a plan, and produces the output of `ecnomy check`.

make         the plan; make_laws, make_traffic: its parts; paths: routes written by hand
rem_steps    values of `auto` in REM; rem_loops: its derivation
check        all warnings, each in a separate module: settling, full_pipes, alternatives, worth
summary      the resolved scenario, in words; summary_values: as JSON
"""
