// SPDX-License-Identifier: Apache-2.0
// Samples of the rate at which a path delivers packets (draft-ietf-ccwg-bbr, "Delivery Rate Samples"), and the losses
// and packets in flight that follow from the same records. Counts are packets of one connection.
//
//   packet sent        notes the counts and times of this moment; nothing in flight: the intervals begin now
//   packets delivered  of those that one ACK reports, the packet sent last gives the sample:
//                        delivered = packets delivered since it was sent
//                        interval  = max(time between the sending of the packet delivered before it and its own,
//                                        time between the last delivery before it was sent and now)
//                        rate      = delivered / interval, unless the interval is below the smallest RTT
//   packet sent again  its earlier transmission is lost, if the host has not reported so before
//
// A sample is application-limited if it was sent while the host or mark_limited() limited the flow.
#ifndef ECNOMY_LAWS_WINDOW_DELIVERY_RATE_H_
#define ECNOMY_LAWS_WINDOW_DELIVERY_RATE_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "../parameter.h"

namespace ecnomy {

// The result of one ACK. Differences are taken from the time at which the packet that gives the sample was sent.
struct RateSample {
  std::int64_t newly_acked = 0;  // packets that this ACK delivers; 0: no other field has a meaning
  std::int64_t prior_delivered = 0;  // delivered before the packet was sent
  std::int64_t delivered = 0, lost = 0, marks = 0;
  std::int64_t in_flight = 0;  // when it was sent, including the packet
  bool limited = false;        // application-limited
  double rate = 0;             // packets/s; 0: unknown
  Time rtt = kNever;           // kNever: the packet was sent more than once
};

class DeliveryRate {
 public:
  // The record of a transmission: the state of the flow when the packet was sent.
  struct Sent {
    enum class State : std::uint8_t { gone, out, delivered };
    State state = State::gone;
    bool again = false, limited = false;
    std::int64_t delivered = 0, lost = 0, marks = 0, in_flight = 0;
    Time at = 0, first_at = 0, delivered_at = 0;
  };

  // Begins a new connection. Its first packet is `seq`.
  void begin(std::int64_t seq) noexcept {
    base_ = next_ = seq;
    delivered_ = lost_ = marks_ = out_ = limited_until_ = newly_ = 0;
    first_at_ = delivered_at_ = 0;
    last_ = -1;
  }

  // Calls lost(sent) if the packet's earlier transmission is lost.
  template <class Lost>
  void on_sent(Time now, std::int64_t seq, bool limited, Lost&& lost) {
    if (newly_ > 0) delivered_at_ = now;
    const bool again = seq < next_;
    if (again) lose(seq, lost);
    while (next_ <= seq) append();
    if (out_ == 0) first_at_ = delivered_at_ = now;
    ++out_;
    at(seq) = {.state = Sent::State::out,
               .again = again,
               .limited = limited || limited_until_ > 0,
               .delivered = delivered_,
               .lost = lost_,
               .marks = marks_,
               .in_flight = out_,
               .at = now,
               .first_at = first_at_,
               .delivered_at = delivered_at_};
  }

  // Notes that the receiver has the packets [first, end). Some of them may be known to have arrived.
  void on_delivered(std::int64_t first, std::int64_t end) noexcept {
    for (std::int64_t seq = std::max(first, base_); seq < std::min(end, next_); ++seq) {
      Sent& packet = at(seq);
      if (packet.state == Sent::State::delivered) continue;
      if (packet.state == Sent::State::out) --out_;
      packet.state = Sent::State::delivered;
      ++delivered_;
      const bool newest = packet.at > first_at_ || (packet.at == first_at_ && seq > last_);
      if (newly_++ > 0 && !newest) continue;
      newest_ = packet;
      first_at_ = packet.at;
      last_ = seq;
    }
  }

  // Declares all packets below `below` lost that are not known to have arrived and were not sent again.
  template <class Lost>
  void lose_below(std::int64_t below, Lost&& lost) {
    for (std::int64_t seq = base_; seq < std::min(below, next_); ++seq) {
      if (!at(seq).again) lose(seq, lost);
    }
  }
  template <class Lost>
  void lose_all(Lost&& lost) {
    for (std::int64_t seq = base_; seq < next_; ++seq) lose(seq, lost);
  }

  void note_marks(std::int64_t marks) noexcept { marks_ += marks; }
  // Marks the flow as application-limited until all packets in flight have arrived.
  void mark_limited() noexcept { limited_until_ = std::max<std::int64_t>(delivered_ + out_, 1); }

  // Returns the sample of an ACK, after on_delivered. All packets below `acked` have arrived or are lost for good.
  template <class Lost>
  RateSample take(Time now, Time min_rtt, std::int64_t acked, Lost&& lost) {
    for (; base_ < std::min(acked, next_); ++base_) lose(base_, lost);
    if (limited_until_ > 0 && delivered_ > limited_until_) limited_until_ = 0;
    RateSample sample{.newly_acked = newly_};
    if (newly_ == 0) return sample;
    newly_ = 0;
    last_ = -1;
    delivered_at_ = now;
    const Sent& packet = newest_;
    sample.prior_delivered = packet.delivered;
    sample.delivered = delivered_ - packet.delivered;
    sample.lost = lost_ - packet.lost;
    sample.marks = marks_ - packet.marks;
    sample.in_flight = packet.in_flight;
    sample.limited = packet.limited;
    const Time interval = std::max(packet.at - packet.first_at, now - packet.delivered_at);
    if (interval >= min_rtt && interval > 0) {
      sample.rate = static_cast<double>(sample.delivered) / seconds(interval);
    }
    if (!packet.again) sample.rtt = now - packet.at;
    return sample;
  }

  std::int64_t delivered() const noexcept { return delivered_; }
  std::int64_t lost() const noexcept { return lost_; }
  std::int64_t marks() const noexcept { return marks_; }
  std::int64_t in_flight() const noexcept { return out_; }
  bool limited() const noexcept { return limited_until_ > 0; }

 private:
  Sent& at(std::int64_t seq) noexcept {
    return ring_[static_cast<std::size_t>(seq) & (ring_.size() - 1)];
  }
  template <class Lost>
  void lose(std::int64_t seq, Lost&& lost) {
    Sent& packet = at(seq);
    if (packet.state != Sent::State::out) return;
    packet.state = Sent::State::gone;
    --out_;
    ++lost_;
    lost(seq, packet);
  }
  // Adds a record to the ring. The size of the ring is a power of two, and doubles if the ring is full.
  void append() {
    if (ring_.empty()) ring_.resize(64);
    if (next_ - base_ == static_cast<std::int64_t>(ring_.size())) {
      std::vector<Sent> wider(2 * ring_.size());
      for (std::int64_t seq = base_; seq < next_; ++seq) {
        wider[static_cast<std::size_t>(seq) & (wider.size() - 1)] = at(seq);
      }
      ring_ = std::move(wider);
    }
    at(next_++) = {};
  }

  std::vector<Sent> ring_;
  std::int64_t base_ = 0, next_ = 0;  // records of the packets [base_, next_)
  std::int64_t delivered_ = 0, lost_ = 0, marks_ = 0, out_ = 0;
  std::int64_t limited_until_ =
      0;                   // application-limited until more packets are delivered; 0: not limited
  Time first_at_ = 0;      // when the packet was sent that was delivered last
  Time delivered_at_ = 0;  // the last delivery
  std::int64_t newly_ = 0, last_ = -1;  // packets of the current ACK, and the one of them sent last
  Sent newest_;                         // its record
};

}  // namespace ecnomy

#endif  // ECNOMY_LAWS_WINDOW_DELIVERY_RATE_H_
