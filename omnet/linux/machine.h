// SPDX-License-Identifier: Apache-2.0
// Checks whether this machine and this user can run the engine.
#ifndef ECNOMY_LINUX_MACHINE_H_
#define ECNOMY_LINUX_MACHINE_H_

#include <string>

#include "host/plan.h"

namespace ecnomy::kernel {

// Throws BadMachine with one line if this plan cannot run here or, without a plan, if no plan can.
void check_machine(const Plan* plan);

std::string kernel_release();

}  // namespace ecnomy::kernel

#endif  // ECNOMY_LINUX_MACHINE_H_
