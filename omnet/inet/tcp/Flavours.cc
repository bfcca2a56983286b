// SPDX-License-Identifier: LGPL-3.0-or-later
// The flavour under the names that users choose a law by; parameters are MarketTcp's lawParameters.
#include "tcp/TcpMarketFlavour.h"

namespace ecnomy::omnet {

#define ECNOMY_FLAVOUR(Name, named)                    \
  class Name : public TcpMarketFlavour {               \
   protected:                                          \
    const char* law() const override { return named; } \
  };                                                   \
  Register_Class(Name)

ECNOMY_FLAVOUR(TcpWtp, "wtp");
ECNOMY_FLAVOUR(TcpWtpSender, "wtp-sender");
ECNOMY_FLAVOUR(TcpReno3168, "reno");
ECNOMY_FLAVOUR(TcpNewReno3168, "newreno");
ECNOMY_FLAVOUR(TcpTahoe3168, "tahoe");
ECNOMY_FLAVOUR(TcpMulTcp, "multcp");
ECNOMY_FLAVOUR(TcpRem, "rem");
ECNOMY_FLAVOUR(TcpVegas3168, "vegas");
ECNOMY_FLAVOUR(TcpPrimal, "primal");

#undef ECNOMY_FLAVOUR

}  // namespace ecnomy::omnet
