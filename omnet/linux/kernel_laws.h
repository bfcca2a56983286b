// SPDX-License-Identifier: Apache-2.0
// Window laws as congestion controls of the kernel. Some are the kernel's own. Others are ecnomy's BPF programs
// (control/window_laws.bpf.c), which exist as long as this process. The name of a congestion control is global to the
// machine, so the names of these programs contain the number of the process.
#ifndef ECNOMY_LINUX_KERNEL_LAWS_H_
#define ECNOMY_LINUX_KERNEL_LAWS_H_

#include <memory>
#include <string>

#include "host/plan.h"
#include "linux/control/settings.h"

namespace ecnomy::kernel {

// True for a law that needs a BPF program.
bool is_own_law(const std::string& law);
// True for both versions of BBR, which the kernel's only BBR implements.
bool is_bbr(const std::string& law);
// True if a source of the plan needs a law in BPF, or the kernel's BBR.
bool needs_own_laws(const Plan& plan);
bool needs_bbr(const Plan& plan);
// True if this program was built with the BPF programs.
bool has_own_laws() noexcept;

class KernelLaws {
 public:
  // Registers the laws that the plan needs. Throws std::runtime_error if the kernel refuses them.
  explicit KernelLaws(const Plan& plan);
  ~KernelLaws();

  // The name of the congestion control that implements a law, or "" if there is none.
  std::string control_of(const std::string& law) const;
  // Sets a socket whose law is a BPF program.
  void set(int socket, const ecnomy_settings& settings) const;
  // The socket's window in packets, or 0 before its first ACK.
  double window(int socket) const noexcept;

 private:
  struct Programs;
  std::unique_ptr<Programs> programs_;
};

}  // namespace ecnomy::kernel

#endif  // ECNOMY_LINUX_KERNEL_LAWS_H_
