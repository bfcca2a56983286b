// SPDX-License-Identifier: LGPL-3.0-or-later
#include "traffic/SourceBase.h"

#include <string>

#include "inet/common/InitStages.h"
#include "laws/traffic/files.h"
#include "laws/traffic/traffic.h"
#include "parameters/Parameters.h"

namespace ecnomy::omnet {

using omnetpp::cMessage;
using omnetpp::cModule;

namespace {

class Start : public cMessage {
 public:
  explicit Start(int which) : cMessage("start"), member(which) {}
  Start* dup() const override { return new Start(member); }
  const int member;
};

}  // namespace

void SourceBase::initialize(int stage) {
  if (stage == inet::INITSTAGE_LOCAL) {
    const cModule* source = getParentModule();
    plan_ =
        sourceParameters(source, source->getSubmodule("traffic"), source->getSubmodule("window"));
    local_ = inet::L3Address(source->par("localAddress").stringValue());
    remote_ = inet::L3Address(source->par("remoteAddress").stringValue());
    port_ = static_cast<int>(source->par("port").intValue());
    market_ = &MarketBridge::of(this);
    const int wanted = static_cast<int>(source->par("sourceIndex").intValue());
    index_ = market_->addSource(wanted, plan_, remote_, port_, this);
  } else if (stage == inet::INITSTAGE_APPLICATION_LAYER) {
    firstFlow_ = market_->firstFlow(index_);
    openMembers();
    figures_.open(getParentModule(), *market_, index_);
    market_->addSampled(this);
    for (int member = 0; member < plan_.count; ++member) {
      scheduleAt(simtime(startOf(member)), new Start(member));
    }
  }
}

void SourceBase::handleMessage(cMessage* message) {
  const Start* start = dynamic_cast<Start*>(message);
  if (!start) return handleOther(message);
  const int member = start->member;
  delete message;
  startMember(member);
}

std::string SourceBase::path(bool ack) const {
  return getParentModule()->par(ack ? "ackPath" : "path").stdstringValue();
}

// Only sources with a window have knobs.
double SourceBase::knob(const char* name) const {
  cModule* source = getParentModule();
  return source->hasPar(name) ? source->par(name).doubleValue() : -1;
}

void SourceBase::sample(const Sample& sample) { figures_.sample(sample, *this); }

Stream SourceBase::stream(int member, const char* use) const {
  return Stream(market_->seed(), "source/" + plan_.name + "/" + std::to_string(member) + "/" + use);
}

Time SourceBase::startOf(int member) const {
  const StartLaw law{plan_.start_at, plan_.start_stagger, plan_.start_spread};
  Stream draws = stream(member, "start");
  const Time start = law.draw(member, draws);
  if (plan_.traffic.law != OneFile::kName) return start;
  return later(law.at,
               plan_.profile.stretch(law.at, start - law.at));  // the start is its only draw
}

}  // namespace ecnomy::omnet
