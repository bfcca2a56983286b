# SPDX-License-Identifier: Apache-2.0
"""Convert the traffic of a scenario to laws and parts of the plan."""

from __future__ import annotations

from ecnomy.agents.times import PS_PER_S
from ecnomy.markets.plan import NO_SIZES, Law, Sizes
from ecnomy.markets.plan.laws import law
from ecnomy.markets.plan.truncated_pareto import lower_bound
from ecnomy.markets.scenario import traffic

__all__ = ["traffic_law", "traffic_parts", "traffic_sizes"]

Values = dict[str, float | str]


def traffic_law(kind: traffic.Traffic, packet_bytes: int) -> Law:
    """Return a traffic law. `packet_bytes`, the size of an IP packet, converts a rate to a gap."""
    match kind:
        case traffic.RateCapped():
            until_s = -1.0 if kind.until < 0 else kind.until / PS_PER_S
            return law("traffic", "rate-capped", {"rate_bps": kind.rate, "until_s": until_s})
        case traffic.Cbr():
            interval_s = (
                packet_bytes * 8 / kind.rate if kind.rate else (kind.interval or 0) / PS_PER_S
            )
            values: Values = {"interval_s": interval_s, "random_phase": kind.phase == "independent"}
            return law("traffic", "cbr", values)
        case traffic.Poisson():
            bits = packet_bytes * 8 if kind.rate.unit == "bps" else 1
            return law("traffic", "poisson", {"mean_interval_s": bits / kind.rate.value})
        case traffic.Voip():
            voip: Values = {
                "idle_mean_s": kind.idle / PS_PER_S,
                "call_mean_s": kind.call / PS_PER_S,
                "interval_s": kind.interval / PS_PER_S,
                "random_phase": kind.phase == "independent",
                "interarrival_mean_s": (kind.interarrival or 0) / PS_PER_S,
            }
            return law("traffic", "voip", voip)
        case traffic.File():
            return law("traffic", "file", {"size_bytes": kind.size})
        case traffic.OnOff():
            on_off: Values = {
                "packets_mean": kind.packets,
                "pause_mean_s": kind.pause / PS_PER_S,
                "lasting": kind.connection == "lasting",
            }
            return law("traffic", "on-off", on_off)
        case traffic.Web():
            return law("traffic", "web", _web(kind))
        case traffic.Video():
            return law("traffic", "video", _video(kind))
        case traffic.TimedPackets():
            return law("traffic", kind.law, kind.values())
        case traffic.Greedy():
            return law("traffic", "greedy", {})


def _web(web: traffic.Web) -> Values:
    return _sizes(web) | {
        "reading_mean_s": web.reading / PS_PER_S,
        "reading": web.reading_times,
        "patience_s": -1.0 if web.patience < 0 else web.patience / PS_PER_S,
        "lasting": web.connection == "lasting",
    }


def _sizes(of: traffic.Web | traffic.Page) -> Values:
    pareto = of.size == "pareto"
    return {
        "size": of.size,
        "size_mean_bytes": of.mean,
        "size_min_bytes": lower_bound(of.mean, of.max, of.shape) if pareto else 1.0,
        "size_max_bytes": of.max,
        "size_shape": of.shape,
    }


def _video(video: traffic.Video) -> Values:
    values: Values = {
        "frame_interval_s": video.interval / PS_PER_S,
        "group_frames": video.group,
        "anchor_distance": video.anchors,
        "spread": video.packets == "spread",
        "random_phase": video.phase == "independent",
    }
    for name in ("i", "p", "b"):
        frames: traffic.Frames = getattr(video, name)
        values |= {f"{name}_mean_bytes": frames.mean, f"{name}_variation": frames.variation}
    return values


def traffic_parts(kind: traffic.Traffic) -> list[Law]:
    """Return the additional parts of a traffic law: sessions and page of web, speech of voip."""
    parts = []
    if isinstance(kind, traffic.Web) and kind.sessions is not None:
        sessions = kind.sessions
        values: Values = {"idle_mean_s": sessions.idle / PS_PER_S, "pages_mean": sessions.pages}
        parts.append(law("part", "sessions", values))
    if isinstance(kind, traffic.Web) and kind.page is not None:
        page = kind.page
        loaded: Values = {"parse_mean_s": page.parse / PS_PER_S, "objects_mean": page.objects}
        parts.append(law("part", "page", _sizes(page) | loaded))
    if isinstance(kind, traffic.Voip) and kind.speech is not None:
        speech = kind.speech
        spoken: Values = {
            "talk_mean_s": speech.talk / PS_PER_S,
            "silence_mean_s": speech.silence / PS_PER_S,
        }
        parts.append(law("part", "speech", spoken))
    return parts


def traffic_sizes(kind: traffic.Traffic) -> Sizes:
    """Return the list of a web user's file sizes, or an empty list."""
    if not isinstance(kind, traffic.Web) or kind.sizes is None:
        return NO_SIZES
    return Sizes([row.bytes for row in kind.sizes], [row.weight for row in kind.sizes])
