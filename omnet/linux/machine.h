// SPDX-License-Identifier: Apache-2.0
// Whether this machine and this user can run the engine.
#ifndef ECNOMY_LINUX_MACHINE_H_
#define ECNOMY_LINUX_MACHINE_H_

#include <string>

namespace ecnomy::kernel {

// `own_laws`: a congestion control in BPF is needed. Throws BadMachine with one line.
void check_machine(bool own_laws);

std::string kernel_release();

}  // namespace ecnomy::kernel

#endif  // ECNOMY_LINUX_MACHINE_H_
