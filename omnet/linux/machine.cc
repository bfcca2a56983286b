// SPDX-License-Identifier: Apache-2.0
#include "linux/machine.h"

#include <fcntl.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <set>

#include "host/program.h"
#include "linux/descriptor.h"
#include "linux/kernel_laws.h"
#include "linux/own_space.h"

namespace ecnomy::kernel {
namespace {

constexpr std::int32_t kMtu = 1500;

std::set<std::string> congestion_controls() {
  std::ifstream file("/proc/sys/net/ipv4/tcp_available_congestion_control");
  return {std::istream_iterator<std::string>(file), {}};
}

// Lets a child process make a namespace with a TUN device, as a run does. Both disappear with the child. Returns the
// reason if this fails.
std::string space_refused() {
  int ends[2];
  checked(::pipe2(ends, O_CLOEXEC), "pipe");
  const Descriptor reading(ends[0]);
  Descriptor writing(ends[1]);
  const pid_t child = checked(::fork(), "fork");
  if (child == 0) {
    try {
      const OwnSpace space(kSenders, kReceivers, kMtu);
    } catch (const std::exception& error) {
      const std::string reason = error.what();
      ::_exit(::write(ends[1], reason.data(), reason.size()) < 0 ? 2 : 1);
    }
    ::_exit(0);
  }
  writing.reset();
  std::string reason;
  char text[256];
  for (ssize_t got = 0; (got = ::read(reading.get(), text, sizeof text)) > 0;) {
    reason.append(text, static_cast<std::size_t>(got));
  }
  int status = 0;
  checked(::waitpid(child, &status, 0), "waitpid");
  return status == 0 || !reason.empty() ? reason : "a process that tried it ended";
}

}  // namespace

std::string kernel_release() {
  utsname name{};
  ::uname(&name);
  return name.release;
}

void check_machine(const Plan* plan) {
  if (::geteuid() != 0) {
    throw BadMachine("engine linux needs root, for network namespaces and TUN devices: use sudo");
  }
  const Descriptor tunnel(::open("/dev/net/tun", O_RDWR | O_CLOEXEC));
  if (!tunnel) {
    throw BadMachine(
        "engine linux needs /dev/net/tun, which cannot be opened: modprobe tun, or a kernel with "
        "CONFIG_TUN");
  }
  if (::access("/proc/self/ns/net", F_OK) != 0) {
    throw BadMachine("engine linux needs network namespaces: a kernel with CONFIG_NET_NS");
  }
  if (::access("/proc/sys/net/ipv4/tcp_sack", W_OK) != 0) {
    throw BadMachine("engine linux needs to write /proc/sys/net, which is read-only here");
  }
  if (const std::string reason = space_refused(); !reason.empty()) {
    throw BadMachine(
        "engine linux needs a network namespace with a TUN device, as CAP_SYS_ADMIN and "
        "CAP_NET_ADMIN permit: " +
        reason);
  }
  const std::set<std::string> controls = congestion_controls();
  if (controls.count("cubic") == 0) {
    throw BadMachine("engine linux needs the kernel's cubic: modprobe tcp_cubic");
  }
  if (plan && needs_bbr(*plan) && controls.count("bbr") == 0) {
    throw BadMachine("window law bbr needs the kernel's bbr: modprobe tcp_bbr");
  }
  if (plan && needs_own_laws(*plan) && ::access("/sys/kernel/btf/vmlinux", R_OK) != 0) {
    throw BadMachine(
        "window laws wtp and multcp need the kernel's type information: a kernel with "
        "CONFIG_DEBUG_INFO_BTF");
  }
}

}  // namespace ecnomy::kernel
