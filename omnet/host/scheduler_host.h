// SPDX-License-Identifier: Apache-2.0
// One link's scheduler, selected by name and made from its plan, and its part of the law log. Packets wait in numbered
// queues: one per class, or many for the only class of a scheduler by flow. Under a scheduler by weights each class has
// its own marking law. The law draws from a stream named after the link's stream and the class's number, counted from
// 1.
#ifndef ECNOMY_HOST_SCHEDULER_HOST_H_
#define ECNOMY_HOST_SCHEDULER_HOST_H_

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "host/law_log.h"
#include "host/marking_host.h"
#include "host/plan.h"
#include "host/scheduling_laws.h"

namespace ecnomy {

// Returns the law of the family `service` for the classes of a scheduler. Throws BadParameter if the scheduler is
// unknown.
const char* service_law(const std::string& scheduling);

// Makes the marking law of a class. Also throws BadParameter if the law cannot be used for a class.
MarkingVariant make_class_marking(const LawPlan& plan);

// Throws BadParameter, which names the law and the parameter, or the unknown law.
SchedulerVariant make_scheduler(const SchedulerPlan& plan, std::int64_t rate_bps);

class SchedulerHost {
 public:
  static constexpr int kNone = -1;

  SchedulerHost(const LinkPlan& link, std::uint64_t seed)
      : law_(make_scheduler(link.scheduler, link.rate_bps)),
        class_marking_(
            on_law(law_, [](const auto& law) { return kTraitsOf<decltype(law)>.class_marking; })),
        by_codepoint_(
            on_law(law_, [](const auto& law) { return kTraitsOf<decltype(law)>.by_codepoint; })),
        by_flow_(on_law(law_, [](const auto& law) { return kTraitsOf<decltype(law)>.by_flow; })),
        drop_not_ect_(link.drop_not_ect),
        queues_(on_law(law_,
                       [](const auto& law) {
                         static_assert(SchedulingHooks<std::decay_t<decltype(law)>>,
                                       "a hook is missing or misspelt, or differs from the traits");
                         return queues_of(law);
                       })),
        stream_(Stream(seed, link.stream)) {
    const bool hashes =
        by_flow_ || on_law(law_, [](const auto& law) { return kTraitsOf<decltype(law)>.judges; });
    if (hashes) salt_ = Stream(seed, link.stream + "/flows").next();
    marking_.reserve(link.scheduler.marking.size());
    for (const LawPlan& plan : link.scheduler.marking) {
      const std::string stream = link.stream + "/" + std::to_string(marking_.size() + 1);
      marking_.emplace_back(make_class_marking(plan), Stream(seed, stream));
    }
  }

  std::size_t queues() const noexcept { return queues_; }
  // The queue of a packet whose source has the class `of_source`.
  std::size_t queue_of(const PacketView& packet, std::size_t of_source) const noexcept {
    if (by_flow_) return FlowClass::of(packet, salt_, queues_);
    return by_codepoint_ ? CodepointClass::of(packet) : of_source;
  }
  // The class whose packets wait in a queue.
  std::size_t class_of(std::size_t queue) const noexcept { return by_flow_ ? 0 : queue; }
  // True if drop() means a queue's oldest packet, false if it means the last one.
  bool drops_oldest() const noexcept { return by_flow_; }

  // Returns the queue that the packet joins: the given one, or another one by the scheduler's decision.
  std::size_t arrive(std::size_t queue, const PacketView& packet, bool busy, Time now) {
    busy_ = busy;
    if (class_marking_) judge(queue, packet, now);
    return on_law(law_, [&](auto& law) -> std::size_t {
      std::size_t joined = queue;
      std::uint64_t flow = 0;
      if constexpr (kTraitsOf<decltype(law)>.judges) {
        flow = FlowClass::hash(packet, salt_);
        joined = law.arrive(queue, packet, busy, now, flow, stream_);
        mark_ = law.marks();
      } else {
        law.arrive(queue, packet, busy, now);
      }
      log_.joined(static_cast<int>(queue), packet, busy, now, flow, stream_,
                  static_cast<int>(joined), mark_ && !class_marking_);
      return joined;
    });
  }

  struct Dropped {
    int service;  // the queue that has lost a packet; kNone: no further drop
    bool by_law;  // the law, not a full buffer, caused the drop
  };

  // Must be called after an arrival until it returns kNone. `overflow` is true if the link's buffer is above its limit.
  Dropped drop(bool overflow, Time now) noexcept {
    if (class_marking_) return drop_arrival(overflow, now);
    if (!busy_) return {kNone, false};
    const int victim = on_law(law_, [&](auto& law) { return law.drop(overflow, now); });
    log_.chose_victim(overflow, now, victim);
    if (victim != kNone) mark_ = false;
    return {victim, !overflow};
  }

  // True if the arriving packet was not dropped and is to be marked.
  bool marks_arrival() const noexcept { return mark_; }

  void settle(Time now) noexcept {
    on_law(law_, [&](auto& law) {
      law.settle(now);
      log_.settled(now, law);
    });
  }

  Service next(Time now) noexcept {
    const Service service = on_law(law_, [&](auto& law) -> Service {
      if constexpr (kTraitsOf<decltype(law)>.draws) {
        return law.next(now, stream_);
      } else {
        return law.next(now);
      }
    });
    log_.served(now, service, stream_);
    return service;
  }

  // Updates the scheduler's state up to now, for a report. It is not logged, because it changes no result.
  void pass_time(Time now) noexcept {
    on_law(law_, [&](auto& law) {
      if constexpr (kTraitsOf<decltype(law)>.controls) law.pass_time(now);
    });
  }
  // DualPI2's base probability; 0 for schedulers without a marking probability.
  double probability() const noexcept {
    return on_law(law_, [](const auto& law) -> double {
      if constexpr (kTraitsOf<decltype(law)>.controls) return law.probability();
      return 0.0;
    });
  }

  // The bytes of a queue's class in the current busy period.
  const ClassQueue& busy_period(std::size_t queue) const noexcept {
    return on_law(law_, [&](const auto& law) -> const ClassQueue& {
      if constexpr (kTraitsOf<decltype(law)>.by_flow) return law.total();
      return law.queue(queue);
    });
  }

 private:
  // Asks the class's marking law for its decision on a packet before the packet joins.
  void judge(std::size_t service, const PacketView& packet, Time now) noexcept {
    refused_ = mark_ = false;
    MarkingHost& marking = marking_[service];
    if (marking.drop_tail()) return;
    const QueueView queue = on_law(law_, [&](const auto& law) -> QueueView {
      if constexpr (kTraitsOf<decltype(law)>.class_marking) return law.view(service, now);
      return {};
    });
    const Action action = marking.on_arrival(queue, packet, now).action;
    mark_ = action == Action::mark && packet.ect;
    refused_ = action == Action::drop || (action == Action::mark && !packet.ect && drop_not_ect_);
  }

  Dropped drop_arrival(bool overflow, Time now) noexcept {
    const bool by_law = std::exchange(refused_, false);
    const int victim = on_law(law_, [&](auto& law) { return law.drop(by_law || overflow, now); });
    log_.chose_victim(by_law || overflow, now, victim);
    if (victim != kNone) mark_ = false;
    return {victim, by_law};
  }

  SchedulerVariant law_;
  [[no_unique_address]] SchedulerLog log_;
  std::vector<MarkingHost> marking_;  // by class; empty if the scheduler itself marks
  bool class_marking_, by_codepoint_, by_flow_, drop_not_ect_;
  std::size_t queues_;
  std::uint64_t salt_ = 0;  // for the hash of flows
  LawStream stream_;        // the scheduler's stream
  bool busy_ = false;       // state of the link at the last arrival
  bool refused_ = false;    // the class's marking law drops the arriving packet
  bool mark_ = false;       // the class's marking law or the scheduler marks the arriving packet
};

}  // namespace ecnomy

#endif  // ECNOMY_HOST_SCHEDULER_HOST_H_
