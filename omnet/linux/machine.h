// SPDX-License-Identifier: Apache-2.0
// Whether this machine and this user can run the engine.
#ifndef ECNOMY_LINUX_MACHINE_H_
#define ECNOMY_LINUX_MACHINE_H_

#include <stdexcept>
#include <string>

namespace ecnomy::kernel {

// A privilege or an option of the kernel is missing.
class BadMachine : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// `own_laws`: a congestion control in BPF is needed. Throws BadMachine with one line.
void check_machine(bool own_laws);

std::string kernel_release();

}  // namespace ecnomy::kernel

#endif  // ECNOMY_LINUX_MACHINE_H_
