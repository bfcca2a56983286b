// SPDX-License-Identifier: Apache-2.0
// The telephone user and the sources of files other than the web user.
#include "traffic/files.h"
#include "traffic/voip.h"
#include "traffic_host.h"

namespace ecnomy_testing {
namespace {

constexpr std::int32_t kFilePayload = 1000;

// `reading` is the pause before a file.
template <class Law>
class FilesOf : public Traffic {
 public:
  explicit FilesOf(const double* values) : law_(values) {}
  Drawn reading(const Draws& draws) override {
    Uniforms uniforms(draws);
    const Ps value = law_.pause(uniforms);
    return {value, uniforms.used()};
  }
  Drawn file_bytes(const Draws& draws) override {
    Uniforms uniforms(draws);
    const std::int64_t value = law_.file_bytes(uniforms, kFilePayload);
    return {value, uniforms.used()};
  }

 private:
  Law law_;
};

// The packets of all calls: draws as many calls as it takes to reach the next packet.
class CallsOf : public Traffic {
 public:
  explicit CallsOf(const double* values) : law_(values) {}
  Drawn first(const Draws& draws) override {
    Uniforms uniforms(draws);
    const Ps value = walk(0, uniforms);
    return {value, uniforms.used()};
  }
  Drawn gap(const Draws& draws) override {
    Uniforms uniforms(draws);
    in_call_ += law_.interval();
    if (in_call_ < call_.holding) return {law_.interval(), uniforms.used()};
    const Ps value = walk(call_.holding - (in_call_ - law_.interval()), uniforms);
    return {value, uniforms.used()};
  }

 private:
  Ps walk(Ps waited, Uniforms& uniforms) {
    for (;;) {
      call_ = law_.next(uniforms);
      waited += call_.idle;
      in_call_ = call_.phase;
      if (in_call_ < call_.holding) return waited + in_call_;
      waited += call_.holding;
    }
  }

  ecnomy::Voip law_;
  ecnomy::Voip::Call call_{};
  Ps in_call_ = 0;
};

bool register_users() {
  add_traffic<ecnomy::Voip, CallsOf>();
  add_traffic<ecnomy::OneFile, FilesOf<ecnomy::OneFile>>();
  add_traffic<ecnomy::OnOff, FilesOf<ecnomy::OnOff>>();
  return true;
}

const bool registered = register_users();

}  // namespace
}  // namespace ecnomy_testing
