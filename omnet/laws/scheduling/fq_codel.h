// SPDX-License-Identifier: Apache-2.0
// Flow queueing with CoDel (RFC 8290; Linux's sch_fq_codel): deficit round robin over one queue per flow
// (flow_class.h), with CoDel (marking/controlled_delay.h) in each queue.
//
//   arrival   a queue without a turn gets one, with a deficit of a quantum, at the end of the list of new queues
//   turn      of the first new queue, or of the first old one if no queue is new. With a deficit of 0 or less it gets
//             another quantum and goes to the end of the old ones. Otherwise its oldest packet leaves, and its bytes
//             reduce the deficit. A new queue without packets becomes the last old one if there are old ones; another
//             queue without packets loses its turn
//   CoDel     strikes a packet by its wait, if more than a packet's bytes wait in all queues: it is marked, or
//             dropped if it is not ECN-capable; then the next packet of the same queue leaves
//   step      with ce_threshold_s above 0, a packet that waited longer is marked too, if it is ECT(1) (L4S, RFC 9331)
//             or, by `ce_packets`, whatever its codepoint
//   overflow  a packet finds the link's buffer full: the queue with the most bytes loses half of them from its head,
//             64 packets at most. CoDel counts the dropped packets as strikes
//
// Turns end when the link has sent everything. Linux's defaults are 1024 queues, a target of 5 ms, an interval of 100
// ms, a quantum of 1514 bytes, a limit of 10240 packets and no step. If several queues have the most bytes, the first
// of them loses packets.
#ifndef ECNOMY_LAWS_SCHEDULING_FQ_CODEL_H_
#define ECNOMY_LAWS_SCHEDULING_FQ_CODEL_H_

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "../marking/controlled_delay.h"
#include "class_queue.h"
#include "flow_class.h"

namespace ecnomy {

class FqCodel {
 public:
  static constexpr const char* kName = "fq-codel";
  static constexpr About kAbout{"A queue for each flow, served in turn, and CoDel in each queue.",
                                "RFC 8290; Linux sch_fq_codel"};
  static constexpr SchedulingTraits kTraits{.by_flow = true};
  using Class = FlowClass;
  static constexpr Parameter kParameters[] = {
      {"target_s", "s", 0.005, 1e-6, 1e6, "",
       "Waiting time below which CoDel marks no packet of a queue."},
      {"interval_s", "s", 0.1, 1e-6, 1e6, "",
       "Time above the target before the first mark of a queue."},
      {"quantum_bytes", "bytes", 1514, 64, 1e9, "", "Bytes that a queue may send per turn."},
      {"queues", "whole", 1024, 1, 65536, "", "Number of queues that flows are hashed to."},
      {"ce_threshold_s", "s", 0, 0, 1e3, "",
       "Wait beyond which packets are marked, whatever CoDel decides; 0: never."},
      {"ce_packets", "choice", 0, 0, 1, "ect-1,all",
       "Packets to which ce_threshold, if set, applies: ECT(1), or all that are ECN-capable."},
  };
  static constexpr int kNone = -1;
  static constexpr int kMostDrops = 64;  // per overflow (Linux: drop_batch_size)

  // `values` are in the order of kParameters. `classes` has one entry, which is empty.
  FqCodel(const double* values, const std::vector<std::vector<double>>& classes, std::int64_t) {
    check_parameters(this, values);
    if (classes.size() != 1) throw BadParameter(std::string(kName) + ": needs one class");
    bounds_ = {picoseconds(values[0]), picoseconds(values[1])};
    quantum_bytes_ = std::llround(values[2]);
    flows_.resize(static_cast<std::size_t>(values[3]));
    step_ = picoseconds(values[4]);
    step_for_all_ = values[5] != 0;
  }

  // arrive(), drop() and settle() are as in DeficitRoundRobin, but they take and return the number of a queue. drop()
  // drops the oldest packet of a queue.
  void arrive(std::size_t n, const PacketView& packet, bool busy, Time now) {
    if (!busy && packets_ == 0) rest();
    Flow& flow = flows_[n];
    flow.queue.push(packet, now);
    ++packets_;
    bytes_ += packet.bytes;
    total_.note_arrived(packet.bytes);
    arrived_ = true;
    if (flow.turn) return;
    flow.turn = true;
    flow.deficit_bytes = quantum_bytes_;
    fresh_.push(flows_, n);
  }

  int drop(bool overflow, Time) noexcept {
    if (drops_left_ == 0) {
      if (!overflow || !arrived_) return kNone;
      victim_ = fattest();
      drops_left_ = kMostDrops;
      spared_bytes_ = flows_[victim_].queue.bytes() / 2;
    }
    Flow& flow = flows_[victim_];
    total_.note_dropped(take(flow).packet.bytes);
    flow.delay.overflowed(1);
    --drops_left_;
    // Linux compares the dropped bytes with half of the queue's, rounded down.
    if (flow.queue.bytes() <= fattest_bytes_ - spared_bytes_) drops_left_ = 0;
    return static_cast<int>(victim_);
  }

  void settle(Time) noexcept { arrived_ = false; }

  // Returns the next packet to leave, or to be dropped instead. At least one packet must be waiting.
  Service next(Time now) noexcept {
    for (;;) {
      Turns& turns = fresh_.empty() ? old_ : fresh_;
      const std::size_t n = turns.first;
      Flow& flow = flows_[n];
      if (flow.deficit_bytes <= 0) {
        flow.deficit_bytes += quantum_bytes_;
        turns.pop(flows_);
        old_.push(flows_, n);
      } else if (flow.queue.empty()) {
        flow.delay.empty();
        const bool was_new = &turns == &fresh_;
        turns.pop(flows_);
        if (was_new && !old_.empty()) {
          old_.push(flows_, n);
        } else {
          flow.turn = false;
        }
      } else {
        return serve(n, now);
      }
    }
  }

  std::size_t queues() const noexcept { return flows_.size(); }
  const ClassQueue& queue(std::size_t n) const noexcept { return flows_[n].queue; }
  std::int64_t deficit_bytes(std::size_t n) const noexcept { return flows_[n].deficit_bytes; }

  double settled(std::size_t n) const noexcept { return static_cast<double>(deficit_bytes(n)); }
  // The bytes of all queues that arrived and were dropped in the current busy period.
  const ClassQueue& total() const noexcept { return total_; }

 private:
  static constexpr std::size_t kEnd = ~std::size_t{0};

  struct Flow {
    ClassQueue queue;
    ControlledDelay delay;
    std::int64_t deficit_bytes = 0;
    std::size_t next = kEnd;  // in its list of turns
    bool turn = false;        // in one of the lists
  };

  // Queues in the order of their turns.
  struct Turns {
    std::size_t first = kEnd, last = kEnd;

    bool empty() const noexcept { return first == kEnd; }
    void push(std::vector<Flow>& flows, std::size_t n) noexcept {
      flows[n].next = kEnd;
      (empty() ? first : flows[last].next) = n;
      last = n;
    }
    void pop(const std::vector<Flow>& flows) noexcept { first = flows[first].next; }
  };

  // Called when all queues are empty. They lose their turns.
  void rest() noexcept {
    total_.begin_busy_period();
    for (Turns* turns : {&fresh_, &old_}) {
      for (; !turns->empty(); turns->pop(flows_)) {
        flows_[turns->first].delay.empty();
        flows_[turns->first].turn = false;
      }
    }
  }

  std::size_t fattest() noexcept {
    const auto most = std::max_element(
        flows_.begin(), flows_.end(),
        [](const Flow& a, const Flow& b) { return a.queue.bytes() < b.queue.bytes(); });
    fattest_bytes_ = most->queue.bytes();
    return static_cast<std::size_t>(most - flows_.begin());
  }

  Waiting take(Flow& flow) noexcept {
    const Waiting first = flow.queue.pop();
    --packets_;
    bytes_ -= first.packet.bytes;
    return first;
  }

  Service serve(std::size_t n, Time now) noexcept {
    Flow& flow = flows_[n];
    const Waiting first = take(flow);
    const PacketView& packet = first.packet;
    const Time waited = now - first.since;
    largest_ = std::max(largest_, packet.bytes);
    const bool struck = flow.delay.strikes(bounds_, waited, bytes_ <= largest_, now);
    if (struck && !packet.ect) {
      flow.delay.drop();
      total_.note_dropped(packet.bytes);
      return {n, false, waited, true};
    }
    flow.deficit_bytes -= packet.bytes;
    const bool late = step_ > 0 && waited > step_ && packet.ect && (step_for_all_ || packet.ect_1);
    return {n, struck || late, waited};
  }

  ControlledDelay::Bounds bounds_;
  std::int64_t quantum_bytes_;
  Time step_;
  bool step_for_all_;

  std::vector<Flow> flows_;
  Turns fresh_, old_;
  std::int64_t packets_ = 0, bytes_ = 0;  // of all queues
  std::int32_t largest_ = 0;
  ClassQueue total_;        // without packets
  bool arrived_ = false;    // a packet has arrived, and has not settled
  int drops_left_ = 0;      // of this overflow
  std::size_t victim_ = 0;  // the queue that loses packets
  std::int64_t fattest_bytes_ = 0, spared_bytes_ = 0;
};

}  // namespace ecnomy

#endif  // ECNOMY_LAWS_SCHEDULING_FQ_CODEL_H_
