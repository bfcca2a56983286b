// SPDX-License-Identifier: Apache-2.0
// Window laws as congestion controls of the kernel: its own Reno and CUBIC, and ours in BPF
// (control/window_laws.bpf.c), which exist as long as this process. A congestion control's name
// belongs to the whole machine, so ours contain the number of the process.
#ifndef ECNOMY_LINUX_KERNEL_LAWS_H_
#define ECNOMY_LINUX_KERNEL_LAWS_H_

#include <memory>
#include <string>

#include "host/plan.h"
#include "linux/control/settings.h"

namespace ecnomy::kernel {

// True for a law that needs a BPF program.
bool is_own_law(const std::string& law);
// True if a source of the plan needs one, or the kernel's BBR.
bool needs_own_laws(const Plan& plan);
bool needs_bbr(const Plan& plan);
// True if this program was built with the BPF programs.
bool has_own_laws() noexcept;

class KernelLaws {
 public:
  // Registers the laws that the plan needs. Throws std::runtime_error if the kernel refuses them.
  explicit KernelLaws(const Plan& plan);
  ~KernelLaws();

  // The congestion control that carries out a law; "" if there is none.
  std::string control_of(const std::string& law) const;
  // The settings of one socket with a law of ours.
  void set(int socket, const ecnomy_settings& settings) const;
  // Its window in packets; 0 before its first ACK.
  double window(int socket) const noexcept;

 private:
  struct Programs;
  std::unique_ptr<Programs> programs_;
};

}  // namespace ecnomy::kernel

#endif  // ECNOMY_LINUX_KERNEL_LAWS_H_
