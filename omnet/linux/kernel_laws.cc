// SPDX-License-Identifier: Apache-2.0
#include "linux/kernel_laws.h"

#include <algorithm>
#include <stdexcept>

#include "laws/window/bbr.h"
#include "laws/window/bbr1.h"
#include "laws/window/cubic.h"
#include "laws/window/multcp.h"
#include "laws/window/reno.h"
#include "laws/window/wtp.h"
#include "linux/descriptor.h"

#ifdef ECNOMY_BPF_OBJECT
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <vector>

// Embeds the compiled BPF programs in this program.
asm(".pushsection .rodata\n"
    ".balign 16\n"
    "ecnomy_bpf_begin: .incbin \"" ECNOMY_BPF_OBJECT
    "\"\n"
    "ecnomy_bpf_end: .byte 0\n"
    ".popsection\n");
extern "C" const char ecnomy_bpf_begin[], ecnomy_bpf_end[];
#endif

namespace ecnomy::kernel {

bool is_own_law(const std::string& law) { return law == Wtp::kName || law == MulTcp::kName; }

bool needs_own_laws(const Plan& plan) {
  return std::any_of(plan.sources.begin(), plan.sources.end(), [](const SourcePlan& source) {
    return source.transport.tcp && is_own_law(source.transport.window.law);
  });
}

bool is_bbr(const std::string& law) { return law == Bbr::kName || law == Bbr1::kName; }

bool needs_bbr(const Plan& plan) {
  return std::any_of(plan.sources.begin(), plan.sources.end(), [](const SourcePlan& source) {
    return source.transport.tcp && is_bbr(source.transport.window.law);
  });
}

#ifdef ECNOMY_BPF_OBJECT

namespace {

// Constants of bpf(2) that older headers lack.
constexpr std::uint32_t kUnregisterWithLink = 1U << 13;  // BPF_F_LINK
constexpr int kStructOps = 44;                           // BPF_STRUCT_OPS

// The last line in which the library or the verifier gives a reason.
std::string& last_reason() {
  static std::string reason;
  return reason;
}

int note_reason(libbpf_print_level level, const char* format, va_list arguments) {
  if (level != LIBBPF_WARN) return 0;
  char text[512];
  std::vsnprintf(text, sizeof text, format, arguments);
  last_reason() = text;
  return 0;
}

[[noreturn]] void refuse(const char* what) {
  std::string reason = last_reason().substr(0, last_reason().find('\n'));
  throw std::runtime_error(std::string(what) + ": " + std::strerror(errno) +
                           (reason.empty() ? "" : " (" + reason + ")"));
}

// The process number and its namespace in at most 11 characters.
std::string unique_suffix() {
  struct stat space{};
  ::stat("/proc/self/ns/pid", &space);
  char text[16];
  std::snprintf(text, sizeof text, "%x_%lx", static_cast<unsigned>(::getpid()) & 0xFFFFFFU,
                static_cast<unsigned long>(space.st_ino) & 0xFFFU);
  return text;
}

// Replaces a name in the object. The new name is padded with zeros to the same length.
void rename(std::vector<char>& object, const char* before, const std::string& after) {
  const std::size_t length = std::strlen(before);
  std::string name = after;
  name.resize(length);
  auto at = std::search(object.begin(), object.end(), before, before + length);
  if (at == object.end()) throw std::logic_error("a congestion control without its name");
  std::copy(name.begin(), name.end(), at);
}

}  // namespace

struct KernelLaws::Programs {
  bpf_object* object = nullptr;
  int settings = -1;
  // The names are global to the machine, and process numbers repeat in containers.
  std::string suffix = unique_suffix();
  std::string wtp = "ewtp" + suffix;
  std::string multcp = "emul" + suffix;
  std::vector<Descriptor> links;

  Programs() {
    libbpf_set_print(note_reason);
    std::vector<char> bytes(ecnomy_bpf_begin, ecnomy_bpf_end);
    rename(bytes, ECNOMY_WTP_NAME, wtp);
    rename(bytes, ECNOMY_MULTCP_NAME, multcp);
    object = bpf_object__open_mem(bytes.data(), bytes.size(), nullptr);
    if (!object) refuse("cannot read the congestion controls");
    for (const char* name : {"wtp", "multcp"}) {
      bpf_map__set_map_flags(bpf_object__find_map_by_name(object, name), kUnregisterWithLink);
    }
    if (bpf_object__load(object) != 0) refuse("the kernel refuses the congestion controls");
    settings = bpf_object__find_map_fd_by_name(object, "settings");
    for (const char* name : {"wtp", "multcp"}) attach(bpf_object__find_map_by_name(object, name));
  }
  ~Programs() {
    links.clear();
    bpf_object__close(object);
  }

  // A congestion control stays registered until its link is closed, which happens at the end of the process at the
  // latest. The first call only loads the programs.
  void attach(bpf_map* map) {
    if (!bpf_map__attach_struct_ops(map)) refuse("cannot hand over a congestion control");
    const int link =
        bpf_link_create(bpf_map__fd(map), 0, static_cast<bpf_attach_type>(kStructOps), nullptr);
    if (link < 0) refuse("cannot register a congestion control");
    links.emplace_back(link);
  }
};

bool has_own_laws() noexcept { return true; }

KernelLaws::KernelLaws(const Plan& plan) {
  if (needs_own_laws(plan)) programs_ = std::make_unique<Programs>();
}

void KernelLaws::set(int socket, const ecnomy_settings& settings) const {
  checked(bpf_map_update_elem(programs_->settings, &socket, &settings, BPF_ANY),
          "settings of a congestion control");
}

double KernelLaws::window(int socket) const noexcept {
  ecnomy_settings found{};
  if (bpf_map_lookup_elem(programs_->settings, &socket, &found) != 0) return 0;
  return static_cast<double>(found.window) / (1 << ECNOMY_FRACTION_BITS);
}

#else

struct KernelLaws::Programs {
  std::string wtp, multcp;
};

bool has_own_laws() noexcept { return false; }
KernelLaws::KernelLaws(const Plan&) {}
void KernelLaws::set(int, const ecnomy_settings&) const {}
double KernelLaws::window(int) const noexcept { return 0; }

#endif

KernelLaws::~KernelLaws() = default;

std::string KernelLaws::control_of(const std::string& law) const {
  if (law == Reno::kName || law == NewReno::kName) return "reno";
  if (law == Cubic::kName) return "cubic";
  if (is_bbr(law)) return "bbr";  // version 1 in mainline kernels
  if (!programs_) return "";
  return law == Wtp::kName ? programs_->wtp : law == MulTcp::kName ? programs_->multcp : "";
}

}  // namespace ecnomy::kernel
