// SPDX-License-Identifier: Apache-2.0
// A record of every call of a law, with exact arguments and results, so that a test can repeat the calls
// (tests/parity). It exists only in builds that define ECNOMY_LAW_LOG, which write it to the file named by the
// environment variable ECNOMY_LAW_LOG. In other builds these classes are empty. Each call is one line, with whole
// numbers in decimal and other numbers as %a:
//
//   new I FAMILY LAW VALUE...             a new host with the number I, which begins its further lines
//   arrival I PACKETS BYTES RATE IDLE FLOW BYTES ECT CE NOW N DRAW... ACTION MARK_QUEUED PROBABILITY
//   departure I (the same)
//   drop I FLOW BYTES ECT CE NOW
//   timer I PACKETS BYTES RATE IDLE NOW NEXT PROBABILITY
//   configure I VALUE...
//   ack I CWND SSTHRESH MIN MAX NEWLY MARKS TRIPS CWND SSTHRESH MIN MAX
//   congestion, loss, timeout I CWND SSTHRESH MIN MAX USED CWND SSTHRESH MIN MAX
//   begin I CWND SSTHRESH MIN MAX CWND SSTHRESH MIN MAX
//   rtt I CWND SSTHRESH MIN MAX RTT CWND SSTHRESH MIN MAX
//   weight, weigh, gain, aim, disturb I VALUE
//   see I NOW SRTT MIN_RTT ACKED SENT IN_FLIGHT APP_LIMITED
//   sent I NOW SRTT MIN_RTT ACKED SENT IN_FLIGHT APP_LIMITED SEQ
//   delivered I FIRST END
//   lost I BELOW SELECTIVE
//   join I CLASS FLOW BYTES ECT CE ECT_1 BUSY NOW HASH N DRAW... QUEUE MARK
//                        for a scheduling law. Its VALUEs begin with the link's rate and end with those of its classes
//   room I OVERFLOW NOW CLASS
//   settle I NOW STATE...                           one per queue: rate, deficit in bytes, or DualPI2's state
//   next I NOW N DRAW... CLASS MARK WAITED DROP
#ifndef ECNOMY_HOST_LAW_LOG_H_
#define ECNOMY_HOST_LAW_LOG_H_

#include <cstdint>
#include <string>
#include <vector>

#include "laws/marking/marking.h"
#include "laws/random/stream.h"
#include "laws/scheduling/class_queue.h"
#include "laws/window/window.h"

#ifdef ECNOMY_LAW_LOG
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <utility>
#endif

namespace ecnomy {

#ifdef ECNOMY_LAW_LOG

// The log file, one per process.
class LawLog {
 public:
  static LawLog& get() {
    static LawLog log;
    return log;
  }
  bool on() const noexcept { return file_ != nullptr; }

  // A law, by family, name and parameters.
  struct Made {
    std::string law;
    std::vector<double> values;
  };

  // Notes the law of the host that is constructed next.
  static void made(const char* family, const std::string& law, const std::vector<double>& values) {
    get().made_ = {std::string(family) + " " + law, values};
  }
  const Made& last_made() const noexcept { return made_; }
  int open(const Made& made) {
    if (!on()) return 0;
    std::fprintf(file_, "new %d %s", ++hosts_, made.law.c_str());
    put(made.values);
    std::fputc('\n', file_);
    return hosts_;
  }
  template <class... Values>
  void line(const char* hook, int host, const Values&... values) {
    std::fprintf(file_, "%s %d", hook, host);
    (put(values), ...);
    std::fputc('\n', file_);
  }

 private:
  LawLog() {
    const char* path = std::getenv("ECNOMY_LAW_LOG");
    if (!path || !*path) return;
    file_ = std::fopen(path, "a");
    if (!file_) throw std::runtime_error(std::string("cannot write the law log ") + path);
  }
  ~LawLog() {
    if (file_) std::fclose(file_);
  }
  void put(double value) { std::fprintf(file_, " %a", value); }
  void put(int value) { std::fprintf(file_, " %d", value); }
  void put(std::int64_t value) { std::fprintf(file_, " %lld", static_cast<long long>(value)); }
  void put(const std::vector<double>& values) {
    for (const double value : values) put(value);
  }
  void put(const QueueView& q) {
    for (const std::int64_t value : {q.packets, q.bytes, q.rate_bps, q.idle_since}) put(value);
  }
  void put(const Path& p) {
    for (const std::int64_t value : {p.now, p.srtt, p.min_rtt, p.acked, p.sent, p.in_flight}) {
      put(value);
    }
    put(static_cast<int>(p.app_limited));
  }
  void put(const Window& w) {
    for (const double value : {w.cwnd, w.ssthresh, w.min, w.max}) put(value);
  }

  std::FILE* file_ = nullptr;
  Made made_;
  int hosts_ = 0;
};

// A law's stream, which keeps the draws since the last take().
class LawStream {
 public:
  explicit LawStream(Stream stream) noexcept : stream_(stream) {}
  double operator()() noexcept {
    drawn_.push_back(stream_());
    return drawn_.back();
  }
  std::vector<double> take() { return std::exchange(drawn_, {}); }

 private:
  Stream stream_;
  std::vector<double> drawn_;
};

// One host's part of the log. A copy of a host whose law has not been called yet counts as a separate host.
class HostLog {
 public:
  HostLog() : made_(log_->last_made()), id_(log_->open(made_)) {}
  HostLog(const HostLog& other) : made_(other.made_), id_(log_->open(made_)) {}
  HostLog(HostLog&&) noexcept = default;
  HostLog& operator=(const HostLog&) = default;
  HostLog& operator=(HostLog&&) noexcept = default;
  ~HostLog() = default;

  template <class Host>
  void decided(const char* hook, const QueueView& queue, const PacketView& packet, Time now,
               LawStream& stream, const Decision& decision, const Host& host) {
    const std::vector<double> draws = stream.take();
    if (!log_->on()) return;
    log_->line(hook, id_, queue, packet.flow, packet.bytes, static_cast<int>(packet.ect),
               static_cast<int>(packet.ce), now, static_cast<int>(draws.size()), draws,
               static_cast<int>(decision.action), decision.waiting, host.probability());
  }
  void dropped(const PacketView& packet, Time now) {
    if (!log_->on()) return;
    log_->line("drop", id_, packet.flow, packet.bytes, static_cast<int>(packet.ect),
               static_cast<int>(packet.ce), now);
  }
  template <class Host>
  void timed(const QueueView& queue, Time now, Time next, const Host& host) {
    if (log_->on()) log_->line("timer", id_, queue, now, next, host.probability());
  }
  template <class... Values>
  void changed(const char* hook, const Window& before, const Window& after,
               const Values&... values) {
    if (log_->on()) log_->line(hook, id_, before, values..., after);
  }
  template <class... Values>
  void set(const char* what, const Values&... values) {
    if (log_->on()) log_->line(what, id_, values...);
  }

 private:
  LawLog* log_ = &LawLog::get();
  LawLog::Made made_;
  int id_;
};

// A scheduler's part of the log. It must not be copied or moved after its first call.
class SchedulerLog {
 public:
  SchedulerLog() : id_(log_->open(log_->last_made())) {}

  void joined(int service, const PacketView& packet, bool busy, Time now, std::uint64_t hash,
              LawStream& stream, int queue, bool mark) {
    const std::vector<double> draws = stream.take();
    if (!log_->on()) return;
    log_->line("join", id_, service, packet.flow, packet.bytes, static_cast<int>(packet.ect),
               static_cast<int>(packet.ce), static_cast<int>(packet.ect_1), static_cast<int>(busy),
               now, static_cast<std::int64_t>(hash), static_cast<int>(draws.size()), draws, queue,
               static_cast<int>(mark));
  }
  void chose_victim(bool overflow, Time now, int victim) {
    if (log_->on()) log_->line("room", id_, static_cast<int>(overflow), now, victim);
  }
  template <class Law>
  void settled(Time now, const Law& law) {
    if (!log_->on()) return;
    std::vector<double> states;
    for (std::size_t n = 0; n < queues_of(law); ++n) states.push_back(law.settled(n));
    log_->line("settle", id_, now, states);
  }
  void served(Time now, const Service& service, LawStream& stream) {
    const std::vector<double> draws = stream.take();
    if (!log_->on()) return;
    log_->line("next", id_, now, static_cast<int>(draws.size()), draws,
               static_cast<int>(service.service), static_cast<int>(service.mark), service.waited,
               static_cast<int>(service.drop));
  }

 private:
  LawLog* log_ = &LawLog::get();
  int id_;
};

#else

struct LawLog {
  static void made(const char*, const std::string&, const std::vector<double>&) noexcept {}
};

using LawStream = Stream;

struct HostLog {
  template <class... Any>
  void decided(const Any&...) const noexcept {}
  template <class... Any>
  void dropped(const Any&...) const noexcept {}
  template <class... Any>
  void timed(const Any&...) const noexcept {}
  template <class... Any>
  void changed(const Any&...) const noexcept {}
  template <class... Any>
  void set(const Any&...) const noexcept {}
};

struct SchedulerLog {
  template <class... Any>
  void joined(const Any&...) const noexcept {}
  template <class... Any>
  void chose_victim(const Any&...) const noexcept {}
  template <class... Any>
  void settled(const Any&...) const noexcept {}
  template <class... Any>
  void served(const Any&...) const noexcept {}
};

#endif

}  // namespace ecnomy

#endif  // ECNOMY_HOST_LAW_LOG_H_
