// SPDX-License-Identifier: Apache-2.0
// What this engine can run: a plan that real hosts cannot follow is refused before anything starts.
#ifndef ECNOMY_LINUX_ABILITIES_H_
#define ECNOMY_LINUX_ABILITIES_H_

#include <string>

#include "host/plan.h"

namespace ecnomy::kernel {

// Throws BadPlan with one line: the source or link, its setting, and the possible settings.
void check_abilities(const Plan& plan);

// The congestion control of the kernel that carries out a window law; "" if there is no such
// control.
std::string control_of(const std::string& window_law);

}  // namespace ecnomy::kernel

#endif  // ECNOMY_LINUX_ABILITIES_H_
