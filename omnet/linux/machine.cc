// SPDX-License-Identifier: Apache-2.0
#include "linux/machine.h"

#include <fcntl.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <fstream>

#include "host/program.h"
#include "linux/descriptor.h"

namespace ecnomy::kernel {

std::string kernel_release() {
  utsname name{};
  ::uname(&name);
  return name.release;
}

void check_machine(bool own_laws) {
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
  std::ifstream file("/proc/sys/net/ipv4/tcp_available_congestion_control");
  std::string name;
  bool cubic = false;
  while (file >> name) cubic = cubic || name == "cubic";
  if (!cubic) throw BadMachine("engine linux needs the kernel's cubic: modprobe tcp_cubic");
  if (own_laws && ::access("/sys/kernel/btf/vmlinux", R_OK) != 0) {
    throw BadMachine(
        "window laws wtp and multcp need the kernel's type information: a kernel with "
        "CONFIG_DEBUG_INFO_BTF");
  }
}

}  // namespace ecnomy::kernel
