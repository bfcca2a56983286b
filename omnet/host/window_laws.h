// SPDX-License-Identifier: Apache-2.0
// The window laws that both engines host.
#ifndef ECNOMY_HOST_WINDOW_LAWS_H_
#define ECNOMY_HOST_WINDOW_LAWS_H_

#include "host/law_family.h"
#include "laws/window/bbr.h"
#include "laws/window/bbr1.h"
#include "laws/window/cubic.h"
#include "laws/window/dctcp.h"
#include "laws/window/multcp.h"
#include "laws/window/prague.h"
#include "laws/window/primal.h"
#include "laws/window/rem_source.h"
#include "laws/window/reno.h"
#include "laws/window/scream.h"
#include "laws/window/tahoe.h"
#include "laws/window/vegas.h"
#include "laws/window/wtp.h"
#include "laws/window/wtp_sender.h"

namespace ecnomy {

using WindowLaws = LawList<Wtp, WtpSender, Reno, NewReno, Tahoe, MulTcp, RemSource, Vegas, Primal,
                           Cubic, Dctcp, Prague, Bbr, Bbr1, Scream>;
using WindowVariant = WindowLaws::Variant;

}  // namespace ecnomy

#endif  // ECNOMY_HOST_WINDOW_LAWS_H_
