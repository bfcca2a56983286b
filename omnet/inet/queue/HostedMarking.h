// SPDX-License-Identifier: LGPL-3.0-or-later
// The marking law of a queue: one of laws/marking, or a custom law (parameters/OwnLaws.h).
#ifndef ECNOMY_INET_QUEUE_HOSTEDMARKING_H_
#define ECNOMY_INET_QUEUE_HOSTEDMARKING_H_

#include <memory>
#include <string>
#include <vector>

#include "host/marking_host.h"
#include "parameters/OwnLaws.h"

namespace ecnomy::omnet {

class HostedMarking {
 public:
  // Throws BadParameter, which names the law and the parameter, or the unknown law.
  HostedMarking(const std::string& law, const std::vector<double>& values, Stream stream)
      : own_(makeOwnMarking(law, values)),
        builtIn_(own_ ? MarkingVariant(DropTail()) : make_marking(law, values), stream),
        stream_(stream) {}

  bool drop_tail() const { return !own_ && builtIn_.drop_tail(); }
  Decision on_arrival(const QueueView& queue, const PacketView& packet, Time now) {
    if (own_) [[unlikely]]
      return own_->on_arrival(queue, packet, now, stream_);
    return builtIn_.on_arrival(queue, packet, now);
  }
  bool watches_departures() const {
    return own_ ? own_->watches_departures() : builtIn_.watches_departures();
  }
  Decision on_departure(const QueueView& queue, const PacketView& packet, Time now) {
    if (own_) [[unlikely]]
      return own_->on_departure(queue, packet, now, stream_);
    return builtIn_.on_departure(queue, packet, now);
  }
  void on_drop(const PacketView& packet, Time now) {
    if (own_) [[unlikely]]
      return own_->on_drop(packet, now);
    builtIn_.on_drop(packet, now);
  }
  Time first_timer() const { return own_ ? own_->first_timer() : builtIn_.first_timer(); }
  Time on_timer(const QueueView& queue, Time now) {
    return own_ ? own_->on_timer(queue, now) : builtIn_.on_timer(queue, now);
  }
  const MarkingHost* builtIn() const { return own_ ? nullptr : &builtIn_; }
  double probability() const { return own_ ? own_->probability() : builtIn_.probability(); }
  // If it throws BadParameter, the law is unchanged.
  void configure(const std::vector<double>& values) {
    if (own_) return own_->configure(values);
    builtIn_.configure(values);
  }

 private:
  std::unique_ptr<OwnMarking> own_;  // nullptr: the law is built in
  MarkingHost builtIn_;
  Stream stream_;  // for a custom law
};

}  // namespace ecnomy::omnet

#endif  // ECNOMY_INET_QUEUE_HOSTEDMARKING_H_
