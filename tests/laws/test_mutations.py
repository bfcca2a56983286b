# SPDX-License-Identifier: Apache-2.0
"""The checks fail on planted faults: a sign, a threshold and a clamp for each law.

Each fault is a textual replacement in a copy of the laws. Only the law's own file is compiled
again (once, until it or the fault changes), and its checks run on the result in
another process. The fast tier plants no fault, and only checks that each fault's text still exists.

If a law has no such element, the nearest analogue is used and named: "guard" (a missing
condition) or "range" (a missing bound on a parameter) for a clamp, "reversed" (a comparison the
wrong direction) for a sign, "case" (a dropped special case) for a threshold.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Final

import pytest

from aqm_faults import AQM_MUTATIONS
from bbr1_faults import BBR1_MUTATIONS
from bbr_faults import BBR_MUTATIONS
from docsis_faults import DOCSIS_MUTATIONS
from dualpi2_faults import DUALPI2_MUTATIONS
from fq_codel_faults import FQ_CODEL_MUTATIONS
from law_api import Laws
from law_build import LAWS, build_module
from law_checks import AT_FAULT
from part_faults import PART_MUTATIONS
from planted_faults import (
    MARKING_MUTATIONS,
    RATE_MUTATIONS,
    SCHEDULING_MUTATIONS,
    Mutation,
)
from prague_faults import PRAGUE_MUTATIONS
from round_robin_faults import ROUND_ROBIN_MUTATIONS
from scream_faults import SCREAM_MUTATIONS
from tiers import full

SOURCES: Final = {
    "newreno": ("reno",),
    "rate-capped": ("traffic",),
    "cbr": ("traffic",),
    "poisson": ("traffic",),
    "start": ("traffic",),
    "web": ("traffic",),
    "stream": ("stream", "stream_words"),
    "service-class": ("class_based",),
    "weighted-class": ("deficit_round_robin",),
    "codepoint-class": ("dualpi2",),
    "flow-class": ("fq_codel",),
    "voip": ("users",),
    "file": ("users",),
    "on-off": ("users",),
    **dict.fromkeys(("sessions", "page", "speech", "video", "sizes"), ("parts",)),
}

MUTATIONS: Final[dict[str, list[Mutation]]] = {
    "fixed": [
        Mutation("reversed", "marking/fixed.h", "uniform() < prob", "uniform() > prob"),
        Mutation("threshold", "marking/fixed.h", "uniform() < prob", "uniform() <= prob"),
        Mutation("range", "marking/fixed.h", "NAN, 0.0, 1.0", "NAN, 0.0, 2.0"),
    ],
    "red": [
        Mutation("sign", "marking/red.h", "(average_ - min_) /", "(average_ + min_) /"),
        Mutation("threshold", "marking/red.h", "queue.packets > 1", "queue.packets > 0"),
        Mutation("clamp", "marking/red.h", "!gentle_ || average_ >= 2 * max_", "!gentle_"),
    ],
    "virtual-queue": [
        Mutation("sign", "marking/virtual_queue.h", "backlog_bytes_ -= ", "backlog_bytes_ += "),
        Mutation("threshold", "marking/virtual_queue.h", "bytes > limit_", "bytes >= limit_"),
        Mutation(
            "clamp", "marking/virtual_queue.h", "<= 0) {\n      backlog_bytes_ = 0;", "<= 0) {"
        ),
        Mutation(
            "packet-sign", "marking/packet_buffer.h", "waiting_bytes_ -= ", "waiting_bytes_ += "
        ),
        Mutation("packet-threshold", "marking/virtual_queue.h", "then > limit_", "then >= limit_"),
        Mutation("packet-guard", "marking/virtual_queue.h", "if (!idle && then", "if (then"),
        Mutation("packet-tie", "marking/packet_buffer.h", "free_at_ <= now", "free_at_ < now"),
        Mutation("packet-start", "marking/packet_buffer.h", "std::max(now, free_at_)", "free_at_"),
        Mutation(
            "packet-end",
            "marking/virtual_queue.h",
            "if (idle) marking_",
            "if (packets_.waiting_bytes() == 0) marking_",
        ),
    ],
    "load-based": [
        Mutation("sign", "marking/load_based.h", "(load_ - threshold_)", "(load_ + threshold_)"),
        Mutation(
            "threshold", "marking/load_based.h", "load_ < threshold_", "load_ < 2 * threshold_"
        ),
        Mutation(
            "clamp",
            "marking/load_based.h",
            "std::min(slope_ * (load_ - threshold_), 1.0)",
            "slope_ * (load_ - threshold_)",
        ),
    ],
    "threshold": [
        Mutation(
            "reversed",
            "marking/threshold.h",
            "> threshold_packets_;\n    if",
            "< threshold_packets_;\n    if",
        ),
        Mutation(
            "threshold",
            "marking/threshold.h",
            "> threshold_packets_;\n    return",
            ">= threshold_packets_;\n    return",
        ),
        Mutation("guard", "marking/threshold.h", "if (scope_ != Scope::departing) return {};", ""),
    ],
    **MARKING_MUTATIONS,
    **RATE_MUTATIONS,
    **SCHEDULING_MUTATIONS,
    **ROUND_ROBIN_MUTATIONS,
    **DUALPI2_MUTATIONS,
    **DOCSIS_MUTATIONS,
    **FQ_CODEL_MUTATIONS,
    **PRAGUE_MUTATIONS,
    **SCREAM_MUTATIONS,
    **BBR1_MUTATIONS,
    **BBR_MUTATIONS,
    **AQM_MUTATIONS,
    **PART_MUTATIONS,
    "wtp": [
        Mutation("sign", "window/wtp.h", "rise - fall", "rise + fall"),
        Mutation("repay", "window/wtp.h", "- before + due", "+ due"),
        Mutation("timeout", "window/wtp.h", "std::min(window.cwnd, 1.0)", "1.0"),
        Mutation("threshold", "window/wtp.h", "ack.marks == 0) return", "ack.marks <= 1) return"),
        Mutation("clamp", "window/window.h", "std::clamp(packets, min, max)", "packets"),
    ],
    "reno": [
        Mutation("sign", "window/reno.h", "window.cwnd + (", "window.cwnd - ("),
        Mutation("threshold", "window/window.h", "cwnd < ssthresh", "cwnd <= ssthresh"),
        Mutation("abe", "window/reno.h", "reduce(window, beta_ecn_", "reduce(window, decrease_"),
        Mutation(
            "clamp",
            "window/reno.h",
            "std::max(left, min_ssthresh_)",
            "left",
        ),
    ],
    "newreno": [
        Mutation("sign", "window/reno.h", "in_slow_start() ? n :", "in_slow_start() ? -n :"),
        Mutation("threshold", "window/window.h", "cwnd < ssthresh", "cwnd < ssthresh / 2"),
        Mutation("clamp", "window/window.h", "std::clamp(packets, min, max)", "packets"),
    ],
    "tahoe": [
        Mutation("sign", "window/tahoe.h", "(window, used)", "(window, -used)"),
        Mutation(
            "case", "window/tahoe.h", "on_timeout(window, used)", "Reno::on_loss(window, used)"
        ),
        Mutation(
            "clamp",
            "window/reno.h",
            "std::max(beta_ecn_ * used, 1.0)",
            "beta_ecn_ * used",
        ),
    ],
    "multcp": [
        Mutation("sign", "window/multcp.h", "keep_ = 1 - 1 /", "keep_ = 1 + 1 /"),
        Mutation("threshold", "window/multcp.h", "values[1] != 0", "values[1] > 1"),
        Mutation(
            "clamp",
            "window/multcp.h",
            "std::max(keep_ * used, min_ssthresh_)",
            "keep_ * used",
        ),
    ],
    "wtp-sender": [
        Mutation("sign", "window/wtp_sender.h", "(w_ - window.cwnd)", "(w_ + window.cwnd)"),
        Mutation("threshold", "window/wtp_sender.h", "values[2] != 0", "values[2] > 1"),
        Mutation("clamp", "window/wtp_sender.h", "std::min(change, 0.0)", "std::max(change, 0.0)"),
    ],
    "round-trip": [
        Mutation("sign", "window/round_trip.h", "sum_ += rtt", "sum_ -= rtt"),
        Mutation("threshold", "window/round_trip.h", "now >= bucket_end_", "now > bucket_end_"),
        Mutation("clamp", "window/round_trip.h", "std::min(t, 2 * min_)", "t"),
    ],
    "rto": [
        Mutation("sign", "window/rto.h", "clamp(srtt_ + 4", "clamp(srtt_ - 4"),
        Mutation("threshold", "window/rto.h", "if (srtt_ == 0)", "if (srtt_ >= 0)"),
        Mutation(
            "clamp",
            "window/rto.h",
            "std::clamp(srtt_ + 4 * rttvar_, min_, max_)",
            "std::min(srtt_ + 4 * rttvar_, max_)",
        ),
    ],
    "rate-capped": [
        Mutation("sign", "traffic/traffic.h", "values[1] < 0 ? kNever", "values[1] > 0 ? kNever"),
        Mutation("threshold", "traffic/traffic.h", "now >= until_", "now > until_"),
        Mutation("guard", "traffic/traffic.h", "until_ != kNever && ", ""),
    ],
    "cbr": [
        Mutation(
            "sign",
            "traffic/traffic.h",
            "(uniform() * static_cast<double>(interval_))",
            "(-uniform() * static_cast<double>(interval_))",
        ),
        Mutation(
            "threshold",
            "traffic/traffic.h",
            "random_phase_ = values[1] != 0",
            "random_phase_ = values[1] > 1",
        ),
        Mutation("range", "traffic/traffic.h", '{"interval_s", "s", NAN, 1e-9', '{"", "", NAN, 0'),
    ],
    "poisson": [
        Mutation("sign", "random/inversion.h", "-mean * std::log1p(-u)", "-mean * std::log1p(u)"),
        Mutation("case", "traffic/traffic.h", "return gap(uniform);", "return 0 * gap(uniform);"),
        Mutation("range", "traffic/traffic.h", '"s", NAN, 1e-12', '"s", NAN, -1'),
        Mutation("clamp", "simulated_time.h", "ps < static_cast<double>(kFarthest) ?", "true ?"),
    ],
    "web": [
        Mutation("sign", "random/inversion.h", "1.0 - u * (1.0", "1.0 + u * (1.0"),
        Mutation(
            "threshold",
            "traffic/sizes.h",
            "if (max_bytes_ < min_bytes_)",
            "if (max_bytes_ <= min_bytes_)",
        ),
        Mutation("clamp", "traffic/sizes.h", "std::max<std::int64_t>(1, ", "(0 + "),
    ],
    "start": [
        Mutation("clamp", "simulated_time.h", "now < kFarthest && pause < kFarthest - now", "true"),
        Mutation("guard", "simulated_time.h", "times <= kFarthest / pause", "true"),
        Mutation("threshold", "traffic/traffic.h", "spread > 0 ?", "spread >= 0 ?"),
        Mutation("sign", "traffic/traffic.h", "repeated(index, ", "repeated(index + 1, "),
    ],
    "voip": [
        Mutation("reversed", "traffic/voip.h", "random_phase_ ? ", "!random_phase_ ? "),
        Mutation("case", "traffic/voip.h", "l(idle_mean_ps_", "l(call_mean_ps_"),
        Mutation("range", "traffic/voip.h", '"s", 180, 1e-6,', '"s", 180, 0,'),
    ],
    "file": [
        Mutation(
            "reversed",
            "traffic/files.h",
            "std::exchange(sent_, true) ?",
            "!std::exchange(sent_, true) ?",
        ),
        Mutation("case", "traffic/files.h", "std::exchange(sent_, true)", "sent_"),
        Mutation("range", "traffic/files.h", '"bytes", NAN, 1, 1e15', '"bytes", NAN, 0, 1e15'),
    ],
    "on-off": [
        Mutation(
            "sign",
            "random/inversion.h",
            "std::log1p(-1 / mean)",
            "std::log1p(1 / mean)",
        ),
        Mutation("threshold", "random/inversion.h", "std::ceil(k)", "std::floor(k)"),
        Mutation(
            "case",
            "traffic/files.h",
            "if (!std::exchange(begun_, true)) return 0;",
            "begun_ = true;",
        ),
    ],
    "profile": [
        Mutation(
            "sign",
            "traffic/profile.h",
            "- now % period();\n    while",
            "+ now % period();\n    while",
        ),
        Mutation(
            "threshold",
            "traffic/profile.h",
            "gone += left / steps()[step].value",
            "gone += (left + steps()[step].value - 1) / steps()[step].value",
        ),
        Mutation(
            "clamp", "traffic/profile.h", "if (periods > kFarthest / period()) ", "if (false) "
        ),
        Mutation("case", "traffic/profile.h", "left %= period_work_;", ""),
        Mutation("reversed", "traffic/profile.h", "2 * member + 1", "2 * member + 2"),
    ],
    "stream": [
        Mutation("sign", "random/philox.h", "key[0] += ", "key[0] -= "),
        Mutation("threshold", "random/stream.h", "(drawn_ & 1) == 0", "(drawn_ & 3) == 0"),
        Mutation("clamp", "random/stream.h", " + 0.5)", ")"),
    ],
}

CASES = [
    pytest.param(law, mutation, id=f"{law}-{mutation.kind}")
    for law, mutations in MUTATIONS.items()
    for mutation in mutations
]


def plant(mutations: Iterable[Mutation], folder: Path) -> Path:
    """A copy of the laws with these faults; fails unless each text occurs exactly once."""
    copy = folder / "laws"
    shutil.copytree(LAWS, copy)
    for mutation in mutations:
        path = copy / mutation.file
        text = path.read_text()
        assert text.count(mutation.old) == 1, f"{mutation.file}: {mutation.old!r} must stand once"
        path.write_text(text.replace(mutation.old, mutation.new))
    return copy


def run_checks(module: Path, *laws: str) -> subprocess.CompletedProcess[str]:
    """The laws' checks on a module, in another process."""
    script = Path(__file__).with_name("law_checks.py")
    command = [sys.executable, str(script), str(module), *laws]
    path = os.pathsep.join([str(script.parents[1]), os.environ.get("PYTHONPATH", "")])
    environ = os.environ | {"PYTHONPATH": path}  # tiers.py is beside the folder of the script
    return subprocess.run(command, capture_output=True, text=True, timeout=120, env=environ)


@full
@pytest.mark.parametrize(("law", "mutation"), CASES)
def test_planted_fault_is_found(law: str, mutation: Mutation, tmp_path: Path) -> None:
    """A law with a fault fails its checks."""
    sources = SOURCES.get(law, (law.replace("-", "_"),))
    module = build_module(plant([mutation], tmp_path), sources, tmp_path / "build")
    done = run_checks(module, law)
    assert done.returncode == AT_FAULT, f"{mutation}: {done.stdout}{done.stderr}"


@full
def test_a_fault_in_a_law_of_each_family_is_found(tmp_path: Path) -> None:
    """The first faults of these laws, planted together in one build, are all found."""
    laws = ("red", "wtp", "deficit-round-robin", "file")
    sources = ("red", "wtp", "deficit_round_robin", "users")
    planted = plant([MUTATIONS[law][0] for law in laws], tmp_path)
    done = run_checks(build_module(planted, sources, tmp_path / "build"), *laws)
    assert done.returncode == AT_FAULT, f"{done.stdout}{done.stderr}"


def test_every_fault_can_be_planted() -> None:
    """Each text that a fault replaces occurs exactly once in its header."""
    for fault in (fault for faults in MUTATIONS.values() for fault in faults):
        assert (LAWS / fault.file).read_text().count(fault.old) == 1, fault


def test_every_law_has_three_faults(laws: Laws) -> None:
    """Every law with a computation has three different faults."""
    names = {name for table in laws.tables().values() for name in table}
    without = sorted(names - {"drop-tail"} - MUTATIONS.keys())
    assert not without, f"laws without planted faults in a *_faults.py: {without}"
    counts = {name: len({(m.old, m.new) for m in faults}) for name, faults in MUTATIONS.items()}
    few = sorted(name for name, count in counts.items() if count < 3)
    assert not few, f"laws with fewer than three different faults: {few}"
