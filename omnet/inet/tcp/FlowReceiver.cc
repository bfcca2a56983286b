// SPDX-License-Identifier: LGPL-3.0-or-later
#include "tcp/FlowReceiver.h"

#include <algorithm>

namespace ecnomy::omnet {
namespace {

std::int32_t ahead(std::uint32_t seq, std::uint32_t of) {
  return static_cast<std::int32_t>(seq - of);
}

}  // namespace

void FlowReceiver::hold(inet::tcp::TcpReceiveQueue& queue, std::uint32_t first, std::uint32_t end) {
  const SeqRange whole{queue.getLE(first), queue.getRE(end)};
  std::erase_if(held_, [&](const SeqRange& part) {
    return ahead(part.first, whole.first) >= 0 && ahead(whole.end, part.end) >= 0;
  });
  held_.insert(held_.begin(), whole);
}

std::vector<SeqRange> FlowReceiver::held(std::uint32_t next) {
  std::erase_if(held_, [&](const SeqRange& range) { return ahead(next, range.end) >= 0; });
  const std::size_t count = std::min(held_.size(), kMostRanges);
  return {held_.begin(), held_.begin() + static_cast<std::ptrdiff_t>(count)};
}

}  // namespace ecnomy::omnet
