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

// The laws that have their own code in both engines. Every other law gives the times of single datagrams.
template <class Law>
inline constexpr bool kOwnHost =
    std::disjunction_v<std::is_same<Law, Greedy>, std::is_same<Law, RateCapped>,
                       std::is_same<Law, Voip>, std::is_same<Law, Web>, std::is_same<Law, OneFile>,
                       std::is_same<Law, OnOff>>;

template <class>
struct TimedPackets;
template <class... Laws>
struct TimedPackets<LawList<Laws...>>
    : JoinedLists<std::conditional_t<Laws::kTraits.timed_packets, LawList<Laws>, LawList<>>...> {
  static_assert((TrafficHooks<Laws> && ...),
                "a hook is missing or misspelt, or differs from the traits");
  static_assert(((Laws::kTraits.timed_packets || kOwnHost<Laws>) && ...),
                "the engines have no code for a law without timed_packets");
};

// The laws that give the times of single datagrams.
using DatagramLaws = TimedPackets<TrafficLaws>::List;

}  // namespace ecnomy

#endif  // ECNOMY_HOST_TRAFFIC_LAWS_H_
