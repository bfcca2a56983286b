// SPDX-License-Identifier: LGPL-3.0-or-later
// The names of the flavour, by which users choose a law. The law's parameters are MarketTcp's lawParameters. INET's own
// flavours are here too, with their short names.
#include "inet/transportlayer/tcp/flavours/DcTcp.h"
#include "inet/transportlayer/tcp/flavours/TcpNewReno.h"
#include "inet/transportlayer/tcp/flavours/TcpNoCongestionControl.h"
#include "inet/transportlayer/tcp/flavours/TcpReno.h"
#include "inet/transportlayer/tcp/flavours/TcpTahoe.h"
#include "inet/transportlayer/tcp/flavours/TcpVegas.h"
#include "inet/transportlayer/tcp/flavours/TcpWestwood.h"
#include "tcp/TcpMarketFlavour.h"

namespace ecnomy::omnet {

#define ECNOMY_FLAVOUR(Name, named)                    \
  class Name : public TcpMarketFlavour {               \
   public:                                             \
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
ECNOMY_FLAVOUR(TcpCubic, "cubic");
ECNOMY_FLAVOUR(TcpDctcp, "dctcp");

#undef ECNOMY_FLAVOUR

// INET searches for a flavour's name in the namespace of the connection, which is ecnomy.
#define ECNOMY_INETS_FLAVOUR(Name)        \
  class Name : public inet::tcp::Name {}; \
  Register_Class(Name)

ECNOMY_INETS_FLAVOUR(TcpReno);
ECNOMY_INETS_FLAVOUR(TcpNewReno);
ECNOMY_INETS_FLAVOUR(TcpTahoe);
ECNOMY_INETS_FLAVOUR(TcpNoCongestionControl);
ECNOMY_INETS_FLAVOUR(TcpVegas);
ECNOMY_INETS_FLAVOUR(TcpWestwood);
ECNOMY_INETS_FLAVOUR(DcTcp);

#undef ECNOMY_INETS_FLAVOUR

}  // namespace ecnomy::omnet
