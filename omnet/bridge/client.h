// SPDX-License-Identifier: Apache-2.0
// The engine's end of the bridge: a state machine over one connected stream socket.
//
// The order (PROTOCOL.md) is: handshake, then (record | hand | alive | request)* exchange, repeated, then finish. A
// failure throws ProtocolError, with its name, the simulated time and the last message, or PeerError if the market
// refused or ended the run. Nothing is printed. A breach of the protocol is reported to the market in an `error` frame
// before it is thrown.
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

  // Takes ownership of a connected stream socket, such as one end of an inherited socketpair.
  explicit Client(int fd) : Client(Socket(fd)) {}
  explicit Client(Socket socket);

  // Connects to `unix:/path` or `tcp://host:port`. Throws ProtocolError hung-up if the market does not answer.
  static Client connect(const std::string& address);

  Client(Client&&) = default;
  Client& operator=(Client&&) = default;

  // Sets the limits of decisions. Must be called once, before the first exchange.
  void set_limits(Limits limits);
  void set_wait_hook(WaitHook hook);

  // Sends `hello` and returns `welcome`. Throws PeerError with the market's reason if the market refuses.
  Welcome handshake(const Hello& hello);
  // Sends `report` and returns `decide`, checked against the limits and the report's epoch.
  Decide exchange(const Report& report);
  // The two halves of an exchange.
  void tell(const Report& report);
  Decide decision(std::int64_t epoch);
  // The market's latest `show`, a JSON object for the display, if the hello requested it.
  const std::string& shown() const noexcept { return shown_; }
  // Sends `request` and returns the verdict: true if the call is accepted.
  bool request(const Request& request);
  // Sends a table and expects no answer. A table that does not fit into one frame is split, and an empty table is not
  // sent.
  void record(const std::string& table, const Columns& columns);
  void hand(const std::string& json);
  void alive(std::int64_t t_ps, std::int64_t events);
  // True if the market has closed the connection. It does not block or consume data. throw_gone() throws the reason.
  bool hung_up() const noexcept { return socket_.hung_up(); }
  // Must be called only after a hang-up. Throws PeerError with the market's reason, or ProtocolError hung-up.
  [[noreturn]] void throw_gone();
  // Sends `finish` and waits for `bye`.
  void finish(const Finish& finish);
  // Tells the market why this run ends. It never throws, since the peer may have gone already.
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
