# SPDX-License-Identifier: Apache-2.0
"""Compile a scenario to a plan, and produce the output of `ecnomy check`.

make         the plan; make_laws, make_traffic: its parts; paths: routes written by hand
rem_steps    values of `auto` in REM; rem_loops: their derivation
check        all warnings, most of them in modules: slow_windows, full_pipes, alternatives,
             call_promises, cheap_marks, coarse_payments, directions, l4s, line_load, overpaying,
             packet_sizes, rem_bounds, window_needs, wires
summary      the resolved scenario, in words; summary_values: as JSON
"""
