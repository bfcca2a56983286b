// SPDX-License-Identifier: Apache-2.0
// The telephone user and the sources of files other than the web user.
#include "traffic/files.h"
#include "traffic/voip.h"
#include "traffic_host.h"

namespace ecnomy_testing {
namespace {

constexpr std::int32_t kPayload = 1000;

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
    const std::int64_t value = law_.file_bytes(uniforms, kPayload);
    return {value, uniforms.used()};
  }

 private:
  Law law_;
};

bool register_users() {
  add_traffic<ecnomy::Voip, PacketsOf<ecnomy::Voip>>();
  add_traffic<ecnomy::OneFile, FilesOf<ecnomy::OneFile>>();
  add_traffic<ecnomy::OnOff, FilesOf<ecnomy::OnOff>>();
  return true;
}

const bool registered = register_users();

}  // namespace
}  // namespace ecnomy_testing
