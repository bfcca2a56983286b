// SPDX-License-Identifier: Apache-2.0
// The traffic laws that both engines host, and the parts of web and telephone users.
#ifndef ECNOMY_HOST_TRAFFIC_LAWS_H_
#define ECNOMY_HOST_TRAFFIC_LAWS_H_

#include <type_traits>

#include "host/law_family.h"
#include "laws/traffic/files.h"
#include "laws/traffic/speech.h"
#include "laws/traffic/traffic.h"
#include "laws/traffic/video.h"
#include "laws/traffic/voip.h"
#include "laws/traffic/web_user.h"

namespace ecnomy {

using TrafficLaws = LawList<Greedy, RateCapped, Cbr, Poisson, Voip, Web, OneFile, OnOff, Video>;
using TrafficParts = LawList<Sessions, Page, Speech>;

template <class>
struct TimedPackets;
template <class... Laws>
struct TimedPackets<LawList<Laws...>>
    : JoinedLists<std::conditional_t<Laws::kTraits.timed_packets, LawList<Laws>, LawList<>>...> {
  static_assert((TrafficHooks<Laws> && ...),
                "a hook is missing or misspelt, or differs from the traits");
};

// The laws that give the times of single datagrams.
using DatagramLaws = TimedPackets<TrafficLaws>::List;

}  // namespace ecnomy

#endif  // ECNOMY_HOST_TRAFFIC_LAWS_H_
