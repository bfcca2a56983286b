// SPDX-License-Identifier: Apache-2.0
// The telephone user and the sources of files other than the web user.
#include "host.h"
#include "traffic/files.h"
#include "traffic/voip.h"

namespace ecnomy_testing {
namespace {

constexpr std::int32_t kPayload = 1000;

class VoipOf : public Traffic {
 public:
  explicit VoipOf(const double* values) : law_(values) {}
  Drawn first(const Draws& draws) override {
    Uniforms uniforms(draws);
    const Ps value = law_.first(uniforms);
    return {value, uniforms.used()};
  }
  Drawn gap(const Draws& draws) override {
    Uniforms uniforms(draws);
    const Ps value = law_.gap(uniforms);
    return {value, uniforms.used()};
  }

 private:
  ecnomy::Voip law_;
};

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

template <class Law, class Host>
void add() {
  const Rows rows = rows_of(Law::kParameters);
  registry().traffic[Law::kName] = {rows, [rows](const std::vector<double>& values) {
                                      check_count(rows, values);
                                      return std::make_unique<Host>(values.data());
                                    }};
}

bool register_users() {
  add<ecnomy::Voip, VoipOf>();
  add<ecnomy::OneFile, FilesOf<ecnomy::OneFile>>();
  add<ecnomy::OnOff, FilesOf<ecnomy::OnOff>>();
  return true;
}

const bool registered = register_users();

}  // namespace
}  // namespace ecnomy_testing
