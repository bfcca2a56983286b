// SPDX-License-Identifier: Apache-2.0
// Parts of traffic laws: sessions and pages of a web user who reads for 5 s in the mean and fetches files of
// 1000 bytes, talk spurts on ticks of 0.1 s; lists of sizes; and video, in packets of 1000 bytes.
#include "traffic/sizes.h"
#include "traffic/speech.h"
#include "traffic/video.h"
#include "traffic/web_user.h"
#include "traffic_host.h"

namespace ecnomy_testing {
namespace {

constexpr std::int32_t kPayload = 1000;

ecnomy::Web reader() {
  const double values[] = {5, 0, 1000, 1, 5e6, 1.2, 0, -1, 0};
  return ecnomy::Web(values);
}

class UserOf : public Traffic {
 public:
  explicit UserOf(ecnomy::WebTraffic traffic)
      : traffic_(std::make_unique<ecnomy::WebTraffic>(std::move(traffic))), user_(traffic_.get()) {}
  Drawn reading(const Draws& draws) override {
    Uniforms uniforms(draws);
    const Ps value = user_.pause(uniforms);
    return {value, uniforms.used()};
  }
  Drawn file_bytes(const Draws& draws) override {
    Uniforms uniforms(draws);
    const std::int64_t value = user_.file_bytes(uniforms, kPayload);
    return {value, uniforms.used()};
  }
  void give_up() override { user_.give_up(); }

 private:
  std::unique_ptr<ecnomy::WebTraffic> traffic_;
  ecnomy::WebUser user_;
};

struct SessionsOf : UserOf {
  explicit SessionsOf(const double* values) : UserOf({reader(), ecnomy::Sessions(values), {}}) {}
};

struct PageOf : UserOf {
  explicit PageOf(const double* values) : UserOf({reader(), {}, ecnomy::Page(values)}) {}
};

// A call without end that begins at 0 and has its first tick there.
class SpokenOf : public Traffic {
 public:
  explicit SpokenOf(const double* values) : law_(values) {}
  Drawn first(const Draws& draws) override {
    Uniforms uniforms(draws);
    law_.begin(0, uniforms);
    return {at_ = law_.spoken(0, kTick, ecnomy::kFarthest, uniforms), uniforms.used()};
  }
  Drawn gap(const Draws& draws) override {
    Uniforms uniforms(draws);
    const Ps before = at_;
    at_ = law_.spoken(at_ + kTick, kTick, ecnomy::kFarthest, uniforms);
    return {at_ - before, uniforms.used()};
  }

 private:
  static constexpr Ps kTick = 100'000'000'000;
  ecnomy::Speech law_;
  Ps at_ = 0;
};

class VideoOf : public PacketsOf<ecnomy::Video> {
 public:
  explicit VideoOf(const double* values) : PacketsOf(ecnomy::Video(values, kPayload)) {}
  int payload_bytes() override { return law_.payload_bytes(); }
};

bool register_parts() {
  add_part<ecnomy::Sessions, SessionsOf>();
  add_part<ecnomy::Page, PageOf>();
  add_part<ecnomy::Speech, SpokenOf>();
  add_traffic<ecnomy::Video, VideoOf>();
  registry().sizes = [](const std::vector<std::int64_t>& bytes, const std::vector<double>& weights,
                        const Draws& draws) {
    const ecnomy::SizeList list(bytes, weights);
    std::vector<std::int64_t> found;
    for (const double u : draws) found.push_back(list.draw(u));
    return found;
  };
  return true;
}

const bool registered = register_parts();

}  // namespace
}  // namespace ecnomy_testing
