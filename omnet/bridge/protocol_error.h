// SPDX-License-Identifier: Apache-2.0
// Errors on the bridge: the peer breaks the protocol, or it refuses or ends the run. The refusals have the names used
// in PROTOCOL.md and in Python.
#ifndef ECNOMY_BRIDGE_PROTOCOL_ERROR_H_
#define ECNOMY_BRIDGE_PROTOCOL_ERROR_H_

#include <stdexcept>
#include <string>
#include <utility>

namespace ecnomy::bridge {

// A refusal that has a name. what() is "name: detail", which is also the reason sent to the peer.
class ProtocolError : public std::runtime_error {
 public:
  ProtocolError(std::string name, std::string detail)
      : std::runtime_error(name + ": " + detail),
        name_(std::move(name)),
        detail_(std::move(detail)) {}

  const std::string& name() const noexcept { return name_; }
  const std::string& detail() const noexcept { return detail_; }

 private:
  std::string name_;
  std::string detail_;
};

// Thrown if the host's wait hook stopped the run while the client waited, for example because the user closed the
// window or pressed Ctrl-C.
class Stopped : public ProtocolError {
 public:
  explicit Stopped(std::string detail) : ProtocolError("hung-up", std::move(detail)) {}
};

// Thrown if the market refused the engine (`refuse`) or ended the run (`error`). reason() returns the market's text.
class PeerError : public std::runtime_error {
 public:
  PeerError(const std::string& what, std::string reason)
      : std::runtime_error(what), reason_(std::move(reason)) {}

  const std::string& reason() const noexcept { return reason_; }

 private:
  std::string reason_;
};

}  // namespace ecnomy::bridge

#endif  // ECNOMY_BRIDGE_PROTOCOL_ERROR_H_
