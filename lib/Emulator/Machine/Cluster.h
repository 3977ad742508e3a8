//===- Cluster.h - The state of the blocks that run together ----*- C++ -*-===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A cluster is the unit of scheduling: its threads share a host thread, a
// scheduler and a set of clocks. This header declares that state and what the
// models (one file each) ask of each other. Functions that model an instruction
// are members of Cluster, act for the running thread `self`, and may suspend
// it.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_LIB_EMULATOR_MACHINE_CLUSTER_H
#define AMP_LIB_EMULATOR_MACHINE_CLUSTER_H

#include "Fiber.h"
#include "GlobalMemory.h"
#include "LocalMemory.h"
#include "Shadow.h"

#include <cstring>
#include <deque>
#include <functional>
#include <random>
#include <set>
#include <string_view>

namespace amp::emu {

/// Shared memory of a block occupies a window of this size and alignment, so
/// that the 18 address bits in matrix descriptors and 32-bit shared addresses
/// can be taken as offsets.
constexpr uint32_t windowBytes = 1 << 18;
constexpr unsigned warpSize = 32, warpgroupSize = 128;

/// A place in the shared memory of the cluster.
struct SharedAddress {
  unsigned rank = ~0u; // of the block; ~0: not shared memory
  uint32_t offset = 0;
};

/// A cp.async that has not been waited for.
struct PendingCopy {
  char *target;
  const char *source;
  unsigned bytes, zeros;
};
struct CopyGroup {
  std::vector<PendingCopy> copies;
  Clock over = 0; // of the thread, once it has waited
};

enum class ThreadState : uint8_t { Ready, Blocked, Done };

/// What a thread has done, for the limit on endless loops (Steps.cpp).
struct StepCount {
  static constexpr int64_t firstAllowance = 1 << 14, instruction = 64;

  int64_t left = firstAllowance, allowance = firstAllowance;
  uint64_t taken = 0; // in earlier allowances
  bool touchedMemory = false;
  const void *lastRead = nullptr; // the access before, unless it was a write
  uint32_t lastReader = noInstruction;

  void countAccess(const void *address, uint32_t instruction, bool writes);
};

struct Thread {
  Fiber fiber;
  ThreadState state = ThreadState::Ready;
  /// Whether its last turn only tested a condition that others must change.
  bool spun = false;
  unsigned index = 0; // in the cluster
  unsigned rank = 0;  // of its block in the cluster
  unsigned local = 0; // in the block
  uint32_t instruction = noInstruction;
  StepCount steps;
  View view;

  // cp.async.
  CopyGroup openCopies;
  std::deque<CopyGroup> copyGroups;
  uint32_t copyInstruction = noInstruction;
  Clock lastCopyOver = 0; // of the groups so far

  // wgmma: groups committed and waited for.
  Clock multiplyCommitted = 0, multiplyWaited = 0;
  bool multiplyOpen = false, multiplyFenced = false;
  uint32_t multiplyInstruction = noInstruction;
  std::map<unsigned, Clock> lastGroupOf; // instruction -> its last group

  // Bulk stores.
  int readAgent = -1, writeAgent = -1;
  Clock bulkCommitted = 0, bulkRead = 0, bulkWritten = 0;
  bool bulkOpen = false;
  uint32_t bulkInstruction = noInstruction;
  std::map<Clock, unsigned> bulkPending; // group -> copies not performed

  // Cluster barrier.
  unsigned clusterGeneration = 0;
  bool clusterArrived = false;

  // Fences between relaxed atomics, by scope: what the last release fence of at
  // least that scope covers, and what an acquire fence would bring, each read
  // adding to it.
  std::shared_ptr<const View> releaseFences[numScopes];
  std::unique_ptr<View> relaxedReads[numScopes];
  /// What an atomic that is repeated found the last time.
  const void *lookedAt = nullptr;
  uint32_t lookingInstruction = noInstruction;
  uint64_t lookedVersion = 0;
  /// Atomics: the value that a read-modify-write is about to change, and where
  /// and what each instruction read last.
  uint64_t valueBefore = 0;
  std::map<uint32_t, std::pair<const void *, uint64_t>> lastFound;

  /// How often each instruction has run, to line up the lanes of a warp.
  std::vector<uint32_t> occurrences;
};

/// A collective that lanes are arriving at.
struct Gathering {
  unsigned arrived = 0, generation = 0;
  uint32_t instruction = noInstruction;
  char *arguments[warpgroupSize], *results[warpgroupSize];
};

/// A numbered barrier of a block.
struct NamedBarrier {
  unsigned arrived = 0, expected = 0, generation = 0;
  uint32_t instruction = noInstruction;
  unsigned counted = 0, reduced = 0; // reductions: so far and of the last phase
  View view, done;
  std::vector<unsigned> waiters;
};

/// An mbarrier: counts of arrivals and bytes, and the phase.
struct MBarrier {
  unsigned rank = 0;
  uint32_t count = 0, pending = 0, phase = 0;
  int64_t bytes = 0;
  View view, done; // arrivals so far; as of the last completed phase
  unsigned agent = 0;
  Clock issued = 0;
  std::set<Clock> outstanding; // copies not performed
  /// What made it what it is: its init or, where it is not live, its inval.
  Epoch init;
  bool live = true, initFenced = false;
  /// Inits so far, and the agent whose clock they are where a relaxed cluster
  /// arrival hands on a fenced one, and nothing else of the thread; or -1.
  Clock inits = 0;
  int initAgent = -1;
  /// The last operation of each thread of its block, since the init.
  struct Use {
    Clock at = 0;
    uint32_t instruction = noInstruction;
  };
  std::vector<Use> uses;
  /// Last arrival of each thread of another block, until a wait has seen it.
  struct RemoteArrival {
    Clock at;
    uint32_t instruction, phase;
    bool releases; // at cluster scope
  };
  std::map<unsigned, RemoteArrival> remote;
  std::vector<unsigned> waiters;
};

struct Block {
  Dim3 id;
  unsigned live = 0;
  char *shared = nullptr;
  std::vector<Line> shadow;
  std::vector<Gathering> warps, warpgroups;
  std::vector<uint32_t> exited; // lanes, by warp
  /// Collectives of some lanes of a warp, by warp and mask.
  std::map<std::pair<unsigned, uint32_t>, Gathering> partialWarps;
  std::vector<int> multiplyAgents; // per warpgroup
  NamedBarrier barriers[16];
  /// Registers of a thread, by warp, what the block has free, and the threads
  /// that wait for some.
  std::vector<unsigned> registers;
  unsigned freeRegisters = 0;
  std::vector<unsigned> registerWaiters;
};

struct ClusterBarrier {
  unsigned arrived = 0, generation = 0;
  View view, done;
};

/// Accesses of one instruction by the lanes of a warp, for the counters.
struct WarpAccess {
  unsigned lanes = 0;
  uint64_t bytes = 0;
  std::set<uint64_t> sectors;
  /// By lane: offset and size, which is 0 where the lane has no access.
  std::pair<uint32_t, uint32_t> shared[warpSize] = {};
};

/// State of a launch that all host threads share.
struct LaunchState {
  const Launch &launch;
  const std::vector<Instruction> &instructions;
  const LaunchOptions &options;
  GlobalMemory memory;
  /// Clusters that the chip holds at once.
  uint64_t capacity = 0;
  StackPool stacks;
};

/// How a round of the scheduler went.
enum class RoundResult : uint8_t { Progress, Spinning, Finished };

class Cluster {
public:
  /// `firstBlock` is the index of its first block in the grid.
  Cluster(LaunchState &state, uint32_t index, Dim3 firstBlock);
  ~Cluster();

  //===--- Scheduler.cpp --------------------------------------------------===//
  /// Gives every thread that can run a turn, then performs some copies.
  RoundResult runRound();
  /// Suspends the running thread until someone wakes it.
  void suspend();
  /// Ends the running thread's turn; it did nothing but look. It has learned
  /// something unless it has found the same as before.
  void spin(bool learned);
  void wake(unsigned thread) {
    if (threads[thread].state == ThreadState::Blocked)
      threads[thread].state = ThreadState::Ready;
  }
  void wakeAll(std::vector<unsigned> &waiters);
  [[noreturn]] void exitThread();
  /// Ends the cluster where it stands: nothing after this would be real.
  [[noreturn]] void abandon();
  /// Reports where threads wait, when nothing happens any more.
  void reportStuck(const std::string &why);

  //===--- Reports.cpp ----------------------------------------------------===//
  /// Reports `rule` at an instruction, once per pair of instructions.
  void report(uint32_t instruction, const std::string &rule,
              const Epoch *other = nullptr, const char *otherText = nullptr);
  void report(uint32_t instruction, const Finding &finding, const char *space,
              const Actor &actor);
  /// Memory of the machine itself that the host has no addresses for.
  void reportNoAddresses(uint32_t instruction, const std::string &what);
  std::string nameActor(const Epoch &epoch) const;

  //===--- Accesses.cpp ---------------------------------------------------===//
  Actor genericActor(const Thread &thread) const;
  unsigned makeAgent(const char *kind);
  SharedAddress locate(const void *address) const {
    size_t d = static_cast<const char *>(address) - window;
    if (d >= size_t(windowBytes) * blocks.size())
      return {};
    return {unsigned(d / windowBytes), uint32_t(d % windowBytes)};
  }
  /// False when the access is out of bounds, and must not happen.
  bool checkShared(const Actor &actor, SharedAddress address, unsigned size,
                   AccessKind kind, uint32_t instruction,
                   bool inFlight = false);
  bool checkGlobal(const Actor &actor, const void *address, unsigned size,
                   AccessKind kind, uint32_t instruction);
  /// An access of the running thread to memory of any kind. Ends the cluster
  /// where the hardware would fault.
  void checkAccess(void *address, uint64_t size, AccessKind kind,
                   uint32_t instruction);
  void checkAlignment(const void *address, uint32_t instruction);
  void ordinaryAccess(void *address, unsigned size, uint32_t instruction);
  void countAccess(void *address, unsigned size, uint32_t instruction);
  void finishCounting(WarpAccess &access);

  //===--- LocalMemory.cpp, Steps.cpp -------------------------------------===//
  bool checkLocal(unsigned owner, const void *address, size_t size,
                  AccessKind kind, uint32_t instruction);
  void *allocateLocal(uint64_t bytes, unsigned alignment, uint32_t instruction);
  void takeSteps(uint32_t instruction);

  //===--- Atomics.cpp ----------------------------------------------------===//
  void beginAtomic(void *address, unsigned size, uint32_t instruction);
  void endAtomic(void *address, uint32_t instruction);
  bool foundNothingNew(const void *address, const Instruction &inst,
                       uint32_t instruction);
  void publish(AtomicLocation &location, const Instruction &inst);
  void learn(const AtomicLocation &location, const Instruction &inst);
  void lookAt(const void *address, const Instruction &inst,
              uint32_t instruction);
  template <typename Act> void withAtomic(const void *address, Act act);
  void fence(const Instruction &inst);

  //===--- ProxyFences.cpp ------------------------------------------------===//
  void proxyFence(const Instruction &inst);
  void tensorMapFence(const Instruction &inst, uint32_t id,
                      const char *arguments);

  //===--- ScalarInstructions.cpp -----------------------------------------===//
  void convertNumbers(const Instruction &inst, const char *arguments,
                      char *result);
  void permuteBytes(const Instruction &inst, const char *arguments,
                    char *result);

  //===--- MemoryMoves.cpp ------------------------------------------------===//
  void moveMemory(const Instruction &inst, uint32_t id, const char *arguments);

  //===--- Lanes.cpp, MatrixLoads.cpp, MatrixMultiply.cpp, Warpgroup.cpp --===//
  void warpCollective(const Instruction &inst, uint32_t id, char *arguments,
                      char *result);
  void loadMatrix(Gathering &lanes, const Instruction &inst, uint32_t id,
                  Thread *first);
  void storeMatrix(Gathering &lanes, const Instruction &inst, uint32_t id,
                   Thread *first);
  void multiplyMatrix(Gathering &lanes, const Instruction &inst);
  void warpgroup(const Instruction &inst, uint32_t id, char *arguments,
                 char *result);
  void multiplyWarpgroup(Gathering &lanes, const Instruction &inst, uint32_t id,
                         Thread *first, unsigned agent);

  //===--- Barriers.cpp ---------------------------------------------------===//
  void blockBarrier(const Instruction &inst, uint32_t id, char *arguments,
                    char *result);
  void takeView(const View &view);
  void clusterArrive(bool relaxed);
  void clusterWait(uint32_t id);
  void leaveBarriers(Thread &thread);
  void settle(NamedBarrier &barrier);
  void settle(ClusterBarrier &barrier);

  //===--- TransactionBarriers.cpp ----------------------------------------===//
  void mbarrier(const Instruction &inst, uint32_t id, char *arguments,
                char *result);
  void mbarrierInit(const Instruction &inst, uint32_t id, SharedAddress address,
                    uint32_t count);
  void mbarrierArrive(const Instruction &inst, uint32_t id, MBarrier &barrier,
                      bool remote, char *arguments, char *result);
  bool mbarrierWait(const Instruction &inst, uint32_t id, MBarrier &barrier,
                    bool remote, char *arguments);
  /// The mbarrier at an address; one that nobody initialised is reported.
  MBarrier &findMBarrier(SharedAddress address, uint32_t id);
  void mbarrierInvalidate(uint32_t id, SharedAddress address,
                          MBarrier &barrier);
  /// Whether the running thread is ordered after the init; reports it if not.
  bool checkInit(MBarrier &barrier, uint32_t id);
  void handOnInits();
  void useMBarrier(MBarrier &barrier, uint32_t id);
  void fenceInits();
  void settle(MBarrier &barrier);
  /// A copy has arrived.
  void completeCopy(MBarrier &barrier, Clock operation, int64_t bytes,
                    uint32_t id);
  /// Whether a copy may complete on the barrier; reports what is missing.
  void checkCompletion(MBarrier &barrier, uint32_t id);

  //===--- AsyncCopies.cpp, BulkCopies.cpp, TensorCopies.cpp --------------===//
  void asyncCopy(const Instruction &inst, uint32_t id, char *arguments);
  void copyArrive(const Instruction &inst, uint32_t id, char *arguments);
  void landCopies(const std::vector<PendingCopy> &copies, const Epoch &epoch);
  void bulkCopy(const Instruction &inst, uint32_t id, char *arguments);
  void bulkLoad(const Instruction &inst, uint32_t id, char *arguments);
  void bulkStore(const Instruction &inst, uint32_t id, char *arguments);
  void bulkWait(const Instruction &inst);
  void tensorLoad(const Instruction &inst, uint32_t id, char *arguments);
  void tensorStore(const Instruction &inst, uint32_t id, char *arguments);
  /// The group and the two agents of a bulk store by the running thread.
  Clock openBulkStore(uint32_t id, Actor &reader, Actor &writer);
  void endBulkStore(Thread &thread, Clock group);

  //===--- Registers.cpp --------------------------------------------------===//
  void setMaxRegisters(const Instruction &inst, uint32_t id);

  //===--- Printf.cpp -----------------------------------------------------===//
  /// A text of the kernel, up to its zero or `most` bytes. Ends the cluster
  /// where it leaves memory or has no end; `what` is for the report.
  std::string_view checkText(char *address, const char *what, size_t most);

  //===--- Dispatch.cpp ---------------------------------------------------===//
  void execute(uint32_t id, char *arguments, char *result);
  int32_t specialRegister(unsigned which);
  int64_t readClock();

  const Instruction &get(uint32_t id) const { return state.instructions[id]; }
  Block &myBlock() { return blocks[self->rank]; }

  /// Gathers needed() threads of the warp or warpgroup that begins with the
  /// block's thread `first`; the last to arrive runs `act` for all. Who exits
  /// may be the one that they have waited for, so that fewer are needed.
  template <typename Needed, typename Act>
  void gather(Gathering &meeting, Needed needed, unsigned first, uint32_t id,
              char *arguments, char *result, Act act);
  /// The lanes of a warp that the block has, and that have not exited.
  uint32_t getLanes(unsigned warp) const {
    unsigned present = std::min(warpSize, threadsPerBlock - warp * warpSize);
    return present == warpSize ? ~0u : (1u << present) - 1;
  }
  uint32_t getLiveLanes(unsigned warp) {
    return getLanes(warp) & ~myBlock().exited[warp];
  }

  LaunchState &state;
  const uint32_t index;
  unsigned threadsPerBlock;
  std::vector<Thread> threads;
  std::vector<Block> blocks;
  std::map<uint64_t, MBarrier> mbarriers; // by rank and offset
  ClusterBarrier clusterBarrier;
  std::map<SharedAddress, AtomicLocation,
           bool (*)(const SharedAddress &, const SharedAddress &)>
      atomics;                              // in shared memory
  std::deque<std::function<void()>> engine; // copies not performed
  std::vector<const char *> agents;         // kind of each
  unsigned live = 0;
  LocalMemory local;
  bool abandoned = false;
  /// Whether a thread that only looked has found something new since asked.
  bool learned = false;
  Thread *self = nullptr;
  char *window = nullptr; // of block 0
  std::mt19937_64 random;
  std::vector<Report> reports;
  std::map<std::string, size_t> reported;
  Statistics statistics;
  uint64_t clockReads = 0;
  std::string printed; // by the call of printf under way
  std::map<std::pair<unsigned, uint64_t>, WarpAccess> counting;

private:
  static void runThread();
  void performCopies(bool anyRan);
  Fiber scheduler;
  std::unique_ptr<FiberStacks> stacks;
};

/// The cluster that runs on this host thread.
extern thread_local Cluster *running;

template <typename T>
T getOperand(const char *arguments, const Instruction &inst, int index) {
  T value;
  memcpy(&value, arguments + inst.offsets[index], sizeof value);
  return value;
}

template <typename Needed, typename Act>
void Cluster::gather(Gathering &meeting, Needed needed, unsigned first,
                     uint32_t id, char *arguments, char *result, Act act) {
  ++statistics.collectives;
  if (meeting.arrived == 0)
    meeting.instruction = id;
  else if (meeting.instruction != id) {
    Epoch other;
    other.instruction = meeting.instruction;
    report(id, "lanes of one warp or warpgroup are at different collectives",
           &other, "another lane waits here");
  }
  unsigned lane = self->local - first, generation = meeting.generation;
  meeting.arguments[lane] = arguments;
  meeting.results[lane] = result;
  ++meeting.arrived;
  while (meeting.arrived < needed()) {
    suspend();
    if (meeting.generation != generation)
      return;
  }
  act(meeting);
  meeting.arrived = 0;
  ++meeting.generation;
  unsigned last =
      std::min(first + std::max(needed(), warpSize), threadsPerBlock);
  for (unsigned i = first; i < last; ++i)
    wake(self->index - lane + (i - first));
}

} // namespace amp::emu

#endif // AMP_LIB_EMULATOR_MACHINE_CLUSTER_H
