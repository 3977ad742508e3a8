//===- Reports.cpp - Findings in words ------------------------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A report is made once for each rule and pair of instructions; later ones only
// count. The text names the running thread, and a note stands at the other
// access.
//
//===----------------------------------------------------------------------===//

#include "Cluster.h"

using namespace amp::emu;

std::string Report::format() const {
  std::string text = where + ": error: " + message + "\n";
  if (!otherWhere.empty())
    text += otherWhere + ": note: " + otherMessage + "\n";
  return text;
}

void Statistics::add(const Statistics &o) {
  fiberSwitches += o.fiberSwitches;
  collectives += o.collectives;
  sharedChecks += o.sharedChecks;
  globalChecks += o.globalChecks;
  mmaFlops += o.mmaFlops;
  wgmmaFlops += o.wgmmaFlops;
  matrixPasses += o.matrixPasses;
  matrixConflicts += o.matrixConflicts;
  sharedPasses += o.sharedPasses;
  sharedConflicts += o.sharedConflicts;
  globalRequests += o.globalRequests;
  globalSectors += o.globalSectors;
  globalBytes += o.globalBytes;
  bulkBytes += o.bulkBytes;
}

static std::string nameBlock(const Dim3 &id) {
  return "block (" + std::to_string(id.x) + "," + std::to_string(id.y) + "," +
         std::to_string(id.z) + ")";
}

std::string Cluster::nameActor(const Epoch &epoch) const {
  std::string elsewhere = epoch.cluster == index
                              ? ""
                              : " of cluster " + std::to_string(epoch.cluster);
  if (epoch.who < threads.size()) {
    const Thread &thread = threads[epoch.who];
    if (!elsewhere.empty())
      return "thread " + std::to_string(thread.local) + " of block " +
             std::to_string(thread.rank) + elsewhere;
    return "thread " + std::to_string(thread.local) + " of " +
           nameBlock(blocks[thread.rank].id);
  }
  unsigned agent = epoch.who - threads.size();
  if (agent < agents.size() && elsewhere.empty())
    return agents[agent];
  return "an asynchronous copy" + elsewhere;
}

void Cluster::report(uint32_t id, const std::string &rule, const Epoch *other,
                     const char *otherText) {
  Report report;
  report.where = id == noInstruction ? "<unknown>" : get(id).where;
  report.cluster = index;
  if (other && other->instruction != noInstruction) {
    report.otherWhere = get(other->instruction).where;
    report.otherMessage = otherText;
    if (other->at)
      report.otherMessage += " (" + nameActor(*other) + ")";
  }
  // Numbers are details: the same rule, whatever they are.
  std::string key = report.where + report.otherWhere;
  for (char c : rule)
    if (c < '0' || c > '9')
      key += c;
  auto [it, isNew] = reported.try_emplace(key, reports.size());
  if (!isNew) {
    ++reports[it->second].times;
    return;
  }
  Epoch me;
  me.who = self->index;
  me.cluster = index;
  report.message = rule + " (" + nameActor(me) + ")";
  reports.push_back(std::move(report));
}

void Cluster::reportNoAddresses(uint32_t id, const std::string &what) {
  report(id, "the host has no address space for the " + what + " of " +
                 std::to_string(threads.size()) +
                 " threads; raise its limit (ulimit -v), or use fewer --jobs");
}

void Cluster::report(uint32_t id, const Finding &finding, const char *space,
                     const Actor &actor) {
  std::string memory = std::string(space) + " memory";
  const Epoch *other = &finding.other;
  switch (finding.rule) {
  case Finding::None:
    return;
  case Finding::InFlight:
    return report(id,
                  "access to " + memory +
                      " that a cp.async is still writing; wait for its group",
                  other, "the copy was issued here");
  case Finding::WriteAfterWrite:
    return report(id, "race: two unordered writes to " + memory, other,
                  "the other write is here");
  case Finding::ReadAfterWrite:
    return report(
        id, "race: read of " + memory + " that is not ordered after its write",
        other, "the write is here");
  case Finding::WriteAfterRead:
    return report(id,
                  "race: write to " + memory +
                      " that is not ordered after a read of the old value",
                  other, "the read is here");
  case Finding::NarrowScope:
    return report(id,
                  "race: unordered atomics on " + memory +
                      " of which one's scope leaves out the other's thread; "
                      "use a wider scope",
                  other, "the other atomic is here");
  case Finding::WriteUnderCopy:
    return report(id,
                  "race: write to " + memory +
                      " that is not ordered after the wait for a cp.async that "
                      "reads it",
                  other, "the copy was issued here");
  case Finding::MissingProxyFence:
    return report(id,
                  "asynchronous access to " + memory +
                      " that was written without a proxy fence since; "
                      "fence.proxy.async must name this space, or none",
                  other, "the ordinary write is here");
  case Finding::Uninitialised:
    return report(id, "read of uninitialised " + memory);
  case Finding::LiveBarrier:
    return report(id,
                  "access to the bytes of a live mbarrier; put it elsewhere or "
                  "invalidate it first",
                  other, "its init is here");
  }
}
