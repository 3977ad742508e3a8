//===- Registers.cpp - setmaxnreg -----------------------------------------===//
//
// Part of the mlir-amp project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A block gets as many registers as its threads begin with. Warps give some
// back to the block's pool and ask for more, and who asks for more than the
// pool has waits until others have given. Warps of one warpgroup must ask for
// the same, but each does so for itself.
//
// Where the registers that threads begin with are not known, the hardware may
// take the instruction as a hint it does not follow, and there is no model.
//
//===----------------------------------------------------------------------===//

#include "Cluster.h"

using namespace amp::emu;

void Cluster::setMaxRegisters(const Instruction &inst, uint32_t id) {
  if (!state.launch.registers)
    return;
  Block &block = myBlock();
  Thread &thread = *self;
  unsigned warp = thread.local / warpSize, first = warp * warpSize;
  auto present = unsigned(__builtin_popcount(getLanes(warp)));
  bool grows = inst.kind != 0;
  auto asked = unsigned(inst.number);
  auto needed = [&] {
    return unsigned(__builtin_popcount(getLiveLanes(warp)));
  };
  gather(block.warps[warp], needed, first, id, nullptr, nullptr,
         [&](Gathering &) {
           unsigned &mine = block.registers[warp];
           if (grows ? asked < mine : asked > mine)
             report(id, std::string("expected setmaxnreg to ") +
                            (grows ? "increase" : "decrease") +
                            " registers, but the warp has " +
                            std::to_string(mine) + " for each thread and " +
                            std::to_string(asked) + " are asked for");
           if (!grows) {
             block.freeRegisters += (mine - std::min(mine, asked)) * present;
             mine = std::min(mine, asked);
           }
         });
  // The first lane that finds enough takes it for its warp.
  while (grows && block.registers[warp] < asked) {
    unsigned needed = (asked - block.registers[warp]) * present;
    if (needed <= block.freeRegisters) {
      block.freeRegisters -= needed;
      block.registers[warp] = asked;
      break;
    }
    block.registerWaiters.push_back(thread.index);
    suspend();
  }
  if (!grows)
    wakeAll(block.registerWaiters);
}
