// SPDX-License-Identifier: LGPL-3.0-or-later
// Registers the laws `law = "ramp"` and `law = "gentle"`.
#include "Gentle.h"
#include "Ramp.h"
#include "parameters/OwnLaws.h"

ECNOMY_MARKING_LAW(own_law::Ramp);
ECNOMY_WINDOW_LAW(own_law::Gentle);
