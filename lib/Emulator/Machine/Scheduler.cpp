//===- Scheduler.cpp - Turns for threads, host threads for clusters -------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Within a cluster: rounds over its threads from a seeded starting point (some
// warps sit a round out when there is a seed), then asynchronous copies: all of
// them, or with a seed a random part in random order, so that data arrive late.
// A round in which nobody can run and no copy is left is a deadlock.
//
// Clusters wait in a queue for host threads. A cluster whose threads only spin
// (on an atomic, or a barrier test) may be waiting for a cluster that has not
// begun; then its host thread begins another beside it, as long as the chip
// would hold it too. When every cluster spins and none can begin, that is a
// livelock. A cluster that finds nothing new each time looks less and less
// often, as long as others get on or begin, so that a barrier of a grid costs
// little more than its arrivals.
//
//===----------------------------------------------------------------------===//

#include "ChipLimits.h"
#include "Cluster.h"

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <thread>
#include <utility>

using namespace amp::emu;

thread_local Cluster *amp::emu::running = nullptr;

static bool isBefore(const SharedAddress &a, const SharedAddress &b) {
  return std::make_pair(a.rank, a.offset) < std::make_pair(b.rank, b.offset);
}

Cluster::Cluster(LaunchState &state, uint32_t index, Dim3 firstBlock)
    : state(state), index(index), threadsPerBlock(state.launch.block.count()),
      threads(size_t(threadsPerBlock) * state.launch.cluster.count()),
      blocks(state.launch.cluster.count()), atomics(isBefore),
      random(state.options.seed * 0x9e3779b97f4a7c15ull + index),
      stacks(state.stacks.take(threads.size())) {
  const Dim3 &shape = state.launch.cluster;
  size_t clocks = threads.size();
  window = static_cast<char *>(
      std::aligned_alloc(windowBytes, size_t(windowBytes) * blocks.size()));
  clusterBarrier.view.reset(clocks);
  clusterBarrier.done.reset(clocks);
  live = threads.size();
  unsigned sharedBytes = state.launch.sharedBytes;
  for (unsigned r = 0; r < blocks.size(); ++r) {
    Block &block = blocks[r];
    block.id = {firstBlock.x + r % shape.x,
                firstBlock.y + r / shape.x % shape.y,
                firstBlock.z + r / shape.x / shape.y};
    block.live = threadsPerBlock;
    block.shared = window + size_t(r) * windowBytes;
    memset(block.shared, 0xff, sharedBytes); // NaN in every float format
    block.shadow.resize(sharedBytes / 16 + 1);
    block.warps.resize((threadsPerBlock + warpSize - 1) / warpSize);
    block.warpgroups.resize((threadsPerBlock + warpgroupSize - 1) /
                            warpgroupSize);
    block.exited.resize(block.warps.size());
    block.registers.assign(block.warps.size(), state.launch.registers);
    block.multiplyAgents.assign(block.warpgroups.size(), -1);
    for (NamedBarrier &barrier : block.barriers) {
      barrier.view.reset(clocks);
      barrier.done.reset(clocks);
    }
  }
  for (unsigned i = 0; i < threads.size(); ++i) {
    Thread &thread = threads[i];
    thread.index = i;
    thread.rank = i / threadsPerBlock;
    thread.local = i % threadsPerBlock;
    thread.view.reset(clocks);
    thread.view.seen[i] = 1;
    if (stacks->areMapped())
      prepareFiber(thread.fiber, stacks->get(i), FiberStacks::stackBytes,
                   runThread);
  }
}

Cluster::~Cluster() {
  std::free(window);
  state.stacks.giveBack(std::move(stacks));
}

void Cluster::suspend() {
  ++statistics.fiberSwitches;
  self->state = ThreadState::Blocked;
  switchFiber(self->fiber, scheduler);
}

void Cluster::spin(bool news) {
  ++statistics.fiberSwitches;
  learned |= news;
  if (!news) // waiting is no work
    self->steps.left = std::min(self->steps.left + StepCount::instruction + 1,
                                self->steps.allowance);
  self->spun = true;
  switchFiber(self->fiber, scheduler);
}

void Cluster::wakeAll(std::vector<unsigned> &waiters) {
  for (unsigned thread : waiters)
    wake(thread);
  waiters.clear();
}

void Cluster::runThread() {
  enterFiber();
  Cluster &cluster = *running;
  cluster.state.launch.entry(cluster.state.launch.arguments);
  cluster.exitThread();
}

void Cluster::exitThread() {
  Thread &thread = *self;
  thread.state = ThreadState::Done;
  --live;
  --myBlock().live;
  unsigned lane = thread.local % warpSize;
  myBlock().exited[thread.local / warpSize] |= 1u << lane;
  for (unsigned i = thread.local - lane;
       i < std::min(thread.local - lane + warpSize, threadsPerBlock); ++i)
    wake(thread.index - thread.local + i); // who waits in a collective
  bool copies = !thread.openCopies.copies.empty();
  for (const CopyGroup &group : thread.copyGroups)
    copies |= !group.copies.empty();
  if (copies)
    report(thread.copyInstruction,
           "thread exits with a cp.async that it has not waited for");
  if (thread.multiplyOpen || thread.multiplyCommitted != thread.multiplyWaited)
    report(thread.multiplyInstruction,
           "thread exits with a wgmma that it has not waited for");
  if (thread.bulkOpen || thread.bulkCommitted != thread.bulkRead)
    report(thread.bulkInstruction,
           "thread exits with a bulk store that it has not waited for");
  leaveBarriers(thread);
  for (;;)
    switchFiber(thread.fiber, scheduler);
}

void Cluster::abandon() {
  abandoned = true;
  for (;;)
    switchFiber(self->fiber, scheduler);
}

void Cluster::performCopies(bool anyRan) {
  bool seeded = state.options.seed != 0;
  size_t count = engine.size();
  if (seeded && anyRan)
    count = random() % (count + 1);
  while (count-- && !engine.empty()) {
    auto next = engine.begin() + (seeded ? random() % engine.size() : 0);
    std::function<void()> perform = std::move(*next);
    engine.erase(next);
    perform();
  }
}

RoundResult Cluster::runRound() {
  running = this;
  bool seeded = state.options.seed != 0;
  bool anyRan = false, progress = !engine.empty();
  if (!stacks->areMapped()) {
    self = &threads.front();
    reportNoAddresses(noInstruction, "stacks");
    return RoundResult::Finished;
  }
  unsigned count = threads.size();
  unsigned start = seeded ? random() % count : 0;
  uint64_t resting = seeded ? random() & random() : 0; // a quarter of the warps
  for (unsigned i = 0; i < count; ++i) {
    Thread &thread = threads[(start + i) % count];
    if (thread.state != ThreadState::Ready)
      continue;
    anyRan = true;
    if (resting >> (thread.index / warpSize % 64) & 1) {
      progress |= !thread.spun; // a spinning thread that rests still spins
      continue;
    }
    thread.spun = false;
    self = &thread;
    switchFiber(scheduler, thread.fiber);
    progress |= !thread.spun;
    if (abandoned)
      return RoundResult::Finished;
  }
  if (live == 0) {
    while (!engine.empty())
      performCopies(false);
    for (auto &[key, access] : counting)
      finishCounting(access);
    return RoundResult::Finished;
  }
  if (!anyRan && engine.empty()) {
    reportStuck("deadlock: the threads that wait here are never woken");
    return RoundResult::Finished;
  }
  performCopies(anyRan);
  return progress ? RoundResult::Progress : RoundResult::Spinning;
}

void Cluster::reportStuck(const std::string &why) {
  std::set<uint32_t> seen;
  for (Thread &thread : threads) {
    if (thread.state == ThreadState::Done ||
        !seen.insert(thread.instruction).second)
      continue;
    self = &thread;
    const Instruction *inst = thread.instruction == noInstruction
                                  ? nullptr
                                  : &get(thread.instruction);
    if (inst && inst->opcode == Opcode::SetMaxRegisters)
      report(thread.instruction,
             why + "; they want " + std::to_string(inst->number) +
                 " registers each, but no other warp gives enough back");
    else
      report(thread.instruction, why);
  }
}

namespace {
/// Runs clusters on host threads.
class Runner {
public:
  Runner(LaunchState &state) : state(state) {
    const Dim3 &grid = state.launch.grid, &shape = state.launch.cluster;
    for (unsigned z = 0; z < grid.z; z += shape.z)
      for (unsigned y = 0; y < grid.y; y += shape.y)
        for (unsigned x = 0; x < grid.x; x += shape.x)
          origins.push_back({x, y, z});
    results.resize(origins.size());
  }

  Outcome run() {
    auto start = std::chrono::steady_clock::now();
    std::clock_t cpuStart = std::clock();
    std::vector<std::thread> helpers;
    unsigned jobs =
        std::min<size_t>(std::max(1u, state.options.jobs), origins.size());
    idle = std::vector<std::atomic<uint64_t>>(jobs);
    for (unsigned i = 1; i < jobs; ++i)
      helpers.emplace_back([this, i] { work(i); });
    work(0);
    for (std::thread &helper : helpers)
      helper.join();
    Outcome outcome;
    std::map<std::string, size_t> seen;
    for (Result &result : results) {
      outcome.statistics.add(result.statistics);
      for (Report &report : result.reports) {
        std::string key = report.where + report.otherWhere;
        for (char c : report.message.substr(0, report.message.find(" (")))
          if (c < '0' || c > '9')
            key += c;
        auto [it, isNew] = seen.try_emplace(key, outcome.reports.size());
        if (isNew)
          outcome.reports.push_back(std::move(report));
        else
          outcome.reports[it->second].times += report.times;
      }
    }
    outcome.statistics.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
            .count();
    // At least one tick, so that rates are finite.
    outcome.statistics.cpuSeconds =
        double(std::max<std::clock_t>(1, std::clock() - cpuStart)) /
        CLOCKS_PER_SEC;
    return outcome;
  }

private:
  struct Result {
    std::vector<Report> reports;
    Statistics statistics;
  };

  std::unique_ptr<Cluster> begin() {
    if (residents++ < state.capacity)
      if (uint32_t next = taken++; next < origins.size())
        return std::make_unique<Cluster>(state, next, origins[next]);
    --residents;
    return nullptr;
  }

  void end(Cluster &cluster) {
    results[cluster.index] = {std::move(cluster.reports), cluster.statistics};
    --residents;
    ++events;
  }

  /// A cluster that has begun.
  struct Resident {
    std::unique_ptr<Cluster> cluster;
    /// Rounds that it sits out, and how many of them are left.
    size_t pause = 0, rest = 0;
  };

  /// Gives those that do not rest a turn; false if all of them only spin, and
  /// whether one of these has found something new all the same.
  bool runRound(std::vector<Resident> &resident, bool &learned) {
    bool progress = false;
    for (Resident &one : resident) {
      if (one.rest) {
        --one.rest;
        continue;
      }
      RoundResult result = one.cluster->runRound();
      learned |= std::exchange(one.cluster->learned, false);
      if (result == RoundResult::Spinning) {
        one.pause = std::min(2 * one.pause + 1, resident.size());
        one.rest = one.pause;
        continue;
      }
      progress = true;
      one.pause = 0;
      if (result == RoundResult::Finished) {
        end(*one.cluster);
        one.cluster.reset();
      }
    }
    resident.erase(
        std::remove_if(resident.begin(), resident.end(),
                       [](const Resident &one) { return !one.cluster; }),
        resident.end());
    return progress;
  }

  /// Whether every host thread has looked long enough since the last event. One
  /// that the system has not let run knows nothing of it yet.
  bool areAllIdle() const {
    return std::all_of(idle.begin(), idle.end(), [&](const auto &one) {
      uint64_t since = one;
      return since == hasEnded || since == events + 1;
    });
  }

  void work(unsigned job) {
    constexpr unsigned patience = 256; // rounds
    std::vector<Resident> resident;
    unsigned idleRounds = 0;
    uint64_t eventsSeen = 0;
    auto lastEvent = std::chrono::steady_clock::now();
    for (;;) {
      if (resident.empty() || idleRounds) {
        if (std::unique_ptr<Cluster> cluster = begin()) {
          resident.push_back({std::move(cluster)});
          idleRounds = 0;
        } else if (resident.empty()) {
          idle[job] = hasEnded;
          return;
        } else { // nothing but what rests can get on
          for (Resident &one : resident)
            one.rest = 0;
        }
      }
      bool learned = false;
      if (runRound(resident, learned)) {
        idleRounds = 0;
        idle[job] = 0;
        ++events;
        continue;
      }
      // Only spinning here. Does anyone else get on?
      auto now = std::chrono::steady_clock::now();
      ++idleRounds;
      if (learned || events != eventsSeen) {
        eventsSeen = events;
        idleRounds = 1;
      }
      if (idleRounds < patience) {
        idle[job] = 0;
        lastEvent = now;
        continue;
      }
      idle[job] = eventsSeen + 1;
      if (now - lastEvent > std::chrono::seconds(1) && areAllIdle()) {
        std::string why =
            "livelock: the threads that wait here are never woken";
        if (taken < origins.size())
          why += "; of " + std::to_string(origins.size()) +
                 " clusters of the grid the chip holds " +
                 std::to_string(state.capacity) +
                 " at once, and the others have not begun";
        for (Resident &one : resident) {
          one.cluster->reportStuck(why);
          end(*one.cluster);
        }
        resident.clear();
      }
    }
  }

  LaunchState &state;
  std::vector<Dim3> origins;
  std::vector<Result> results; // by cluster
  std::atomic<uint32_t> taken{0};
  std::atomic<uint64_t> residents{0}; // clusters that have begun and not ended
  std::atomic<uint64_t> events{0};
  /// By host thread: 1 and the events that it had seen when it had only spun
  /// for long enough; 0 where it gets on.
  std::vector<std::atomic<uint64_t>> idle;
  static constexpr uint64_t hasEnded = ~uint64_t(0);
};
} // namespace

Outcome amp::emu::runLaunch(const Launch &launch,
                            const std::vector<Instruction> &instructions,
                            const LaunchOptions &options) {
  LaunchState state{launch,
                    instructions,
                    options,
                    GlobalMemory(launch.buffers),
                    countResidentClusters(launch),
                    {}};
  return Runner(state).run();
}
