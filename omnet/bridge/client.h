// SPDX-License-Identifier: Apache-2.0
// The engine's end of the bridge: a state machine over one connected stream socket.
//
// Order (PROTOCOL.md): handshake, then (record | hand | alive | request)* exchange, repeated, then finish.
// Every failure is thrown as ProtocolError (by name, with the simulated time and the last message),
// or as PeerError if the market refused or ended the run. Nothing is printed. A breach of the protocol
// is reported to the market in an `error` frame before it is thrown.
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
  // Called about every 50 ms while the client waits, so that a graphical host stays responsive. If it
  // returns false, the wait ends and throws Stopped.
  using WaitHook = std::function<bool()>;

  // Takes ownership of a connected stream socket (an inherited socketpair).
  explicit Client(int fd) : Client(Socket(fd)) {}
  explicit Client(Socket socket);

  // `unix:/path` or `tcp://host:port`. Throws ProtocolError hung-up if the market does not answer.
  static Client connect(const std::string& address);

  Client(Client&&) = default;
  Client& operator=(Client&&) = default;

  // Limits that decisions are checked against; call once, before the first exchange.
  void set_limits(Limits limits);
  void set_wait_hook(WaitHook hook);

  // hello -> welcome. Throws PeerError with the market's reason if the market refuses.
  Welcome handshake(const Hello& hello);
  // report -> decide, checked against the limits and the report's epoch.
  Decide exchange(const Report& report);
  // The two halves of an exchange.
  void tell(const Report& report);
  Decide decision(std::int64_t epoch);
  // The market's latest `show`, a JSON object for the display, if the hello requested it.
  const std::string& shown() const noexcept { return shown_; }
  // request -> verdict: whether the call is accepted.
  bool request(const Request& request);
  // One way. Splits a table that does not fit into one frame; sends nothing for zero rows.
  void record(const std::string& table, const Columns& columns);
  void hand(const std::string& json);
  void alive(std::int64_t t_ps, std::int64_t events);
  // Whether the market has closed the connection. Does not block or consume data; throw_gone() throws
  // the reason.
  bool hung_up() const noexcept { return socket_.hung_up(); }
  // After a hang-up: throws PeerError with the market's reason, or ProtocolError hung-up.
  [[noreturn]] void throw_gone();
  // finish -> bye.
  void finish(const Finish& finish);
  // Sends the market the reason why this run ends; never throws (the peer may be gone already).
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
  std::string buffer_;  // a piece of the outgoing frame
  std::string body_;    // incoming, reused
  bool shows_ = false;
  std::string shown_;
  std::string last_ = "none";  // last message in either direction
  std::int64_t t_ps_ = 0;
};

}  // namespace ecnomy::bridge

#endif  // ECNOMY_BRIDGE_CLIENT_H_
