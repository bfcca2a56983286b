// SPDX-License-Identifier: Apache-2.0
// Checks whether this engine can run a plan. A plan that real hosts cannot follow is refused before anything starts.
#ifndef ECNOMY_LINUX_ABILITIES_H_
#define ECNOMY_LINUX_ABILITIES_H_

#include "host/plan.h"

namespace ecnomy::kernel {

// Throws BadPlan, whose single line names the source or link, its setting, and the possible settings.
void check_abilities(const Plan& plan);

}  // namespace ecnomy::kernel

#endif  // ECNOMY_LINUX_ABILITIES_H_
