// SPDX-License-Identifier: Apache-2.0
#include "linux/router.h"

#include <sys/epoll.h>
#include <sys/timerfd.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>

#include "engine/far_end.h"

namespace ecnomy::kernel {
namespace {

constexpr Time kLookEvery = 10'000'000'000;      // 10 ms: sockets are read, limits applied
constexpr Time kAliveEvery = 1'000'000'000'000;  // 1 s
constexpr std::int64_t kLooksPerHangUpCheck = 10;
constexpr std::size_t kLargestPacket = 1 << 16;

// The subject of a poll event: its kind, with an index in the low half of the number.
enum class Polled : std::uint64_t { tunnel, timer, decision, listener, flow };

std::uint64_t tag(Polled kind, std::size_t index) noexcept {
  return static_cast<std::uint64_t>(kind) << 32 | index;
}

void poll_for(int poll, int fd, std::uint32_t events, Polled kind, std::size_t index = 0) {
  epoll_event event{};
  event.events = events;
  event.data.u64 = tag(kind, index);
  checked(::epoll_ctl(poll, EPOLL_CTL_ADD, fd, &event), "epoll_ctl");
}

}  // namespace

Router::Router(const Plan& plan, bridge::Client* client)
    : plan_(&plan),
      client_(client),
      recorder_(plan, client),
      tally_(plan),
      class_tally_(plan),
      network_(plan, &recorder_, &recorder_),
      poll_(checked(::epoll_create1(EPOLL_CLOEXEC), "epoll")),
      timer_(checked(::timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC), "timerfd")),
      watched_(network_.flow_count()),
      buffer_(kLargestPacket) {
  core_.hosts = this;
  core_.trace = recorder_.trace();
  core_.delay_thresholds = plan.record.delay_thresholds;
  if (client_ && plan.record.classes_every > 0) core_.classes = &class_tally_;
  make_links();
  make_paths();
  poll_for(poll_.get(), network_.senders(), EPOLLIN, Polled::tunnel, 0);
  poll_for(poll_.get(), network_.receivers(), EPOLLIN, Polled::tunnel, 1);
  poll_for(poll_.get(), timer_.get(), EPOLLIN, Polled::timer);
  for (std::size_t source = 0; source < network_.listeners().size(); ++source) {
    const Descriptor& listener = network_.listeners()[source];
    if (!listener) continue;
    poll_for(poll_.get(), listener.get(), EPOLLIN | EPOLLET, Polled::listener, source);
  }
  if (!client_) return;
  desk_ = std::make_unique<MarketDesk>(recorder_, *client_);
  poll_for(poll_.get(), desk_->ready(), EPOLLIN, Polled::decision);
  if (plan.record.every_ps > 0) next_sample_ = 0;
}

void Router::make_links() {
  for (std::size_t i = 0; i < plan_->links.size(); ++i) {
    core_.add_link(plan_->links[i], plan_->seed);
    law_timers_.push_back(core_.links.back().first_timer());
    if (law_timers_.back() == kNever) continue;
    core_.events.push(law_timers_.back(), engine::EventKind::law_timer,
                      static_cast<std::uint32_t>(i));
  }
}

void Router::make_paths() {
  for (std::size_t index = 0; index < plan_->sources.size(); ++index) {
    const SourcePlan& source = plan_->sources[index];
    const std::int32_t number = static_cast<std::int32_t>(index);
    first_hop_.push_back(core_.add_path(source.path, source.classes, number));
    first_ack_hop_.push_back(core_.add_path(source.ack_path, source.ack_classes, number));
  }
  core_.open(network_.flow_count());
}

RunTotals Router::run() {
  if (plan_->warmup == 0 && client_ && tally_.wanted()) core_.tally = &tally_;
  if (desk_) {
    desk_->submit(report(0));
    apply(std::get<bridge::Decide>(desk_->await()), 0);
  }
  ++epoch_;
  boundary_ = plan_->next_report(0);
  clock_.start();
  while (now_ < plan_->duration) {
    wait();
    turn();
  }
  finish();
  return totals();
}

// Sleeps until the next event is due, or a packet, a socket or a decision is ready.
void Router::wait() {
  itimerspec at{};
  at.it_value = clock_.at(next_time());
  checked(::timerfd_settime(timer_.get(), TFD_TIMER_ABSTIME, &at, nullptr), "timerfd_settime");
  std::array<epoll_event, 256> events;
  const int count = ::epoll_wait(poll_.get(), events.data(), events.size(), -1);
  if (count < 0 && errno != EINTR) throw_errno("epoll_wait");
  turn();
  const Time now = std::max(now_, clock_.now());
  for (int i = 0; i < count; ++i) {
    const std::uint64_t which = events[static_cast<std::size_t>(i)].data.u64;
    const std::size_t index = which & 0xFFFF'FFFFU;
    switch (static_cast<Polled>(which >> 32)) {
      case Polled::listener:
        network_.accept(index);
        break;
      case Polled::decision:
        collect_answer(now);
        break;
      case Polled::flow: {
        StreamFlow& flow = *network_.stream(index);
        if (const auto reason = flow.failure()) throw std::runtime_error(*reason);
        flow.fill(core_.flows[index], now);
        break;
      }
      case Polled::tunnel:
      case Polled::timer:
        break;
    }
  }
}

// Carries out all due events, and takes packets until no more are waiting.
void Router::turn() {
  do {
    advance(clock_.now());
  } while (now_ < plan_->duration && (take_packets(true) | take_packets(false)));
}

Time Router::next_action() const noexcept {
  return std::min({boundary_, next_sample_, next_look_, network_.agenda().next()});
}

// The earliest time at which something is due.
Time Router::next_time() const noexcept {
  Time next = next_action();
  const auto consider = [&](Time time) {
    if (time != kNever) next = std::min(next, time);
  };
  for (std::size_t i = 0; i < core_.links.size(); ++i) {
    consider(core_.links[i].next_delivery());
    if (core_.class_links[i]) consider(core_.class_links[i]->next_delivery());
    consider(core_.far_ends[i].next());
    consider(law_timers_[i]);
  }
  return std::max<Time>(next, 0);
}

// Carries out everything up to `now` in order of time: events of links, and actions of the router.
void Router::advance(Time now) {
  now = std::min(std::max(now, now_), plan_->duration);
  for (;;) {
    const Time next = next_action();
    if (next > now || now_ >= plan_->duration) break;
    run_until(next);
    act(next);
  }
  if (now_ >= plan_->duration) return;
  run_until(now);
  now_ = std::max(now_, now);
}

void Router::run_until(Time end) {
  while (core_.events.due(end)) {
    const engine::Event event = core_.events.top();
    ++events_;
    now_ = event.time;
    dispatch(event);
  }
  now_ = std::max(now_, end);
}

void Router::dispatch(const engine::Event& event) {
  const auto arrives = [&](engine::PacketId id) { arrive(id, event.time); };
  switch (event.kind) {
    case engine::EventKind::deliver:
      return engine::deliver(core_.links[event.subject], core_, event.subject, event.time, arrives);
    case engine::EventKind::class_deliver:
      return engine::deliver(*core_.class_links[event.subject], core_, event.subject, event.time,
                             arrives);
    case engine::EventKind::late: {
      const engine::PacketId id = core_.far_ends[event.subject].release(core_, event.time);
      return id == engine::kNoPacket ? void() : arrives(id);
    }
    case engine::EventKind::law_timer: {
      const Time next = core_.links[event.subject].on_timer(core_, event.time);
      law_timers_[event.subject] = next;
      return next == kNever ? core_.events.pop() : core_.events.replace_top(next);
    }
    default:
      throw std::logic_error("an event of the simulator's hosts");
  }
}

void Router::act(Time now) {
  if (now >= next_look_) look(now);
  if (now >= next_sample_) sample(now);
  if (now >= boundary_) end_epoch(now);
  if (now < plan_->duration) wake_flows(now);
}

void Router::wake_flows(Time now) {
  while (network_.agenda().next() <= now) {
    const std::size_t index = network_.agenda().take();
    if (DatagramFlow* const flow = network_.datagrams(index)) {
      flow->act(core_, now);
      continue;
    }
    network_.stream(index)->act(core_.flows[index], now);
    watch(index);
  }
}

void Router::wake(std::int32_t flow, Time at) {
  network_.agenda().wake(static_cast<std::size_t>(flow), at);
}

// Adds the current socket of a TCP flow to the poll. The kernel removes closed sockets.
void Router::watch(std::size_t index) {
  const StreamFlow& flow = *network_.stream(index);
  if (!flow.is_open() || watched_[index] == flow.connection()) return;
  watched_[index] = flow.connection();
  poll_for(poll_.get(), flow.socket(), EPOLLOUT | EPOLLET, Polled::flow, index);
}

// Called every 10 ms: receivers read, limits are applied, and the market gets a sign of life when one is due.
void Router::look(Time now) {
  next_look_ = now + kLookEvery;
  network_.drain();
  for (std::size_t i = 0; i < network_.flow_count(); ++i) {
    if (StreamFlow* const flow = network_.stream(i)) flow->look(core_.flows[i], now);
  }
  if (!client_ || desk_->busy()) return;
  if (++looks_ % kLooksPerHangUpCheck == 0 && client_->hung_up()) client_->throw_gone();
  if (now < next_alive_) return;
  next_alive_ = now + kAliveEvery;
  client_->alive(now, events_);
}

}  // namespace ecnomy::kernel
