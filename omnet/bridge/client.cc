// SPDX-License-Identifier: Apache-2.0
#include "client.h"

#include <poll.h>

#include <algorithm>
#include <cstdio>
#include <utility>

namespace ecnomy::bridge {
namespace {

constexpr int kHookPeriodMs = 50;
constexpr int kLastWordsMs = 1000;
constexpr std::size_t kRecordBytes = std::size_t{8} << 20;  // much less than a frame's limit
constexpr std::size_t kPieceBytes = std::size_t{64} << 10;

std::string seconds(std::int64_t t_ps) {
  char text[40];
  std::snprintf(text, sizeof text, "%.12g", static_cast<double>(t_ps) * 1e-12);
  return text;
}

}  // namespace

Client::Client(Socket socket) : socket_(std::move(socket)) {}

Client Client::connect(const std::string& address) { return Client(Socket::connect(address)); }

void Client::set_limits(Limits limits) {
  limits.newer_peer = limits_.newer_peer;
  limits_ = std::move(limits);
}

void Client::set_wait_hook(WaitHook hook) { hook_ = std::move(hook); }

std::string Client::place() const {
  return " at t = " + seconds(t_ps_) + " s; last message was " + last_;
}

void Client::fail(const std::string& name, const std::string& detail) {
  error(name + ": " + detail);
  throw ProtocolError(name, detail + place());
}

void Client::wait(short events) {
  while (!socket_.wait(events, kHookPeriodMs)) {
    if (hook_()) continue;
    // If the engine waits to write, part of its frame may have been sent, so an `error` frame cannot follow.
    if (events == POLLIN) error("the engine was stopped while it waited");
    throw Stopped("stopped while waiting for the market" + place());
  }
}

void Client::read(char* data, std::size_t size, const char* part) {
  for (std::size_t done = 0; done < size;) {
    const long got = socket_.read(data + done, size - done, !hook_);
    if (got > 0) {
      done += static_cast<std::size_t>(got);
    } else if (got == Socket::kWouldBlock) {
      wait(POLLIN);
    } else if (done == 0 && part == nullptr) {
      throw ProtocolError("hung-up", "market closed the connection" + place());
    } else {
      throw ProtocolError("truncated", std::string("market closed the connection inside a ") +
                                           (part == nullptr ? "header" : part) + place());
    }
  }
}

Incoming Client::receive() {
  char header[kHeaderBytes];
  read(header, sizeof header, nullptr);
  try {
    body_.resize(body_bytes(reinterpret_cast<const unsigned char*>(header)));
  } catch (const ProtocolError& e) {
    fail(e.name(), e.detail());
  }
  read(body_.data(), body_.size(), "frame");
  try {
    Incoming message = decode(body_, limits_);
    if (body_.capacity() > kPieceBytes) std::string().swap(body_);  // frees the memory of many rows
    last_ = type_name(message);
    return message;
  } catch (const ProtocolError& e) {
    fail(e.name(), e.detail());
  }
}

void Client::throw_gone() {
  // The market's last message explains why it closed the connection.
  const Incoming message = receive();
  if (const auto* last = std::get_if<Error>(&message)) {
    throw PeerError("market ended the run: " + last->reason + place(), last->reason);
  }
  throw ProtocolError("hung-up", "market closed the connection" + place());
}

void Client::write(const std::string& piece) {
  for (std::size_t done = 0; done < piece.size();) {
    const long put = socket_.write(piece.data() + done, piece.size() - done, !hook_);
    if (put >= 0) {
      done += static_cast<std::size_t>(put);
    } else if (put == Socket::kWouldBlock) {
      wait(POLLOUT);
    } else {
      throw_gone();
    }
  }
}

template <typename Message>
void Client::send(const Message& message, const char* type) {
  encode(message, frame_);
  pour(frame_, buffer_, kPieceBytes, [this](const std::string& piece) { write(piece); });
  last_ = type;
}

template <typename Message>
Message Client::expect(const char* type) {
  Incoming message = receive();
  if (auto* wanted = std::get_if<Message>(&message)) return std::move(*wanted);
  if (const auto* stop = std::get_if<Error>(&message)) {
    throw PeerError("market ended the run: " + stop->reason + place(), stop->reason);
  }
  if (const auto* refusal = std::get_if<Refuse>(&message)) {
    throw PeerError("market refused this engine: " + refusal->reason, refusal->reason);
  }
  fail("wrong-order", std::string(type_name(message)) + " where " + type + " was due");
}

Welcome Client::handshake(const Hello& hello) {
  send(hello, "hello");
  const auto welcome = expect<Welcome>("welcome");
  limits_.newer_peer = welcome.minor > kMinor;
  shows_ = hello.show && welcome.minor >= 2;
  return welcome;
}

Decide Client::exchange(const Report& report) {
  tell(report);
  return decision(report.epoch);
}

void Client::tell(const Report& report) {
  t_ps_ = report.t_ps;
  send(report, "report");
}

Decide Client::decision(std::int64_t epoch) {
  if (shows_) shown_ = expect<Show>("show").json;
  auto decide = expect<Decide>("decide");
  if (decide.epoch != epoch) {
    fail("wrong-epoch", "decision for epoch " + std::to_string(decide.epoch) + ", expected " +
                            std::to_string(epoch));
  }
  return decide;
}

bool Client::request(const Request& request) {
  t_ps_ = request.t_ps;
  send(request, "request");
  const auto verdict = expect<Verdict>("verdict");
  if (verdict.id != request.id) {
    fail("wrong-order", "verdict on request " + std::to_string(verdict.id) + ", expected " +
                            std::to_string(request.id));
  }
  return verdict.accept;
}

void Client::record(const std::string& table, const Columns& columns) {
  if (columns.empty() || columns.front().count == 0) return;
  const std::size_t rows = columns.front().count;
  const std::size_t step = std::max<std::size_t>(1, kRecordBytes / (8 * columns.size()));
  if (rows <= step) return send(Record{table, columns}, "record");
  for (const Column& column : columns) {
    if (column.count != rows) throw ProtocolError("column-length", table + "." + column.name);
  }
  for (std::size_t from = 0; from < rows; from += step) {
    Record part{table, columns};
    for (Column& column : part.columns) {
      column.data = static_cast<const char*>(column.data) + from * column.stride;
      column.count = std::min(step, rows - from);
    }
    send(part, "record");
  }
}

void Client::hand(const std::string& json) { send(Hand{json}, "hand"); }

void Client::alive(std::int64_t t_ps, std::int64_t events) {
  t_ps_ = t_ps;
  send(Alive{t_ps, events}, "alive");
}

void Client::finish(const Finish& finish) {
  t_ps_ = finish.t_ps;
  send(finish, "finish");
  expect<Bye>("bye");
}

void Client::error(const std::string& reason) noexcept {
  try {
    const std::string frame = encode(Error{reason});
    for (std::size_t done = 0; done < frame.size();) {
      const long put = socket_.write(frame.data() + done, frame.size() - done, false);
      const bool full = put == Socket::kWouldBlock;
      if (put < 0 && !(full && socket_.wait(POLLOUT, kLastWordsMs))) return;
      if (put > 0) done += static_cast<std::size_t>(put);
    }
  } catch (...) {
    return;
  }
}

}  // namespace ecnomy::bridge
