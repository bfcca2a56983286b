// SPDX-License-Identifier: Apache-2.0
// A library to be loaded before an engine (LD_PRELOAD): counts what operator new hands out, and at the
// end says so on standard error as one JSON line. Over-aligned memory is counted apart: the
// engine's packets are the only objects that ask for it.
#include <malloc.h>

#include <cstdio>
#include <cstdlib>
#include <new>

namespace {

struct Count {
  long long made = 0, live_bytes = 0, peak_bytes = 0;

  void* add(void* at) {
    if (at == nullptr) throw std::bad_alloc();
    ++made;
    live_bytes += static_cast<long long>(malloc_usable_size(at));
    if (live_bytes > peak_bytes) peak_bytes = live_bytes;
    return at;
  }
  void remove(void* at) noexcept {
    if (at != nullptr) live_bytes -= static_cast<long long>(malloc_usable_size(at));
    std::free(at);
  }
};

Count plain, aligned;

[[gnu::destructor]] void tell() {
  std::fprintf(stderr,
               "{\"made\": %lld, \"peak_bytes\": %lld, \"packets_made\": %lld, "
               "\"packets_peak_bytes\": %lld}\n",
               plain.made, plain.peak_bytes, aligned.made, aligned.peak_bytes);
}

}  // namespace

void* operator new(std::size_t size) { return plain.add(std::malloc(size)); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  const std::size_t step = static_cast<std::size_t>(alignment);
  return aligned.add(std::aligned_alloc(step, (size + step - 1) / step * step));
}
void operator delete(void* at) noexcept { plain.remove(at); }
void operator delete(void* at, std::size_t) noexcept { plain.remove(at); }
void operator delete(void* at, std::align_val_t) noexcept { aligned.remove(at); }
void operator delete(void* at, std::size_t, std::align_val_t) noexcept { aligned.remove(at); }
