// SPDX-License-Identifier: Apache-2.0
// The stream's own step from words to a uniform number, with chosen words. No counter is known whose
// Philox block is all ones, the only block at which that step can round to 1.
#include "random/philox.h"

namespace ecnomy {
namespace {
std::uint32_t chosen_word = 0;
PhiloxBlock chosen_block(PhiloxBlock, PhiloxKey) noexcept {
  return {chosen_word, chosen_word, chosen_word, chosen_word};
}
}  // namespace
}  // namespace ecnomy

// Renamed, so that this file's copies cannot be merged with those of stream.cc.
#define philox4x32 chosen_block
#define Stream ChosenStream
#include "random/stream.h"
#undef Stream
#undef philox4x32

#include "host.h"

namespace ecnomy_testing {
namespace {

bool register_words() {
  registry().uniform_from_words = [](std::uint32_t word) {
    ecnomy::chosen_word = word;
    return ecnomy::ChosenStream(0, "")();
  };
  return true;
}

const bool registered = register_words();

}  // namespace
}  // namespace ecnomy_testing
