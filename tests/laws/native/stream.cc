// SPDX-License-Identifier: Apache-2.0
#include "random/stream.h"

#include "host.h"

namespace ecnomy_testing {
namespace {

class StreamOf : public StreamHost {
 public:
  StreamOf(std::uint64_t seed, const std::string& name) : law_(seed, name) {}
  std::uint64_t next() override { return law_.next(); }
  double uniform() override { return law_(); }

 private:
  ecnomy::Stream law_;
};

bool register_stream() {
  registry().stream = [](std::uint64_t seed, const std::string& name) {
    return std::make_unique<StreamOf>(seed, name);
  };
  registry().philox4x32 = [](Words4 counter, Words2 key) {
    return ecnomy::philox4x32(counter, key);
  };
  registry().fnv1a64 = [](const std::string& text) { return ecnomy::fnv1a64(text); };
  registry().mix64 = [](std::uint64_t value) { return ecnomy::mix64(value); };
  return true;
}

const bool registered = register_stream();

}  // namespace
}  // namespace ecnomy_testing
