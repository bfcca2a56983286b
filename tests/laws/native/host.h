// SPDX-License-Identifier: Apache-2.0
// The test module's view of a law: plain types, so that binding.cc includes no law header and is
// compiled once. A change to a law compiles only the law's own small file again.
//
// A law's file registers itself when the module is loaded; a module linked from fewer files
// holds fewer laws. Draws come in as a list; draws beyond its end are 0.5 and are counted.
#ifndef ECNOMY_TESTS_LAWS_HOST_H_
#define ECNOMY_TESTS_LAWS_HOST_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

namespace ecnomy_testing {

using Ps = std::int64_t;
using Draws = std::vector<double>;
using Queue = std::tuple<std::int64_t, std::int64_t, std::int64_t, Ps>;
using Packet = std::tuple<std::int32_t, std::int32_t>;  // flow, bytes: ECT and not marked
using MarkedPacket = std::tuple<std::int32_t, std::int32_t, bool, bool>;  // and ect, ce
using Verdict = std::tuple<int, int, int>;                       // action, waiting, draws used
using WindowState = std::tuple<double, double, double, double>;  // cwnd, ssthresh, min, max
using PathState = std::tuple<Ps, Ps, Ps, std::int64_t, std::int64_t, std::int64_t, bool>;
using Drawn = std::tuple<std::int64_t, int>;  // value, draws used
using Row = std::tuple<std::string, std::string, double, double, double, std::string>;
using Rows = std::vector<Row>;

class Uniforms {
 public:
  explicit Uniforms(const Draws& draws) : draws_(draws) {}
  double operator()() noexcept { return used_ < draws_.size() ? draws_[used_++] : beyond(); }
  int used() const noexcept { return static_cast<int>(used_); }

 private:
  double beyond() noexcept {
    ++used_;
    return 0.5;
  }
  const Draws& draws_;
  std::size_t used_ = 0;
};

struct Marking {
  virtual ~Marking() = default;
  virtual Verdict on_arrival(const Queue& queue, const MarkedPacket& packet, Ps now,
                             const Draws& draws) = 0;
  virtual Verdict on_departure(const Queue& queue, const MarkedPacket& packet, Ps now,
                               const Draws& draws) = 0;
  virtual void on_drop(const MarkedPacket& packet, Ps now) = 0;
  virtual bool watches_departures() = 0;
  virtual Ps first_timer() = 0;
  virtual Ps on_timer(const Queue& queue, Ps now) = 0;
  virtual double probability() = 0;
  // New parameters for the law in its current state; empty if the law has none.
  virtual void configure(const std::vector<double>& values) = 0;
  // The quantity that the law tracks: RED's average, the measured load, the virtual backlog; else NaN.
  virtual double measure() = 0;
};

struct WindowLaw {
  virtual ~WindowLaw() = default;
  virtual bool per_mark() = 0;
  virtual std::string recovery() = 0;  // how its host repairs losses
  virtual WindowState on_ack(const WindowState& window, std::int64_t n, std::int64_t k,
                             double trips) = 0;
  virtual WindowState on_congestion(const WindowState& window, double used) = 0;
  virtual WindowState on_loss(const WindowState& window, double used) = 0;
  virtual void see(const PathState& path) = 0;
  virtual WindowState on_timeout(const WindowState& window, double flight) = 0;
  virtual double weight() = 0;
  virtual void set_weight(double weight) = 0;
  virtual double gain() = 0;  // NaN where a law has none
  virtual void set_gain(double gain) = 0;
  // Functions that only some laws have; empty, or NaN, for the others.
  virtual bool every_ack() = 0;
  virtual bool halves() = 0;
  virtual WindowState begin(const WindowState& window) = 0;
  virtual WindowState on_rtt(const WindowState& window, Ps rtt) = 0;
  virtual void disturb(double normal) = 0;
  virtual void aim(double marks_per_s) = 0;
  virtual double send_rate() = 0;
  virtual void on_sent(const PathState& path, std::int64_t seq) = 0;
  virtual void on_delivered(std::int64_t first, std::int64_t end) = 0;
  virtual void on_lost(std::int64_t below, bool selective) = 0;
};

struct Traffic {
  virtual ~Traffic() = default;
  virtual std::int64_t cap_bps(Ps) { throw std::logic_error("this traffic has no cap"); }
  virtual Ps lifted_at() { throw std::logic_error("this traffic has no cap"); }
  virtual Drawn first(const Draws&) { throw std::logic_error("this traffic has no packets"); }
  virtual Drawn gap(const Draws&) { throw std::logic_error("this traffic has no packets"); }
  virtual Drawn reading(const Draws&) { throw std::logic_error("this traffic has no files"); }
  virtual Drawn file_bytes(const Draws&) { throw std::logic_error("this traffic has no files"); }
  virtual void give_up() { throw std::logic_error("this traffic has no pages"); }
  virtual int payload_bytes() { throw std::logic_error("this traffic has packets of one size"); }
};

using Steps = std::vector<std::tuple<Ps, std::int64_t>>;  // begin, factor in millionths

struct ProfileHost {
  virtual ~ProfileHost() = default;
  virtual Ps stretch(Ps now, Ps pause) = 0;
  virtual double at(Ps now) = 0;
  virtual Ps next_step(Ps now) = 0;
  virtual bool on(Ps now, std::int64_t member, std::int64_t count) = 0;
};

struct RoundTripHost {
  virtual ~RoundTripHost() = default;
  virtual void sample(Ps now, Ps rtt) = 0;
  virtual bool known() = 0;
  virtual Ps min() = 0;
  virtual Ps mean() = 0;
  virtual Ps for_weight() = 0;
  virtual bool saturated() = 0;
};

struct RtoHost {
  virtual ~RtoHost() = default;
  virtual void sample(Ps rtt) = 0;
  virtual void back_off() = 0;
  virtual Ps rto() = 0;
  virtual Ps srtt() = 0;
};

struct StreamHost {
  virtual ~StreamHost() = default;
  virtual std::uint64_t next() = 0;
  virtual double uniform() = 0;
};

using Served = std::tuple<int, bool, Ps>;  // class, whether to mark, how long it waited
// Class, whether to mark, how long it waited, whether to drop, draws used.
using Drawing = std::tuple<int, bool, Ps, bool, int>;
// Packets and bytes waiting, rate in bit/s, credit in bytes, share, loss in this busy period. With
// weights: deficit and quantum in bytes and the rate of its share instead of rate, credit and share.
// With DualPI2: base probability (the classic queue: its credit), credit and 0.
using ClassRow = std::tuple<std::int64_t, std::int64_t, double, double, double, double>;

struct Scheduler {
  virtual ~Scheduler() = default;
  virtual void arrive(std::size_t service, const MarkedPacket& packet, bool busy, Ps now) = 0;
  // The queue joined, whether to mark the packet, and the number of draws used.
  virtual std::tuple<int, bool, int> join(std::size_t service, const MarkedPacket& packet,
                                          bool /*ect_1*/, std::uint64_t /*flow*/, bool busy, Ps now,
                                          const Draws&) {
    arrive(service, packet, busy, now);
    return {static_cast<int>(service), false, 0};
  }
  virtual int drop(bool overflow, Ps now) = 0;
  virtual void settle(Ps now) = 0;
  virtual Served next(Ps) { throw std::logic_error("this scheduler draws"); }
  virtual Drawing draw_next(Ps now, const Draws&) {
    return std::tuple_cat(next(now), std::make_tuple(false, 0));
  }
  virtual std::vector<ClassRow> classes() = 0;
  // Bytes projected beyond the buffer, and the rates that classes are projected to need.
  virtual std::tuple<double, double> projected() {
    throw std::logic_error("this scheduler does not project");
  }
  // The time since which a class's part of the link is idle.
  virtual Ps idle_since(std::size_t, Ps) { throw std::logic_error("this scheduler has no parts"); }
};

struct SchedulingEntry {
  Rows rows;
  std::string service;  // the law of its classes
  Rows classes;
  std::function<std::unique_ptr<Scheduler>(const std::vector<double>&,
                                           const std::vector<std::vector<double>>&, std::int64_t)>
      make;
};

using Words4 = std::array<std::uint32_t, 4>;
using Words2 = std::array<std::uint32_t, 2>;

template <class Host>
struct Entry {
  Rows rows;
  std::function<std::unique_ptr<Host>(const std::vector<double>&)> make;
};

// All that the linked law files have registered; a function is empty if its file is not
// linked.
struct Registry {
  std::map<std::string, Entry<Marking>> marking;
  std::map<std::string, Entry<WindowLaw>> window;
  std::map<std::string, Entry<Traffic>> traffic, part;
  std::function<std::vector<std::int64_t>(const std::vector<std::int64_t>&,
                                          const std::vector<double>&, const Draws&)>
      sizes;
  std::function<std::unique_ptr<RoundTripHost>()> round_trip;
  std::function<std::unique_ptr<ProfileHost>(Ps, const Steps&)> profile;
  std::function<std::unique_ptr<RtoHost>(Ps, Ps, Ps)> rto;
  std::function<std::unique_ptr<StreamHost>(std::uint64_t, const std::string&)> stream;
  std::function<Words4(Words4, Words2)> philox4x32;
  std::function<std::uint64_t(const std::string&)> fnv1a64;
  std::function<std::uint64_t(std::uint64_t)> mix64;
  std::function<double(std::uint32_t)> uniform_from_words;
  std::function<Drawn(Ps, Ps, Ps, std::int64_t, const Draws&)> start;
  std::map<std::string, SchedulingEntry> scheduling;
  std::function<std::vector<double>(const std::vector<double>&)> weights;
  std::function<std::size_t(bool ect, bool ce, bool ect_1)> codepoint_class;
  std::function<std::size_t(int flow, std::uint64_t salt, std::size_t queues)> flow_class;
};

Registry& registry();

// A law reads as many values as its table is long; a shorter list must not reach it.
inline void check_count(const Rows& rows, const std::vector<double>& values) {
  if (values.size() != rows.size()) throw std::invalid_argument("wrong number of parameters");
}

inline std::unique_ptr<Scheduler> scheduler(const std::vector<double>& values,
                                            const std::vector<std::vector<double>>& classes,
                                            std::int64_t rate_bps, const std::string& law) {
  const SchedulingEntry& entry = registry().scheduling.at(law);
  check_count(entry.rows, values);
  for (const auto& one : classes) check_count(entry.classes, one);
  return entry.make(values, classes, rate_bps);
}

template <class Table>
Rows rows_of(const Table& table) {
  Rows rows;
  for (const auto& p : table) {
    rows.emplace_back(p.name, p.unit, p.fallback, p.min, p.max, p.choices);
  }
  return rows;
}

}  // namespace ecnomy_testing

#endif  // ECNOMY_TESTS_LAWS_HOST_H_
