// SPDX-License-Identifier: Apache-2.0
// The engine's end of the bridge: a state machine over one connected stream socket.
//
// Order (PROTOCOL.md): handshake, then (record | hand | alive | request)* exchange, repeated, then finish.
// Every failure is thrown as ProtocolError (by name, with the simulated time and the last message),
// or as PeerError where the market refused or ended the run. Nothing is printed. A broken protocol
// is told to the market in an `error` frame before it is thrown.
#ifndef ECNOMY_BRIDGE_CLIENT_H_
#define ECNOMY_BRIDGE_CLIENT_H_

#include <cstdint>
#include <functional>
#include <string>

#include "codec.h"
#include "messages.h"
#include "protocol_error.h"
#include "socket.h"

namespace ecnomy::bridge {

class Client {
 public:
  // Called about every 50 ms while the client waits, so that a graphical host stays alive; false
  // stops the wait, which then throws Stopped.
  using WaitHook = std::function<bool()>;

  // Takes ownership of a connected stream socket (an inherited socketpair).
  explicit Client(int fd) : Client(Socket(fd)) {}
  explicit Client(Socket socket);

  // `unix:/path` or `tcp://host:port`. Throws ProtocolError hung-up when nobody answers.
  static Client connect(const std::string& address);

  Client(Client&&) = default;
  Client& operator=(Client&&) = default;

  // Numbers that decisions are checked against; call once, before the first exchange.
  void set_limits(Limits limits);
  void set_wait_hook(WaitHook hook);

  // hello -> welcome. Throws PeerError with the market's reason when refused.
  Welcome handshake(const Hello& hello);
  // report -> decide, checked against the limits and the report's epoch.
  Decide exchange(const Report& report);
  // Its two halves.
  void tell(const Report& report);
  Decide decision(std::int64_t epoch);
  // What the market last said for a screen, if the hello asked for it: a JSON object.
  const std::string& shown() const noexcept { return shown_; }
  // request -> verdict: whether the call is accepted.
  bool request(const Request& request);
  // One way. Splits what would not fit one frame; sends nothing for zero rows.
  void record(const std::string& table, const Columns& columns);
  void hand(const std::string& json);
  void alive(std::int64_t t_ps, std::int64_t events);
  // True when the market is gone or going. Does not block and consumes nothing; throw_gone() says
  // why.
  bool hung_up() const noexcept { return socket_.hung_up(); }
  // After a hang-up: throws PeerError with the reason the market left, or ProtocolError hung-up.
  [[noreturn]] void throw_gone();
  // finish -> bye.
  void finish(const Finish& finish);
  // Tells the market why this run ends; never throws (the peer may be gone already).
  void error(const std::string& reason) noexcept;

 private:
  template <typename Message>
  void send(const Message& message, const char* type);
  void write(const std::string& piece);
  template <typename Message>
  Message expect(const char* type);
  Incoming receive();
  void read(char* data, std::size_t size, const char* part);
  void wait(short events);
  std::string place() const;
  [[noreturn]] void fail(const std::string& name, const std::string& detail);

  Socket socket_;
  Limits limits_;
  WaitHook hook_;
  Frame frame_;         // outgoing, reused
  std::string buffer_;  // a piece of it
  std::string body_;    // incoming, reused
  bool shows_ = false;
  std::string shown_;
  std::string last_ = "none";  // last message in either direction
  std::int64_t t_ps_ = 0;
};

}  // namespace ecnomy::bridge

#endif  // ECNOMY_BRIDGE_CLIENT_H_
