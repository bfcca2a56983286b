// SPDX-License-Identifier: Apache-2.0
#include "traffic/profile.h"

#include "host.h"

namespace ecnomy_testing {
namespace {

class ProfileOf : public ProfileHost {
 public:
  explicit ProfileOf(ecnomy::Profile law) : law_(std::move(law)) {}
  Ps stretch(Ps now, Ps pause) override { return law_.stretch(now, pause); }
  double at(Ps now) override { return law_.at(now); }
  Ps next_step(Ps now) override { return law_.next_step(now); }
  bool on(Ps now, std::int64_t member, std::int64_t count) override {
    return law_.on(now, member, count);
  }

 private:
  ecnomy::Profile law_;
};

// A period of -1 means no profile.
bool register_profile() {
  registry().profile = [](Ps period, const Steps& steps) {
    if (period == -1) return std::make_unique<ProfileOf>(ecnomy::Profile());
    std::vector<ecnomy::Profile::Step> rows;
    for (const auto& [at, ppm] : steps) rows.push_back({at, ppm});
    return std::make_unique<ProfileOf>(ecnomy::Profile(period, std::move(rows)));
  };
  return true;
}

const bool registered = register_profile();

}  // namespace
}  // namespace ecnomy_testing
